// With predicted times of the H200: the table of times, the findings and maps tell the same, and
// what comes first is the fastest of what can be done.
#include <gtest/gtest.h>

#include <algorithm>

#include "advisor/change/accelerating.h"
#include "advisor/change/transform.h"
#include "advisor/judge/judge.h"
#include "advisor/judge/merge.h"
#include "advisor/judge/order.h"
#include "core/model/time_model.h"
#include "tests/advisor/properties/agreements.h"
#include "tests/effort.h"

namespace rnnadvisor::test {
namespace {

using advisor::Severity;
using advisor::Standing;

// In a PyTorch program the command that needs no change of code comes first, and nothing says that
// what it does cannot be done.
void accelerate_comes_first(const Drawn& drawn, const Checked& checked, Met& met) {
  const auto& own = checked.profile.configurations.front();
  for (const auto& finding : checked.judgement.findings) {
    const auto does = [&](const advisor::Suggestion& suggestion) {
      return advisor::accelerate_does(changes_of(suggestion), own.program.name, own.config,
                                      own.program);
    };
    const auto& all = finding.suggestions;
    const auto found = std::find_if(all.begin(), all.end(), does);
    if (found == all.end()) continue;
    ++met.accelerated;
    EXPECT_TRUE(does(all.front())) << finding.rule_id << " " << all.front().text << label(drawn);
    EXPECT_TRUE(found->cannot.empty()) << finding.rule_id << label(drawn);
    EXPECT_NE(found->text.find("rnnadvisor accelerate"), std::string::npos) << found->text;
    EXPECT_EQ(found->text.find("--allow numerics") != std::string::npos,
              widest_meaning(changes_of(*found)) == advisor::Meaning::numerics)
        << found->text << label(drawn);
  }
}

// What comes first is what gains most of what can be done, and the table of predicted times has a
// row for it.
void first_is_best(const Drawn& drawn, const Checked& checked,
                   const advisor::PredictedTimes::Of* times, Met& met) {
  const auto gains = [](const advisor::Finding& finding) {
    return finding.severity != Severity::error && !is_remark(finding) && finding.gain &&
           !finding.gain->another_model && finding.gain->saved_bytes == 0;
  };
  const auto& findings = checked.judgement.findings;
  const auto first = std::find_if(findings.begin(), findings.end(), gains);
  if (first == findings.end() || findings.front().severity == Severity::error) return;
  ++met.gains;
  EXPECT_EQ(first, findings.begin()) << first->rule_id << " " << label(drawn);
  EXPECT_TRUE(std::any_of(first->suggestions.begin(), first->suggestions.end(),
                          [](const auto& each) { return each.cannot.empty(); }))
      << first->rule_id << " " << label(drawn);
  for (const auto& finding : findings) {
    if (!gains(finding)) continue;
    // Of those that come close the one that takes less.
    const auto effort = [](const advisor::Finding& of) {
      return of.suggestions.empty() ? advisor::Effort::line : of.suggestions.front().effort;
    };
    const double close = effort(*first) >= effort(finding)            ? 1
                         : effort(*first) == advisor::Effort::command ? advisor::as_predictions_tell
                                                                      : advisor::least_told_gain;
    EXPECT_LE(finding.gain->speedup, first->gain->speedup * close + 1e-9)
        << finding.rule_id << " " << first->rule_id << " " << label(drawn);
    // Of an algorithm alone, or with a math type: the row has the same time.
    if (times == nullptr || finding.gain->basis != advisor::GainBasis::modelled) continue;
    auto call = times->config;
    bool row = !finding.gain->changes.empty();
    for (const auto& change : finding.gain->changes) {
      row = row && (change.kind == "algo" || change.kind == "math_type");
      if (auto calls = advisor::expand(change, call); calls && calls->size() == 1)
        call = calls->front();
    }
    if (!row || call.algo == times->config.algo || call.mixed_algos()) continue;
    auto found =
        std::find_if(times->algorithms.begin(), times->algorithms.end(), [&](const auto& each) {
          return each.algo == call.algo && each.math_type == call.math_type;
        });
    // A row of its own is for what is faster with another math type.
    if (found == times->algorithms.end())
      found = std::find_if(times->algorithms.begin(), times->algorithms.end(),
                           [&](const auto& each) { return each.algo == call.algo; });
    ASSERT_NE(found, times->algorithms.end()) << finding.rule_id << " " << label(drawn);
    const auto asked = std::find_if(times->algorithms.begin(), times->algorithms.end(),
                                    [](const auto& each) { return each.asked; });
    ASSERT_NE(asked, times->algorithms.end()) << label(drawn);
    ASSERT_TRUE(found->total && asked->total) << label(drawn);
    const double as_told = asked->total->seconds / found->total->seconds / finding.gain->speedup;
    EXPECT_GT(as_told, 0.989) << finding.rule_id << " " << label(drawn);
    // Predictions miss by more: a card's order stands against less.
    EXPECT_LT(as_told, found->math_type == call.math_type ? 1.011 : 1.25)
        << finding.rule_id << " " << label(drawn);
    ++met.rows;
  }
}

// With predicted times: only the H200's are known.
TEST(OneDecision, PredictedTimesAndFindingsAgree) {
  const auto device = find_device("nvidia-h200");
  ASSERT_TRUE(device);
  const auto model = model::find_time_model("nvidia-h200", *device);
  ASSERT_TRUE(model && *model);
  const model::PredictTime predict = model::predictor(*model);
  advisor::JudgeOptions options;
  options.predict_for = [&](const DeviceSpec&) { return predict; };
  Met met;
  int slower = 0;
  const int draws = test::draws();
  for (auto& drawn : test::draw_configurations(1000000, static_cast<std::uint64_t>(draws))) {
    drawn.device = &*device;
    const Checked checked(drawn, options);
    const auto times = advisor::predict_times(checked.profile, *device, model->get());
    refusals_and_ticks(drawn, checked, met);
    accelerate_comes_first(drawn, checked, met);
    padded_one_way(drawn, checked, met);
    if (drawn.number % 3 == 0) map_agrees(drawn, checked, predict, &times, met);
    const auto* of = times.of(0);
    // Either there are times, or the report says why there are none.
    EXPECT_EQ(of == nullptr, !times.none(0).empty()) << label(drawn);
    first_is_best(drawn, checked, of, met);
    EXPECT_FALSE(of != nullptr && checked.one().no_call) << label(drawn);
    if (of == nullptr || checked.one().refusal) continue;
    const auto* asked = of->asked_for();
    const auto* best = of->fastest();
    // The algorithm that runs stands in the table, and nothing slower is the fastest.
    if (of->algo_known) {
      EXPECT_NE(asked, nullptr) << label(drawn);
    }
    if (best == nullptr || asked == nullptr) continue;
    ASSERT_TRUE(asked->total) << label(drawn);
    // What computes wrong results is no better for being faster.
    if (asked->wrong_results != model::WrongResults::none) continue;
    EXPECT_LE(best->total->seconds, asked->total->seconds) << label(drawn);
    // What the table shows as much faster, and can be asked for, is a finding.
    if (best->total->high_seconds * 1.5 < asked->total->low_seconds) {
      ++slower;
      EXPECT_NE(checked.one().standing, Standing::fine) << label(drawn);
    }
    if (failures() > 20) break;
  }
  EXPECT_GT(met.fastest, draws / 100);
  EXPECT_GT(slower, draws / 500);
  EXPECT_GE(met.accelerated, draws / 1000);
  EXPECT_GT(met.gains, draws / 20);
  EXPECT_GT(met.rows, draws / 100);
}

}  // namespace
}  // namespace rnnadvisor::test
