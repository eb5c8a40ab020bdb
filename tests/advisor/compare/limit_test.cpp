#include "advisor/compare/limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "advisor/compare/comparison.h"
#include "advisor/compare/comparison_words.h"

namespace rnnadvisor::compare {
namespace {

using Verdict = LimitResult::Verdict;

MedianInterval around(double median, double width) {
  return {.median = median,
          .low = median * (1 - width),
          .high = median * (1 + width),
          .confidence = 0.95,
          .count = 20};
}

Comparison of_steps(double before_ms, double after_ms, double width) {
  Comparison c;
  StepComparison step;
  step.before_ms = around(before_ms, width);
  step.after_ms = around(after_ms, width);
  step.change = step.after_ms.low > step.before_ms.high   ? Change::slower
                : step.after_ms.high < step.before_ms.low ? Change::faster
                                                          : Change::no_difference;
  c.step = step;
  return c;
}

TEST(Limit, IsReadAndSaidAgain) {
  for (const auto& [text, measure, most] : {std::tuple{"step > 1.05", Measure::step, 1.05},
                                            {"step>1", Measure::step, 1.0},
                                            {" calls  >  1.5 ", Measure::calls, 1.5},
                                            {"kernels > 1.1", Measure::kernels, 1.1},
                                            {"findings > 0", Measure::findings, 0.0}}) {
    const auto limit = parse_limit(text);
    ASSERT_TRUE(limit) << text;
    EXPECT_EQ(limit->measure, measure);
    EXPECT_EQ(limit->most, most);
  }
  for (const char* text :
       {"", "step", "step <", "step > ", "step > x", "step > 1.05x", "step > nan", "step > -1",
        "stop > 1", "> 1", "step > 1 > 2", "step > inf"})
    EXPECT_FALSE(parse_limit(text)) << text;
}

TEST(Limit, NoiseExceedsNothing) {
  const Limit limit{Measure::step, 1.05};
  EXPECT_EQ(check(limit, of_steps(10, 10.2, 0.01)).verdict, Verdict::kept);
  EXPECT_EQ(check(limit, of_steps(10, 12, 0.01)).verdict, Verdict::exceeded);
  EXPECT_EQ(check(limit, of_steps(10, 12, 0.2)).verdict, Verdict::noise);
  EXPECT_EQ(check(limit, of_steps(10, 5, 0.01)).verdict, Verdict::kept);
}

// A step of which the GPU waits for the host differs from run to run: a smaller difference is no
// change, whatever its intervals say, and a larger one is what they say.
TEST(Change, IsLargerThanWhatEqualRunsDifferBy) {
  std::mt19937 random(20261129);
  const auto part = [&] { return std::uniform_real_distribution<>(0, 1)(random); };
  for (int i = 0; i < 20000; ++i) {
    const double before = 0.1 + 100 * part(), after = before * (0.5 + part());
    const double host_ms = before * part(), width = 0.1 * part();
    const auto b = around(before, width), a = around(after, width);
    const auto change = change_between(b, a, host_ms);
    if (std::fabs(after - before) <= between_runs * host_ms) {
      ASSERT_EQ(change, Change::no_difference);
    } else {
      ASSERT_EQ(change, change_between(b, a));
    }
  }
  EXPECT_EQ(change_between(around(1, 0), {}, 1), Change::unclear);
}

// What cannot be told must not pass for a good result.
TEST(Limit, IsUnknownWithoutTimes) {
  EXPECT_EQ(check({Measure::step, 2}, {}).verdict, Verdict::unknown);
  EXPECT_EQ(check({Measure::calls, 2}, {}).verdict, Verdict::unknown);
  EXPECT_EQ(check({Measure::findings, 2}, {}).verdict, Verdict::kept);
  auto few = of_steps(10, 30, 0.01);
  few.step->change = Change::unclear;
  EXPECT_EQ(check({Measure::step, 2}, few).verdict, Verdict::unknown);
}

// One slower call among faster ones exceeds no limit of their sum.
TEST(Limit, OfCallsLooksAtTheirSum) {
  Comparison c;
  c.before_ms = 10;
  c.after_ms = 11;
  c.spread_ms = 0.5;
  EXPECT_EQ(check({Measure::calls, 1.05}, c).verdict, Verdict::exceeded);
  EXPECT_EQ(check({Measure::calls, 1.2}, c).verdict, Verdict::kept);
  c.spread_ms = 1.5;
  EXPECT_EQ(check({Measure::calls, 1.05}, c).verdict, Verdict::noise);
  c.spread_ms = -1;
  EXPECT_EQ(check({Measure::calls, 1.05}, c).verdict, Verdict::unknown);
}

// It holds where a step of the same length hides that its kernels take longer.
TEST(Limit, OfKernelsLooksBehindTheStep) {
  auto c = of_steps(10, 10, 0.2);
  EXPECT_EQ(check({Measure::kernels, 1.05}, c).verdict, Verdict::unknown);
  c.step->before_kernels_ms = 2;
  c.step->after_kernels_ms = 2.2;
  EXPECT_EQ(check({Measure::kernels, 1.05}, c).verdict, Verdict::exceeded);
  EXPECT_EQ(check({Measure::kernels, 1.2}, c).verdict, Verdict::kept);
  c.step->after_kernels_ms = 2.02;
  EXPECT_EQ(check({Measure::kernels, 1}, c).verdict, Verdict::noise);
}

TEST(Limit, CountsFindings) {
  Comparison c;
  c.appeared = {"launch/host-bound", "math/tensor-cores-off"};
  EXPECT_EQ(check({Measure::findings, 1}, c).verdict, Verdict::exceeded);
  EXPECT_EQ(check({Measure::findings, 2}, c).verdict, Verdict::kept);
}

// Two measurements of one program exceed no limit of 1 or more; a slowdown beyond the intervals
// exceeds each limit below it and none above; swapping both sides never exceeds both ways.
TEST(Limit, OfDrawnSteps) {
  std::mt19937 random(7);
  const auto part = [&] { return std::uniform_real_distribution<>(0, 1)(random); };
  for (int i = 0; i < 20000; ++i) {
    const double before = 0.1 + 100 * part(), ratio = 0.3 + 3 * part(), width = 0.3 * part();
    const double most = 1 + 2 * part();
    const Limit limit{Measure::step, most};
    const auto there = check(limit, of_steps(before, before * ratio, width));
    const auto back = check(limit, of_steps(before * ratio, before, width));
    ASSERT_FALSE(there.verdict == Verdict::exceeded && back.verdict == Verdict::exceeded);
    ASSERT_NEAR(there.value, ratio, 1e-9 * ratio);
    const bool apart = ratio * (1 - width) > 1 + width;
    ASSERT_EQ(there.verdict == Verdict::exceeded, ratio > most && apart) << ratio << ' ' << most;
    ASSERT_EQ(there.verdict == Verdict::noise, ratio > most && !apart);
    ASSERT_NE(check(limit, of_steps(before, before, width)).verdict, Verdict::exceeded);
    ASSERT_FALSE(headline_of(of_steps(before, before * ratio, width)).empty());
  }
}

// Where the CPU sets the pace, a step can hide that the GPU works longer.
TEST(Headline, NamesMoreWorkInAStepOfTheSameLength) {
  auto same = of_steps(10, 10.01, 0.01);
  const auto plain = headline_of(same);
  for (const double times : {0.2, 0.5, 0.9, 0.97, 1.0, 1.03, 1.1, 2.0, 3.0}) {
    same.step->before_kernels_ms = 2;
    same.step->after_kernels_ms = 2 * times;
    const bool told = headline_of(same) != plain;
    EXPECT_EQ(told, std::fabs(times - 1) > kernels_between_runs) << times;
  }
  // A change of the step comes first.
  auto slower = of_steps(10, 20, 0.01);
  const auto before = headline_of(slower);
  slower.step->before_kernels_ms = 1;
  slower.step->after_kernels_ms = 9;
  EXPECT_EQ(headline_of(slower), before);
}

TEST(EnvironmentChanges, NameTheRecordedProgramAndNotTheRecorder) {
  Environment before, after;
  before.command_line = "rnnadvisor profile -o a.rnnprof -- python train.py";
  after.command_line = "rnnadvisor profile -q -o b.rnnprof -- python train.py";
  EXPECT_TRUE(environment_changes(before, after).empty());
  after.command_line += " --workers 0";
  const auto changes = environment_changes(before, after);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_NE(changes[0].find("python train.py -> python train.py --workers 0"), std::string::npos);
  // Another recorder's command, or that of `rnnadvisor run`.
  after.command_line = "rnnadvisor run layer.toml -o b.rnnprof";
  EXPECT_TRUE(environment_changes(before, after).empty());
}

}  // namespace
}  // namespace rnnadvisor::compare
