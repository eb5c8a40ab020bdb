#include <iostream>

#include "advisor/cli/worker/protocol.h"
#include "advisor/cli/worker/run_configurations.h"
#include "profiler/cupti/permissions.h"
#include "profiler/cupti/traced_run.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {

bool worker_available() { return true; }

void complete_machine_report(MachineReport& report) { inspect_permissions(report); }

int worker_main(int device, const std::string& directory) {
  auto runner = TracedRunner::create(device);
  if (!runner) {
    std::cout << "error " << write_error(runner.error()) << std::endl;
    return 3;
  }
  std::cout << "ready" << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto job = read_job(line);
    if (!job) {
      std::cout << "error " << write_error(job.error()) << std::endl;
      return 2;
    }
    const Profile profile = (*runner)->run(job->input, job->options);
    if (const auto written = write_profile(profile, result_path(directory, job->index), true);
        !written) {
      std::cout << "error " << write_error(written.error()) << std::endl;
      return 3;
    }
    const bool last = (*runner)->context_lost();
    std::cout << "done " << job->index << (last ? " last" : "") << std::endl;
    // Destructors would call into the lost context; the parent starts a new process.
    if (last) std::_Exit(exit_context_lost);
  }
  return 0;
}

}  // namespace rnnadvisor::cli
