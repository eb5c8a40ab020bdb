// Comparison of a prepared problem with the float64 reference. Private to core/cudnn.
#pragma once

#include "core/cudnn/problem.h"

namespace rnnadvisor {

// True when the reference would take seconds rather than minutes and the configuration is one it
// models.
bool comparable_with_reference(const RnnConfig& config, std::string& why_not);

// Runs forward (and backward in training mode) and compares every output.
Result<std::vector<CorrectnessResult>> compare_problem(RnnProblem& problem);

}  // namespace rnnadvisor
