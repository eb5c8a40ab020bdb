// How far a result of cuDNN may be from the true one, as || a - b || / || b ||. Known to every
// build: what was measured elsewhere is judged by it too.
#pragma once

#include <string_view>

#include "core/config/rnn_config.h"

namespace rnnadvisor {

// Against a float64 reference, by the type of the arithmetic: unit roundoff times a factor for the
// length of the recurrence; a wrong gate, bias or direction gives errors near 1, and the wrong
// gradients that were found on an H200 are off by 9 % and more
// (samples/evidence/small-h-gradients.json).
double correctness_tolerance(const RnnConfig& config);

// The same for one tensor ("y", "dx", …): gradients of a network of ReLU may be further off.
double correctness_tolerance(const RnnConfig& config, std::string_view tensor);

}  // namespace rnnadvisor
