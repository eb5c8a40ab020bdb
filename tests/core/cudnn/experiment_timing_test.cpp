// Rounds, with samples that are made up and a clock that is turned by hand.
#include "core/cudnn/experiment_timing.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace rnnadvisor::experiment {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum ExperimentScope;

using Scopes = std::vector<ExperimentScope>;

// Every sample takes as long as it says.
struct Machine {
  double now = 0;  // seconds
  std::vector<std::pair<int, ExperimentScope>> calls;
  std::function<Attempt<double>(int, ExperimentScope)> answer = [](int variant, ExperimentScope) {
    return variant < 0 ? 10.0 : 5.0;
  };
  int rounds_told = 0;

  Sampler sampler() {
    return [this](int variant, ExperimentScope scope) {
      calls.emplace_back(variant, scope);
      auto ms = answer(variant, scope);
      if (ms) now += *ms / 1000;
      return ms;
    };
  }
  RoundOptions options() {
    RoundOptions options;
    options.clock = [this] { return now; };
    options.on_round = [this](int round) { rounds_told = round; };
    return options;
  }
};

TEST(TimeRounds, EachRoundHasTheOriginalTwiceAndEveryVariantOnce) {
  Machine machine;
  auto options = machine.options();
  options.warmup = 2;
  options.min_rounds = options.max_rounds = 5;
  const Rounds rounds =
      time_rounds({forward_training, training_step},
                  {{forward_training, training_step}, {training_step}}, machine.sampler(), options);
  ASSERT_THAT(rounds.scopes, SizeIs(2));
  EXPECT_THAT(rounds.scopes[0].before, SizeIs(5));
  EXPECT_THAT(rounds.scopes[0].control, SizeIs(5));
  EXPECT_THAT(rounds.scopes[0].after[0], ElementsAre(5, 5, 5, 5, 5));
  EXPECT_THAT(rounds.scopes[0].after[1], IsEmpty());
  EXPECT_THAT(rounds.scopes[1].after[1], SizeIs(5));
  EXPECT_EQ(machine.calls.size(), 7U * (3 + 4));  // two of the seven rounds do not count
  EXPECT_EQ(machine.rounds_told, 5);
  EXPECT_FALSE(rounds.stopped);
}

TEST(TimeRounds, TheOrderIsDrawnAnewAndBySeed) {
  const auto orders = [](std::uint64_t seed) {
    Machine machine;
    machine.answer = [&](int variant, ExperimentScope) -> Attempt<double> {
      return 10.0 + variant + static_cast<double>(machine.calls.size() % 7);  // never tight
    };
    auto options = machine.options();
    options.warmup = 0;
    options.max_rounds = 40;
    options.seed = seed;
    time_rounds({inference}, {{inference}, {inference}}, machine.sampler(), options);
    std::vector<int> order;
    for (const auto& call : machine.calls) order.push_back(call.first);
    return order;
  };
  EXPECT_EQ(orders(1), orders(1));
  EXPECT_NE(orders(1), orders(2));
  // Everybody is first in some round.
  std::set<int> first;
  const auto order = orders(1);
  for (std::size_t i = 0; i < order.size(); i += 4) first.insert(order[i]);
  EXPECT_THAT(first, ElementsAre(-1, 0, 1));
}

TEST(TimeRounds, EndsWhenEveryIntervalIsTightButNotBeforeTheMinimum) {
  Machine machine;
  auto options = machine.options();
  options.min_rounds = 9;
  const Rounds steady = time_rounds({inference}, {{inference}}, machine.sampler(), options);
  EXPECT_THAT(steady.scopes[0].before, SizeIs(9));

  int call = 0;
  machine.answer = [&](int variant, ExperimentScope) -> Attempt<double> {
    return variant == 1 && ++call % 2 == 0 ? 15.0 : 10.0;  // one of two does not come to rest
  };
  const Rounds restless =
      time_rounds({inference}, {{inference}, {inference}}, machine.sampler(), options);
  EXPECT_THAT(restless.scopes[0].before, SizeIs(options.max_rounds));
}

TEST(TimeRounds, TheBudgetEndsItAfterTheMinimum) {
  Machine machine;
  int call = 0;
  machine.answer = [&](int, ExperimentScope) -> Attempt<double> {
    return ++call % 2 == 0 ? 1500.0 : 1000.0;
  };
  auto options = machine.options();
  options.seconds = 60;  // a round takes 3.75 s
  options.warmup = 0;
  const Rounds rounds = time_rounds({inference}, {{inference}}, machine.sampler(), options);
  EXPECT_GE(rounds.scopes[0].before.size(), 15U);
  EXPECT_LE(rounds.scopes[0].before.size(), 18U);
  machine.now = 0;
  options.seconds = 1;
  options.warmup = 50;  // one of them is more than a quarter of the budget
  machine.calls.clear();
  const Rounds short_of_time = time_rounds({inference}, {{inference}}, machine.sampler(), options);
  EXPECT_THAT(short_of_time.scopes[0].before, SizeIs(options.min_rounds));
  EXPECT_EQ(machine.calls.size(), 3U * (1 + 7));
}

TEST(TimeRounds, AVariantThatFailsIsLeftOutAndTheOthersGoOn) {
  Machine machine;
  std::map<int, int> calls;
  machine.answer = [&](int variant, ExperimentScope) -> Attempt<double> {
    if (variant == 0 && ++calls[0] == 5)
      return tl::unexpected(Failure{Outcome::failed, "it broke", false});
    return 10.0;
  };
  const Rounds rounds =
      time_rounds({inference}, {{inference}, {inference}}, machine.sampler(), machine.options());
  ASSERT_TRUE(rounds.failures[0]);
  EXPECT_EQ(rounds.failures[0]->message, "it broke");
  EXPECT_FALSE(rounds.failures[1]);
  EXPECT_FALSE(rounds.stopped);
  EXPECT_THAT(rounds.scopes[0].after[0], IsEmpty());  // no half of a series
  EXPECT_EQ(rounds.scopes[0].after[1].size(), rounds.scopes[0].before.size());
  EXPECT_EQ(calls[0], 5);
}

TEST(TimeRounds, ALostContextEndsEverything) {
  Machine machine;
  machine.answer = [&](int variant, ExperimentScope) -> Attempt<double> {
    if (variant == 1) return tl::unexpected(Failure{Outcome::failed, "sticky", true});
    return 10.0;
  };
  const Rounds rounds =
      time_rounds({inference}, {{inference}, {inference}}, machine.sampler(), machine.options());
  ASSERT_TRUE(rounds.stopped);
  EXPECT_EQ(rounds.stopped_by, 1);
  EXPECT_THAT(rounds.scopes[0].after, Each(IsEmpty()));
  EXPECT_LE(machine.calls.size(), 4U);
}

TEST(TimeRounds, AnOriginalThatFailsEndsEverything) {
  Machine machine;
  machine.answer = [&](int variant, ExperimentScope) -> Attempt<double> {
    if (variant < 0) return tl::unexpected(Failure{Outcome::failed, "no", false});
    return 10.0;
  };
  const Rounds rounds =
      time_rounds({inference}, {{inference}}, machine.sampler(), machine.options());
  ASSERT_TRUE(rounds.stopped);
  EXPECT_EQ(rounds.stopped_by, -1);
}

TEST(MakeTiming, SpeedupIsOfPairsAndTheControlOfTheOriginalWithItself) {
  ScopeSamples samples;
  samples.scope = training_step;
  for (int i = 1; i <= 9; ++i) {  // the machine gets slower, all with it
    samples.before.push_back(4.0 * i);
    samples.control.push_back(5.0 * i);
  }
  samples.after = {{}, {2, 4, 6, 8, 10, 12, 14, 16, 18}};
  const ExperimentTiming timing = make_timing(samples, 1, 7);
  EXPECT_EQ(timing.scope, training_step);
  EXPECT_DOUBLE_EQ(timing.before_ms.median, 20);
  EXPECT_DOUBLE_EQ(timing.after_ms.median, 10);
  EXPECT_EQ(timing.after_ms.count, 9);
  EXPECT_DOUBLE_EQ(timing.speedup, 2);
  EXPECT_DOUBLE_EQ(timing.speedup_low, 2);
  EXPECT_DOUBLE_EQ(timing.speedup_high, 2);
  EXPECT_DOUBLE_EQ(timing.control_low, 0.8);
  EXPECT_DOUBLE_EQ(timing.control_high, 0.8);
  EXPECT_EQ(timing.before_samples_ms, samples.before);
  EXPECT_EQ(timing.after_samples_ms, samples.after[1]);
  EXPECT_EQ(timing.control_samples_ms, samples.control);
}

TEST(GroupByMemory, AllAtOnceWhereTheyFit) {
  EXPECT_THAT(group_by_memory({10, 5}, {{10, 5}, {10, 8}, {10, 1}}, 48),
              ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(GroupByMemory, WorkspaceIsSharedAndEachGroupHasTheOriginal) {
  // 10 of the original, 10 each, and the largest workspace of the group.
  EXPECT_THAT(group_by_memory({10, 5}, {{10, 5}, {10, 8}, {10, 1}}, 47),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
  EXPECT_THAT(group_by_memory({10, 5}, {{10, 5}, {10, 50}, {10, 1}}, 40),
              ElementsAre(ElementsAre(0, 2)));
  EXPECT_THAT(group_by_memory({10, 5}, {{10, 5}, {40, 5}, {5, 5}}, 55),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1)));
}

TEST(GroupByMemory, WhatDoesNotFitBesideTheOriginalIsInNoGroup) {
  EXPECT_THAT(group_by_memory({10, 5}, {{26, 5}, {25, 5}, {1, 31}}, 40),
              ElementsAre(ElementsAre(1)));
  EXPECT_THAT(group_by_memory({10, 5}, {}, 40), IsEmpty());
  const auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(group_by_memory({most, most}, {{most, most}}, most), IsEmpty());
}

}  // namespace
}  // namespace rnnadvisor::experiment
