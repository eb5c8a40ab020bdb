// The opaque weight space of a cuDNN RNN, matrix by matrix: every matrix and bias is where
// cudnnGetRNNWeightParams says. Private to core/cudnn.
#pragma once

#include <vector>

#include "core/cudnn/problem.h"
#include "core/cudnn/reference.h"

namespace rnnadvisor {

// The weight space at `base` (weights or their gradients) of a problem whose sizes are known, as
// float64 parts, one LayerWeights for each pseudo-layer. The stream must be idle.
Result<std::vector<reference::LayerWeights>> read_weight_space(RnnProblem& problem,
                                                               const DeviceBuffer& buffer);

// The other way: everything that `layers` does not name is zero. The parts must have the sizes that
// cuDNN's have; anything else is an internal error.
Result<void> write_weight_space(RnnProblem& problem, DeviceBuffer& buffer,
                                const std::vector<reference::LayerWeights>& layers);

}  // namespace rnnadvisor
