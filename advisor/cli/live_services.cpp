// The machine itself behind the command line.
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/interrupt.h"
#include "advisor/cli/worker/run_configurations.h"
#include "core/cudnn/driver.h"
#include "core/cudnn/dynamic_library.h"
#include "core/cudnn/machine.h"
#include "profiler/launch/plugin_path.h"

namespace rnnadvisor::cli {

Services live_services() {
  Services services;
  services.run_configurations = [](const RunRequest& request) {
    return run_configurations(request);
  };
  services.inspect_machine = [] {
    MachineReport report = inspect_machine();
    complete_machine_report(report);
    return report;
  };
  services.live_device = []() -> std::optional<DeviceSpec> {
    // The driver alone: a CUDA context would cost a second and memory on a GPU that others may be
    // using.
    for (auto& gpu : inspect_driver().gpus) {
      if (gpu.usable) return std::move(gpu.spec);
    }
    return std::nullopt;
  };
  services.watch_interrupts = [] { return watch_interrupts(); };
  services.worker = [](int device, const std::string& directory) {
    return worker_main(device, directory);
  };
  // THE PLACE for trying changes: cuDNN's side of `advise --verify` is called here, in a worker
  // process of its own, and nowhere else.
  services.run_experiment = [](const ExperimentRequest&, int,
                               const std::atomic<bool>*) -> Result<ExperimentResult> {
    return fail(ErrorCode::unsupported, "this build cannot try changes on a GPU yet",
                "--dry-run says what would be tried");
  };
  services.inspect_system = [] { return inspect_system(); };
  services.find_plugin = [] { return launch::find_plugin(); };
  services.find_cupti = []() -> std::string {
    LibraryState state;
    const auto library = DynamicLibrary::load(cupti_request(), state);
    return library ? library->path() : std::string();
  };
  services.run_program = [](const launch::LaunchRequest& request) {
    return launch::run_program(request);
  };
  services.die_by_signal = [](int signal) { launch::die_by_signal(signal); };
  return services;
}

}  // namespace rnnadvisor::cli
