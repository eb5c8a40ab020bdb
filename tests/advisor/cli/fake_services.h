// A machine that tests make up: GPUs, libraries, and a run that answers at once.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "advisor/cli/cli.h"
#include "profiler/profile/builder.h"
#include "tests/profiler/merge/fake_result.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::cli {

using rnnadvisor::TemporaryFolder;

inline std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline void write_text_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct FakeMachine {
  std::vector<std::string> ran;  // ids, in order
  std::vector<RunRequest> requests;
  Outcome outcome = Outcome::completed;
  int stop_after = -1;  // configurations after which the user presses Ctrl-C
  std::optional<Error> refusal;
  bool gpu = false;
  std::string missing_driver;  // what Services says
  std::atomic<bool> interrupted = false;

  Services services() {
    Services result;
    result.run_configurations = [this](const RunRequest& request) { return run(request); };
    result.inspect_machine = [this] {
      MachineReport report;
      report.host = "testhost";
      report.built_with_cuda = true;
      report.driver_problem = gpu ? "" : "no driver";
      if (gpu) {
        report.gpus.push_back({0, *find_device("nvidia-h200"), "GPU-0", 1 << 30, true, ""});
        report.gpus.push_back({1, *find_device("nvidia-h200"), "GPU-1", 1 << 30, true, ""});
      }
      return report;
    };
    result.live_device = [this]() -> std::optional<DeviceSpec> {
      if (!gpu) return std::nullopt;
      return *find_device("nvidia-a100");
    };
    result.watch_interrupts = [this] { return &interrupted; };
    result.worker = [](int device, const std::string&) { return 40 + device; };
    result.run_experiment = [](const ExperimentRequest&, int,
                               const std::atomic<bool>*) -> Result<ExperimentResult> {
      return fail(ErrorCode::unsupported, "this machine tries nothing");
    };
    result.inspect_system = [] { return inspect_system(); };
    result.find_plugin = []() -> Result<std::string> {
      return fail(ErrorCode::unsupported, "there is no plugin");
    };
    result.find_cupti = [] { return std::string("/opt/fake/libcupti.so"); };
    result.missing_driver = [this] { return missing_driver; };
    result.run_program = [](const launch::LaunchRequest& request) {
      return launch::run_program(request);
    };
    result.die_by_signal = [](int) {};
    return result;
  }

  Result<Profile> run(const RunRequest& request) {
    requests.push_back(request);
    if (refusal) return fail(*refusal);
    ProfileBuilder builder;
    const int total = static_cast<int>(request.configurations.size());
    int finished = 0;
    for (const auto& input : request.configurations) {
      const bool late = stop_after >= 0 && static_cast<int>(ran.size()) >= stop_after;
      const Profile one = fake_result(input, late ? Outcome::interrupted : outcome);
      if (!late) ran.push_back(input.config.id);
      builder.append(one);
      if (!late && request.on_progress) request.on_progress({++finished, total, &one});
    }
    return builder.finish();
  }
};

struct Called {
  int status = -1;
  std::string out, err;
};

inline Called call(const std::vector<std::string>& arguments, const Services& services,
                   const Terminal& terminal = {}) {
  std::ostringstream out, err;
  Called called;
  called.status = run(arguments, out, err, terminal, services);
  called.out = out.str();
  called.err = err.str();
  return called;
}
inline Called call(const std::vector<std::string>& arguments) {
  FakeMachine machine;
  return call(arguments, machine.services());
}

}  // namespace rnnadvisor::cli
