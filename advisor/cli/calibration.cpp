#include "advisor/cli/calibration.h"

#include <algorithm>

namespace rnnadvisor::cli {

MeasuredTimes measured_times_of(const Profile& profile) {
  MeasuredTimes times;
  int device = -1;
  for (const Configuration& configuration : profile.configurations) {
    if (configuration.origin != Origin::run || configuration.timings.empty()) continue;
    if (device < 0) device = configuration.device;
    if (configuration.device != device) continue;
    MeasuredRow row;
    row.config = configuration.config;
    for (const PhaseTiming& timing : configuration.timings) {
      if (timing.ms.median > 0)
        row.seconds[static_cast<std::size_t>(timing.phase)] = timing.ms.median * 1e-3;
    }
    times.rows.push_back(std::move(row));
  }
  const Environment& environment = profile.environment;
  if (device >= 0) times.device = profile.devices[static_cast<std::size_t>(device)].name;
  times.cudnn_version = environment.cudnn_version;
  times.driver_version = environment.driver_version;
  times.cpu = environment.cpu;
  times.date = environment.created;
  times.command = environment.command_line;
  return times;
}

}  // namespace rnnadvisor::cli
