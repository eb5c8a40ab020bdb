// The machine itself behind the command line.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "advisor/cli/cli.h"
#include "advisor/cli/interrupt.h"
#include "advisor/cli/project_file.h"
#include "core/cudnn/driver.h"
#include "core/cudnn/dynamic_library.h"
#include "core/cudnn/machine.h"
#include "core/model/time_for_device.h"
#include "profiler/launch/plugin_path.h"
#include "profiler/run/run_configurations.h"
#include "profiler/run/run_experiment.h"

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
  services.predict_for = [](const DeviceSpec& device) { return model::predict_time_for(device); };
  services.watch_interrupts = [] { return watch_interrupts(); };
  services.worker = [](int device, const std::string& directory) {
    return worker_main(device, directory);
  };
  services.run_experiment = [worker = std::make_shared<ExperimentWorker>()](
                                const ExperimentRequest& request, int device,
                                const std::atomic<bool>* stop) {
    ExperimentRunOptions options;
    options.device = device;
    options.stop = stop;
    return worker->run(request, options);
  };
  services.inspect_system = [] { return inspect_system(); };
  services.find_plugin = [] { return launch::find_plugin(); };
  services.find_cupti = []() -> std::string {
    LibraryState state;
    const auto library = DynamicLibrary::load(cupti_request(), state);
    return library ? library->path() : std::string();
  };
  services.find_project_file = []() -> std::string {
    if (const char* named = std::getenv("RNNADVISOR_PROJECT_FILE")) return named;
    std::error_code error;
    return find_project_file(std::filesystem::current_path(error).string());
  };
  services.missing_driver = [] { return missing_driver(); };
  services.run_program = [](const launch::LaunchRequest& request) {
    return launch::run_program(request);
  };
  services.die_by_signal = [](int signal) { launch::die_by_signal(signal); };
  return services;
}

}  // namespace rnnadvisor::cli
