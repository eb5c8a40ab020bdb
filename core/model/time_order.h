// In which order a calibration measures, so that it can end at any time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::model {

// Indices of the configurations whose time can be learned on `device`, each next one the one that
// is least like all before it: a coarse net over every group of kernels first, then finer ones
// (farthest-point order; Gonzalez, Theoretical Computer Science 38, 1985). What cuDNN would refuse,
// by the limits of `device`, is left out.
std::vector<std::size_t> order_to_measure(std::span<const RnnConfig> configurations,
                                          const DeviceSpec& device);

}  // namespace rnnadvisor::model
