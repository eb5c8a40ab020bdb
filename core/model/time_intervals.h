// By how much the intervals of predicted times are widened, as cross-validation found
// (time_cross_validation.h) and a file of times keeps. Private to the time model.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/time_features.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::model {

// Key of the factor of a group and phase in MeasuredTimes::choices, whose value is one number.
std::string interval_key(const TimeGroup& group, Phase phase);
bool is_interval_key(std::string_view key);

class IntervalFactors {
 public:
  IntervalFactors() = default;
  explicit IntervalFactors(std::map<std::string, std::vector<double>> choices)
      : choices_(std::move(choices)) {}

  // 1 where none is known, or where it is no sensible number.
  double at(const TimeGroup& group, Phase phase) const;

 private:
  std::map<std::string, std::vector<double>> choices_;
};

// Multiplies both sides of the interval, as logarithms.
void widen(TimePrediction& prediction, double factor);

}  // namespace rnnadvisor::model
