#include "profiler/classify/recorded_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/base/statistics.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"

namespace rnnadvisor {
namespace {

using Waits = RecordedSteps::Waits;

// A job of ranks with a GPU each: steps of a forward pass, work besides and collectives.
class Job {
 public:
  explicit Job(int ranks, bool ranked = true) {
    for (int rank = 0; rank < ranks; ++rank) {
      DeviceSpec device = *find_device("h200");
      device.name += std::to_string(rank);
      device.id += std::to_string(rank);
      builder.add_device(device);
      Process process;
      process.pid = 100 + rank;
      process.host = "here";
      process.start_ns = 0;
      if (ranked) {
        process.rank = rank;
        process.world_size = ranks;
      }
      builder.add_process(process);
    }
    builder.profile().environment.tracing = true;
  }
  void begin(int rank, std::int64_t at) {
    CallRecord record;
    record.call.phase = Phase::forward_training;
    record.call.process = record.call.device = rank;
    record.call.host_start_ns = record.call.host_end_ns = at;
    record.call.begins_step = true;
    kernel(rank, at, at + 10, "lstm", builder.add_call(record));
  }
  void kernel(int rank, std::int64_t start, std::int64_t end, const std::string& name,
              int call = -1) {
    KernelRecord record;
    record.name = name;
    record.call = call;
    record.process = record.device = rank;
    record.stream = name.starts_with("nccl") ? 9 : 7;
    record.start_ns = start;
    record.end_ns = end;
    builder.add_kernel(record);
  }
  void reduce(int rank, std::int64_t start, std::int64_t length) {
    kernel(rank, start, start + length, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)");
  }
  ProfileBuilder builder;
};

double median(std::vector<double> values) { return median_interval(values).median; }

TEST(RecordedStepsTest, RanksWaitBeyondTheShortestOfWhatTheyRunTogether) {
  std::mt19937 random(31);
  const auto any = [&](int from, int to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const auto ranks = static_cast<std::size_t>(any(2, 4));
    const auto steps = static_cast<std::size_t>(any(2, 9));
    const auto reductions = static_cast<std::size_t>(any(1, 3));
    Job job(static_cast<int>(ranks));
    std::vector<std::vector<std::vector<std::int64_t>>> lengths(ranks);
    std::vector<std::vector<std::int64_t>> begins(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      std::int64_t now = any(0, 50);
      for (std::size_t s = 0; s <= steps; ++s) {
        job.begin(static_cast<int>(r), now);
        begins[r].push_back(now);
        if (s == steps) break;
        auto& of_step = lengths[r].emplace_back();
        std::int64_t at = now + any(20, 60);
        for (std::size_t n = 0; n < reductions; ++n) {
          of_step.push_back(any(5, 90));
          job.reduce(static_cast<int>(r), at, of_step.back());
          at += of_step.back() + any(0, 10);
        }
        now = at + any(10, 40);
      }
    }
    const auto all = recorded_steps(job.builder.finish());
    ASSERT_EQ(all.waits, Waits::known);
    ASSERT_EQ(all.processes.size(), ranks);
    const std::size_t warm_up = steps > 5 ? 2 : 0;
    double longest_own = 0;
    std::vector<double> owns;
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto& of = all.processes[r];
      ASSERT_EQ(of.steps.size(), steps);
      std::vector<double> whole, waits, own;
      for (std::size_t s = 0; s < steps; ++s) {
        double wait = 0;
        for (std::size_t n = 0; n < reductions; ++n) {
          std::int64_t shortest = lengths[r][s][n];
          for (const auto& rank : lengths) shortest = std::min(shortest, rank[s][n]);
          wait += static_cast<double>(lengths[r][s][n] - shortest);
        }
        EXPECT_EQ(of.steps[s].from_ns, begins[r][s]);
        EXPECT_EQ(of.steps[s].to_ns, begins[r][s + 1]);
        EXPECT_DOUBLE_EQ(of.steps[s].collective_wait_ns, wait);
        EXPECT_EQ(of.steps[s].warm_up, s < warm_up);
        if (s < warm_up) continue;
        whole.push_back(static_cast<double>(begins[r][s + 1] - begins[r][s]));
        waits.push_back(wait);
        own.push_back(whole.back() - wait);
      }
      EXPECT_DOUBLE_EQ(of.median_ns, median(whole));
      EXPECT_DOUBLE_EQ(of.collective_wait_ns, median(waits));
      EXPECT_DOUBLE_EQ(of.own_ns, median(own));
      owns.push_back(of.own_ns);
      longest_own = std::max(longest_own, of.own_ns);
    }
    ASSERT_GE(all.slowest, 0);
    EXPECT_DOUBLE_EQ(owns[static_cast<std::size_t>(all.slowest)], longest_own);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RecordedStepsTest, WhatIsNotKnownOfRanksIsSaidToBe) {
  const auto waits_of = [](Job& job, const std::vector<int>& reductions) {
    for (std::size_t r = 0; r < reductions.size(); ++r) {
      const int rank = static_cast<int>(r);
      for (int s = 0; s < 4; ++s) job.begin(rank, 1000 * s + 1);
      for (int n = 0; n < reductions[r]; ++n) job.reduce(rank, 100 + 200 * n, 50 + rank);
    }
    const auto all = recorded_steps(job.builder.finish());
    if (all.waits != Waits::known) {
      EXPECT_EQ(all.slowest, -1);
      for (const auto& process : all.processes) EXPECT_LT(process.collective_wait_ns, 0);
    }
    return all.waits;
  };
  Job same(2), none(2), different(2), one(1), unranked(2, false);
  EXPECT_EQ(waits_of(same, {3, 3}), Waits::known);
  EXPECT_EQ(waits_of(none, {0, 0}), Waits::no_collectives);
  EXPECT_EQ(waits_of(different, {3, 4}), Waits::do_not_match);
  EXPECT_EQ(waits_of(one, {3}), Waits::one_rank);
  EXPECT_EQ(waits_of(unranked, {3, 3}), Waits::one_rank);
}

TEST(RecordedStepsTest, SendsToOneRankAreNoCollectives) {
  EXPECT_TRUE(is_collective("ncclDevKernel_AllReduce_Sum_f16_RING_LL(x)"));
  EXPECT_TRUE(is_collective("ncclKernel_AllReduce_RING_LL_Sum_float(x)"));
  EXPECT_FALSE(is_collective("ncclDevKernel_SendRecv(x)"));
  EXPECT_FALSE(is_collective("my_ncclDevKernel"));
}

TEST(RecordedStepsTest, AStepThatTookLongerIsAnOutlier) {
  Job job(1);
  std::int64_t now = 0;
  for (int s = 0; s < 20; ++s) {
    job.begin(0, now);
    now += s == 12 ? 5000 : 1000 + s % 3;
  }
  const auto all = recorded_steps(job.builder.finish());
  ASSERT_EQ(all.processes.size(), 1U);
  const auto& steps = all.processes[0].steps;
  ASSERT_EQ(steps.size(), 19U);
  for (std::size_t s = 0; s < steps.size(); ++s) EXPECT_EQ(steps[s].outlier, s == 12) << s;
}

// On every recorded program that travels with us: each step is accounted for, and the median of
// its steps is the one that is reported.
TEST(RecordedStepsTest, TheAccountOfARecordedStepAddsUp) {
  for (const char* name : {"pytorch-distributed", "pytorch-two-layers", "pytorch-custom-cell"}) {
    SCOPED_TRACE(name);
    const auto profile = read_profile(std::string(RNNADVISOR_SOURCE_DIR) +
                                      "/samples/recorded/programs/" + name + ".rnnprof");
    ASSERT_TRUE(profile);
    const auto recurrences = native_recurrences(*profile);
    const auto all = recorded_steps(*profile);
    for (const auto& process : all.processes) {
      for (const auto& step : process.steps) {
        const auto times = step_times(*profile, process.device, step, recurrences);
        EXPECT_DOUBLE_EQ(times.length_ns, static_cast<double>(step.length()));
        EXPECT_GE(times.idle_ns, 0);
        EXPECT_NEAR(std::accumulate(times.part_ns.begin(), times.part_ns.end(), times.idle_ns),
                    times.length_ns, 1);
      }
    }
  }
}

TEST(RecordedStepsTest, OfAJobOfTwoRanksBothAreThere) {
  const auto profile = read_profile(std::string(RNNADVISOR_SOURCE_DIR) +
                                    "/samples/recorded/programs/pytorch-distributed.rnnprof");
  ASSERT_TRUE(profile);
  const auto all = recorded_steps(*profile);
  ASSERT_EQ(all.processes.size(), 2U);
  EXPECT_EQ(all.waits, Waits::known);
  for (const auto& process : all.processes) {
    // Of ten: the first begins before it is known to be training, the last one has no end.
    EXPECT_EQ(process.steps.size(), 8U);
    EXPECT_GT(process.own_ns, 0);
    EXPECT_GE(process.collective_wait_ns, 0);
    EXPECT_LT(process.collective_wait_ns, process.median_ns);
  }
}

}  // namespace
}  // namespace rnnadvisor
