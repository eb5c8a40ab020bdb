#include <fstream>
#include <iostream>
#include <memory>

#include "core/cudnn/driver.h"
#include "core/cudnn/experiment_runner.h"
#include "profiler/cupti/permissions.h"
#include "profiler/profile/file.h"
#include "profiler/run/experiment_protocol.h"
#include "profiler/run/protocol.h"
#include "profiler/run/run_configurations.h"
#include "profiler/run/traced_run.h"

namespace rnnadvisor {
namespace {

// Runs an experiment and leaves its result; the context is lost when `last` is set.
Result<void> run_experiment_job(const ExperimentJob& job, int device, const std::string& uuid,
                                const std::string& directory,
                                std::unique_ptr<ExperimentRunner>& runner, bool& last) {
  if (!runner) {
    auto made = ExperimentRunner::create(device, [uuid] { return read_clocks(uuid); });
    if (!made) return fail(made.error());
    runner = std::move(*made);
  }
  const ExperimentResult result = runner->run(job.request, [](const ExperimentProgress& progress) {
    std::cout << write_progress(progress) << std::endl;
  });
  last = result.context_lost;
  const std::string path = experiment_result_path(directory, job.index);
  std::ofstream file(path, std::ios::binary);
  file << write_experiment_result(result);
  file.close();
  if (!file) return fail(ErrorCode::io, "cannot write " + path, "check the space in TMPDIR");
  return {};
}

}  // namespace

bool worker_available() { return true; }

void complete_machine_report(MachineReport& report) { inspect_permissions(report); }

int worker_main(int device, const std::string& directory) {
  auto runner = TracedRunner::create(device);
  if (!runner) {
    std::cout << "error " << write_error(runner.error()) << std::endl;
    return 3;
  }
  std::cout << "ready" << std::endl;
  std::unique_ptr<ExperimentRunner> experiments;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (is_experiment_job(line)) {
      bool last = false;
      const auto job = read_experiment_job(line);
      if (!job) {
        std::cout << "error " << write_error(job.error()) << std::endl;
        return 2;
      }
      if (const auto ran =
              run_experiment_job(*job, device, (*runner)->gpu_uuid(), directory, experiments, last);
          !ran) {
        std::cout << "error " << write_error(ran.error()) << std::endl;
        return 3;
      }
      std::cout << "done " << job->index << (last ? " last" : "") << std::endl;
      if (last) std::_Exit(exit_context_lost);
      continue;
    }
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

}  // namespace rnnadvisor
