// Steps of a recorded program, and CUPTI that leaves the process while some are timed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct StepsChild : Child {
  explicit StepsChild(const char* mode = "kernels") : Child(PROBE_FILE) {
    variable("RNNADVISOR_MODE", mode)
        .variable("CUDA_INJECTION64_PATH", PLUGIN_FILE)
        .variable("PROBE_CUPTI", "1");
  }
};

bool has(const spool::Call& call, std::uint32_t flag) { return (call.flags & flag) != 0; }

// The calls that have a kernel, by their numbers: those whose range holds the number of one.
std::set<std::uint64_t> with_kernels(const Spool& s) {
  std::set<std::uint64_t> found;
  for (const auto& kernel : s.kernels) {
    for (const auto& range : s.ranges) {
      if (kernel.correlation <= range.first || kernel.correlation >= range.last) continue;
      EXPECT_TRUE(found.insert(range.call).second) << "a call has two kernels";
    }
  }
  return found;
}

// Each call is either traced, with its kernel, or timed; nothing is both or neither.
void expect_all_recorded(const Spool& s) {
  const auto traced = with_kernels(s);
  std::set<std::uint64_t> timed;
  for (const auto& time : s.times) timed.insert(time.call);
  EXPECT_EQ(s.kernels.size(), traced.size());
  for (const auto& call : s.calls) {
    EXPECT_NE(traced.contains(call.id), timed.contains(call.id)) << call.id;
    EXPECT_EQ(has(call, spool::call_untraced), timed.contains(call.id)) << call.id;
  }
}

TEST(ProgramSteps, SomeAreTimedWithoutCuptiAndTheRestIsTraced) {
  StepsChild child;
  const auto result = child.run({"steps", "train", "120"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  ASSERT_THAT(s.calls, SizeIs(360));
  expect_all_recorded(s);
  EXPECT_EQ(s.lost(), 0u);
  // The first call of training begins no step yet: nothing had told that the program trains.
  std::map<std::uint64_t, const spool::Call*> calls;
  for (std::size_t i = 0; i < s.calls.size(); ++i) {
    EXPECT_EQ(has(s.calls[i], spool::call_begins_step), i % 3 == 0 && i > 0) << i;
    calls[s.calls[i].id] = &s.calls[i];
  }
  EXPECT_THAT(s.step_times, SizeIs(32));
  for (const auto& time : s.step_times) {
    EXPECT_EQ(time.device_ns, 3 * 1'500'000);
    EXPECT_TRUE(has(*calls.at(time.call), spool::call_begins_step));
    EXPECT_TRUE(has(*calls.at(time.call), spool::call_untraced));
  }
  // Traced before and after, untraced in one piece.
  int changes = 0;
  for (std::size_t i = 1; i < s.calls.size(); ++i)
    changes += has(s.calls[i], spool::call_untraced) != has(s.calls[i - 1], spool::call_untraced);
  EXPECT_EQ(changes, 2);
  EXPECT_FALSE(has(s.calls.front(), spool::call_untraced));
  EXPECT_FALSE(has(s.calls.back(), spool::call_untraced));
}

TEST(ProgramSteps, InferenceHasAStepForEachPass) {
  StepsChild child;
  const auto s = child.run({"steps", "infer", "100"}).spool();
  ASSERT_THAT(s.calls, SizeIs(100));
  expect_all_recorded(s);
  for (const auto& call : s.calls) EXPECT_TRUE(has(call, spool::call_begins_step));
  EXPECT_THAT(s.step_times, SizeIs(32));
  for (const auto& time : s.step_times) EXPECT_EQ(time.device_ns, 1'500'000);
}

// Time steps of a loop are calls of one training step, whatever the first of them look like.
TEST(ProgramSteps, CallsBeforeTheFirstBackwardAreNoSteps) {
  StepsChild child;
  const auto s = child.run({"steps", "unroll", "3"}).spool();
  ASSERT_THAT(s.calls, SizeIs(3 * 60));
  EXPECT_EQ(std::count_if(s.calls.begin(), s.calls.end(),
                          [](const auto& call) { return has(call, spool::call_begins_step); }),
            2);
  EXPECT_THAT(s.step_times, IsEmpty());
}

TEST(ProgramSteps, AShortProgramIsTracedThroughout) {
  StepsChild child;
  const auto s = child.run({"steps", "train", "10"}).spool();
  EXPECT_THAT(s.kernels, SizeIs(30));
  EXPECT_THAT(s.step_times, IsEmpty());
}

TEST(ProgramSteps, AProgramMayEndWhileCuptiIsAway) {
  StepsChild child;
  const auto result = child.run({"steps", "train", "20"});
  ASSERT_EQ(result.status, 0) << result.error;
  expect_all_recorded(result.spool());
  EXPECT_EQ(result.spool().header.exit_status, 0);
  EXPECT_THAT(result.spool().step_times, Not(IsEmpty()));
}

TEST(ProgramSteps, WithoutCuptiTheFirstAreTimed) {
  StepsChild child("calls");
  const auto s = child.run({"steps", "train", "400"}).spool();
  ASSERT_THAT(s.calls, SizeIs(1200));
  EXPECT_THAT(s.step_times, SizeIs(256));
  for (const auto& call : s.calls) EXPECT_TRUE(has(call, spool::call_untraced));
}

TEST(ProgramSteps, WhatTheUserChoseIsTracedThroughout) {
  const std::pair<const char*, const char*> chosen[] = {{"RNNADVISOR_UNTRACED_STEPS", "0"},
                                                        {"RNNADVISOR_SKIP", "1"},
                                                        {"RNNADVISOR_TRACE", "counters"}};
  for (const auto& [name, value] : chosen) {
    StepsChild child;
    const auto s = child.variable(name, value).run({"steps", "sleep", "5", "train", "60"}).spool();
    EXPECT_THAT(s.step_times, IsEmpty()) << name;
    EXPECT_GE(s.kernels.size(), 178u) << name;
  }
}

TEST(ProgramSteps, ALimitOfTimeOrCallsLeavesUntracedSteps) {
  const std::pair<const char*, const char*> chosen[] = {{"RNNADVISOR_ITERATIONS", "1000"},
                                                        {"RNNADVISOR_DURATION_MS", "600000"},
                                                        {"RNNADVISOR_DELAY_MS", "1"}};
  for (const auto& [name, value] : chosen) {
    StepsChild child;
    const auto s = child.variable(name, value).run({"steps", "sleep", "5", "train", "60"}).spool();
    EXPECT_THAT(s.step_times, SizeIs(32)) << name;
    EXPECT_FALSE(has(s.calls.back(), spool::call_untraced)) << name;
  }
}

// After the last call that is wanted nothing is traced, whether CUPTI was away or not.
TEST(ProgramSteps, ALimitMayBeReachedWhileCuptiIsAway) {
  for (const std::size_t wanted : {8u, 20u, 70u}) {
    StepsChild child;
    const auto result = child.variable("RNNADVISOR_ITERATIONS", std::to_string(wanted))
                            .run({"steps", "infer", "100"});
    ASSERT_EQ(result.status, 0) << result.error;
    const auto& s = result.spool();
    EXPECT_THAT(s.calls, SizeIs(wanted));
    std::size_t untraced = 0;
    for (const auto& call : s.calls) untraced += has(call, spool::call_untraced);
    // The call that tells that it is over may have been traced.
    EXPECT_GE(s.kernels.size(), wanted - untraced);
    EXPECT_LE(s.kernels.size(), wanted - untraced + 1);
    EXPECT_EQ(untraced > 0, wanted > 10) << wanted;
  }
}

// CUPTI comes back before the nodes of a graph are made, which it would not find later.
TEST(ProgramSteps, AGraphIsSeenFromItsBeginning) {
  StepsChild child;
  const auto result = child.run({"steps", "train", "16", "capture", "1", "train", "60"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_THAT(s.nodes, SizeIs(3));
  EXPECT_FALSE(has(s.calls.at(49), spool::call_untraced));
}

TEST(ProgramSteps, AProgramWithGraphsKeepsCupti) {
  StepsChild child;
  const auto s = child.run({"steps", "train", "5", "capture", "1", "train", "60"}).spool();
  EXPECT_THAT(s.step_times, IsEmpty());
  EXPECT_THAT(s.kernels, SizeIs(65 * 3));
}

TEST(ProgramSteps, WhereCuptiCannotLeaveItStays) {
  StepsChild child;
  const auto result =
      child.variable("STANDIN_CUPTI_REFUSES", "cuptiFinalize").run({"steps", "train", "60"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().step_times, IsEmpty());
  EXPECT_THAT(with_kernels(result.spool()), SizeIs(180));
}

TEST(ProgramSteps, AnotherUserOfCuptiHasIt) {
  StepsChild child;
  const auto result = child.run({"steps", "train", "16", "tool", "1", "train", "60"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_THAT(result.spool().note_codes(), Contains("tracing-conflict"));
  EXPECT_THAT(result.spool().kernels, SizeIs(33));
}

// A program that makes no more calls: its kernels are recorded again after ten seconds.
TEST(ProgramSteps, CuptiComesBackWithoutSteps) {
  StepsChild child;
  const auto result = child.run({"steps", "train", "14", "sleep", "11500", "kernel", "5"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto& s = result.spool();
  EXPECT_EQ(std::count_if(s.kernels.begin(), s.kernels.end(),
                          [&](const auto& k) { return s.text(k.name) == "kernel"; }),
            5);
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
