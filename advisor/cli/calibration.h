// What `rnnadvisor calibrate` does: asks for hidden-size limits, measures times until its budget
// ends. What a file of times is made of is in advisor/facts/measured_times.h.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "advisor/cli/cli.h"
#include "core/device/measured_times.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

// The grid that is measured: the shipped sweep sample:calibration.
Result<std::vector<RnnConfig>> calibration_grid();

struct CalibrationRun {
  int gpu = 0;  // CUDA ordinal
  DeviceSpec device;
  std::chrono::steady_clock::time_point end;  // nothing new is begun after it
  std::string command_line;
  std::string source;                              // of limits: where and when they were met
  const std::atomic<bool>* interrupted = nullptr;  // set by a signal handler
  // From the calling thread, after each configuration.
  std::function<void(int finished, int total, const std::string& what)> on_progress;
};

// Hidden-size limits of the persistent algorithms: of the size query, by asking at sizes that are
// spread evenly over what is left, again and again; and of backward data, by running a few steps.
// An algorithm that took every size up to `most_hidden`, or whose answers were lost, has none.
inline constexpr int most_hidden = 8192;
Result<std::vector<HiddenLimit>> find_hidden_limits(const CalibrationRun& run,
                                                    const RunConfigurations& execute);

// Times of `grid`, most informative first, until run.end.
Result<Profile> measure_times(const CalibrationRun& run, std::span<const RnnConfig> grid,
                              const RunConfigurations& execute);

}  // namespace rnnadvisor::cli
