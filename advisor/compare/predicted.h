// What the advice of the earlier profile predicted of a change that the later one has, beside what
// was measured: how far the advice can be relied on, in the reader's own program.
#pragma once

#include <string>
#include <vector>

#include "advisor/compare/compared.h"
#include "advisor/report/report.h"

namespace rnnadvisor::compare {

// Of `comparison`, which is of these reports: findings of `before` that expect a gain, and whose
// change is seen in the calls of `after` (another configuration, or calls that a CUDA graph
// replays). The layers in the order of the findings, then the step. Advice whose change a recording
// does not show, such as another data loader, has none.
std::vector<Prediction> predictions_of(const Comparison& comparison, const advisor::Report& before,
                                       const advisor::Report& after);

}  // namespace rnnadvisor::compare
