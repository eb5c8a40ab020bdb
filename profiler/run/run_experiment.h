// Runs an experiment on a GPU of this machine, in a worker process of its own, which has never met
// CUPTI: what is timed is not traced. A variant that kills its worker, hangs or loses the CUDA
// context costs itself; the others are tried again without it in a new worker.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/cudnn/experiment_data.h"

namespace rnnadvisor {

struct ExperimentRunOptions {
  int device = 0;       // CUDA ordinal
  std::string program;  // path of rnnadvisor; empty: /proc/self/exe
  // Without a sign of life for so long a worker is ended. Every round is one, so this need not know
  // the budget; it must leave time for one round, and for the float64 reference on the CPU.
  double timeout_seconds = 300;
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler: ends the experiment
  // From the calling thread. Variants have the numbers of the request, also in a second worker.
  std::function<void(const ExperimentProgress&)> on_progress;
};

// An error only when nothing could be run at all (no GPU, no cuDNN), and ErrorCode::unsupported in
// a build without CUDA; everything else is an outcome: `crashed` with the signal, `timed_out`,
// `interrupted` and those of ExperimentRunner. `context_lost` is never set: another worker went on.
Result<ExperimentResult> run_experiment(const ExperimentRequest& request,
                                        const ExperimentRunOptions& options);

// Experiments one after the other, by the same worker as long as it lives: loading cuDNN takes
// longer than measuring a small configuration. One thread at a time.
class ExperimentWorker {
 public:
  struct Kept;  // the worker that waits; defined where it is used
  ExperimentWorker();
  ~ExperimentWorker();  // ends the worker
  ExperimentWorker(const ExperimentWorker&) = delete;
  ExperimentWorker& operator=(const ExperimentWorker&) = delete;

  // As run_experiment(). Another device or program than the last time begins a new worker.
  Result<ExperimentResult> run(const ExperimentRequest& request,
                               const ExperimentRunOptions& options);
  // The same with any program that speaks the worker's side of the protocol, without looking for
  // GPUs.
  Result<ExperimentResult> run_in(const ExperimentRequest& request,
                                  const ExperimentRunOptions& options, const std::string& program);

 private:
  std::unique_ptr<Kept> kept_;
};

// One experiment in a worker of its own, see ExperimentWorker::run_in().
Result<ExperimentResult> run_experiment_in_worker(const ExperimentRequest& request,
                                                  const ExperimentRunOptions& options,
                                                  const std::string& program);

}  // namespace rnnadvisor
