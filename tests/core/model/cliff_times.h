// Times from a closed formula with a cliff, for tests and pictures alone: no GPU has these.
//
//   seconds = T * L * step + flops / rate
//   step    8 us with the standard kernels, 2 us with persistent ones
//   rate    half and bfloat16 200 TFLOP/s, a tenth of it where hidden size or batch is no multiple
//           of 8; float 40 TFLOP/s; double 20 TFLOP/s
//   interval: a tenth to both sides
#pragma once

#include "core/model/cost.h"
#include "core/model/eligibility.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::model::test {

inline double cliff_seconds(const RnnConfig& config, Phase phase, Implementation implementation) {
  const double step = implementation == Implementation::standard ? 8e-6 : 2e-6;
  const bool two_bytes = element_size(config.data_type) == 2;
  const bool aligned = config.hidden_size % 8 == 0 && config.batch_size % 8 == 0;
  const double rate = two_bytes                               ? (aligned ? 200e12 : 20e12)
                      : config.data_type == DataType::float32 ? 40e12
                                                              : 20e12;
  return config.seq_length * static_cast<double>(config.num_layers) * step +
         static_cast<double>(phase_cost(config, phase).flops) / rate;
}

inline PredictTime cliff_times(const DeviceSpec& device) {
  return [device](const RnnConfig& config, Phase phase) -> std::optional<TimePrediction> {
    const auto answer = eligibility(config, device);
    if (answer.implementation == Implementation::none) return std::nullopt;
    TimePrediction time;
    time.seconds = cliff_seconds(config, phase, answer.implementation);
    time.low_seconds = 0.9 * time.seconds;
    time.high_seconds = 1.1 * time.seconds;
    time.extrapolated = config.hidden_size > 4096;
    time.basis = "a formula of the tests";
    return time;
  };
}

}  // namespace rnnadvisor::model::test
