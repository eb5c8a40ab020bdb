// What casts cost where PyTorch's autocast runs a float32 layer in half: at every call it converts
// and flattens the weights, and converts inputs, outputs and their gradients.
#pragma once

#include "core/config/rnn_config.h"

namespace rnnadvisor::model {

// Milliseconds of a step, training or inference by config.mode, above the same layer with weights
// and inputs in half already. Linear in the number of layers and directions; units, batch and
// length hardly matter, because these are many small launches. Fitted to 46 layers on one H100 with
// PyTorch 2.11 (docs/models.md). The host's launches bound it, so another host needs another time,
// and a GPU that is busier than its host hides a part.
double autocast_ms(const RnnConfig& config);

}  // namespace rnnadvisor::model
