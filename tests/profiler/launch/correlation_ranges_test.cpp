#include "profiler/launch/correlation_ranges.h"

#include <gmock/gmock.h>

#include <map>

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

TEST(CorrelationRanges, ASetOutsideMakesNoStreamSomebodyElses) {
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
  ranges.add_kernel(40, 33);  // so stream 33 is somebody else's
  const auto told = resolve(ranges);
  EXPECT_THAT(told.calls, IsEmpty());
  EXPECT_EQ(told.untold, 1);
}

TEST(CorrelationRanges, CallsOfTwoThreadsAtOnceAreToldByTheirStreams) {
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

TEST(CorrelationRanges, ApiCallsAreToldByTheirThread) {
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

}  // namespace
}  // namespace rnnadvisor::launch
