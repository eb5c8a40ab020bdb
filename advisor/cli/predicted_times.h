// Predicted times of configurations, as `check` shows them: a table on a terminal, and a key of the
// JSON report.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advisor/report/report.h"
#include "core/model/algorithm_times.h"
#include "core/model/time_model.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

struct PredictedTimes {
  struct Of {
    RnnConfig config;
    std::vector<model::AlgorithmTime> algorithms;  // that cuDNN would take; empty: none predicted
  };
  std::vector<Of> configurations;  // in the order of the profile
};

// Of every configuration of `profile`.
PredictedTimes predict_times(const Profile& profile, const DeviceSpec& device,
                             const model::TimeModel& model);

// For one configuration every algorithm by phase; for several a line each. Empty where nothing is
// predicted.
std::string predicted_text(const PredictedTimes& times, const advisor::TextOptions& options);

// The JSON report with the key predicted_times (docs/schema/report.schema.json).
std::string with_predicted_times(const std::string& report, const PredictedTimes& times);

}  // namespace rnnadvisor::cli
