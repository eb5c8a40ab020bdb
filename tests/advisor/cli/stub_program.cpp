// rnnadvisor with a GPU that is made up: everything of a run is real but the work itself. As
// `worker` it answers each job after a moment with a made-up result; at the configuration whose id
// is in RNNADVISOR_STUB_HANG it writes its process id to RNNADVISOR_STUB_MARK and never answers.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "advisor/cli/interrupt.h"
#include "advisor/cli/worker/protocol.h"
#include "core/device/device_spec.h"
#include "profiler/profile/file.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

int work(const std::string& directory) {
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto job = read_job(line);
    if (!job) return 2;
    if (job->input.config.id == variable("RNNADVISOR_STUB_HANG")) {
      write_text_file(variable("RNNADVISOR_STUB_MARK"), std::to_string(getpid()) + "\n");
      while (true) pause();
    }
    usleep(20'000);
    if (!write_profile(fake_result(job->input), result_path(directory, job->index), true)) return 3;
    std::cout << "done " << job->index << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace rnnadvisor::cli

int main(int argc, char** argv) {
  namespace cli = rnnadvisor::cli;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  cli::FakeMachine machine;
  cli::Services services = machine.services();
  services.watch_interrupts = [] { return cli::watch_interrupts(); };
  services.run_configurations = [&](const cli::RunRequest& request) {
    const std::vector<rnnadvisor::GpuState> gpus = {
        {0, *rnnadvisor::find_device("nvidia-h200"), "GPU-0", 1 << 30, true, ""}};
    return cli::run_in_workers(request, program, gpus);
  };
  services.worker = [](int, const std::string& directory) { return cli::work(directory); };
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return cli::run(arguments, std::cout, std::cerr, {}, services);
}
