#include "profiler/launch/correlation_ranges.h"

#include <gmock/gmock.h>

#include <array>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace rnnadvisor::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

struct Told {
  std::map<std::uint32_t, int> calls;
  std::int64_t untold = 0;
};
Told resolve(CorrelationRanges& ranges) {
  Told told;
  told.untold =
      ranges.resolve([&](std::uint32_t correlation, int call) { told.calls[correlation] = call; });
  return told;
}

TEST(CorrelationRanges, WhatLiesBetweenIsTheCallsOwn) {
  CorrelationRanges ranges;
  ranges.add_range(10, 20, 7, 1, 0);
  ranges.add_range(20, 30, 7, 1, 1);
  for (const std::uint32_t correlation : {9U, 10U, 11U, 19U, 20U, 25U, 30U})
    ranges.add_kernel(correlation, 7);
  const auto told = resolve(ranges);
  EXPECT_THAT(told.calls, ElementsAre(Pair(11, 0), Pair(19, 0), Pair(25, 1)));
  EXPECT_EQ(told.untold, 0);
}

TEST(CorrelationRanges, StreamsOfCudnnsOwnBelongToTheCall) {
  CorrelationRanges ranges;
  ranges.add_range(10, 20, 7, 1, 0);
  ranges.add_kernel(12, 7);
  ranges.add_kernel(13, 33);
  EXPECT_THAT(resolve(ranges).calls, ElementsAre(Pair(12, 0), Pair(13, 0)));
}

TEST(CorrelationRanges, AMemsetOutsideOfCallsKeepsTheStream) {
  CorrelationRanges ranges;
  ranges.add_range(10, 20, 7, 1, 0);
  ranges.add_transfer(5, 33);  // cuDNN clears its streams' memory when it makes them
  ranges.add_kernel(13, 33);
  EXPECT_THAT(resolve(ranges).calls, ElementsAre(Pair(13, 0)));
}

TEST(CorrelationRanges, OthersLaunchesInBetweenAreNotTaken) {
  CorrelationRanges ranges;
  ranges.add_range(10, 20, 7, 1, 0);
  ranges.add_kernel(13, 33);
  ranges.add_kernel(40, 33);  // so stream 33 belongs to another process
  const auto told = resolve(ranges);
  EXPECT_THAT(told.calls, IsEmpty());
  EXPECT_EQ(told.untold, 1);
}

TEST(CorrelationRanges, CallsOfTwoThreadsAreFoundByTheirStreams) {
  CorrelationRanges ranges;
  ranges.add_range(10, 30, 7, 1, 0);
  ranges.add_range(12, 28, 9, 2, 1);
  ranges.add_kernel(15, 7);
  ranges.add_kernel(16, 9);
  ranges.add_kernel(17, 33);  // either's
  const auto told = resolve(ranges);
  EXPECT_THAT(told.calls, ElementsAre(Pair(15, 0), Pair(16, 1)));
  EXPECT_EQ(told.untold, 1);
}

TEST(CorrelationRanges, ApiCallsAreFoundByTheirThread) {
  CorrelationRanges ranges;
  ranges.add_range(10, 20, 7, 1, 0);
  ranges.add_api(12, 1);
  ranges.add_api(13, 2);
  const auto told = resolve(ranges);
  EXPECT_THAT(told.calls, ElementsAre(Pair(12, 0)));
  EXPECT_EQ(told.untold, 0);
}

TEST(CorrelationRanges, ARangeOfNothingIsNothing) {
  CorrelationRanges ranges;
  ranges.add_range(20, 10, 7, 1, 0);
  ranges.add_kernel(15, 7);
  EXPECT_THAT(resolve(ranges).calls, IsEmpty());
}

// The definition, word for word, for small draws.
Told by_definition(const std::vector<std::array<std::uint32_t, 4>>& calls,
                   const std::vector<std::array<std::uint32_t, 3>>& launches) {
  Told told;
  const auto around = [&](std::uint32_t correlation) {
    std::vector<int> list;
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i][0] < correlation && correlation < calls[i][1])
        list.push_back(static_cast<int>(i));
    return list;
  };
  std::set<std::uint32_t> shared;
  for (const auto& [kind, correlation, where] : launches)
    if (kind == 0 && around(correlation).empty()) shared.insert(where);
  for (const auto& [kind, correlation, where] : launches) {
    const auto open = around(correlation);
    std::vector<int> fitting;
    for (const int call : open)
      if (calls[static_cast<std::size_t>(call)][kind == 2 ? 3 : 2] == where)
        fitting.push_back(call);
    if (fitting.empty() && kind != 2 && open.size() == 1 && !shared.contains(where)) fitting = open;
    if (fitting.size() == 1) {
      told.calls[correlation] = fitting.front();
    } else if (!open.empty() && (kind != 2 || fitting.size() > 1)) {
      ++told.untold;
    }
  }
  return told;
}

TEST(CorrelationRanges, AreResolvedAsTheyAreDefined) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    CorrelationRanges ranges;
    std::vector<std::array<std::uint32_t, 4>> calls;
    std::vector<std::array<std::uint32_t, 3>> launches;
    for (auto count = random() % 8; count > 0; --count) {
      const auto first = static_cast<std::uint32_t>(random() % 40);
      calls.push_back({first, first + 1 + static_cast<std::uint32_t>(random() % 20),
                       static_cast<std::uint32_t>(random() % 3),
                       static_cast<std::uint32_t>(random() % 3)});
      ranges.add_range(calls.back()[0], calls.back()[1], calls.back()[2], calls.back()[3],
                       static_cast<int>(calls.size()) - 1);
    }
    for (std::uint32_t correlation = 1; correlation < 60; ++correlation) {
      launches.push_back({static_cast<std::uint32_t>(random() % 3), correlation,
                          static_cast<std::uint32_t>(random() % 4)});
      const auto where = launches.back()[2];
      if (launches.back()[0] == 0) ranges.add_kernel(correlation, where);
      if (launches.back()[0] == 1) ranges.add_transfer(correlation, where);
      if (launches.back()[0] == 2) ranges.add_api(correlation, where);
    }
    const auto expected = by_definition(calls, launches), told = resolve(ranges);
    ASSERT_EQ(told.calls, expected.calls) << round;
    ASSERT_EQ(told.untold, expected.untold) << round;
  }
}

// As a file made to do harm has them; a step for every pair would take minutes.
TEST(CorrelationRanges, ManyThatOverlapTakeNoLongerThanManyThatDoNot) {
  constexpr std::uint32_t many = 200'000;
  CorrelationRanges ranges;
  for (std::uint32_t i = 0; i < many; ++i) {
    ranges.add_range(i, 2 * many, 7, 1, static_cast<int>(i));
    ranges.add_kernel(many + i, 7);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(resolve(ranges).untold, many);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace rnnadvisor::launch
