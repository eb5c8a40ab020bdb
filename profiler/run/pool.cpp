#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>

#include "profiler/profile/builder.h"
#include "profiler/profile/environment.h"
#include "profiler/profile/file.h"
#include "profiler/run/machine.h"
#include "profiler/run/protocol.h"
#include "profiler/run/run_configurations.h"
#include "profiler/run/scratch_folder.h"
#include "profiler/run/worker_process.h"

namespace rnnadvisor {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

// One GPU: a process that times and a process that traces. Launches seem to stay slower in a
// process that has traced, also when it records nothing any more
// (docs/decisions/time-before-trace.md), so what is timed must never have met CUPTI.
class Pool {
 public:
  Pool(const RunRequest& request, std::string program, std::vector<GpuState> gpus)
      : request_(request),
        program_(std::move(program)),
        gpus_(std::move(gpus)),
        results_(request.configurations.size()) {
    for (std::size_t i = 0; i < request.configurations.size(); ++i)
      waiting_.push_back(static_cast<int>(i));
  }

  Result<Profile> run() {
    if (folder_.path().empty()) {
      return fail(ErrorCode::io, "no temporary folder can be made for the workers",
                  "check that TMPDIR is writable");
    }
    // A worker that died between two jobs must not end us when the next is sent to it.
    signal(SIGPIPE, SIG_IGN);
    for (const int device : request_.devices) {
      if (seats_.size() >= std::max<std::size_t>(1, request_.configurations.size())) break;
      seats_.emplace_back();
      seats_.back().device = device;
    }
    while (finished_ < static_cast<int>(results_.size())) {
      if (request_.stop != nullptr && request_.stop->load()) {
        interrupt();
        break;
      }
      for (auto& seat : seats_) {
        if (auto ok = fill(seat); !ok) return fail(ok.error());
      }
      wait_for_something();
      for (auto& seat : seats_) {
        if (auto ok = serve(seat); !ok) return fail(ok.error());
      }
    }
    return collect();
  }

 private:
  enum Pass { timing, tracing };
  struct Worker {
    std::unique_ptr<WorkerProcess> process;
    bool ready = false;
  };
  struct Seat {
    int device = 0;
    std::array<Worker, 2> workers;  // by Pass
    int job = -1;
    Pass pass = timing;
    bool sent = false;
    Clock::time_point deadline;
    std::optional<Profile> timed;  // what the timing pass yielded, while the tracing pass runs
    Worker& worker() { return workers[static_cast<std::size_t>(pass)]; }
  };

  bool wants_tracing() const {
    return (request_.options.trace || request_.options.counters == Counters::required) &&
           !request_.options.sizes_only;
  }

  RunOptions options_for(Pass pass) const {
    RunOptions options = request_.options;
    if (pass == timing) {
      options.trace = false;
      options.counters = Counters::off;
    } else {
      options.time = false;
      options.correctness = false;
    }
    return options;
  }

  Result<void> fill(Seat& seat) {
    if (seat.job < 0) {
      if (waiting_.empty()) return {};
      seat.job = waiting_.front();
      waiting_.pop_front();
      seat.pass = timing;
      seat.sent = false;
    }
    if (seat.sent) return {};
    Worker& worker = seat.worker();
    if (!worker.process) {
      auto started = WorkerProcess::start(program_, seat.device, folder_.path());
      if (!started) return fail(started.error());
      worker.process = std::make_unique<WorkerProcess>(std::move(*started));
      worker.ready = false;
      seat.deadline =
          Clock::now() + std::chrono::seconds(120);  // loading cuDNN from a cold network disk
    }
    if (!worker.ready) return {};
    const auto& input = request_.configurations[static_cast<std::size_t>(seat.job)];
    seat.deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(
                                       request_.options.timeout_seconds * 1000));
    worker.process->send_line(write_job(
        {seat.job, options_for(seat.pass), input}));  // a dead worker shows as end of file
    seat.sent = true;
    return {};
  }

  void wait_for_something() const {
    std::vector<pollfd> descriptors;
    for (const auto& seat : seats_) {
      for (const auto& worker : seat.workers) {
        if (worker.process) descriptors.push_back({worker.process->output_descriptor(), POLLIN, 0});
      }
    }
    poll(descriptors.data(), descriptors.size(), 100);
  }

  Result<void> serve(Seat& seat) {
    for (auto& worker : seat.workers) {
      if (!worker.process) continue;
      const bool current = &worker == &seat.worker() && seat.job >= 0;
      std::vector<std::string> lines;
      bool open = worker.process->read_lines(lines);
      for (const auto& line : lines) {
        if (line == "ready") {
          worker.ready = true;
          anything_ready_ = true;
        } else if (line.rfind("error ", 0) == 0) {
          Error error = read_error(std::string_view(line).substr(6));
          // A machine that cannot run anything is the user's to mend; one lost GPU of several is a
          // matter for its jobs.
          if (!anything_ready_) return fail(std::move(error));
        } else if (current && line == fmt::format("done {}", seat.job)) {
          take_result(seat);
        } else if (current && line == fmt::format("done {} last", seat.job)) {
          // It lost its CUDA context and is ending: the next job must not go to it.
          worker.process.reset();
          take_result(seat);
          open = true;
          break;
        }
      }
      if (!worker.process) continue;
      if (!open) {
        if (auto ok = ended(seat, worker, current); !ok) return ok;
      } else if (current && Clock::now() > seat.deadline) {
        if (auto ok = overdue(seat, worker); !ok) return ok;
      }
    }
    return {};
  }

  Result<void> ended(Seat& seat, Worker& worker, bool current) {
    int status = 0;
    const std::string end = worker.process->wait_for_end(status);
    const bool was_ready = worker.ready;
    worker.process.reset();
    if (current && seat.sent) {
      lose(seat, Outcome::crashed,
           fmt::format("the worker process ended with {} while it ran this configuration; the next "
                       "one got a new worker",
                       end));
    } else if (!was_ready) {
      return fail(
          ErrorCode::internal,
          fmt::format("a worker for GPU {} ended with {} before it was ready", seat.device, end),
          "run 'rnnadvisor doctor' to see what this machine has");
    }
    return {};
  }

  Result<void> overdue(Seat& seat, Worker& worker) {
    worker.process.reset();
    if (!seat.sent) {
      return fail(
          ErrorCode::internal,
          fmt::format("the worker for GPU {} did not get ready within two minutes", seat.device),
          "check with nvidia-smi whether the GPU answers");
    }
    lose(seat, Outcome::timed_out,
         fmt::format(
             "no result within {:.0f} s; the worker was ended (--timeout-seconds sets the limit)",
             request_.options.timeout_seconds));
    return {};
  }

  // The current pass of the current job failed with its worker. Times that are known already are
  // kept.
  void lose(Seat& seat, Outcome outcome, std::string message) {
    // Who ends the run may end its workers too, and sooner: that is no crash, and to be run again.
    if (request_.stop != nullptr && request_.stop->load()) {
      outcome = Outcome::interrupted;
      message = "interrupted before it ended";
    }
    if (seat.pass == tracing) {
      ProfileBuilder builder;
      builder.profile().environment = seat.timed->environment;
      builder.append(*seat.timed);
      builder.add_note(
          {NoteSeverity::error, "trace-failed", "a traced pass was lost: " + message, 1});
      finish(std::exchange(seat.job, -1), builder.finish());
      return;
    }
    record(std::exchange(seat.job, -1), seat.device, outcome, std::move(message));
  }

  void take_result(Seat& seat) {
    const std::string path = result_path(folder_.path(), seat.job);
    auto profile = read_profile(path);
    std::error_code ignored;
    fs::remove(path, ignored);
    if (!profile || profile->configurations.empty()) {
      return lose(seat, Outcome::failed,
                  "the worker's result could not be read" +
                      (profile ? std::string() : ": " + profile.error().message));
    }
    if (seat.pass == timing && wants_tracing() &&
        profile->configurations.front().outcome == Outcome::completed) {
      seat.timed = std::move(*profile);
      seat.pass = tracing;
      seat.sent = false;
      return;
    }
    if (seat.pass == tracing) {
      // Calls, kernels, notes and counters of the traced pass; everything else of the timed one.
      Configuration merged = seat.timed->configurations.front();
      merged.counters = profile->configurations.front().counters;
      if (profile->configurations.front().outcome != Outcome::completed) {
        profile->notes.push_back(
            {NoteSeverity::error, "trace-failed",
             "the traced pass failed: " + profile->configurations.front().message, 1});
      }
      profile->configurations.front() = std::move(merged);
      profile->environment.clocks = seat.timed->environment.clocks;
      seat.timed.reset();
    }
    finish(std::exchange(seat.job, -1), std::move(*profile));
  }

  void record(int job, int device, Outcome outcome, std::string message) {
    ProfileBuilder builder;
    Configuration configuration;
    const auto& input = request_.configurations[static_cast<std::size_t>(job)];
    configuration.config = input.config;
    configuration.program = input.program;
    configuration.origin = Origin::run;
    configuration.outcome = outcome;
    configuration.message = std::move(message);
    if (static_cast<std::size_t>(device) < gpus_.size()) {
      configuration.device = builder.add_device(gpus_[static_cast<std::size_t>(device)].spec);
    }
    builder.add_configuration(std::move(configuration));
    finish(job, builder.finish());
  }

  void finish(int job, Profile profile) {
    auto& result = results_[static_cast<std::size_t>(job)];
    result = std::move(profile);
    ++finished_;
    if (request_.on_progress)
      request_.on_progress({finished_, static_cast<int>(results_.size()), &*result});
  }

  void interrupt() {
    for (auto& seat : seats_) {
      for (auto& worker : seat.workers) worker.process.reset();
      // Times are worth keeping even where the trace is missing.
      if (seat.job >= 0 && seat.pass == tracing) lose(seat, Outcome::interrupted, {});
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i])
        record(static_cast<int>(i), request_.devices.front(), Outcome::interrupted,
               "interrupted before it ended");
    }
  }

  Profile collect() {
    ProfileBuilder builder;
    // The environment of the first profile that has one; clocks: first start, last end.
    for (auto& result : results_) {
      if (result->environment.cudnn_version.empty()) continue;
      // A traced one knows CUPTI's version too.
      if (builder.profile().environment.cudnn_version.empty() ||
          !result->environment.cupti_version.empty()) {
        builder.profile().environment = result->environment;
      }
      if (!result->environment.cupti_version.empty()) break;
    }
    Environment& environment = builder.profile().environment;
    environment.clocks.clear();
    for (auto& result : results_) {
      for (const auto& clock : result->environment.clocks) {
        if (clock.when == "start" && environment.clocks.empty())
          environment.clocks.push_back(clock);
      }
      environment.tracing = environment.tracing || result->environment.tracing;
      environment.counters = environment.counters || result->environment.counters;
    }
    for (auto result = results_.rbegin(); result != results_.rend(); ++result) {
      if (!(*result)->environment.clocks.empty() &&
          (*result)->environment.clocks.back().when == "end") {
        environment.clocks.push_back((*result)->environment.clocks.back());
        break;
      }
    }
    const Environment here = describe_process(request_.command_line);
    environment.command_line = here.command_line;
    environment.created = here.created;
    environment.rnnadvisor_version = here.rnnadvisor_version;
    for (auto& result : results_) {
      builder.append(*result);
      result.reset();
    }
    return builder.finish();
  }

  const RunRequest& request_;
  std::string program_;
  std::vector<GpuState> gpus_;
  ScratchFolder folder_;
  std::vector<Seat> seats_;
  std::deque<int> waiting_;
  std::vector<std::optional<Profile>> results_;
  int finished_ = 0;
  bool anything_ready_ = false;
};

}  // namespace

Result<Profile> run_configurations(const RunRequest& request) {
  const auto gpus = usable_gpus(request.devices);
  if (!gpus) return fail(gpus.error());
  const auto program = worker_program(request.program);
  if (!program) return fail(program.error());
  return run_in_workers(request, *program, *gpus);
}

Result<Profile> run_in_workers(const RunRequest& request, const std::string& program,
                               const std::vector<GpuState>& gpus) {
  return Pool(request, program, gpus).run();
}

}  // namespace rnnadvisor
