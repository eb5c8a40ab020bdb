// Where the time of a configuration goes: phase by phase, what its kernels do and how long the GPU
// waits. For charts and for comparisons of two profiles. Pure.
#pragma once

#include <vector>

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// Times are in ms, of one call.
struct PhaseTime {
  int configuration = -1;  // into Profile::configurations
  Phase phase = Phase::forward_training;
  struct Part {
    KernelRole role = KernelRole::unknown;
    model::Implementation family = model::Implementation::none;
    double ms = 0;
  };
  std::vector<Part> parts;  // the longest first
  double idle_ms = 0;       // of the traced call; 0: not known
  double timed_ms = 0;      // median without tracing; 0: not timed
  double kernel_ms = 0;     // sum of the parts
};

// The phases of a configuration that have kernels or times.
std::vector<PhaseTime> phase_times(const ConfigurationReport& report);

}  // namespace rnnadvisor::advisor
