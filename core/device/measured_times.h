// Measured times of cuDNN RNN calls on one device: the file that `rnnadvisor calibrate` writes
// beside a device description, and from which core/model/time_model.h predicts. Plain data.
//
// The file, NAME.times.jsonl beside NAME.toml, is JSON Lines. The first line says what was measured
// where: {"times_version": 1, "device": …}, and what the model chose for them ("choices"). Every
// other line is a configuration, as in any JSON Lines file of configurations (fields at their
// default may be left out), with the median time of each phase that ran in milliseconds: "ms":
// {"forward_training": 1.25, …}. Lines that begin with # are comments.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor {

struct MeasuredRow {
  RnnConfig config;
  std::array<double, 4> seconds{};  // by Phase, medians; 0: this phase was not measured

  double at(Phase phase) const { return seconds[static_cast<std::size_t>(phase)]; }
  bool operator==(const MeasuredRow&) const = default;
};

struct MeasuredTimes {
  std::string device;         // "NVIDIA H200", as the driver says it
  std::string cudnn_version;  // "9.19.0"
  std::string driver_version;
  std::string cpu;      // of the host: launch-bound times depend on it
  std::string date;     // ISO 8601, UTC
  std::string command;  // that measured them
  // The id of a GPU whose times travel in the program: these rows correct what those predict, and
  // need not cover all kernels. Empty: they stand alone.
  std::string adapts;
  std::vector<MeasuredRow> rows;
  // What the model chose by cross-validation on these rows, for each group of kernels and phase; it
  // alone knows what the numbers mean. May be empty.
  std::map<std::string, std::vector<double>> choices;

  bool operator==(const MeasuredTimes&) const = default;
};

// Times from the text of such a file. Errors carry file and line. Refuses a file without a first
// line of the known version, and times that are not positive finite numbers.
Result<MeasuredTimes> read_measured_times(std::string_view text, std::string_view file);
Result<MeasuredTimes> read_measured_times_file(const std::string& path);

// The text of such a file; read_measured_times() of it gives an equal value, but for the last of
// six digits of each time.
std::string write_measured_times(const MeasuredTimes& times);

// "my-gpu.toml" -> "my-gpu.times.jsonl"
std::string times_path(std::string_view description_path);

// Times for what --device named: a path that ends in .toml has them in the file beside it; every
// other device those that travel in the program under the id of `device`, if it has as many
// multiprocessors as the one they were measured on. Nothing when there are
// none, which is no error.
Result<std::optional<MeasuredTimes>> find_measured_times(std::string_view name,
                                                         const DeviceSpec& device);

// What the time model made of the times that travel in the program for `device`
// (core/model/time_stored.h), under the same conditions; empty where there is none. Valid for the
// life of the program.
std::string_view find_stored_fits(std::string_view name, const DeviceSpec& device);

}  // namespace rnnadvisor
