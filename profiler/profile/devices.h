// The devices of a profile: each is there once.
#pragma once

#include <span>

#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// The index of `device`, which is added if the profile does not know it. Other words for --device
// say nothing of a device and are not in the file: one that was read from there is the same.
//
// `others` are indices that it cannot have: two GPUs of one program are two, also where nothing but
// their places in it told them apart (files before version 3 have no uuid).
int add_device(Profile& profile, DeviceSpec device, std::span<const int> others = {});

// The first device that equals this one in all that is known: what holds for one configuration on
// one of them holds on the other. -1 stays -1.
int first_of_kind(const Profile& profile, int device);

}  // namespace rnnadvisor
