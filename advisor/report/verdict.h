// The sentences that sum up: how a configuration stands, and all of them together.
#pragma once

#include <span>
#include <string>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// Each needs findings, verdict counts and phases, verdict_of also the standing; they set nothing.
Standing standing_of(const ConfigurationReport& report);
std::string verdict_of(const ConfigurationReport& report);
std::string headline_of(const Report& report);

// The finding with the largest speedup of a layer that computes what it does now (exactly, padded,
// or but for rounding); null where there is none. Another model, such as one with twice the batch,
// is a choice of its own and not what there is to gain here; remarks ask for nothing.
const Finding* largest_gain(std::span<const Finding* const> findings);

}  // namespace rnnadvisor::advisor
