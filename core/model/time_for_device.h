// The predictor of a device's times: what stands behind every predicted time that a command or the
// window shows.
#pragma once

#include "core/device/device_spec.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::model {

// Never empty. It answers "absent" for every configuration where nothing was measured on such a
// device. Only programs call this (commands, the main function of the window); everything below
// them is handed a PredictTime, so that tests can put their own in its place.
PredictTime predict_time_for(const DeviceSpec& device);

}  // namespace rnnadvisor::model
