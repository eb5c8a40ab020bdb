// Configurations that were not run as a profile, so that they are judged like any other.
#pragma once

#include <span>

#include "core/config/read_config.h"
#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// Each as its framework calls it on the device (configuration_to_check()), in the order given. The
// profile has no environment. Pure.
Profile static_profile(std::span<const ConfigInput> configurations, const DeviceSpec& device);

}  // namespace rnnadvisor::advisor
