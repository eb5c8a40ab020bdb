// The weights of the original in the form of a variant's call, and the call's weight gradients back
// in the form of the original's. Private to core/cudnn; needs no CUDA.
//
// Units and inputs that only the call has get weights and biases of zero, and their columns in the
// matrices of the others are zero too, so that nothing they compute reaches the original's units:
// the function of those is kept exactly, whatever the cell.
#pragma once

#include <vector>

#include "core/cudnn/experiment_parts.h"
#include "core/cudnn/reference.h"

namespace rnnadvisor::experiment {

// `weights` has one entry for each pseudo-layer of `before`; the result has one for each of the
// part's. A skip_input layer whose call has an input matrix gets the identity; biases that have no
// vector of their own in the call are added to the one that is there (parts_of() lets only those
// through where that is the same).
std::vector<reference::LayerWeights> map_weights(
    const RnnConfig& before, const std::vector<reference::LayerWeights>& weights, const Part& part);

// Puts the gradients of the call's weights where they belong in `into`, which has the shape of the
// original's weights. A bias whose value was added to another's has that one's gradient.
void unmap_gradients(const RnnConfig& before, const Part& part,
                     const std::vector<reference::LayerWeights>& gradients,
                     std::vector<reference::LayerWeights>& into);

// Zeros in the shape of the original's weights.
std::vector<reference::LayerWeights> zero_weights(const RnnConfig& config);

}  // namespace rnnadvisor::experiment
