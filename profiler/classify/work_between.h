// A piece of what step_work() (step_parts.h) gives, for profiles of which all would be too much.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/classify/step_parts.h"

namespace rnnadvisor {

// What began from `from_ns` on and before `to_ns`. In step_parts.cpp.
std::vector<StepWork> work_between(const Profile& profile, int process, int device,
                                   std::int64_t from_ns, std::int64_t to_ns,
                                   std::span<const NativeRecurrence> recurrences);

}  // namespace rnnadvisor
