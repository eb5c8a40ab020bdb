#include "advisor/judge/static_profile.h"

#include <utility>

#include "advisor/facts/framework_call.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor::advisor {

Profile static_profile(std::span<const ConfigInput> configurations, const DeviceSpec& device) {
  ProfileBuilder builder;
  const int device_index = builder.add_device(device);
  for (const auto& input : configurations) {
    Configuration configuration = configuration_to_check(input, device);
    configuration.device = device_index;
    builder.add_configuration(std::move(configuration));
  }
  return builder.finish();
}

}  // namespace rnnadvisor::advisor
