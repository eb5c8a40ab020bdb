#include "advisor/judge/asked_configuration.h"

#include <utility>

#include "profiler/profile/builder.h"

namespace rnnadvisor::advisor {

std::vector<AskedConfiguration> asked_configurations(const Profile& profile,
                                                     std::optional<int> call) {
  const int only = call ? profile.calls[static_cast<std::size_t>(*call)].configuration : -1;
  std::vector<AskedConfiguration> asked;
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    const auto& each = profile.configurations[i];
    const int index = static_cast<int>(i);
    if (!each.described() || (call && index != only)) continue;
    AskedConfiguration one{input_of(each), each.from_program(), {}, index};
    if (each.device >= 0 && static_cast<std::size_t>(each.device) < profile.devices.size())
      one.device = profile.devices[static_cast<std::size_t>(each.device)];
    asked.push_back(std::move(one));
  }
  return asked;
}

FrameworkCall given_call(const ConfigInput& input, bool recorded, const DeviceSpec& device) {
  return recorded ? FrameworkCall{input.config}
                  : framework_call(input.config, input.program, &device);
}

std::optional<DoesNotRun> why_it_does_not_run(const ConfigInput& input, bool recorded,
                                              const DeviceSpec& device) {
  if (recorded) return std::nullopt;
  return does_not_run(given_call(input, false, device), device, input.program.name);
}

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
