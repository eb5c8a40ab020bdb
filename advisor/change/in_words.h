// Changes of a configuration in words, as every report and the window have them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "advisor/change/change.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor::advisor {

// "pad_batch (multiple 8), then algo persist_static": Experiment::transforms as --change takes
// them. What is not as rnnadvisor writes it comes back as it is.
std::string change_words(std::string_view transforms);

// "batch padded to a multiple of 8 and the persist_static algorithm": the same for reading, in
// every report and in the window. change_words() where a kind is not known.
std::string change_in_words(std::string_view transforms);

// "the algorithm persist_static, math type tensor_op and 1024 units instead of 1000 (padded)".
// Sizes are those that `config` gets by the changes, one after the other; empty without changes.
std::string in_plain_words(std::span<const Transform> changes, const RnnConfig& config);

}  // namespace rnnadvisor::advisor
