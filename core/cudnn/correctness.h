// Comparison of a prepared problem with the float64 reference. Private to core/cudnn.
#pragma once

#include "core/cudnn/problem.h"

namespace rnnadvisor {

// Largest relative error ||out - ref|| / ||ref|| that counts as agreement, by the type of the
// arithmetic: unit roundoff times a factor for the length of the recurrence; a wrong gate, bias or
// direction gives errors near 1.
double correctness_tolerance(const RnnConfig& config);

// True when the reference would take seconds rather than minutes and the configuration is one it
// models.
bool comparable_with_reference(const RnnConfig& config, std::string& why_not);

// Runs forward (and backward in training mode) and compares every output.
Result<std::vector<CorrectnessResult>> compare_problem(RnnProblem& problem);

}  // namespace rnnadvisor
