#include "profiler/run/run_experiment.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "profiler/run/experiment_protocol.h"
#include "profiler/run/machine.h"
#include "profiler/run/protocol.h"
#include "profiler/run/scratch_folder.h"
#include "profiler/run/worker_process.h"

namespace rnnadvisor {
namespace {

using Clock = std::chrono::steady_clock;

// Loading cuDNN from a cold network disk.
constexpr std::chrono::seconds start_limit(120);

// How one worker ended.
struct Ending {
  std::optional<ExperimentResult> result;
  Outcome outcome = Outcome::crashed;  // without a result
  std::string message;
  // What it was at: a variant, -1 for the original, nothing where that is not known.
  std::optional<int> at = -1;
};

}  // namespace

// A worker that waits for its next job, and where it leaves results.
struct ExperimentWorker::Kept {
  ScratchFolder folder;
  std::optional<WorkerProcess> worker;
  std::string program;
  int device = 0;
  int jobs = 0;  // that were sent, also to earlier workers
};

namespace {

class WorkerTrial {
 public:
  using Kept = ExperimentWorker::Kept;

  WorkerTrial(Kept& kept, const ExperimentRequest& request, const ExperimentRunOptions& options,
              const std::string& program)
      : kept_(kept), request_(request), options_(options), program_(program), begin_(Clock::now()) {
    result_.variants.resize(request.variants.size());
    remaining_.resize(request.variants.size());
    std::iota(remaining_.begin(), remaining_.end(), 0);
  }

  Result<ExperimentResult> run() {
    if (kept_.folder.path().empty()) {
      return fail(ErrorCode::io, "no temporary folder can be made for the worker",
                  "check that TMPDIR is writable");
    }
    // A worker that died must not end us when it is written to.
    signal(SIGPIPE, SIG_IGN);
    bool original_known = false;
    // Each worker that does not answer for all takes at least one variant with it, or ends this.
    do {
      auto ending = one_worker();
      if (!ending && begun_) {
        // What is known already is kept.
        Ending failed;
        failed.outcome = Outcome::failed;
        failed.message = "no further worker could be had: " + ending.error().message;
        failed.at.reset();
        blame(failed);
        break;
      }
      if (!ending) return fail(ending.error());
      begun_ = true;
      if (ending->result) {
        take(*ending->result);
        original_known = true;
        continue;
      }
      if (!blame(*ending)) break;
    } while (!remaining_.empty() || !original_known);
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  // A worker with those variants that are left.
  Result<Ending> one_worker() {
    ExperimentJob job{kept_.jobs++, request_};
    job.request.variants.clear();
    for (const int i : remaining_)
      job.request.variants.push_back(request_.variants[static_cast<std::size_t>(i)]);
    job.request.budget_seconds = std::max(0.0, request_.budget_seconds - seconds());
    const bool same = kept_.program == program_ && kept_.device == options_.device;
    auto worker = same ? std::exchange(kept_.worker, std::nullopt) : std::nullopt;
    kept_.worker.reset();
    // No job is to blame for one that died since its last job.
    const bool waiting = worker && worker->send_line(write_experiment_job(job));
    if (!waiting) {
      worker.reset();
      auto started = WorkerProcess::start(program_, options_.device, kept_.folder.path());
      if (!started) return fail(started.error());
      worker.emplace(std::move(*started));
    }
    Ending ending;
    const std::string done = fmt::format("done {}", job.index);
    bool ready = waiting, answered = false;
    auto deadline = Clock::now() + start_limit;
    while (true) {
      if (stopped()) {
        ending.outcome = Outcome::interrupted;
        ending.message = "interrupted before it ended";
        return ending;
      }
      pollfd descriptor = {worker->output_descriptor(), POLLIN, 0};
      poll(&descriptor, 1, 100);
      std::vector<std::string> lines;
      const bool open = worker->read_lines(lines);
      answered = answered || !lines.empty();
      for (const auto& line : lines) {
        if (line == "ready") {
          ready = true;
          worker->send_line(write_experiment_job(job));  // a dead worker shows as end of file
        } else if (line.rfind("error ", 0) == 0) {
          return fail(read_error(std::string_view(line).substr(6)));
        } else if (const auto progress = read_progress(line)) {
          note(*progress, ending);
        } else if (line == done || line == done + " last") {
          if (line == done) {
            kept_.worker.emplace(std::move(*worker));
            kept_.program = program_;
            kept_.device = options_.device;
          }
          return finished(std::move(ending), job.index);
        }
        deadline = Clock::now() + std::chrono::milliseconds(
                                      static_cast<std::int64_t>(options_.timeout_seconds * 1000));
      }
      if (!open) {
        // It was dead already when the job was sent: a new one does it.
        if (waiting && !answered && !stopped()) return one_worker();
        int status = 0;
        const std::string end = worker->wait_for_end(status);
        if (!ready) {
          return fail(ErrorCode::internal,
                      fmt::format("a worker for GPU {} ended with {} before it was ready",
                                  options_.device, end),
                      "run 'rnnadvisor doctor' to see what this machine has");
        }
        // Who ends the run may end its workers too, and sooner: that is no crash.
        ending.outcome = stopped() ? Outcome::interrupted : Outcome::crashed;
        ending.message = stopped() ? "interrupted before it ended"
                                   : fmt::format("the worker process ended with {}", end);
        return ending;
      }
      if (Clock::now() <= deadline) continue;
      if (!ready) {
        return fail(ErrorCode::internal,
                    fmt::format("the worker for GPU {} did not get ready within two minutes",
                                options_.device),
                    "check with nvidia-smi whether the GPU answers");
      }
      ending.outcome = Outcome::timed_out;
      ending.message = fmt::format("no sign of life for {:.0f} s; the worker was ended",
                                   options_.timeout_seconds);
      return ending;
    }
  }

  void note(const ExperimentProgress& progress, Ending& ending) {
    ExperimentProgress ours = progress;
    switch (progress.kind) {
      case ExperimentProgress::Kind::trying:
        if (progress.variant >= static_cast<int>(remaining_.size())) return;
        if (progress.variant >= 0)
          ours.variant = remaining_[static_cast<std::size_t>(progress.variant)];
        ending.at = ours.variant;
        break;
      case ExperimentProgress::Kind::timing:
      case ExperimentProgress::Kind::round:
        ending.at.reset();
        break;
    }
    if (options_.on_progress) options_.on_progress(ours);
  }

  Ending finished(Ending ending, int job) const {
    const std::string path = experiment_result_path(kept_.folder.path(), job);
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    file.close();
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    auto result = read_experiment_result(text, remaining_.size());
    if (result) {
      ending.result = std::move(*result);
    } else {
      ending.outcome = Outcome::failed;
      ending.message = "the worker's result could not be read: " + result.error().message;
      ending.at.reset();
    }
    return ending;
  }

  void take(ExperimentResult& part) {
    if (part.outcome != Outcome::not_run) {
      result_.outcome = part.outcome;
      result_.message = part.message;
    }
    if (part.memory_bytes >= 0) result_.memory_bytes = part.memory_bytes;
    std::vector<int> again;
    for (std::size_t i = 0; i < part.variants.size(); ++i) {
      const int number = remaining_[i];
      if (part.context_lost && part.variants[i].outcome == Outcome::not_run)
        again.push_back(number);
      result_.variants[static_cast<std::size_t>(number)] = std::move(part.variants[i]);
    }
    // The original itself lost it: no use to try it again.
    if (again.size() == remaining_.size()) again.clear();
    remaining_ = std::move(again);
  }

  // False: there is nothing to go on with.
  bool blame(const Ending& ending) {
    if (ending.outcome != Outcome::interrupted && ending.at && *ending.at >= 0) {
      const int number = *ending.at;
      VariantResult& culprit = result_.variants[static_cast<std::size_t>(number)];
      culprit.outcome = ending.outcome;
      culprit.message =
          ending.message + " while it tried this variant; the others got a new worker";
      std::erase(remaining_, number);
      return true;
    }
    for (const int number : remaining_) {
      VariantResult& lost = result_.variants[static_cast<std::size_t>(number)];
      // Without the original none is run.
      if (ending.at && ending.outcome != Outcome::interrupted) continue;
      lost.outcome = ending.outcome;
      lost.message = ending.message;
    }
    if (ending.at || result_.outcome == Outcome::not_run) {
      result_.outcome = ending.outcome;
      result_.message = ending.message;
    }
    remaining_.clear();
    return false;
  }

  Kept& kept_;
  const ExperimentRequest& request_;
  const ExperimentRunOptions& options_;
  const std::string& program_;
  Clock::time_point begin_;
  bool begun_ = false;          // a worker has come as far as the experiment
  std::vector<int> remaining_;  // numbers of the variants that have no result yet
  ExperimentResult result_;
};

}  // namespace

ExperimentWorker::ExperimentWorker() = default;
ExperimentWorker::~ExperimentWorker() = default;

Result<ExperimentResult> ExperimentWorker::run(const ExperimentRequest& request,
                                               const ExperimentRunOptions& options) {
  // A worker that waits has its GPU: the driver need not be asked anew before every experiment.
  if (!kept_ || !kept_->worker || kept_->device != options.device) {
    const auto gpus = usable_gpus({options.device});
    if (!gpus) return fail(gpus.error());
  }
  const auto program = worker_program(options.program);
  if (!program) return fail(program.error());
  return run_in(request, options, *program);
}

Result<ExperimentResult> ExperimentWorker::run_in(const ExperimentRequest& request,
                                                  const ExperimentRunOptions& options,
                                                  const std::string& program) {
  // Not before: every command has one of these, and few need its folder.
  if (!kept_) kept_ = std::make_unique<Kept>();
  return WorkerTrial(*kept_, request, options, program).run();
}

Result<ExperimentResult> run_experiment(const ExperimentRequest& request,
                                        const ExperimentRunOptions& options) {
  return ExperimentWorker().run(request, options);
}

Result<ExperimentResult> run_experiment_in_worker(const ExperimentRequest& request,
                                                  const ExperimentRunOptions& options,
                                                  const std::string& program) {
  return ExperimentWorker().run_in(request, options, program);
}

}  // namespace rnnadvisor
