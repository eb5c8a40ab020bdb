#include "profiler/profile/devices.h"

#include <algorithm>
#include <utility>

namespace rnnadvisor {

int add_device(Profile& profile, DeviceSpec device) {
  device.aliases.clear();
  auto& devices = profile.devices;
  const auto found = std::find_if(devices.begin(), devices.end(), [&](DeviceSpec known) {
    known.aliases.clear();
    return known == device;
  });
  const auto index = static_cast<int>(found - devices.begin());
  if (found == devices.end()) devices.push_back(std::move(device));
  return index;
}

}  // namespace rnnadvisor
