// The choice between algorithms by their times, over many draws of times and noise.
#include "profiler/plugin/choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/effort.h"

namespace rnnadvisor::plugin {
namespace {

TEST(Samples, MedianLiesInItsInterval) {
  std::mt19937 random(1);
  for (int draw = 0; draw < test::draws(); ++draw) {
    Samples samples{};
    std::vector<float> kept;
    const auto count = static_cast<unsigned>(1 + random() % (2 * Samples::most));
    for (unsigned i = 0; i < count; ++i) {
      const auto value = static_cast<float>(random() % 1000);
      samples.add(value);
      kept.push_back(value);
    }
    if (kept.size() > Samples::most) kept.erase(kept.begin(), kept.end() - Samples::most);
    std::ranges::sort(kept);
    const auto interval = samples.interval();
    EXPECT_EQ(samples.count(), count);
    EXPECT_LE(interval.low, interval.median);
    EXPECT_LE(interval.median, interval.high);
    EXPECT_GE(interval.low, kept.front());
    EXPECT_LE(interval.high, kept.back());
    const std::size_t n = kept.size();
    EXPECT_FLOAT_EQ(interval.median,
                    n % 2 == 1 ? kept[n / 2] : (kept[n / 2 - 1] + kept[n / 2]) / 2);
  }
}

// The true median of a skewed distribution lies in the interval in about 95 of 100 cases.
TEST(Samples, IntervalHoldsWhatItSays) {
  std::mt19937 random(2);
  std::lognormal_distribution<float> times(0, 0.3F);
  for (const int count : {8, 16, 32}) {
    int holds = 0;
    constexpr int trials = 2000;
    for (int trial = 0; trial < trials; ++trial) {
      Samples samples{};
      for (int i = 0; i < count; ++i) samples.add(times(random));
      const auto interval = samples.interval();
      if (interval.low <= 1 && 1 <= interval.high) ++holds;
    }
    EXPECT_GT(holds, trials * 93 / 100) << count;
  }
}

struct Outcome {
  std::uint32_t chosen = 0;
  int calls = 0;
  double extra = 0;  // in calls of the program's own algorithm
};

// Calls one after the other; times arrive `late` calls after they were started. `shared`: of so
// many calls the time is one to six times as long, because the GPU has other work.
Outcome choose(const std::vector<double>& times, double noise, bool training, std::size_t late,
               std::mt19937& random, double shared = 0) {
  Choice choice{};
  for (std::uint32_t v = 0; v < times.size(); ++v) choice.admit(v);
  std::lognormal_distribution<double> factor(0, noise);
  std::bernoulli_distribution beside(shared);
  std::uniform_real_distribution<double> longer(1, 6);
  struct Running {
    std::uint32_t variant;
    std::size_t phase;
    float ns;
  };
  std::vector<Running> running;
  Outcome outcome;
  for (; outcome.calls < 1000; ++outcome.calls) {
    const std::uint32_t v = choice.next();
    choice.started(v);
    outcome.extra += times[v] / times[0] - 1;
    for (std::size_t phase = 0; phase < (training ? 3U : 1U); ++phase) {
      choice.called(phase);
      running.push_back(
          {v, phase,
           static_cast<float>(times[v] * factor(random) * (beside(random) ? longer(random) : 1))});
    }
    while (running.size() > late) {
      choice.add(running.front().variant, running.front().phase, running.front().ns);
      running.erase(running.begin());
    }
    if (choice.decide(false, outcome.chosen)) break;
  }
  return outcome;
}

TEST(Choice, IsRarelySlowerAndRarelyFarFromTheBest) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-1.5, 1.5), noises(0.005, 0.08);
  const int draws = std::min(test::draws(), 4000);
  int slower = 0, far = 0;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> times(1 + random() % 3 + 1);
    for (auto& time : times) time = 1000 * std::exp(exponent(random));
    const auto outcome = choose(times, noises(random), draw % 2 == 0, random() % 40, random);
    EXPECT_LT(outcome.calls, 400);
    const double got = times[outcome.chosen], best = *std::ranges::min_element(times);
    if (got > 1.03 * times[0]) ++slower;
    if (got > 1.05 * best) ++far;
  }
  EXPECT_LE(slower, draws / 500);
  EXPECT_LE(far, draws / 20);
}

TEST(Choice, WhatIsMuchFasterIsFoundOnAGpuThatOthersUse) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> speedups(1.7, 4), shares(0, 0.6);
  const int draws = std::min(test::draws(), 1000);
  int found = 0, wrong = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const double speedup = speedups(random), share = shares(random);
    const bool faster = draw % 2 == 0;
    const auto outcome =
        choose({1000, faster ? 1000 / speedup : 1000 * speedup}, 0.05, true, 20, random, share);
    (faster ? found : wrong) += outcome.chosen != 0 ? 1 : 0;
  }
  EXPECT_GE(found, draws * 45 / 100);
  EXPECT_EQ(wrong, 0);
}

TEST(Choice, WhatIsFarSlowerIsTriedOnceOrTwice) {
  std::mt19937 random(4);
  const auto outcome = choose({1000, 70000}, 0.02, true, 0, random);
  EXPECT_EQ(outcome.chosen, 0u);
  EXPECT_LT(outcome.extra, 140);
}

TEST(Choice, OnABudgetWhatIsKnownDecides) {
  Choice choice{};
  choice.admit(0);
  choice.admit(1);
  std::uint32_t chosen = 7;
  EXPECT_TRUE(choice.decide(true, chosen));
  EXPECT_EQ(chosen, 0u);
}

}  // namespace
}  // namespace rnnadvisor::plugin
