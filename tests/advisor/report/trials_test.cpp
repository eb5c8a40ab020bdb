// "Tried and measured" in every format: refuted changes are listed, the best has all of its
// numbers, no sample is hidden, and the clocks are there.
#include "advisor/report/trials.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/report/trial_samples.h"
#include "tests/advisor/report/csv_rows.h"
#include "tests/advisor/report/fixture.h"
#include "tests/advisor/whatif/stand_in.h"

namespace rnnadvisor::advisor {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The value of a column in the first line.
std::string field(const std::string& csv, const std::string& column) {
  return test::csv_rows(csv).at(0).at(column);
}

TextOptions wide() {
  TextOptions options;
  options.width = 240;
  return options;
}

// A stack of two whose training step was tried, all verdicts among them.
class Trials : public ::testing::Test {
 protected:
  void SetUp() override {
    judged_ = fixture::tried();
    // A forward pass for training and float64 errors, as cuDNN's calls are measured.
    auto& best = judged_->profile.experiments.at(5);
    ASSERT_EQ(best.meaning, "padded");
    best.timings.front() =
        stand_in::timing(ExperimentScope::forward_training, 0.75, 0.25, 21, 0.02);
    best.shifts = {{"y", 1.2e-4, 3.1e-4, 3.2e-4}, {"dw", 2.1e-4, -1, -1}};
  }
  Report report() const { return judged_->report(); }
  std::unique_ptr<fixture::Judged> judged_;
};

TEST_F(Trials, EveryVerdictIsCountedInEveryFormat) {
  const Report made = report();
  const auto* counts = "10 changes tried: 6 confirmed";
  EXPECT_THAT(write_text(made, wide()),
              HasSubstr("10 changes tried: 6 confirmed (✔), 1 inconclusive (~), 2 refuted (✖), 1 "
                        "could not be run (–)"));
  EXPECT_THAT(write_markdown(made), AllOf(HasSubstr(counts), HasSubstr("2 refuted")));
  EXPECT_THAT(write_html(made), AllOf(HasSubstr(counts), HasSubstr("2 refuted")));
  const std::string csv = write_csv(made);
  EXPECT_EQ(field(csv, "tried"), "10");
  EXPECT_EQ(field(csv, "confirmed"), "6");
  EXPECT_EQ(field(csv, "refuted"), "2");
  EXPECT_EQ(field(csv, "inconclusive"), "1");
  EXPECT_EQ(field(csv, "not_run"), "1");
  EXPECT_THAT(write_junit(made), HasSubstr("value=\"refuted, "));
  // The table may be cut after twelve; the count is not.
  TextOptions ascii = wide();
  ascii.ascii = true;
  EXPECT_THAT(write_text(made, ascii), HasSubstr("2 refuted (X)"));
}

TEST_F(Trials, TheCountIsThereWhenTheRefutedAreNotShown) {
  auto& all = judged_->profile.experiments;
  const Experiment confirmed = all.at(1);
  for (int i = 0; i < 12; ++i) all.push_back(confirmed);
  const std::string text = write_text(report(), wide());
  EXPECT_THAT(text, Not(HasSubstr("✖  algo persist_dynamic")));
  EXPECT_THAT(text, HasSubstr("2 refuted (✖)"));
}

TEST(RefutedFinding, IsCountedInCsv) {
  auto judged = fixture::single();
  EXPECT_EQ(field(write_csv(judged->report()), "refuted_findings"), "0");
  auto& finding = judged->judgement.findings.at(0);
  finding.refuted_by = ValidityRecord{"nvidia-h200", "9.19.0", "2026-11-22", "", "", 3, 17};
  EXPECT_EQ(field(write_csv(judged->report()), "refuted_findings"), "1");
  finding.refuted_by.reset();
  finding.refuted_here = true;
  const Report report = judged->report();
  EXPECT_EQ(field(write_csv(report), "refuted_findings"), "1");
}

// What was tried here and refuted, where the finding names it: in the formats that quote findings.
TEST(RefutedHere, IsShownInEveryFormatThatQuotesFindings) {
  const auto judged = fixture::refuted_here();
  const Report report = judged->report();
  std::string markdown = write_markdown(report);
  std::erase(markdown, '\\');
  TextOptions verbose = wide();
  verbose.verbose = true;
  for (const std::string& written :
       {write_text(report, verbose), markdown, write_sarif(report), write_junit(report)})
    EXPECT_THAT(written, HasSubstr("refuted, 0.50× (0.45 to 0.55), training step"));
  EXPECT_THAT(write_html(report), HasSubstr("</span> refuted</span> 0.50× (0.45 to 0.55)"));
  EXPECT_EQ(Json::parse(write_json(report))["findings"][0]["trial"]["verdict"], "refuted");
}

TEST_F(Trials, TheBestOfAMeaningHasAllOfItsNumbers) {
  const Report made = report();
  const auto* row = made.configurations.at(0).best_trial(Meaning::padded);
  ASSERT_NE(row, nullptr);
  ASSERT_NE(row->forward, nullptr);
  const std::string line =
      "forward 3.00× (2.94 to 3.06), training step " + words::speedup(row->training) +
      ", saves 1.96 MiB, moved dw 2.1e-04 (float64: y before 3.1e-04, after 3.2e-04)";
  EXPECT_THAT(write_text(made, wide()), HasSubstr(line));
  EXPECT_THAT(write_html(made), HasSubstr(line));
  std::string markdown = write_markdown(made);
  std::erase(markdown, '\\');
  EXPECT_THAT(markdown, HasSubstr(line));
  EXPECT_THAT(markdown, HasSubstr("| 3.00× (2.94 to 3.06) |")) << "its column";
  const std::string csv = write_csv(made);
  EXPECT_EQ(field(csv, "best_padded_forward"), "3");
  EXPECT_EQ(field(csv, "best_padded_low"), fmt::format("{:.6g}", row->step->speedup_low));
  EXPECT_EQ(field(csv, "best_padded_high"), fmt::format("{:.6g}", row->step->speedup_high));
  EXPECT_EQ(field(csv, "best_padded_memory_bytes"), "-2058240");
  EXPECT_EQ(field(csv, "best_padded_moved"), "0.00021");
  EXPECT_EQ(field(csv, "best_padded_error_before"), "0.00031");
  EXPECT_EQ(field(csv, "best_padded_error_after"), "0.00032");
  // Without a time: nothing is invented.
  EXPECT_EQ(field(csv, "best_numerics"), "");
  EXPECT_EQ(field(csv, "best_numerics_forward"), "");
  EXPECT_THAT(write_text(made, wide()), HasSubstr("half precision, which runs where"));
}

TEST_F(Trials, MovedNamesTheReferenceOfItsOwnTensorFirst) {
  Experiment experiment;
  TrialRow row;
  row.experiment = &experiment;
  EXPECT_EQ(words::moved_in_full(row), "");
  experiment.shifts = {{"y", 2e-4, 3e-4, 4e-4}, {"dx", 1e-4, 5e-4, 6e-4}};
  row.shift = &experiment.shifts[0];
  EXPECT_EQ(words::moved_in_full(row), "y 2.0e-04 (float64: before 3.0e-04, after 4.0e-04)");
  experiment.shifts[0].before_error = experiment.shifts[0].after_error = -1;
  EXPECT_EQ(words::moved_in_full(row), "y 2.0e-04 (float64: dx before 5.0e-04, after 6.0e-04)");
  experiment.shifts.resize(1);
  row.shift = &experiment.shifts[0];
  EXPECT_EQ(words::moved_in_full(row), "y 2.0e-04");
}

// Median 3, deviations 2 1 0 1 2 and 97: their median 1.5, so 3 * 1.4826 * 1.5 to each side.
TEST(Outliers, AreBeyondThreeScaledDeviations) {
  const double samples[] = {1, 2, 3, 4, 5, 100};
  const auto bounds = sample_bounds(samples);
  EXPECT_DOUBLE_EQ(bounds.median, 3.5);
  EXPECT_DOUBLE_EQ(bounds.high, 3.5 + 3 * 1.4826 * 1.5);
  EXPECT_DOUBLE_EQ(bounds.low, 3.5 - 3 * 1.4826 * 1.5);
  EXPECT_EQ(sample_bounds({}).median, 0);
  const double same[] = {2, 2, 2, 3};
  EXPECT_EQ(sample_bounds(same).high, 2) << "where most are equal, what differs is outside";

  ExperimentTiming timing;
  EXPECT_EQ(words::outliers(&timing), "");
  EXPECT_EQ(words::outliers(static_cast<const ExperimentTiming*>(nullptr)), "");
  timing.before_samples_ms = {1, 2, 3, 4, 5, 100};
  timing.after_samples_ms = {1, 2, 3, 4, 5, 6};
  timing.control_samples_ms = {10, 20, 30, 40, 50, 1000};
  EXPECT_EQ(words::outliers(&timing),
            "2 of 18 samples beyond 3 scaled MAD (before 1, after 0, control 1), largest 1.00 s");
  timing.before_samples_ms = timing.control_samples_ms = timing.after_samples_ms;
  EXPECT_EQ(words::outliers(&timing), "none of 18 samples beyond 3 scaled MAD");
}

TEST_F(Trials, OutliersAreKeptAndShown) {
  auto& timing = judged_->profile.experiments.at(5).timings.back();
  ASSERT_EQ(timing.scope, ExperimentScope::training_step);
  timing.before_samples_ms[3] = 19.25;
  const Report made = report();
  const std::string told =
      "1 of 63 samples beyond 3 scaled MAD (before 1, after 0, control 0), largest 19.2 ms";
  const std::string page = write_html(made);
  EXPECT_THAT(page, HasSubstr(told));
  EXPECT_THAT(page, HasSubstr("class=\"outlier\"><title>19.2 ms</title>"));
  EXPECT_THAT(page, HasSubstr("id=\"x5-samples-t\""));
  EXPECT_THAT(write_markdown(made), HasSubstr("| 1 of 63 |"));
  TextOptions verbose = wide();
  verbose.verbose = true;
  EXPECT_THAT(write_text(made, verbose), HasSubstr(told));
  EXPECT_THAT(write_text(made, wide()), HasSubstr("Every sample counts; 1 of "));
  const Json json = Json::parse(write_json(made));
  const Json& there = json["experiments"][5]["timings"][1];
  EXPECT_EQ(there["outliers"]["before"], 1);
  EXPECT_EQ(there["outliers"]["after"], 0);
  EXPECT_EQ(there["outliers"]["largest_ms"], 19.25);
  EXPECT_EQ(there["before_samples_ms"][3], 19.25);
}

// Experiment 1 of the fixture met a power cap; that in PyTorch says nothing of clocks.
TEST_F(Trials, ClocksAndThrottlingAreInEveryFormat) {
  const Report made = report();
  const auto* all =
      "SM clock 1980 MHz before, 1755 to 1965 MHz after, 41 to 66 °C, 118 to 699 W, "
      "throttled: power cap";
  const auto* own =
      "SM clock 1980 MHz before, 1965 MHz after, 41 to 45 °C, 118 to 402 W, no "
      "throttling";
  const auto* began = "the GPU began to throttle while this was measured: power cap";
  EXPECT_THAT(write_text(made, wide()), AllOf(HasSubstr(all), HasSubstr(began)));
  EXPECT_THAT(write_markdown(made), AllOf(HasSubstr(all), HasSubstr(began)));
  EXPECT_THAT(write_html(made), AllOf(HasSubstr(all), HasSubstr(began), HasSubstr(own)));
  EXPECT_THAT(write_junit(made), AllOf(HasSubstr(all), HasSubstr(began)));
  EXPECT_THAT(write_sarif(made), HasSubstr(own));
  const Json json = Json::parse(write_json(made));
  EXPECT_EQ(json["experiments"][1]["clocks_after"]["throttled"], "power cap");
  EXPECT_EQ(json["experiments"][1]["clocks_before"]["throttled"], "");
  EXPECT_EQ(json["experiments"][1]["clocks_after"]["sm_mhz"], 1755);
  EXPECT_EQ(json["experiments"][8]["clocks_after"], nullptr);
  const std::string csv = write_csv(made);
  EXPECT_EQ(field(csv, "trials_sm_mhz_least"), "1755");
  EXPECT_EQ(field(csv, "trials_sm_mhz_most"), "1980");
  EXPECT_EQ(field(csv, "trials_throttled"), "true");

  for (auto& each : judged_->profile.experiments)
    each.clocks_before = each.clocks_after = GpuClocks();
  const Report silent = report();
  EXPECT_THAT(write_text(silent, wide()), HasSubstr("Clocks of the GPU were not recorded."));
  EXPECT_EQ(field(write_csv(silent), "trials_throttled"), "");
}

TEST(Throttling, ChangesAreShown) {
  Experiment experiment;
  EXPECT_EQ(words::clocks(experiment), "");
  const auto between = [&](std::int64_t before, std::int64_t after) {
    experiment.clocks_before.event_reasons = before;
    experiment.clocks_after.event_reasons = after;
    return words::clocks(experiment);
  };
  EXPECT_EQ(between(0, 0), "no throttling");
  EXPECT_EQ(between(1, 2), "no throttling") << "idle, and clocks that an application set";
  EXPECT_EQ(between(4, 0x24), "throttled: power cap / power cap, thermal slowdown");
  experiment.clocks_before.sm_mhz = 1980;
  EXPECT_EQ(between(-1, -1), "SM clock 1980 MHz before, throttling not known");
}

}  // namespace
}  // namespace rnnadvisor::advisor
