// What the command line needs of its surroundings: the streams that a person looks at, and the
// machine.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/cudnn/experiment_data.h"
#include "core/cudnn/machine.h"
#include "core/device/device_spec.h"
#include "core/model/time_prediction.h"
#include "profiler/launch/launcher.h"
#include "profiler/profile/profile.h"
#include "profiler/run/run_configurations.h"

namespace rnnadvisor::cli {

// What is known of the streams a person looks at. Colour and progress need a terminal.
struct Terminal {
  bool output_is_terminal = false;
  bool error_is_terminal = false;
  int width = 100;    // columns for text
  bool utf8 = true;   // the locale shows box-drawing characters
  bool color = true;  // false: NO_COLOR is set or TERM is dumb
};

// From isatty, TIOCGWINSZ, NO_COLOR, TERM and the locale.
Terminal detect_terminal();

// What the command line asks of the machine. Tests put their own in place.
struct Services {
  RunConfigurations run_configurations;
  std::function<MachineReport()> inspect_machine;
  // The first GPU of this machine, cheaply; nothing when there is none.
  std::function<std::optional<DeviceSpec>()> live_device;
  // What predicts the times of a device; empty: nothing does.
  std::function<model::PredictTime(const DeviceSpec&)> predict_for;
  // From now on the first SIGINT or SIGTERM sets the flag and the second ends the process.
  std::function<const std::atomic<bool>*()> watch_interrupts;
  std::function<int(int device, const std::string& directory)> worker;
  // Tries changes of a configuration on a GPU (a CUDA ordinal). `stop`, set by a signal handler,
  // ends it with what was measured.
  std::function<Result<ExperimentResult>(const ExperimentRequest&, int device,
                                         const std::atomic<bool>* stop)>
      run_experiment;
  // The rnnadvisor.toml of the project; empty: there is none.
  std::function<std::string()> find_project_file;
  // For programs under the profiler.
  std::function<MachineReport()> inspect_system;  // the host alone
  std::function<Result<std::string>()> find_plugin;
  std::function<std::string()> find_cupti;  // empty: not found
  // Why there is no NVIDIA driver, found without starting one; empty: there is.
  std::function<std::string()> missing_driver;
  std::function<Result<launch::ProgramEnd>(const launch::LaunchRequest&)> run_program;
  std::function<void(int signal)> die_by_signal;
};

Services live_services();

}  // namespace rnnadvisor::cli
