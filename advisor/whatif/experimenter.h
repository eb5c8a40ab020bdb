// What tries a change: the one thing of "tried and measured" that needs a GPU. Everything else here
// works on any machine, and tests put their own in its place.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/cudnn/experiment_data.h"

namespace rnnadvisor::advisor {

// Measures a configuration against its variants. What one variant meets (refused, out of memory,
// crashed) is a result of that variant; an error means that nothing can be measured on this machine
// any more. VariantResult and ExperimentRequest::variants stand in the same order. Called from one
// thread; may take as long as the request's budget and somewhat more.
using Experimenter = std::function<Result<ExperimentResult>(const ExperimentRequest&)>;

}  // namespace rnnadvisor::advisor
