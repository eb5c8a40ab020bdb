// From recorded runs to a file of times.
#pragma once

#include <span>

#include "core/device/measured_times.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

// The configurations of `profile` that ran and were timed on the first GPU that has such; every
// other GPU's are left out. What PERSIST_* silently ran is told apart later, by the model.
MeasuredTimes measured_times_of(const Profile& profile);

}  // namespace rnnadvisor::cli
