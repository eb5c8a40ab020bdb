// What is known of the program around a configuration, said or shown.
#pragma once

#include <optional>

#include "core/config/program_context.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// The program of a configuration as it was stated, and where it was not what a recording shows
// (profiler/classify/call_signs.h): flat_weights, batch_first, needs_backward,
// per_step_calls. Looks through the
// whole profile where the configuration was read out of a program.
ProgramContext shown_program(const Profile& profile, int configuration);

// Whether a backward pass follows the forward passes of a configuration; nothing where neither its
// program nor a recording says.
std::optional<bool> backward_follows(const Profile& profile, int configuration);

}  // namespace rnnadvisor::advisor
