// The devices of a profile: each is there once.
#pragma once

#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// The index of `device`, which is added if the profile does not know it. Other words for --device
// say nothing of a device and are not in the file: one that was read from there is the same.
int add_device(Profile& profile, DeviceSpec device);

}  // namespace rnnadvisor
