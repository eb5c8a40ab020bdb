#include "tests/advisor/properties/agreements.h"

#include <gtest/gtest.h>

#include <set>

#include "advisor/change/compose.h"
#include "advisor/change/transform.h"
#include "advisor/cli/exit_status.h"
#include "advisor/facts/framework_call.h"
#include "advisor/judge/merge.h"

namespace rnnadvisor::test {

using advisor::Severity;
using advisor::Standing;

std::string label(const Drawn& drawn) {
  return "draw " + std::to_string(drawn.number) + " on " + drawn.device->id + ": " +
         to_json_line(drawn.input);
}

int failures() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return test->result()->total_part_count();
}

namespace {

bool has_error(const advisor::Judgement& judgement) {
  return cli::exit_status(judgement.findings, cli::FailOn{Severity::error}) == cli::exit_findings;
}

}  // namespace

void refusals_and_ticks(const Drawn& drawn, const Checked& checked, Met& met) {
  const auto& one = checked.one();
  const auto call = advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device);
  const auto accepted = model::eligibility(checked.call(), *drawn.device);
  const bool refused = call.happens() && model::first_refused(accepted, checked.call().mode);
  EXPECT_EQ(refused, one.refusal.has_value()) << label(drawn);
  if (refused || call.stops) {
    EXPECT_TRUE(has_error(checked.judgement)) << label(drawn);
    EXPECT_EQ(one.standing, Standing::error) << label(drawn);
  }
  if (refused) {
    ++met.refused;
    // Why, in words, in the first sentence.
    EXPECT_FALSE(one.refusal->reason.empty()) << label(drawn);
    EXPECT_NE(one.verdict.find(one.refusal->reason), std::string::npos) << label(drawn);
    const auto* general = checked.finding("descriptor/refusal-expected");
    const auto* own = checked.finding(one.refusal->rule_id);
    EXPECT_TRUE(general != nullptr || (own != nullptr && own->severity == Severity::error))
        << label(drawn);
    EXPECT_FALSE(general != nullptr && own != nullptr && own->severity == Severity::error)
        << "told twice: " << label(drawn);
  }
  // Nor does anything say of a call that runs that it does not.
  for (const auto& finding : checked.judgement.findings) {
    const auto* rule = advisor::builtin_rules().find(finding.rule_id);
    if (finding.severity != Severity::error || rule->consequence != "error") continue;
    EXPECT_TRUE(refused || call.stops) << finding.rule_id << " " << label(drawn);
  }
  met.stopped += call.stops ? 1 : 0;
  met.mixed += checked.call().mixed_algos() ? 1 : 0;
  if (one.standing == Standing::fine) {
    ++met.fine;
    EXPECT_FALSE(refused || call.stops) << label(drawn);
    // It reaches cuDNN without a question.
    EXPECT_EQ(call.cudnn, true) << label(drawn);
    for (const auto& finding : checked.judgement.findings)
      EXPECT_EQ(finding.severity, Severity::info) << finding.rule_id << " " << label(drawn);
  }
}

void padded_one_way(const Drawn& drawn, const Checked& checked, Met& met) {
  const RnnConfig& config = checked.call();
  std::set<int> hidden, input, batch;
  const auto take = [](std::set<int>& sizes, int before, int after) {
    if (after > before) sizes.insert(after);
  };
  for (const auto& finding : checked.judgement.findings) {
    for (const auto& suggestion : finding.suggestions) {
      if (!suggestion.transform || withdrawn(finding, suggestion)) continue;
      const auto sizes = advisor::padding_of(suggestion, config);
      take(hidden, config.hidden_size, sizes.hidden.value_or(0));
      take(input, config.input_size, sizes.input.value_or(0));
      take(batch, config.batch_size, sizes.batch.value_or(0));
    }
  }
  for (const auto& table : checked.one().why_not) {
    if (!table.has_nearest || table.changes.empty()) continue;
    take(hidden, config.hidden_size, table.nearest.hidden_size);
    // With skip_input it follows the hidden size, which an algorithm's limit may lower.
    if (config.input_mode == InputMode::linear_input)
      take(input, config.input_size, table.nearest.input_size);
    take(batch, config.batch_size, table.nearest.batch_size);
  }
  met.padded += hidden.empty() && input.empty() && batch.empty() ? 0 : 1;
  EXPECT_LE(hidden.size(), 1U) << testing::PrintToString(hidden) << label(drawn);
  EXPECT_LE(input.size(), 1U) << testing::PrintToString(input) << label(drawn);
  EXPECT_LE(batch.size(), 1U) << testing::PrintToString(batch) << label(drawn);
}

void map_agrees(const Drawn& drawn, const Checked& checked, const model::PredictTime& predict,
                const advisor::PredictedTimes* times, Met& met) {
  ++met.mapped;
  model::MapRequest request;
  request.here =
      advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device).config;
  request.axes = model::MapAxes::hidden_type;
  request.predict = predict;
  request.call = advisor::framework_caller(drawn.input.program, *drawn.device, request.here);
  const auto map = model::build_map(request, *drawn.device);
  EXPECT_EQ(map.here, checked.call()) << label(drawn);
  EXPECT_EQ(map.own().asked, checked.call().algo) << label(drawn);
  const bool accepted =
      !model::first_refused(model::eligibility(checked.call(), *drawn.device), map.here.mode);
  EXPECT_EQ(map.own().run().accepted, accepted) << label(drawn);
  // TensorFlow's choice is not known, and a map is drawn of what was given then.
  const auto name = drawn.input.program.name;
  const bool known =
      name == Framework::pytorch || name == Framework::jax || name == Framework::onnxruntime;
  for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
    for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column) {
      const RnnConfig cell = model::config_at(map, row, column);
      // As check answers for a neighbour, whatever the map was told to ask.
      const auto asks = advisor::framework_call(cell, drawn.input.program, drawn.device);
      if (known) {
        EXPECT_EQ(asks.config, cell) << label(drawn);
      }
      EXPECT_EQ(map.at(row, column).asked, cell.algo) << label(drawn);
    }
  }
  if (times == nullptr) return;
  const auto* of = times->of(0);
  const auto* asked = of != nullptr ? of->asked_for() : nullptr;
  if (asked == nullptr || !asked->total || !map.own().run().time) return;
  EXPECT_NEAR(asked->total->seconds, map.own().run().time->seconds, 1e-12) << label(drawn);
  // What the table calls the fastest, the map does, too, and the other way round. The table also
  // has rows with other math types, and a mixed backward algorithm is in neither's others.
  const auto* best = of->fastest();
  if (map.framework_picks || checked.call().mixed_algos() ||
      asked->wrong_results != model::WrongResults::none)
    return;
  if (best != nullptr && best->math_type == checked.call().math_type) {
    ++met.fastest;
    EXPECT_EQ(map.own().best, best->algo) << label(drawn);
  }
  if (map.own().best != asked->algo) {
    EXPECT_FALSE(asked->best || asked->may_be_best) << label(drawn);
  }
}

}  // namespace rnnadvisor::test
