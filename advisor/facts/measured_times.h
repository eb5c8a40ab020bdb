// The times that a profile holds of a kind of GPU: what maps show as measured, and what a file of
// times is made of.
#pragma once

#include <vector>

#include "core/device/measured_times.h"
#include "core/model/map.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// The timed phases of the configurations of a profile on a device of this kind, in profile order,
// of runs, programs and experiments alike. Seconds. Where a median has no interval it is
// its own; phases without a time above 0 are left out.
std::vector<model::MeasuredTime> measured_times(const Profile& profile, const DeviceSpec& device);

// The configurations of `profile` that were run and timed on its first GPU that has such, and on
// others of its kind, a row each, with where and how they were measured; those of another kind of
// GPU, and those of programs, are left out.
MeasuredTimes measured_times_of_runs(const Profile& profile);

}  // namespace rnnadvisor::advisor
