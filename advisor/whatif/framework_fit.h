// Whether the program around a configuration can be brought to make a variant's calls: a faster
// path that the framework does not take is no advice. Read from the frameworks' sources, see
// advisor/facts/framework_model.h.
#pragma once

#include <optional>
#include <string>

#include "advisor/facts/fact.h"
#include "advisor/whatif/candidate.h"
#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// The framework of a configuration: what its program said, else, where it was recorded from one,
// what the profile says. Nothing when neither does.
std::optional<Framework> framework_around(const Profile& profile, int configuration);

// Nothing when the framework runs the candidate, and then the candidate's calls are those that the
// framework makes: PyTorch chooses the algorithm itself. Else the reason, with the clause of the
// framework's own code that decides.
std::optional<std::string> fit_to_framework(Candidate& candidate, Framework framework,
                                            const ProgramContext& program, const DeviceSpec& device,
                                            const std::optional<Version>& cudnn);

}  // namespace rnnadvisor::advisor
