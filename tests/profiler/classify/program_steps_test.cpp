#include "profiler/classify/program_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

// Steps of ten kernels on one device, in µs.
class SteppedProgram {
 public:
  SteppedProgram() {
    builder_.add_device(*find_device("h200"));
    builder_.profile().environment.tracing = true;
    Process process;
    process.pid = 1;
    process.host = "here";
    process.start_ns = 0;
    builder_.add_process(process);
  }
  // Every kernel runs for `busy` of `each`; with `side` a second one of the same length beside it.
  void traced(int steps, std::int64_t each, std::int64_t busy, bool side = false) {
    for (int s = 0; s < steps; ++s) {
      const int call = begin(-1);
      for (int k = 0; k < 10; ++k, now_ += each) {
        kernel(call, busy, 7);
        if (side) kernel(call, busy, 8);
      }
    }
  }
  void untraced(int steps, std::int64_t length) {
    for (int s = 0; s < steps; ++s, now_ += length) begin(1000 * (length + s % 3 - 1));
  }
  std::optional<ProgramSteps> steps(int device = 0) {
    return program_steps(profile_ ? *profile_ : profile_.emplace(builder_.finish()), device);
  }

  std::optional<TracedSteps> traced_steps() {
    return rnnadvisor::traced_steps(profile_ ? *profile_ : profile_.emplace(builder_.finish()), 0);
  }

 private:
  int begin(std::int64_t duration_ns) {
    CallRecord record;
    record.call.phase = Phase::forward_training;
    record.call.process = 0;
    record.call.host_start_ns = record.call.host_end_ns = 1000 * now_;
    record.call.begins_step = true;
    record.call.untraced = duration_ns >= 0;
    record.call.step_duration_ns = duration_ns;
    return builder_.add_call(record);
  }
  void kernel(int call, std::int64_t busy, int stream) {
    KernelRecord record;
    record.name = "kernel";
    record.call = call;
    record.process = 0;
    record.stream = stream;
    record.start_ns = 1000 * now_;
    record.end_ns = 1000 * (now_ + busy);
    builder_.add_kernel(record);
  }
  ProfileBuilder builder_;
  std::optional<Profile> profile_;
  std::int64_t now_ = 0;
};

TEST(ProgramSteps, TheUntracedTimeAndTheTracedWork) {
  SteppedProgram program;
  program.traced(10, 20, 5);  // ten kernels of 5 µs, one each 20 µs
  program.untraced(12, 150);
  program.traced(10, 20, 5);
  const auto steps = program.steps();
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->untraced, 12);
  EXPECT_DOUBLE_EQ(steps->untraced_ns, 150'000);
  EXPECT_GE(steps->untraced_low_ns, 149'000);
  EXPECT_LE(steps->untraced_high_ns, 151'000);
  EXPECT_EQ(steps->traced, 9 + 9 - 2) << "the last of each piece has no next, two warm up";
  EXPECT_DOUBLE_EQ(steps->traced_ns, 200'000);
  EXPECT_DOUBLE_EQ(steps->busy_ns, 50'000);
  EXPECT_DOUBLE_EQ(steps->launches, 10);
  EXPECT_TRUE(steps->trains);
  EXPECT_DOUBLE_EQ(steps->busy_share(), 1.0 / 3);
  const auto graph = graph_estimate({}, &*steps);
  EXPECT_NEAR(graph.speedup, 150.0 / (50 + 10 * 0.42 + 15), 1e-9);
  EXPECT_LT(graph.low, graph.speedup);
  EXPECT_GT(graph.high, graph.speedup);
  EXPECT_GT(graph_estimate({}, &*steps, {.concurrent = 1}).high, graph.high);
}

TEST(ProgramSteps, KernelsOfSeveralStreamsCountOnce) {
  SteppedProgram program;
  program.traced(10, 20, 5, true);
  program.untraced(5, 150);
  const auto steps = program.steps();
  ASSERT_TRUE(steps);
  EXPECT_DOUBLE_EQ(steps->busy_ns, 50'000);
  EXPECT_DOUBLE_EQ(steps->launches, 20);
}

TEST(ProgramSteps, TooFewOfEitherAreNone) {
  for (const auto& [traced, untraced] : {std::pair{10, 2}, {3, 10}, {0, 10}, {10, 0}}) {
    SteppedProgram program;
    program.traced(traced, 20, 5);
    program.untraced(untraced, 150);
    EXPECT_FALSE(program.steps()) << traced << ", " << untraced;
  }
  SteppedProgram program;
  program.traced(10, 20, 5);
  program.untraced(10, 150);
  EXPECT_FALSE(program.steps(1));
}

// With tracing their length is known where none was timed without.
TEST(ProgramSteps, TracedStepsHaveALength) {
  SteppedProgram program;
  program.traced(8, 30, 20);
  EXPECT_FALSE(program.steps());
  const auto traced = program.traced_steps();
  ASSERT_TRUE(traced);
  EXPECT_GE(traced->count, 3);
  EXPECT_DOUBLE_EQ(traced->ns, 300'000);
  SteppedProgram few;
  few.traced(1, 30, 20);  // of which the end is not known
  EXPECT_FALSE(few.traced_steps());
}

TEST(ProgramSteps, AGraphIsNeverPromisedToBeSlower) {
  SteppedProgram program;
  program.traced(10, 20, 20);
  program.untraced(10, 190);
  const auto steps = program.steps();
  ASSERT_TRUE(steps);
  const auto graph = graph_estimate({}, &*steps);
  EXPECT_EQ(graph.speedup, 1);
  EXPECT_EQ(graph.low, 1);
}

// A graph launches kernels; it loads no batch, which may be loaded while it runs or after it.
TEST(ProgramSteps, AGraphDoesNotShortenTheHostsOtherWork) {
  ProgramSteps steps;
  steps.untraced_ns = steps.untraced_low_ns = steps.untraced_high_ns = 30e6;
  steps.traced_ns = 40e6;
  steps.busy_ns = 5e6;
  const auto without = graph_estimate({}, &steps);
  EXPECT_NEAR(without.speedup, 30 / 5.015, 1e-6);
  steps.host_wait_ns = 16e6;  // traced: 12 ms of the step without tracing
  steps.host_copies_ns = 1e6;
  const auto graph = graph_estimate({}, &steps);
  EXPECT_NEAR(graph.speedup, 30 / std::sqrt(13 * 17.015), 1e-6);
  EXPECT_NEAR(graph.low, 0.62 * 30 / 17.015, 1e-6);
  EXPECT_NEAR(graph.high, 1.4 * 30 / 13, 1e-6);
  // What forbids capture is out, but the host does something else there, too.
  const auto forbidden = graph_estimate({}, &steps, {.forbidden = true});
  EXPECT_EQ(forbidden.speedup, graph.speedup);
  EXPECT_EQ(forbidden.high, graph.high);
  EXPECT_EQ(forbidden.low, 1);
}

// No estimate says more than the recorded work allows, and what overlaps less gains less.
TEST(ProgramSteps, AGraphGainsNoMoreThanTheDeviceWaits) {
  std::mt19937 random(8);
  const auto part = [&] { return std::uniform_real_distribution<>(0, 1)(random); };
  for (int i = 0; i < 20000; ++i) {
    ProgramSteps steps;
    steps.untraced_ns = 1e5 + 1e8 * part();
    steps.untraced_low_ns = steps.untraced_ns * (1 - 0.4 * part());
    steps.untraced_high_ns = steps.untraced_ns * (1 + part());
    steps.traced_ns = steps.untraced_ns * (1 + 0.5 * part());
    steps.busy_ns = steps.untraced_ns * part();
    steps.host_wait_ns = (steps.traced_ns - steps.busy_ns) * part() * (i % 2);
    steps.host_copies_ns = steps.busy_ns * part() * (i % 3 == 0);
    steps.launches = 1 + 3000 * part();
    const double concurrent = part();
    const auto none = graph_estimate({}, &steps),
               some = graph_estimate({}, &steps, {.concurrent = concurrent});
    for (const auto& each : {none, some}) {
      ASSERT_LE(1, each.low);
      ASSERT_LE(each.low, each.without_overlap);
      ASSERT_LE(each.without_overlap, each.speedup);
      ASSERT_LE(each.speedup, each.high);
    }
    ASSERT_LE(none.speedup, std::max(1.0, steps.untraced_ns / steps.busy_ns) + 1e-9);
    ASSERT_LE(none.high, std::max(none.speedup, 1.4 * steps.untraced_ns / steps.busy_ns) + 1e-9);
    ASSERT_LE(none.speedup, some.speedup + 1e-9);
    ASSERT_LE(none.high, some.high + 1e-9);
    auto without = steps;
    without.host_wait_ns = 0;
    ASSERT_LE(none.speedup, graph_estimate({}, &without).speedup + 1e-9);
    // What the account of the step shows as idle is all of it.
    ASSERT_LE(steps.host_wait() + steps.rnn_wait() + std::min(steps.busy_ns, steps.untraced_ns),
              steps.untraced_ns * (1 + 1e-9));
  }
}

TEST(ProgramSteps, LongWaitsAndCopiesOfTheHostAreCounted) {
  SteppedProgram program;
  program.traced(10, 20, 5);
  program.untraced(5, 150);
  EXPECT_EQ(program.steps()->host_wait_ns, 0);
  EXPECT_EQ(program.steps()->host_copies_ns, 0);
  SteppedProgram waits;
  waits.traced(10, 1500, 5);
  waits.untraced(5, 15'000);
  EXPECT_DOUBLE_EQ(waits.steps()->host_wait_ns, 10 * 1'495'000);
}

// Half of the time waited for launches, which tracing had slowed.
TEST(ProgramSteps, OfTracedStepsAloneTheEstimateIsLowerAndWider) {
  GpuBusy busy;
  busy.busy_ns = 100'000'000;
  busy.span_ns = 400'000'000;
  busy.launches = 10'000;
  const auto graph = graph_estimate(busy, nullptr);
  EXPECT_NEAR(graph.speedup, 400 / 1.135 / 104.2, 1e-6);
  EXPECT_LT(graph.low / graph.speedup, 0.8);
  EXPECT_GT(graph.high / graph.speedup, 1.3);
}

}  // namespace
}  // namespace rnnadvisor
