// A predicted GPU time of one cuDNN RNN call. Always an estimate; who shows it says so, with the
// interval.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/config/rnn_config.h"

namespace rnnadvisor::model {

struct TimePrediction {
  double seconds = 0;      // median of what is expected
  double low_seconds = 0;  // the interval that holds nine in ten of held-back configurations
  double high_seconds = 0;
  bool extrapolated =
      false;          // outside the sizes that were measured: the interval may be too narrow
  std::string basis;  // device, versions and how many measured configurations it rests on
  std::string cudnn_version{};  // "9.19.0", with which they were measured; empty: not known
};

// Whether `a` takes less time than `b` for certain: their intervals lie apart. What is called
// faster or fastest, in a table or a map, is so by this.
template <class Time>
bool clearly_faster(const Time& a, const Time& b) {
  return a.high_seconds < b.low_seconds;
}

// Time of one phase of `config`, all of its steps and layers. Absent where nothing comparable was
// measured or cuDNN would refuse the call. Pure and thread-safe.
using PredictTime =
    std::function<std::optional<TimePrediction>(const RnnConfig& config, Phase phase)>;

}  // namespace rnnadvisor::model
