// rnnadvisor with a GPU that is made up: everything of a run is real but the work itself. As
// `worker` it answers each job after a moment with a made-up result; at the configuration whose id
// is in RNNADVISOR_STUB_HANG it writes its process id to RNNADVISOR_STUB_MARK and never answers,
// and for the id "no counters" it says that it may not read any.
// With RNNADVISOR_STUB_GPU it has GPUs to try suggestions on, which is done in a worker as well.
// Of an experiment each variant does what the id of its first call says: "crash", "hang", "lose"
// the context, "crash while timing", or else it is completed, with the id as its message.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "advisor/cli/interrupt.h"
#include "core/device/device_spec.h"
#include "profiler/profile/file.h"
#include "profiler/run/experiment_protocol.h"
#include "profiler/run/protocol.h"
#include "profiler/run/run_experiment.h"
#include "tests/advisor/cli/fake_services.h"

namespace rnnadvisor::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void tell(ExperimentProgress::Kind kind, int variant) {
  std::cout << write_progress({kind, variant, 1}) << std::endl;
}

// False: the process must end.
bool experiment(const ExperimentJob& job, const std::string& directory) {
  using Kind = ExperimentProgress::Kind;
  ExperimentResult result;
  result.variants.resize(job.request.variants.size());
  const auto misbehave = [](const std::string& how) {
    if (how == "crash") raise(SIGKILL);
    while (how == "hang") pause();
  };
  tell(Kind::trying, -1);
  misbehave(job.request.before.id);
  result.outcome = Outcome::completed;
  result.memory_bytes = 1000;
  bool crash_while_timing = false;
  for (std::size_t i = 0; i < job.request.variants.size() && !result.context_lost; ++i) {
    tell(Kind::trying, static_cast<int>(i));
    const std::string& id = job.request.variants[i].calls.front().id;
    misbehave(id);
    result.context_lost = id == "lose";
    result.variants[i].outcome = id == "lose" ? Outcome::failed : Outcome::completed;
    result.variants[i].message = id == "pid" ? std::to_string(getpid()) : id;
    crash_while_timing = crash_while_timing || id == "crash while timing";
  }
  tell(Kind::timing, -1);
  tell(Kind::round, -1);
  if (crash_while_timing) misbehave("crash");
  write_text_file(experiment_result_path(directory, job.index),
                  job.request.before.id == "half a result" ? "{\"outcome\": 1,"
                                                           : write_experiment_result(result));
  std::cout << "done " << job.index << (result.context_lost ? " last" : "") << std::endl;
  return !result.context_lost;
}

int work(const std::string& directory) {
  if (variable("RNNADVISOR_STUB_HANG") == "no gpu") {
    std::cout << "error "
              << write_error({ErrorCode::cuda, "no GPU answers", "mend it", std::nullopt, {}})
              << std::endl;
    return 3;
  }
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (is_experiment_job(line)) {
      const auto job = read_experiment_job(line);
      if (!job) return 2;
      if (!experiment(*job, directory)) std::_Exit(exit_context_lost);
      continue;
    }
    const auto job = read_job(line);
    if (!job) return 2;
    if (job->input.config.id == variable("RNNADVISOR_STUB_HANG")) {
      write_text_file(variable("RNNADVISOR_STUB_MARK"), std::to_string(getpid()) + "\n");
      while (true) pause();
    }
    usleep(20'000);
    Profile result = fake_result(job->input);
    if (job->input.config.id == "no counters" && job->options.counters != Counters::off)
      result.notes.push_back({NoteSeverity::info, "no-counters", "they are not permitted", 1});
    if (!write_profile(result, result_path(directory, job->index), true)) return 3;
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
  services.run_configurations = [&](const rnnadvisor::RunRequest& request) {
    const std::vector<rnnadvisor::GpuState> gpus = {
        {0, *rnnadvisor::find_device("nvidia-h200"), "GPU-0", 1 << 30, true, ""}};
    return rnnadvisor::run_in_workers(request, program, gpus);
  };
  machine.gpu = !cli::variable("RNNADVISOR_STUB_GPU").empty();
  services.run_experiment = [&](const rnnadvisor::ExperimentRequest& request, int device,
                                const std::atomic<bool>* stop) {
    rnnadvisor::ExperimentRunOptions options;
    options.device = device;
    options.stop = stop;
    return run_experiment_in_worker(request, options, program);
  };
  services.worker = [](int, const std::string& directory) { return cli::work(directory); };
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return cli::run(arguments, std::cout, std::cerr, {}, services);
}
