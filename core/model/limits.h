// Hidden-size limits of the persistent algorithms on a device: what was measured there, else what
// is documented.
#pragma once

#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::model {

struct SizeLimit {
  int hidden = 0;         // the largest size that is taken; INT_MAX: none known
  bool measured = false;  // on this device
};

// Limit of `algo` for `cell`: of cudnnGetRNNTempSpaceSizes, or of backward data where that is
// lower.
SizeLimit hidden_limit(const DeviceSpec& device, Algo algo, Cell cell, bool backward);

}  // namespace rnnadvisor::model
