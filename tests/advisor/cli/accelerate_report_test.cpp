// The report at the end of `accelerate`, of recordings written by hand.
#include "advisor/cli/accelerate_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/advisor/cli/golden.h"
#include "tests/profiler/launch/sample_choices.h"

namespace rnnadvisor::cli {
namespace {

using spool::Acceleration;
using spool::ChoiceState;
using spool::Kept;
using spool::VariantState;
using ::testing::HasSubstr;
using ::testing::Not;

class AccelerateReport : public ::testing::Test {
 protected:
  void add(const spool::SpoolWriter& writer) {
    writer.write(folder_ / (std::to_string(++files_) + ".rnnspool"));
  }
  std::string report(bool switched_off = false, const advisor::TextOptions& options = {}) const {
    const auto collected = launch::collect_spools(folder_ / "", {});
    EXPECT_TRUE(collected);
    return accelerate_report(
        *collected, {accelerate_command("", "python3 train.py"), false, switched_off}, options);
  }
  std::string report_of(const Acceleration& acceleration) {
    add(spool::choices_spool(acceleration));
    return report();
  }

  TemporaryFolder folder_;
  int files_ = 0;
};

// A layer that gained, its evaluation, and a layer that did not.
TEST_F(AccelerateReport, IsAsReviewed) {
  auto writer = spool::choices_spool(spool::sample_acceleration(1, 1));
  auto inference = spool::sample_configuration(2);
  inference.batch = 32;
  inference.training = 0;
  writer.add_configuration(inference);
  auto evaluation = spool::sample_acceleration(2, 2);
  for (std::size_t i = 1; i < spool::choice_phases; ++i) {
    evaluation.calls[i] = evaluation.substituted[i] = 0;
    for (auto& variant : evaluation.variants) variant.samples[i] = 0;
  }
  evaluation.calls[0] = 200;
  evaluation.substituted[0] = 194;
  evaluation.kept[static_cast<std::size_t>(Kept::tuning)] = 6;
  evaluation.kept[static_cast<std::size_t>(Kept::unequal_lengths)] = 0;
  writer.add(evaluation);
  auto gru = spool::sample_configuration(3);
  gru.cell = 3;
  gru.hidden_size = gru.projection_size = 1000;
  gru.layers = 1;
  gru.batch = 32;
  writer.add_configuration(gru);
  spool::CallSite site{};
  site.id = 2;
  site.file = writer.text("/home/me/model.py");
  site.line = 80;
  writer.add(site);
  auto lost = spool::sample_acceleration(3, 3);
  lost.call_site = 2;
  lost.chosen = 0;
  for (auto& count : lost.substituted) count = 0;
  for (auto& count : lost.kept) count = 0;
  lost.kept[static_cast<std::size_t>(Kept::tuning)] = 30;
  lost.variants[1].state = VariantState::slower;
  spool::time_variant(lost.variants[1], 5000, 5100, 5200);
  writer.add(lost);
  spool::add_step_blocks(writer);
  add(writer);
  expect_golden("accelerate-report.txt", report());
  advisor::TextOptions narrow;
  narrow.width = 72;
  narrow.ascii = true;
  expect_golden("accelerate-report-narrow.txt", report(false, narrow));
}

TEST_F(AccelerateReport, FitsAScreen) {
  add(spool::choices_spool(spool::sample_acceleration(1, 1)));
  const auto text = report();
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20) << text;
}

TEST_F(AccelerateReport, TryingSaysWhatAStepGains) {
  auto writer = spool::choices_spool(spool::sample_acceleration(1, 1));
  spool::add_step_blocks(writer);
  add(writer);
  const auto collected = launch::collect_spools(folder_ / "", {});
  ASSERT_TRUE(collected);
  ASSERT_EQ(collected->steps.size(), 1U);
  const auto& step = collected->steps[0];
  EXPECT_EQ(step.steps, 90);
  EXPECT_NEAR(step.own_ms.median, 10.04, 0.001);
  // Each block against those around it, so that what grows with time does not count.
  EXPECT_NEAR(step.speedup.median, 10.04 / 4.04, 0.001);
  EXPECT_NEAR(step.control.median, 10.02 / 10.04, 0.002);
  const auto text = accelerate_report(
      *collected, {accelerate_command("--allow numerics", "python3 train.py"), true}, {});
  EXPECT_THAT(text, HasSubstr("could run 4.00 times faster, a whole step 2.49 times"));
  EXPECT_THAT(text, HasSubstr("Whole step   10.0 ms → 4.04 ms: 2.49×"));
  EXPECT_THAT(text, HasSubstr("accelerate --allow numerics -- python3 train.py"));
  EXPECT_THAT(text, Not(HasSubstr("To undo it")));
}

// Algorithms alone make a step 2.5 times faster, a change of the layer 2 times, and both `both_ms`.
class TriedBoth : public AccelerateReport {
 protected:
  // `own_gains`: also the program's own layer has a faster algorithm.
  std::string report_with(int both_ms, bool own_gains = true) {
    auto own = spool::sample_acceleration(1, 1);
    if (!own_gains) {
      own.chosen = 0;
      own.variants[1].state = VariantState::slower;
    }
    auto writer = spool::choices_spool(own);
    auto padded = spool::sample_configuration(2);
    padded.hidden_size = padded.projection_size = 1024;
    writer.add_configuration(padded);
    auto changed = spool::sample_acceleration(2, 2);
    changed.with_change = 1;
    writer.add(changed);
    std::vector<std::pair<spool::StepArm, int>> ms = {{spool::StepArm::algorithms, 4},
                                                      {spool::StepArm::change, 5},
                                                      {spool::StepArm::both, both_ms}};
    if (!own_gains) ms.erase(ms.begin());
    spool::add_step_blocks(writer, ms);
    add(writer);
    const auto collected = launch::collect_spools(folder_ / "", {});
    EXPECT_TRUE(collected);
    EXPECT_EQ(collected->steps.size(), ms.size());
    // The changed layer is no part of the program as it is.
    EXPECT_EQ(collected->profile.experiments.size(), 2U);
    ChangedLayer layer;
    layer.name = "LSTM 2x512 half B32 T128";
    layer.change = "one call per layer";
    layer.changed = true;
    layer.error = 1e-4;
    layer.limit = 2e-3;
    layer.tensor = "dx";
    layer.file = "rnn_split_layers.py";
    const std::vector<ChangedLayer> layers = {layer};
    AccelerationContext context{accelerate_command("", "python3 train.py"), true};
    context.changes = &layers;
    return accelerate_report(*collected, context, {});
  }
};

TEST_F(TriedBoth, IsAsReviewed) { expect_golden("tried-with-change.txt", report_with(2)); }

TEST_F(TriedBoth, ACodeChangeMustGainMoreThanAlgorithmsAlone) {
  const auto text = report_with(4);
  EXPECT_THAT(text, HasSubstr("could run 4.00 times faster, a whole step 2.46 times"));
  EXPECT_THAT(text, Not(HasSubstr("--write-code")));
}

// The faster algorithm is that of the changed layer alone.
TEST_F(TriedBoth, TheNeedOfBothIsShownWhereTheProgramsOwnLayerGainsNothing) {
  const auto text = report_with(2, false);
  EXPECT_THAT(text, HasSubstr("--write-code"));
  EXPECT_THAT(text, HasSubstr("rnnadvisor accelerate -- python3 train.py"));
}

TEST_F(AccelerateReport, TryingSaysThatNoStepWasFound) {
  add(spool::choices_spool(spool::sample_acceleration(1, 1)));
  const auto collected = launch::collect_spools(folder_ / "", {});
  ASSERT_TRUE(collected);
  EXPECT_THAT(accelerate_report(*collected, {"", true}, {}),
              HasSubstr("Whole step   not measured"));
}

TEST_F(AccelerateReport, TheReasonForEndingAChoiceIsShown) {
  auto a = spool::sample_acceleration(1, 1);
  a.chosen = 0;
  for (auto& count : a.substituted) count = 0;
  a.variants[1].state = VariantState::slower;
  a.origin = spool::ChoiceOrigin::limited;
  EXPECT_THAT(report_of(a), HasSubstr("raise --budget"));
}

TEST_F(AccelerateReport, AChoiceOfAPlanIsShown) {
  auto a = spool::sample_acceleration(1, 1);
  a.origin = spool::ChoiceOrigin::planned;
  EXPECT_THAT(report_of(a), HasSubstr("persist_static in place of standard, from the plan"));
  a.chosen = 0;
  for (auto& count : a.substituted) count = 0;
  auto none = a;
  none.id = 2;
  none.origin = spool::ChoiceOrigin::unplanned;
  auto writer = spool::choices_spool(a);
  writer.add(none);
  add(writer);
  const auto text = report();
  EXPECT_THAT(text, HasSubstr("unchanged: as the plan has it"));
  EXPECT_THAT(text, HasSubstr("no plan has a choice for these calls"));
}

// On a GPU that other programs use an algorithm can have a better median and no clear lead.
TEST_F(AccelerateReport, AnUnclearLeadIsNotCalledSlower) {
  auto a = spool::sample_acceleration(1, 1);
  a.chosen = 0;
  for (auto& count : a.substituted) count = 0;
  a.variants[1].state = VariantState::slower;
  const auto text = report_of(a);
  EXPECT_THAT(text, HasSubstr("on a GPU without other work"));
  EXPECT_THAT(text, HasSubstr("ms: times vary too much"));
  EXPECT_THAT(text, Not(HasSubstr("slower, or")));
}

TEST_F(AccelerateReport, ConversionAndItsEndHaveNames) {
  auto a = spool::sample_acceleration(1, 1);
  a.variants[1].converts = 1;
  a.checks = 2;
  EXPECT_THAT(report_of(a), HasSubstr("persist_static with conversion to half in place of"));
  a.chosen = 0;
  a.variants[1].state = VariantState::drifted;
  EXPECT_THAT(report_of(a), HasSubstr("was used until its"));
}

TEST_F(AccelerateReport, RanksAreOneRow) {
  for (int rank = 0; rank < 4; ++rank) {
    auto writer = spool::choices_spool(spool::sample_acceleration(1, 1));
    writer.header.rank = rank;
    writer.header.pid = 100 + rank;
    add(writer);
  }
  const auto text = report();
  EXPECT_THAT(text, HasSubstr("in 4 processes"));
  EXPECT_THAT(text, HasSubstr("11,640 of 12,000 calls accelerated"));
  EXPECT_THAT(text, HasSubstr("1 of 1 RNN layer now runs"));
}

TEST_F(AccelerateReport, EveryReasonHasWords) {
  auto a = spool::sample_acceleration(1, 1);
  for (std::size_t i = 0; i < std::size(a.kept); ++i) a.kept[i] = 10 + i;
  a.variants[2] = spool::sample_variant(2, VariantState::different);
  a.variants[2].error = 0.5F;
  a.variants[2].limit = 2e-3F;
  a.variants[3] = spool::sample_variant(3, VariantState::layout);
  const auto text = report_of(a);
  for (const char* words :
       {"10 before the choice", "unequal lengths", "not aligned", "workspace too small",
        "reserve space of unknown origin", "CUDA graph before the choice", "cuDNN refused",
        "its results differ: dw by 0.5", "stores weights"}) {
    std::string flat = text;
    // Lines are broken anywhere.
    for (std::size_t at = flat.find('\n'); at != std::string::npos; at = flat.find('\n', at)) {
      const auto end = flat.find_first_not_of(' ', at + 1);
      flat.replace(at, (end == std::string::npos ? flat.size() : end) - at, " ");
    }
    EXPECT_THAT(flat, HasSubstr(words));
  }
  EXPECT_THAT(text, Not(HasSubstr("another reason")));
}

TEST_F(AccelerateReport, NothingSaysWhyAndWhatToDo) {
  EXPECT_THAT(report(), HasSubstr("called no cuDNN RNN"));
  EXPECT_THAT(report(true), HasSubstr("RNNADVISOR_ACCELERATE=0"));
  spool::SpoolWriter calls;
  calls.header.calls = 12;
  add(calls);
  EXPECT_THAT(report(), HasSubstr("none of the 12 RNN calls"));
  auto a = spool::sample_acceleration(1, 1);
  a.origin = spool::ChoiceOrigin::unplanned;
  a.chosen = 0;
  for (auto& count : a.substituted) count = 0;
  auto forbidden = spool::choices_spool(a);
  spool::Note note{};
  note.code = forbidden.text(spool::acceleration_off);
  note.text = forbidden.text("torch.use_deterministic_algorithms() asks for equal results");
  forbidden.add(note);
  add(forbidden);
  EXPECT_THAT(report(),
              HasSubstr("use_deterministic_algorithms() asks for equal results;\nmake a plan"));
}

// The program's own failure is why nothing ran, and not its cuDNN.
TEST_F(AccelerateReport, OfAProgramThatFailedSaysSo) {
  spool::SpoolWriter writer;
  add(writer);
  launch::CollectOptions options;
  options.program = Process{};
  options.program->pid = 4711;
  options.program->end = ProcessEnd::exited;
  options.program->exit_status = 3;
  const auto collected = launch::collect_spools(folder_ / "", options);
  ASSERT_TRUE(collected);
  const auto text = accelerate_report(*collected, {}, {});
  EXPECT_THAT(text, HasSubstr("the program ended with exit status 3 before it called"));
  EXPECT_THAT(text, Not(HasSubstr("doctor")));
  const auto& notes = collected->profile.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const auto& note) {
    return note.text.find("what it did up to there is judged") != std::string::npos;
  }));
  options.program->exit_status = 0;
  const auto well = launch::collect_spools(folder_ / "", options);
  ASSERT_TRUE(well);
  EXPECT_THAT(accelerate_report(*well, {}, {}), HasSubstr("called no cuDNN RNN"));
}

TEST_F(AccelerateReport, NotYetIsNotNever) {
  auto a = spool::sample_acceleration(1, 1);
  a.chosen = 0;
  a.state = ChoiceState::measuring;
  EXPECT_THAT(report_of(a), HasSubstr("--budget"));
}

TEST_F(AccelerateReport, ShortMemoryIsReported) {
  auto a = spool::sample_acceleration(1, 1);
  a.chosen = 0;
  a.variants[1].state = VariantState::memory;
  EXPECT_THAT(report_of(a), HasSubstr("--memory"));
}

TEST_F(AccelerateReport, TheFastestAlreadyIsGoodNews) {
  auto a = spool::sample_acceleration(1, 1);
  a.chosen = 0;
  a.variants[1].state = VariantState::slower;
  spool::time_variant(a.variants[1], 5000, 5100, 5200);
  EXPECT_THAT(report_of(a), HasSubstr("no other algorithm that gives the same results is faster"));
}

}  // namespace
}  // namespace rnnadvisor::cli
