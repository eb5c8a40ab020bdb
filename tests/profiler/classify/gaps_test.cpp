#include "profiler/classify/gaps.h"

#include <gtest/gtest.h>

#include <random>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

class Gapped {
 public:
  Gapped() {
    builder_.add_device(*find_device("h200"));
    process_ = builder_.add_process({});
  }
  // An RNN call on the host, of a line of the program.
  int call(std::int64_t start, std::int64_t end, int line) {
    CallRecord record;
    record.call.host_start_ns = start;
    record.call.host_end_ns = end;
    record.call.process = process_;
    record.site = {"train.py", "step", line};
    return builder_.add_call(record);
  }
  void kernel(std::int64_t start, std::int64_t end, const char* name, int stream = 7,
              int call = -1) {
    KernelRecord record;
    record.call = call;
    record.name = name;
    record.start_ns = start;
    record.end_ns = end;
    record.device = 0;
    record.stream = stream;
    record.process = process_;
    builder_.add_kernel(record);
  }
  void api(std::int64_t start, std::int64_t end, const char* name) {
    ApiRecord record;
    record.name = name;
    record.start_ns = start;
    record.end_ns = end;
    record.process = process_;
    builder_.add_api(record);
  }
  void range(std::int64_t start, std::int64_t end, const char* name) {
    NvtxRecord record;
    record.name = name;
    record.start_ns = start;
    record.end_ns = end;
    record.process = process_;
    builder_.add_nvtx(record);
  }
  Profile finish() { return builder_.finish(); }

 private:
  ProfileBuilder builder_;
  int process_ = 0;
};

// a runs 10, then b after 30, then a after 5: three times.
Gapped three_steps() {
  Gapped work;
  std::int64_t at = 1000;
  for (int i = 0; i < 3; ++i) {
    work.kernel(at, at + 10, "a");
    work.kernel(at + 40, at + 50, "b");
    at += 55;
  }
  return work;
}

TEST(Gaps, AlikeAreOnePatternAndTheLargestTotalIsFirst) {
  const Profile profile = three_steps().finish();
  const auto patterns = gap_patterns(profile, 0, 20);
  ASSERT_EQ(patterns.size(), 2U);
  EXPECT_EQ(profile.text(patterns[0].before_name), "a");
  EXPECT_EQ(profile.text(patterns[0].after_name), "b");
  EXPECT_EQ(patterns[0].count, 3);
  EXPECT_EQ(patterns[0].total_ns, 90);
  EXPECT_EQ(patterns[0].median_ns, 30);
  EXPECT_EQ(patterns[1].count, 2);
  EXPECT_EQ(patterns[1].total_ns, 10);
  EXPECT_EQ(gap_patterns(profile, 0, 1).size(), 1U);
  EXPECT_TRUE(gap_patterns(profile, 1, 20).empty());
  EXPECT_EQ(gap_patterns(profile, 0, 20, 1060).front().count, 2);
}

// All gaps and all work are the whole.
TEST(Gaps, KernelsOfOtherStreamsFillThem) {
  auto work = three_steps();
  work.kernel(1005, 1045, "c", 8);  // from within a to within b
  const Profile profile = work.finish();
  std::int64_t gaps = 0;
  for (const auto& pattern : gap_patterns(profile, 0, 20)) gaps += pattern.total_ns;
  EXPECT_EQ(gaps, 2 * 30 + 2 * 5);
  EXPECT_FALSE(gap_around(profile, 0, 1020));
}

TEST(Gaps, AMomentHasItsGapWithNeighboursAndCause) {
  auto work = three_steps();
  work.api(1011, 1015, "cudaLaunchKernel");
  work.api(1012, 1039, "cudaStreamSynchronize");
  const Profile profile = work.finish();
  const auto gap = gap_around(profile, 0, 1020);
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->begin_ns, 1010);
  EXPECT_EQ(gap->end_ns, 1040);
  EXPECT_EQ(profile.text(profile.kernels.name[static_cast<std::size_t>(gap->before)]), "a");
  EXPECT_EQ(profile.text(profile.kernels.name[static_cast<std::size_t>(gap->after)]), "b");
  const auto cause = cause_of(profile, *gap);
  ASSERT_GE(cause.api, 0);
  EXPECT_EQ(profile.text(profile.api.name[static_cast<std::size_t>(cause.api)]),
            "cudaStreamSynchronize");
  EXPECT_EQ(cause.api_ns, 27);
  EXPECT_FALSE(gap_around(profile, 0, 1005));
  EXPECT_FALSE(gap_around(profile, 0, 1));
  EXPECT_FALSE(gap_around(profile, 0, 99'999));
}

// Where a kernel outside of RNN calls ends a gap, as a copy of the next batch does, the next RNN
// call tells the reader in which lines to look.
TEST(Gaps, AGapHasItsLineOrTheNextRnnCall) {
  Gapped work;
  const int call = work.call(95, 190, 12);
  work.kernel(0, 10, "a");
  work.kernel(100, 110, "scale");
  work.kernel(150, 190, "lstm", 7, call);
  const Profile profile = work.finish();
  const auto before = cause_of(profile, *gap_around(profile, 0, 50));
  EXPECT_EQ(before.site, -1);
  ASSERT_EQ(before.next_call, 0);
  EXPECT_EQ(profile.call_sites[static_cast<std::size_t>(profile.calls[0].site)].line, 12);
  const auto within = cause_of(profile, *gap_around(profile, 0, 120));
  EXPECT_EQ(within.site, profile.calls[0].site);
  EXPECT_EQ(within.next_call, -1);
}

TEST(Gaps, TheLongestOfAPatternAndOfARangeIsFound) {
  Gapped work;
  work.kernel(0, 10, "a");
  work.kernel(20, 30, "b");
  work.kernel(35, 40, "a");
  work.kernel(100, 110, "b");
  work.kernel(112, 120, "a");
  const Profile profile = work.finish();
  const auto patterns = gap_patterns(profile, 0, 20);
  ASSERT_FALSE(patterns.empty());
  EXPECT_EQ(patterns[0].longest.begin_ns, 40);
  EXPECT_EQ(patterns[0].longest.end_ns, 100);
  EXPECT_EQ(longest_gap(profile, 0, 0, 200)->after, 3);
  EXPECT_EQ(longest_gap(profile, 0, 0, 99)->after, 1);
  EXPECT_EQ(longest_gap(profile, 0, 41, 200)->after, 4);
  EXPECT_FALSE(longest_gap(profile, 0, 113, 200));
  EXPECT_FALSE(longest_gap(profile, 1, 0, 200));
}

// Kernels of a call that nothing traced are not in the profile: the GPU was not idle there.
TEST(Gaps, AroundAnUntracedCallAreNotKnownToBeOnes) {
  Profile profile = three_steps().finish();
  const auto before = gap_patterns(profile, 0, 10);
  RnnCall call;
  call.untraced = true;
  call.host_start_ns = 1020;  // in the first of the long gaps
  call.host_end_ns = 1030;
  profile.calls.push_back(call);
  const auto after = gap_patterns(profile, 0, 10);
  ASSERT_EQ(before.size(), after.size());
  EXPECT_EQ(before[0].count, 3);
  EXPECT_EQ(after[0].count, 2);
  EXPECT_EQ(before[1].count, after[1].count);
  EXPECT_EQ(longest_gap(profile, 0, 1000, 1050), std::nullopt);
  const auto gap = gap_around(profile, 0, 1025);
  ASSERT_TRUE(gap);
  EXPECT_TRUE(any_within(untraced_times(profile), gap->begin_ns, gap->end_ns));
  profile.calls[0].untraced = false;
  EXPECT_TRUE(longest_gap(profile, 0, 1000, 1050));
}

TEST(Gaps, WhatTheHostDidMeanwhileIsItsCallsAndRanges) {
  auto work = three_steps();
  work.api(1005, 1015, "cudaLaunchKernel");  // half of it before the gap
  work.api(1016, 1018, "cudaLaunchKernel");
  work.api(1020, 1039, "cudaStreamSynchronize");
  work.api(1045, 1049, "cudaMalloc");
  work.range(1000, 1100, "step");
  work.range(1012, 1038, "loss");
  work.range(1036, 1039, "after the middle");
  const Profile profile = work.finish();
  const auto host = host_during(profile, *gap_around(profile, 0, 1020));
  ASSERT_EQ(host.api.size(), 2U);
  EXPECT_EQ(profile.text(host.api[0].name), "cudaStreamSynchronize");
  EXPECT_EQ(host.api[0].ns, 19);
  EXPECT_EQ(host.api[1].ns, 5 + 2);
  EXPECT_EQ(host.api[1].count, 2);
  ASSERT_EQ(host.ranges.size(), 2U);
  EXPECT_EQ(profile.text(profile.nvtx.name[static_cast<std::size_t>(host.ranges[0])]), "step");
  EXPECT_EQ(profile.text(profile.nvtx.name[static_cast<std::size_t>(host.ranges[1])]), "loss");
}

// A moment is in a gap exactly where no kernel of the device runs, and between two of them.
TEST(Gaps, OfDrawnKernelsAreWhereNoneRuns) {
  std::mt19937 random(20261129);
  for (int round = 0; round < 300; ++round) {
    Gapped work;
    std::vector<std::pair<std::int64_t, std::int64_t>> drawn;
    for (int i = 0; i < 20; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 400);
      const auto end = start + 1 + static_cast<std::int64_t>(random() % 40);
      drawn.emplace_back(start, end);
      work.kernel(start, end, "k", static_cast<int>(random() % 3));
    }
    const Profile profile = work.finish();
    for (std::int64_t at = 0; at < 450; ++at) {
      bool runs = false, before = false, after = false;
      std::int64_t begin = 0, end = 1000;
      for (const auto& [start, stop] : drawn) {
        runs = runs || (start <= at && at < stop);
        before = before || stop <= at;
        after = after || start > at;
        if (stop <= at) begin = std::max(begin, stop);
        if (start > at) end = std::min(end, start);
      }
      const auto gap = gap_around(profile, 0, at);
      ASSERT_EQ(gap.has_value(), !runs && before && after) << round << ' ' << at;
      if (!gap) continue;
      ASSERT_EQ(gap->begin_ns, begin);
      ASSERT_EQ(gap->end_ns, end);
    }
  }
}

}  // namespace
}  // namespace rnnadvisor
