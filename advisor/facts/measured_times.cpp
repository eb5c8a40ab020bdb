#include "advisor/facts/measured_times.h"

#include <algorithm>

namespace rnnadvisor::advisor {
namespace {

// Null where the configuration names none.
const DeviceSpec* device_of(const Profile& profile, const Configuration& configuration) {
  const auto index = static_cast<std::size_t>(configuration.device);
  return configuration.device >= 0 && index < profile.devices.size() ? &profile.devices[index]
                                                                     : nullptr;
}

bool timed(const PhaseTiming& timing) { return timing.ms.median > 0; }
bool has_time(const Configuration& configuration) {
  return std::any_of(configuration.timings.begin(), configuration.timings.end(), timed);
}

// Calls `take` with every configuration that has a time on a device of this kind, in profile order.
template <class Take>
void each_timed(const Profile& profile, const DeviceSpec& device, Take take) {
  for (const auto& configuration : profile.configurations) {
    const auto* own = device_of(profile, configuration);
    if (own != nullptr && own->same_kind(device) && has_time(configuration)) take(configuration);
  }
}

}  // namespace

std::vector<model::MeasuredTime> measured_times(const Profile& profile, const DeviceSpec& device) {
  std::vector<model::MeasuredTime> rows;
  each_timed(profile, device, [&](const Configuration& configuration) {
    for (const auto& timing : configuration.timings) {
      if (!timed(timing)) continue;
      const double low = timing.ms.low > 0 ? timing.ms.low : timing.ms.median;
      const double high = std::max(timing.ms.high, timing.ms.median);
      rows.push_back(
          {configuration.config, timing.phase, timing.ms.median / 1e3, low / 1e3, high / 1e3});
    }
  });
  return rows;
}

MeasuredTimes measured_times_of_runs(const Profile& profile) {
  MeasuredTimes times;
  const DeviceSpec* device = nullptr;
  for (const auto& configuration : profile.configurations) {
    if (device == nullptr && configuration.origin == Origin::run && has_time(configuration))
      device = device_of(profile, configuration);
  }
  if (device != nullptr) {
    times.device = device->name;
    each_timed(profile, *device, [&](const Configuration& configuration) {
      if (configuration.origin != Origin::run) return;
      MeasuredRow row;
      row.config = configuration.config;
      for (const PhaseTiming& timing : configuration.timings) {
        if (timed(timing))
          row.seconds[static_cast<std::size_t>(timing.phase)] = timing.ms.median * 1e-3;
      }
      times.rows.push_back(std::move(row));
    });
  }
  const Environment& environment = profile.environment;
  times.cudnn_version = environment.cudnn_version;
  times.driver_version = environment.driver_version;
  times.cpu = environment.cpu;
  times.date = environment.created;
  times.command = environment.command_line;
  return times;
}

}  // namespace rnnadvisor::advisor
