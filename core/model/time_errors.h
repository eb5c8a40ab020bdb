// How far predicted times are from measured ones, and how good the choice of an algorithm by them
// is.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/device/measured_times.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::model {

struct TimeErrors {
  std::vector<double> relative;  // |predicted - measured| / measured, one a measured time
  int covered = 0;               // times that lie in their interval

  int count() const { return static_cast<int>(relative.size()); }
};

// Of configurations that several algorithms were measured with, cuDNN's other choices being equal.
struct ChoiceErrors {
  int configurations = 0;
  int right = 0;               // the predicted best algorithm is the measured best
  std::vector<double> regret;  // (time of the predicted best - best time) / best time

  void add(const ChoiceErrors& other);
};

struct TimeJudgement {
  std::map<std::string, std::map<Phase, TimeErrors>> errors;  // by group of kernels
  ChoiceErrors inference;                                     // by forward inference
  ChoiceErrors training;  // by the sum of forward, backward data and backward weights
  int without = 0;        // measured times for which there is no prediction
};

// `predict` answers for a row of `measured`, by index. Rows whose prediction is absent are counted
// and take no part in the choice.
TimeJudgement judge_times(
    const MeasuredTimes& measured, const DeviceSpec& device,
    const std::function<std::optional<TimePrediction>(std::size_t row, Phase phase)>& predict);

// Value at or below which the share `q` of them lies (nearest rank); 0 of none.
double quantile(std::vector<double> values, double q);

}  // namespace rnnadvisor::model
