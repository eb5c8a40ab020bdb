// From what the plugin says of its choices to experiments of the profile.
#include "tests/profiler/launch/collect_fixture.h"
#include "tests/profiler/launch/sample_choices.h"

namespace rnnadvisor::launch {
namespace {

using spool::choices_spool;
using spool::ChoiceState;
using spool::Kept;
using spool::sample_acceleration;
using spool::VariantState;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Collect, AChoiceIsAnExperimentInTheProgram) {
  add(choices_spool(sample_acceleration(1, 1)));
  const auto collected = collect();
  const Profile& p = collected.profile;
  EXPECT_EQ(collected.rnn_calls, 3000);
  ASSERT_THAT(p.experiments, SizeIs(2));
  const Experiment& won = p.experiments[0];
  EXPECT_EQ(won.where, "program");
  EXPECT_EQ(won.transforms, R"([{"kind":"algo","parameters":{"value":"persist_static"}}])");
  EXPECT_EQ(won.meaning, "exact");
  EXPECT_EQ(won.verdict, ExperimentVerdict::confirmed);
  EXPECT_EQ(won.device, 0);
  EXPECT_DOUBLE_EQ(won.seconds, 0.12);
  ASSERT_THAT(won.timings, SizeIs(2));
  EXPECT_EQ(won.timings[0].scope, ExperimentScope::forward_training);
  const auto& step = won.timings[1];
  EXPECT_EQ(step.scope, ExperimentScope::training_step);
  EXPECT_DOUBLE_EQ(step.before_ms.median, 6);
  EXPECT_DOUBLE_EQ(step.after_ms.median, 1.5);
  EXPECT_DOUBLE_EQ(step.speedup, 4);
  EXPECT_DOUBLE_EQ(step.speedup_low, 5.7 / 1.53);
  EXPECT_DOUBLE_EQ(step.speedup_high, 6.3 / 1.47);
  EXPECT_EQ(won.memory_after - won.memory_before, 8 << 20);
  ASSERT_THAT(won.shifts, SizeIs(1));
  EXPECT_EQ(won.shifts[0].tensor, "dw");
  EXPECT_FLOAT_EQ(static_cast<float>(won.shifts[0].from_before), 1e-3F);

  ASSERT_THAT(p.configurations, SizeIs(2));
  EXPECT_EQ(p.configurations[0].config.algo, Algo::standard);
  EXPECT_EQ(p.configurations[0].program.name, Framework::pytorch);
  ASSERT_THAT(won.changed, ElementsAre(1));
  EXPECT_EQ(p.configurations[1].config.algo, Algo::persist_static);
  EXPECT_EQ(p.configurations[1].config.batch_size, 32);
  EXPECT_EQ(p.configurations[1].origin, Origin::run);
  EXPECT_THAT(p.configurations[1].timings, SizeIs(3));

  const Experiment& refused = p.experiments[1];
  EXPECT_EQ(refused.verdict, ExperimentVerdict::not_run);
  EXPECT_THAT(refused.message, HasSubstr("CUDNN_STATUS_NOT_SUPPORTED"));
  EXPECT_THAT(refused.changed, IsEmpty());
  // Nothing is missing where only choices were to be recorded.
  EXPECT_THAT(codes(p), Not(::testing::Contains("no-rnn-calls")));
  EXPECT_THAT(codes(p), Not(::testing::Contains("calls-outside")));
}

TEST_F(Collect, WhatAnExperimentCannotHoldIsBesideTheProfile) {
  add(choices_spool(sample_acceleration(1, 1)));
  const auto collected = collect();
  ASSERT_THAT(collected.choices, SizeIs(1));
  const auto& choice = collected.choices[0];
  EXPECT_EQ(choice.process, 0);
  EXPECT_EQ(choice.configuration, 0);
  EXPECT_EQ(choice.file, "/home/me/train.py");
  EXPECT_EQ(choice.line, 31);
  EXPECT_TRUE(choice.accelerated());
  EXPECT_EQ(choice.in_use().algo, Algo::persist_static);
  EXPECT_THAT(choice.calls, ElementsAre(1000, 1000, 1000));
  EXPECT_THAT(choice.substituted, ElementsAre(970, 970, 970));
  EXPECT_EQ(choice.kept[static_cast<std::size_t>(Kept::unequal_lengths)], 66);
  EXPECT_DOUBLE_EQ(choice.tuning_ms, 120);
  EXPECT_EQ(choice.tuning_bytes, 80 << 20);
  ASSERT_THAT(choice.variants, SizeIs(3));
  EXPECT_EQ(choice.variants[2].status, "CUDNN_STATUS_NOT_SUPPORTED");
}

TEST_F(Collect, OfSeveralRecordsOfOneChoiceTheLastCounts) {
  auto first = sample_acceleration(1, 1);
  first.state = ChoiceState::measuring;
  first.chosen = 0;
  auto writer = choices_spool(first);
  writer.add(sample_acceleration(1, 1));
  add(writer);
  const auto collected = collect();
  ASSERT_THAT(collected.choices, SizeIs(1));
  EXPECT_TRUE(collected.choices[0].accelerated());
  EXPECT_THAT(collected.profile.experiments, SizeIs(2));
}

TEST_F(Collect, WhatLostOrGaveOtherResultsIsRefuted) {
  auto a = sample_acceleration(1, 1);
  a.chosen = 0;
  a.variants[1].state = VariantState::slower;
  spool::time_variant(a.variants[1], 3900, 4000, 4100);
  a.variants[2] = spool::sample_variant(2, VariantState::different);
  a.variants[2].error = 0.5F;
  a.variants[2].limit = 2e-3F;
  a.variants[3] = spool::sample_variant(3, VariantState::measured);
  spool::time_variant(a.variants[3], 1950, 2000, 2050);
  add(choices_spool(a));
  const auto collected = collect();
  ASSERT_THAT(collected.profile.experiments, SizeIs(3));
  const auto& slower = collected.profile.experiments[0];
  EXPECT_EQ(slower.verdict, ExperimentVerdict::refuted);
  EXPECT_DOUBLE_EQ(slower.timings.back().speedup, 0.5);
  const auto& different = collected.profile.experiments[1];
  EXPECT_EQ(different.verdict, ExperimentVerdict::refuted);
  EXPECT_THAT(different.message, HasSubstr("dw differs by 0.5"));
  EXPECT_THAT(different.timings, IsEmpty());
  EXPECT_EQ(collected.profile.experiments[2].verdict, ExperimentVerdict::inconclusive);
  EXPECT_FALSE(collected.choices[0].accelerated());
}

// 10 ms with the program's own algorithms, 4 with what was chosen.
TEST_F(Collect, AWholeStepIsATimeOfWhatWasChosen) {
  auto spool = choices_spool(sample_acceleration(1, 1));
  spool::add_step_blocks(spool);
  add(spool);
  const auto collected = collect();
  ASSERT_THAT(collected.profile.experiments, SizeIs(2));
  const auto& won = collected.profile.experiments[0];
  EXPECT_EQ(won.verdict, ExperimentVerdict::confirmed);
  ASSERT_THAT(won.timings, SizeIs(3));
  const auto& step = won.timings[2];
  EXPECT_EQ(step.scope, ExperimentScope::program_step);
  EXPECT_NEAR(step.before_ms.median, 10, 0.1);
  EXPECT_NEAR(step.after_ms.median, 4, 0.1);
  EXPECT_NEAR(step.speedup, 2.5, 0.02);
  EXPECT_NEAR(step.control_low, 1, 0.01);
  EXPECT_THAT(collected.profile.experiments[1].timings, IsEmpty());
}

// Calls are four times as fast, and whole steps take what they took.
TEST_F(Collect, FasterCallsWithoutAFasterStepAreInconclusive) {
  auto spool = choices_spool(sample_acceleration(1, 1));
  spool::add_step_blocks(spool, {{spool::StepArm::algorithms, 10}});
  add(spool);
  const auto collected = collect();
  const auto& tried = collected.profile.experiments.at(0);
  EXPECT_EQ(tried.verdict, ExperimentVerdict::inconclusive);
  EXPECT_THAT(tried.message, HasSubstr("within the noise"));
}

TEST_F(Collect, WhatMadeWholeStepsSlowerIsRefuted) {
  auto a = sample_acceleration(1, 1);
  a.chosen = 0;
  a.variants[1].state = VariantState::slower;
  auto spool = choices_spool(a);
  for (std::uint32_t i = 0; i < 7; ++i) {
    spool::StepBlock block{};
    block.block = i;
    block.arm = i % 2 == 1 ? spool::StepArm::algorithms : spool::StepArm::own;
    block.steps = 10;
    block.median_ns = i % 2 == 1 ? 12'000'000 : 10'000'000;
    block.withdrawn = 1;
    spool.add(block);
  }
  add(spool);
  const auto collected = collect();
  const auto& lost = collected.profile.experiments.at(0);
  EXPECT_EQ(lost.verdict, ExperimentVerdict::refuted);
  EXPECT_FALSE(lost.message.empty());
  ASSERT_THAT(lost.timings, SizeIs(3));
  EXPECT_NEAR(lost.timings[1].speedup, 4, 0.1);
  EXPECT_NEAR(lost.timings[2].speedup, 1 / 1.2, 0.01);
}

TEST_F(Collect, RanksThatChoseAlikeAreOneExperiment) {
  for (int rank : {0, 1}) {
    auto writer = choices_spool(sample_acceleration(1, 1));
    writer.header.rank = rank;
    writer.header.pid = 200 + rank;
    add(writer);
  }
  const auto collected = collect();
  EXPECT_THAT(collected.choices, SizeIs(2));
  EXPECT_THAT(collected.profile.experiments, SizeIs(2));
}

TEST_F(Collect, ImpossibleChoicesAreLeftOut) {
  auto none = sample_acceleration(1, 1);
  none.variants[0].algo = 77;
  auto writer = choices_spool(none);
  auto odd = sample_acceleration(2, 1);
  odd.chosen = 99;
  odd.state = static_cast<ChoiceState>(1000);
  odd.variants[1].error = std::numeric_limits<float>::infinity();
  odd.variants[1].median_ns[0] = -4;
  odd.variants[1].low_ns[1] = std::numeric_limits<std::int64_t>::max();
  odd.variants[2].state = static_cast<VariantState>(1000);
  odd.calls[0] = ~std::uint64_t{0};
  writer.add(odd);
  add(writer);
  const auto collected = collect();  // and the profile is a good one
  ASSERT_THAT(collected.choices, SizeIs(1));
  EXPECT_FALSE(collected.choices[0].accelerated());
  EXPECT_THAT(collected.choices[0].variants, SizeIs(2));
  EXPECT_NE(find_note(collected.profile, "records-implausible"), nullptr);
}

}  // namespace
}  // namespace rnnadvisor::launch
