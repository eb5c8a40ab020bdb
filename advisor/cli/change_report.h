// One screen about what `try --change` found: whether whole steps are faster with the change.
#pragma once

#include <string>

#include "advisor/cli/accelerate_report.h"

namespace rnnadvisor::cli {

// `context.changes` must be given. Ends with a line break.
std::string change_report(const launch::Collected& collected, const AccelerationContext& context,
                          const advisor::TextOptions& options);

}  // namespace rnnadvisor::cli
