#include "advisor/report/phase_times.h"

#include <algorithm>

namespace rnnadvisor::advisor {

std::vector<PhaseTime> phase_times(const ConfigurationReport& report) {
  std::vector<PhaseTime> times;
  for (const auto& row : report.phases) {
    PhaseTime time;
    time.configuration = report.index;
    time.phase = row.phase;
    time.timed_ms = row.timing != nullptr ? row.timing->ms.median : 0;
    for (const auto& kernel : report.kernels) {
      if (kernel.phase != row.phase) continue;
      const double ms = kernel.total_us / 1000;
      const auto same = std::find_if(time.parts.begin(), time.parts.end(), [&](const auto& p) {
        return p.role == kernel.role && p.family == kernel.family;
      });
      if (same != time.parts.end()) {
        same->ms += ms;
      } else {
        time.parts.push_back({kernel.role, kernel.family, ms});
      }
      time.kernel_ms += ms;
    }
    std::stable_sort(time.parts.begin(), time.parts.end(),
                     [](const auto& a, const auto& b) { return a.ms > b.ms; });
    if (row.busy > 0 && row.busy < 1 && time.kernel_ms > 0)
      time.idle_ms = time.kernel_ms * (1 / row.busy - 1);
    if (time.timed_ms > 0 || time.kernel_ms > 0) times.push_back(std::move(time));
  }
  return times;
}

}  // namespace rnnadvisor::advisor
