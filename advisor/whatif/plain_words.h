// Changes of a configuration in words for people who know no transform by name.
#pragma once

#include <span>
#include <string>

#include "advisor/rules/finding.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor::advisor {

// "the algorithm persist_static, math type tensor_op and 1024 units instead of 1000 (padded)".
// Sizes are those that `config` gets by the changes, one after the other; empty without changes.
std::string in_plain_words(std::span<const Transform> changes, const RnnConfig& config);

}  // namespace rnnadvisor::advisor
