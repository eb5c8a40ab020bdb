// Whole steps of a program in turns: as it is, with other algorithms, with changed code.
#include <set>

#include "tests/profiler/plugin/accelerated.h"

namespace rnnadvisor::plugin_test {
namespace {

using spool::Kept;
using spool::StepArm;
using spool::VariantState;
using ::testing::Contains;
using ::testing::SizeIs;

// A step takes three calls; what else the program does takes no time here.
TEST_F(Accelerated, WholeStepsAreTimedBothWays) {
  for (const auto& program : {std::pair("train", spool::StepSource::training),
                              std::pair("infer", spool::StepSource::inference)}) {
    child.variable("RNNADVISOR_TRY_STEPS", "130");
    const auto blocks = run({program.first, "260"}).spools.back().blocks;
    ASSERT_THAT(blocks, SizeIs(13));
    const double calls = program.second == spool::StepSource::training ? 3 : 1;
    for (const auto& [number, block] : blocks) {
      EXPECT_EQ(block.source, program.second);
      EXPECT_EQ(block.arm, number % 2 == 0 ? StepArm::own : StepArm::algorithms);
      EXPECT_GE(block.steps, 9u);
      EXPECT_NEAR(static_cast<double>(block.median_ns), calls * (number % 2 == 0 ? 3e6 : 1e6), 1e3);
    }
  }
}

// Code of ours in the program changes how it calls cuDNN, when the plugin says that it is its turn.
TEST_F(Accelerated, AChangeOfTheProgramIsTimedInTurns) {
  try_a_change("steps", 130);
  const auto result = run({"train", "500", "change=1"});
  ASSERT_THAT(result.spool().blocks, SizeIs(13));
  for (const auto& [number, block] : result.spool().blocks) {
    EXPECT_EQ(block.arm, number % 2 == 0 ? StepArm::own : StepArm::change);
    EXPECT_GE(block.steps, 9u);
    EXPECT_NEAR(static_cast<double>(block.median_ns), number % 2 == 0 ? 9e6 : 3e6, 1e3);
  }
  // Of the thirteen blocks of ten or eleven steps six have the change.
  const auto choice = result.spool().choices().at(0);
  EXPECT_EQ(choice.chosen, 0u);
  EXPECT_EQ(choice.substituted[0], 0u);
  EXPECT_EQ(choice.with_change, 0u);
}

// The changed layer is another one, which cuDNN has a faster algorithm for as well.
TEST_F(Accelerated, AlgorithmsAndAChangeAreTimedAloneAndTogether) {
  try_a_change("exact", 250);
  const auto result = child.run({"accelerate", "train", "900", "change=1", "changed-hidden=32"});
  const auto& spool = result.spool();
  ASSERT_THAT(spool.blocks, SizeIs(25));
  constexpr StepArm arms[] = {StepArm::algorithms, StepArm::change, StepArm::both};
  for (const auto& [number, block] : spool.blocks) {
    EXPECT_EQ(block.arm, number % 2 == 0 ? StepArm::own : arms[number / 2 % 3]) << number;
    EXPECT_GE(block.steps, 9u);
    const bool slow = block.arm == StepArm::own || block.arm == StepArm::change;
    EXPECT_NEAR(static_cast<double>(block.median_ns), slow ? 9e6 : 3e6, 1e3) << number;
  }
  int changed = 0, own = 0;
  for (const auto& choice : spool.choices()) {
    EXPECT_EQ(chosen(choice), persist_static);
    ++(choice.with_change == 1 ? changed : own);
  }
  EXPECT_EQ(changed, 1);
  EXPECT_EQ(own, 1);
}

// A program that reports no change, because it has no Python or no layer of PyTorch's.
TEST_F(Accelerated, AlgorithmsAreTimedWhereNoChangeComes) {
  try_a_change("exact", 130);
  using Words = std::vector<std::string>;
  for (const auto& words : {Words{"train", "400"}, Words{"train", "400", "change=0"}}) {
    const auto result = run(words);
    ASSERT_THAT(result.spools.back().blocks, SizeIs(13));
    EXPECT_EQ(result.spools.back().blocks.at(1).arm, StepArm::algorithms);
  }
}

TEST_F(Accelerated, AChangeThatCannotBeMadeEndsTheTrying) {
  try_a_change("steps", 130);
  child.variable("RNNADVISOR_TRY_END", "1");
  const auto result = child.run({"accelerate", "train", "100000", "change=0"});
  EXPECT_EQ(result.status, -SIGINT);
  EXPECT_THAT(result.spool().note_codes(), Contains("try-ended"));
  EXPECT_THAT(result.spool().blocks, SizeIs(0));
}

TEST_F(Accelerated, TryingKeepsTheProgramsOwnAfterwards) {
  child.variable("RNNADVISOR_TRY_STEPS", "130");
  const auto many = run({"train", "900"}).spools.back().choices().at(0);
  const auto few = run({"train", "300"}).spools.back().choices().at(0);
  EXPECT_EQ(many.substituted[0], few.substituted[0]);
  EXPECT_GT(few.substituted[0], 60u);
  EXPECT_GT(kept(many, Kept::only_tried), 600u);
}

TEST_F(Accelerated, TryingEndsTheProgramWhereThatIsAsked) {
  child.variable("RNNADVISOR_TRY_STEPS", "130").variable("RNNADVISOR_TRY_END", "1");
  const auto result = child.run({"accelerate", "train", "100000"});
  EXPECT_EQ(result.status, -SIGINT);
  EXPECT_THAT(result.spool().note_codes(), Contains("try-ended"));
  EXPECT_THAT(result.spool().blocks, SizeIs(13));
}

TEST_F(Accelerated, TryingEndsWhereNothingGains) {
  child.variable("RNNADVISOR_TRY_STEPS", "130").variable("RNNADVISOR_TRY_END", "1");
  child.variable("STANDIN_MS", "standard=1,persist_static=20");
  const auto result = child.run({"accelerate", "train", "100000"});
  EXPECT_EQ(result.status, -SIGINT);
  EXPECT_THAT(result.spool().note_codes(), Contains("try-ended"));
  EXPECT_LT(result.spool().choices().at(0).calls[0], 300u);
}

// The calls gain and the steps lose: what a kernel leaves behind costs more than it saved.
TEST_F(Accelerated, WhatMakesWholeStepsSlowerIsWithdrawn) {
  child.variable("STANDIN_AFTER_MS", "persist_static=5");
  const auto result = run({"train", "1500"});
  const auto choice = result.spool().choices().at(0);
  EXPECT_EQ(choice.chosen, 0u);
  EXPECT_EQ(variant(choice, persist_static)->state, VariantState::slower);
  EXPECT_EQ(result.spool().blocks.at(0).withdrawn, 1u);
  child.variable("STANDIN_AFTER_MS", "");
  EXPECT_EQ(chosen(run({"train", "1500"}).spools.back().choices().at(0)), persist_static);
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
