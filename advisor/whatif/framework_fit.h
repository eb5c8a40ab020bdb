// Whether the program around a configuration can be brought to make a variant's calls: a faster
// path that the framework does not take is no advice. Read from the frameworks' sources, see
// advisor/facts/framework_model.h.
#pragma once

#include <optional>
#include <string>

#include "advisor/change/compose.h"
#include "advisor/facts/fact.h"
#include "advisor/facts/framework_around.h"
#include "advisor/whatif/candidate.h"
#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// Nothing when the framework runs the candidate, and then the candidate's calls are those that the
// framework makes: PyTorch chooses the algorithm itself. Else the reason, with the clause of the
// framework's own code that decides.
std::optional<std::string> fit_to_framework(Candidate& candidate, Framework framework,
                                            const ProgramContext& program, const DeviceSpec& device,
                                            const std::optional<Version>& cudnn);

}  // namespace rnnadvisor::advisor
