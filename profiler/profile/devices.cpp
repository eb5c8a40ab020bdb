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

}  // namespace rnnadvisor
