// Predicted times of configurations, as reports show them: always as an estimate, with its
// interval, the device and what it rests on.
#pragma once

#include <string>
#include <vector>

#include "advisor/report/report.h"
#include "core/model/algorithm_times.h"
#include "core/model/time_model.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

struct PredictedTimes {
  struct Of {
    RnnConfig config;
    // That cuDNN would take, with the one that runs; empty: none is predicted.
    std::vector<model::AlgorithmTime> algorithms;
    std::string framework;  // "PyTorch": that chooses the algorithm itself; empty: the program does
    std::string decides;    // whether cuDNN is called at all (ConfigurationReport::decides)
    // Of `algorithms`, those that `rnnadvisor accelerate` can run in place of the framework's.
    std::vector<bool> swapped;
    bool algo_known = true;  // false: which one it chooses is not known
    std::string why_none;    // nothing is predicted, because of this; empty: something is

    // The algorithm that runs where this configuration's is asked for, and the one that is clearly
    // faster than the others (AlgorithmTime::best); null where it is not known.
    const model::AlgorithmTime* asked_for() const;
    const model::AlgorithmTime* fastest() const;
  };
  std::vector<Of> configurations;  // in the order of the profile
  std::string device;              // that they are of, "NVIDIA H200"

  const Of* of(int configuration) const;  // null where nothing is predicted for it
  // "None: … ." where nothing is; empty where something is.
  std::string none(int configuration) const;
  std::string basis() const;  // "105 configurations measured on …"; empty: nothing is predicted
};

// Of every configuration of `profile`. `model`: null where the times of such a device are not
// known.
PredictedTimes predict_times(const Profile& profile, const DeviceSpec& device,
                             const model::TimeModel* model);

// For one configuration every algorithm by phase; for several a line each. Where nothing is
// predicted, why.
std::string predicted_text(const PredictedTimes& times, const TextOptions& options);

// The cells of a table of one configuration, the head first: plain text.
std::vector<std::vector<std::string>> predicted_table(const PredictedTimes::Of& of);
// What has to stand below such tables: what the times rest on, and what * means where it occurs.
std::string predicted_note(const PredictedTimes& times);

// A JSON object: the value of the key predicted_times of the JSON report
// (docs/schema/report.schema.json).
std::string predicted_json(const PredictedTimes& times);
// The members of one of its configurations behind "configuration", without braces.
void append_predicted_json(std::string& out, const PredictedTimes::Of& of);

}  // namespace rnnadvisor::advisor
