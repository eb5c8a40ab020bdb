#include "profiler/profile/devices.h"

#include <algorithm>
#include <utility>

namespace rnnadvisor {

int add_device(Profile& profile, DeviceSpec device, std::span<const int> others) {
  device.aliases.clear();
  auto& devices = profile.devices;
  const auto count = static_cast<int>(devices.size());
  for (int i = 0; i < count; ++i) {
    if (std::find(others.begin(), others.end(), i) != others.end()) continue;
    DeviceSpec known = devices[static_cast<std::size_t>(i)];
    known.aliases.clear();
    if (known == device) return i;
  }
  devices.push_back(std::move(device));
  return count;
}

int first_of_kind(const Profile& profile, int device) {
  if (device < 0) return -1;
  const auto& wanted = profile.devices[static_cast<std::size_t>(device)];
  const auto found = std::find_if(profile.devices.begin(), profile.devices.end(),
                                  [&](const auto& each) { return each.same_kind(wanted); });
  return static_cast<int>(found - profile.devices.begin());
}

}  // namespace rnnadvisor
