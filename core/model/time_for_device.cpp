#include "core/model/time_for_device.h"

namespace rnnadvisor::model {

PredictTime predict_time_for(const DeviceSpec&) {
  // No device has a calibration yet, so nothing comparable was measured on any.
  return [](const RnnConfig&, Phase) -> std::optional<TimePrediction> { return std::nullopt; };
}

}  // namespace rnnadvisor::model
