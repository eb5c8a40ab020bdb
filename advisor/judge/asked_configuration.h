// Configurations that somebody asks about: as they were written, or as a profile has them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "advisor/facts/framework_call.h"
#include "core/config/read_config.h"
#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

struct AskedConfiguration {
  ConfigInput input;
  bool recorded = false;  // a call of a program: its algorithm is what a framework picked
  std::optional<DeviceSpec> device;  // of the profile; nothing where that names none
  int configuration = -1;            // into Profile::configurations; -1: it is of no profile
};

// Those configurations of a profile that cuDNN was called with, in its order; with `call`, an index
// into Profile::calls, that of the call alone.
std::vector<AskedConfiguration> asked_configurations(const Profile& profile,
                                                     std::optional<int> call = {});

// What cuDNN is asked for on the device; a recorded call is what it was.
FrameworkCall given_call(const ConfigInput& input, bool recorded, const DeviceSpec& device);
// Why it does not run as it was given. A recorded call ran.
std::optional<DoesNotRun> why_it_does_not_run(const ConfigInput& input, bool recorded,
                                              const DeviceSpec& device);

// A profile of configurations that were not run, so that they are judged like any other: each as
// its framework calls it on the device (configuration_to_check()), in the order given. It has no
// environment. Pure.
Profile static_profile(std::span<const ConfigInput> configurations, const DeviceSpec& device);

}  // namespace rnnadvisor::advisor
