// Measuring a GPU so that times on it can be predicted without it: its hidden-size limits, and the
// times of a grid of configurations until a budget ends. What a file of times is made of is in
// core/device/measured_times.h.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/device/device_spec.h"
#include "core/device/measured_times.h"
#include "core/model/time_errors.h"
#include "core/model/time_model.h"
#include "profiler/profile/profile.h"
#include "profiler/run/run_configurations.h"

namespace rnnadvisor::advisor {

// What predictions of a device are made of.
struct Calibration {
  DeviceSpec device;
  MeasuredTimes times;
};

struct CalibrationRun {
  int gpu = 0;  // CUDA ordinal
  DeviceSpec device;
  Environment machine;                        // where and when, with which cuDNN
  std::chrono::steady_clock::time_point end;  // nothing new is begun after it
  // The id of a GPU whose shipped times these correct (MeasuredTimes::adapts); empty: of none. Then
  // three times as many configurations are measured, with fewer repetitions of each, and slow ones
  // last.
  std::string adapts;
  const std::atomic<bool>* interrupted = nullptr;  // set by a signal handler
  // From the calling thread, after each configuration.
  std::function<void(int finished, int total, const std::string& what)> on_progress;
};

// A hidden-size limit is looked for up to this size. An algorithm that took every size, or whose
// answers were lost, has none.
inline constexpr int most_hidden = 8192;

// First the hidden-size limits of the persistent algorithms, for a third of the time at most: of
// the size query, by asking at sizes that are spread evenly over what is left, again and again; and
// of backward data, by running a few steps. Then the times of `grid`, most informative first, until
// run.end. From the calling thread. What was measured before an interruption is in the result; an
// error where nothing could be run.
Result<Calibration> calibrate(const CalibrationRun& run, std::span<const RnnConfig> grid,
                              const RunConfigurations& execute);

// The times of a recorded sweep added to those of others. `name` is that of its file, for errors:
// where no configuration was timed, and where it is of another kind of GPU or cuDNN than the times
// before it. Of the first profile the device is taken, too.
Result<void> add_recorded_times(Calibration& calibration, const Profile& profile,
                                std::string_view name);

// The description as it is kept: of the kind of GPU, not of the one that was measured, without what
// another version than `cudnn` was seen to do, and with these limits in place of its own.
DeviceSpec kept_description(DeviceSpec device, const std::vector<HiddenLimit>& limits,
                            const std::string& cudnn);

// "NVIDIA GeForce RTX 3070" -> "nvidia-geforce-rtx-3070": an id, and the name of a file.
std::string device_id_of(std::string_view name);

// How good predictions from these times are, by leaving each configuration out in turn.
struct LeftOutErrors {
  model::TimeErrors times;
  model::ChoiceErrors inference, training;
};
LeftOutErrors left_out_errors(const model::TimeModel& model);

}  // namespace rnnadvisor::advisor
