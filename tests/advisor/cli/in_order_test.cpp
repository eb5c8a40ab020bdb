#include "advisor/cli/in_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "advisor/cli/kept_answers.h"

namespace rnnadvisor::cli {
namespace {

std::vector<int> up_to(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

class Jobs : public ::testing::TestWithParam<std::size_t> {};  // threads

TEST_P(Jobs, ResultsComeInTheOrderOfTheJobs) {
  std::vector<int> taken;
  const auto caller = std::this_thread::get_id();
  InOrder<int> jobs(
      [&](int result) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        taken.push_back(result);
      },
      GetParam());
  constexpr int count = 500;
  for (int i = 0; i < count; ++i) {
    jobs.add([i] {
      // The first of each ten takes longest.
      std::this_thread::sleep_for(std::chrono::microseconds(i % 10 == 0 ? 2000 : 10));
      return i;
    });
    if (i % 97 == 0) {
      jobs.finish();
      EXPECT_EQ(taken, up_to(i + 1));
    }
  }
  jobs.finish();
  EXPECT_EQ(taken, up_to(count));
}

TEST_P(Jobs, FewResultsWaitForAnEarlierOne) {
  std::atomic<int> done = 0;
  int taken = 0, most = 0;
  InOrder<int> jobs(
      [&](int) {
        ++taken;
        most = std::max(most, done - taken);
      },
      GetParam());
  for (int i = 0; i < 2000; ++i) jobs.add([&] { return ++done; });
  jobs.finish();
  EXPECT_EQ(taken, 2000);
  EXPECT_LE(most, 8 * static_cast<int>(GetParam()));
}

TEST_P(Jobs, WhatIsThrownComesOutInItsPlace) {
  std::vector<int> taken;
  InOrder<int> jobs([&](int result) { taken.push_back(result); }, GetParam());
  const auto all = [&] {
    for (int i = 0; i < 20; ++i)
      jobs.add([i] { return i == 5 ? throw std::runtime_error("five") : i; });
    jobs.finish();
  };
  EXPECT_THROW(all(), std::runtime_error);
  EXPECT_EQ(taken, up_to(5));
}

TEST_P(Jobs, WhatWasNotBegunIsDropped) {
  std::atomic<int> begun = 0;
  {
    InOrder<int> jobs([](int) {}, GetParam());
    for (int i = 0; i < 7; ++i) {
      jobs.add([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return ++begun;
      });
    }
  }
  EXPECT_LE(begun, 7);
}

INSTANTIATE_TEST_SUITE_P(Threads, Jobs, ::testing::Values(1, 2, 5));

RpcResult text_of(std::size_t bytes) { return rpc_result(std::string(bytes, 'x')); }

TEST(KeptAnswers, ThoseGoThatWereNotAskedForLongest) {
  KeptAnswers kept(16'000);
  for (const char* question : {"a", "b", "c", "d", "e", "f", "g", "h"})
    kept.keep(question, text_of(1700));
  EXPECT_NE(kept.find("a"), nullptr);
  kept.keep("i", text_of(1700));
  EXPECT_EQ(kept.find("b"), nullptr);
  EXPECT_NE(kept.find("a"), nullptr);
  EXPECT_NE(kept.find("i"), nullptr);
  EXPECT_LE(kept.bytes(), 16'000U);
}

TEST(KeptAnswers, TheirBytesHaveABound) {
  KeptAnswers kept(100'000);
  for (int i = 0; i < 5000; ++i) {
    const auto question = std::to_string(i % 700);
    if (const auto answer = kept.find(question)) {
      EXPECT_EQ(answer->size(), static_cast<std::size_t>(i % 700));
    } else {
      kept.keep(question, text_of(static_cast<std::size_t>(i % 700)));
      kept.keep(question, text_of(1));  // made by another thread meanwhile
    }
    EXPECT_LE(kept.bytes(), 100'000U);
  }
  kept.keep("large", text_of(50'000));
  EXPECT_EQ(kept.find("large"), nullptr);
  EXPECT_NE(kept.find(std::to_string(4999 % 700)), nullptr);
}

}  // namespace
}  // namespace rnnadvisor::cli
