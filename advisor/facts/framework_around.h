// Which framework is around a configuration of a profile. Facts, suggestions and candidates ask
// here.
#pragma once

#include <optional>

#include "core/config/program_context.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// What its program said, else, where it was recorded from one, what the profile says; nothing when
// neither does. A configuration that rnnadvisor ran is the call that it made: with an algorithm
// that the named framework would not ask for there, it is a plain call of cuDNN.
std::optional<Framework> framework_around(const Profile& profile, int configuration);

// The framework that was named although it would not have made this call, as framework_around()
// finds. Nothing where there is none.
std::optional<Framework> framework_disregarded(const Profile& profile, int configuration);

}  // namespace rnnadvisor::advisor
