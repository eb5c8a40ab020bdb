// From a profile to reports and an exit status: rules are loaded, the profile judged, the results
// written.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/cli/output.h"
#include "advisor/judge/judge.h"
#include "advisor/report/predicted_times.h"
#include "advisor/rules/rule.h"
#include "core/model/time_model.h"
#include "core/model/time_prediction.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

struct JudgingOptions {
  std::vector<std::string> rule_directories;  // --rules
  std::vector<std::string> ignore;            // --ignore
  std::string fail_on;                        // --fail-on
  std::string baseline = {}, write_baseline = {};
  std::function<bool()> force = {};  // --force of the same command
};

// Everything that can be wrong about the options, found before any work.
struct Judging {
  advisor::RuleSet rules;
  advisor::JudgeOptions options;
  FailOn fail_on;
  std::string baseline, write_baseline;  // files; empty: none
  std::set<std::string> accepted;        // what `baseline` has (advisor/report/baseline.h)
};

// The device that configurations are judged for, with what predicts their times on it.
struct JudgedDevice {
  DeviceSpec device;
  std::shared_ptr<const model::TimeModel> times;  // null: none were measured on such a device
  advisor::PredictFor predict_for;                // made once, not for every configuration
};
// `name`: --device.
Result<JudgedDevice> judged_device(const Context& context, const std::string& name);

// `predict_for`: Services::predict_for; empty where nothing is to be predicted.
tl::expected<Judging, std::vector<Error>> prepare_judging(
    const JudgingOptions& options, const advisor::PredictFor& predict_for = {});

struct ReportOptions {
  std::vector<OutputTarget> targets;
  bool verbose = false;
  // Where each configuration of the profile begins in the user's files, in profile order; empty
  // when the profile was read from a file.
  std::vector<SourcePosition> positions = {};
  // Shown in every report that has times; null: nothing is predicted.
  const advisor::PredictedTimes* predicted = nullptr;
  // For the maps of pages; empty: that of the services.
  std::function<model::PredictTime(const DeviceSpec&)> predict_for = {};
  // The profile that was read, as it was named; empty where there was none.
  std::string profile = {};
};

// Judges, writes every target and returns the exit status.
int judge_and_report(const Context& context, const Profile& profile, const Judging& judging,
                     const ReportOptions& options);

}  // namespace rnnadvisor::cli
