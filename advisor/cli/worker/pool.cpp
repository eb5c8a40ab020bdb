#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>

#include "advisor/cli/worker/protocol.h"
#include "advisor/cli/worker/run_configurations.h"
#include "advisor/cli/worker/worker_process.h"
#include "core/cudnn/driver.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::cli {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "rnnadvisor-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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
      if (static_cast<int>(seats_.size()) >=
          std::max(1, static_cast<int>(request_.configurations.size())))
        break;
      seats_.push_back(Seat{device, {}, -1, false, {}});
    }
    while (finished_ < static_cast<int>(results_.size())) {
      if (request_.stop != nullptr && request_.stop->load()) {
        interrupt();
        break;
      }
      if (auto ok = fill_seats(); !ok) return fail(ok.error());
      wait_for_something();
      for (auto& seat : seats_) {
        if (auto ok = serve(seat); !ok) return fail(ok.error());
      }
    }
    return collect();
  }

 private:
  struct Seat {
    int device;
    std::optional<std::unique_ptr<WorkerProcess>> worker;
    int job = -1;
    bool ready = false;
    Clock::time_point deadline;
  };

  Result<void> fill_seats() {
    for (auto& seat : seats_) {
      if (seat.job >= 0 || waiting_.empty()) continue;
      if (!seat.worker) {
        auto started = WorkerProcess::start(program_, seat.device, folder_.path());
        if (!started) return fail(started.error());
        seat.worker = std::make_unique<WorkerProcess>(std::move(*started));
        seat.ready = false;
        seat.deadline =
            Clock::now() + std::chrono::seconds(120);  // loading cuDNN from a cold network disk
      }
      if (!seat.ready) continue;
      seat.job = waiting_.front();
      waiting_.pop_front();
      const auto& input = request_.configurations[static_cast<std::size_t>(seat.job)];
      seat.deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(
                                         request_.options.timeout_seconds * 1000));
      (*seat.worker)
          ->send_line(write_job(
              {seat.job, request_.options, input}));  // a dead worker shows as end of file
    }
    return {};
  }

  void wait_for_something() const {
    std::vector<pollfd> descriptors;
    for (const auto& seat : seats_) {
      if (seat.worker) descriptors.push_back({(*seat.worker)->output_descriptor(), POLLIN, 0});
    }
    poll(descriptors.data(), descriptors.size(), 100);
  }

  Result<void> serve(Seat& seat) {
    if (!seat.worker) return {};
    std::vector<std::string> lines;
    const bool open = (*seat.worker)->read_lines(lines);
    for (const auto& line : lines) {
      if (line == "ready") {
        seat.ready = true;
        anything_ready_ = true;
      } else if (line.rfind("error ", 0) == 0) {
        Error error = read_error(std::string_view(line).substr(6));
        // A machine that cannot run anything is the user's to mend; one lost GPU of several is a
        // matter for its jobs.
        if (!anything_ready_) return fail(std::move(error));
      } else if (line == fmt::format("done {}", seat.job)) {
        take_result(seat.job);
        seat.job = -1;
      }
    }
    if (!open) {
      int status = 0;
      const std::string end = (*seat.worker)->wait_for_end(status);
      seat.worker.reset();
      if (seat.job >= 0) {
        record(std::exchange(seat.job, -1), seat.device, Outcome::crashed,
               fmt::format("the worker process ended with {} while it ran this configuration; the "
                           "next one got a new worker",
                           end));
      } else if (!seat.ready) {
        return fail(
            ErrorCode::internal,
            fmt::format("a worker for GPU {} ended with {} before it was ready", seat.device, end),
            "run 'rnnadvisor doctor' to see what this machine has");
      }
    } else if ((seat.job >= 0 || !seat.ready) && Clock::now() > seat.deadline) {
      (*seat.worker)->kill_now();
      int status = 0;
      (*seat.worker)->wait_for_end(status);
      seat.worker.reset();
      if (seat.job < 0) {
        return fail(
            ErrorCode::internal,
            fmt::format("the worker for GPU {} did not get ready within two minutes", seat.device),
            "check with nvidia-smi whether the GPU answers");
      }
      record(
          std::exchange(seat.job, -1), seat.device, Outcome::timed_out,
          fmt::format("no result within {:.0f} s; the worker was ended (--timeout sets the limit)",
                      request_.options.timeout_seconds));
    }
    return {};
  }

  void take_result(int job) {
    const std::string path = result_path(folder_.path(), job);
    auto profile = read_profile(path);
    std::error_code ignored;
    fs::remove(path, ignored);
    if (!profile || profile->configurations.empty()) {
      record(job, request_.devices.front(), Outcome::failed,
             "the worker's result could not be read" +
                 (profile ? std::string() : ": " + profile.error().message));
      return;
    }
    finish(job, std::move(*profile));
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
    for (auto& seat : seats_) seat.worker.reset();
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
      if (!result->environment.cudnn_version.empty()) {
        builder.profile().environment = result->environment;
        break;
      }
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
    environment.command_line = request_.command_line;
    for (auto& result : results_) {
      builder.append(*result);
      result.reset();
    }
    return builder.finish();
  }

  const RunRequest& request_;
  std::string program_;
  std::vector<GpuState> gpus_;
  TemporaryFolder folder_;
  std::vector<Seat> seats_;
  std::deque<int> waiting_;
  std::vector<std::optional<Profile>> results_;
  int finished_ = 0;
  bool anything_ready_ = false;
};

}  // namespace

Result<Profile> run_configurations(const RunRequest& request) {
  if (!worker_available()) {
    return fail(ErrorCode::unsupported,
                "this rnnadvisor was built without CUDA: it checks and reports, but runs nothing",
                "build it where the CUDA toolkit, cuDNN 9 and CUPTI are installed, or use "
                "'rnnadvisor check'");
  }
  if (request.devices.empty())
    return fail(ErrorCode::invalid_argument, "no GPU was named",
                "use --devices 0 or --devices all");
  const DriverState driver = inspect_driver();
  if (driver.gpus.empty()) {
    return fail(ErrorCode::not_found, "nothing can be run here: " + driver.problem,
                "run on a machine with an NVIDIA GPU, or use 'rnnadvisor check --device NAME', "
                "which needs none");
  }
  for (const int device : request.devices) {
    if (device < 0 || static_cast<std::size_t>(device) >= driver.gpus.size()) {
      return fail(
          ErrorCode::not_found,
          fmt::format("there is no GPU {}; this machine has {}", device, driver.gpus.size()),
          "'rnnadvisor doctor' lists them");
    }
  }
  std::string program = request.program;
  if (program.empty()) {
    std::error_code error;
    program = fs::read_symlink("/proc/self/exe", error).string();
    if (error)
      return fail(ErrorCode::io, "the path of this program cannot be read from /proc/self/exe: " +
                                     error.message());
  }
  return Pool(request, std::move(program), driver.gpus).run();
}

}  // namespace rnnadvisor::cli
