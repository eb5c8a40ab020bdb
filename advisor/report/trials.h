// What was tried and measured, arranged and worded for all writers. Everything here returns plain
// text; each writer escapes it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// The experiments of a configuration, confirmed ones first, then by speedup.
std::vector<TrialRow> trial_rows(const Profile& profile, std::span<const int> experiments);

namespace words {

std::string_view verdict(ExperimentVerdict value);  // "confirmed", "not run"
// "1.44× (1.40 to 1.48)"; empty without a time.
std::string speedup(const ExperimentTiming* timing);
// "saves 40.0 MiB", "takes 40.0 MiB more", "the same"; empty when it was not measured.
std::string memory_change(const Experiment& experiment);
// What NVML said of the GPU before and after the samples: "SM clock 1980 MHz before, 1965 MHz
// after, 41 to 45 °C, 118 to 402 W, no throttling"; empty when it was not recorded. Of a
// configuration: of all of its trials.
std::string clocks(const Experiment& experiment);
std::string clocks(const ConfigurationReport& report);
// "dx 2.1e-04": the tensor that moved most, and how far; empty when none was compared.
std::string moved(const TrialRow& row);
// "dx 2.1e-04 (float64: before 3.1e-04, after 3.2e-04)": also how far it was off the reference, and
// is, where it was compared with that; else, the tensor that is furthest off after the change:
// "dw 2.1e-04 (float64: y before 3.1e-04, after 3.2e-04)".
std::string moved_in_full(const TrialRow& row);
// What a verdict rests on, in one sentence: "confirmed, 1.44× (1.40 to 1.48), training step; the
// original against itself 0.99 to 1.01".
std::string trial(const TrialOutcome& outcome);
// The same without the verdict, for writers that show it as a sign.
std::string trial_details(const TrialOutcome& outcome);
// "Best that keeps every result: algo persist_static, forward 3.40× (3.31 to 3.50), training step
// 3.46× (3.40 to 3.52), saves 1.96 MiB, moved y 2.1e-04 (float64: before 3e-04, after 3e-04)": one
// line for each meaning that has a confirmed change.
std::vector<std::string> best_trials(const ConfigurationReport& report);
// How many of each verdict there are, where writers that show verdicts as signs name these; how
// numbers are taken, outliers, and the clocks.
struct VerdictSigns {
  std::string_view confirmed, inconclusive, refuted, not_run;
};
std::string trials_note(const ConfigurationReport& report, const VerdictSigns& signs = {});

}  // namespace words
}  // namespace rnnadvisor::advisor
