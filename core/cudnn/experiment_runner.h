// ExperimentRunner: one configuration against variants of it, on one GPU. One object per device and
// thread; not thread-safe. Needs a GPU and cuDNN; both absent are Errors of create().
//
// Data, weights and states are made once for the original and mapped into each variant, so that all
// compute the same; results are mapped back and compared, with each other and, in small sizes, with
// the float64 reference. Everything is run and checked before it is timed: outputs that were not
// written or are not finite end a variant. docs/decisions/experiments-interleave.md says how times
// are taken and why.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/cudnn/experiment_data.h"

namespace rnnadvisor {

class ExperimentRunner {
 public:
  // Takes the CUDA device `ordinal`, its primary context and a stream. Loads cuDNN. `read_clocks`
  // is asked from the thread of run(), between samples, never during one; empty: clocks stay
  // unknown.
  static Result<std::unique_ptr<ExperimentRunner>> create(
      int ordinal, std::function<GpuClocks()> read_clocks = {});
  ~ExperimentRunner();

  // Never fails: what went wrong is an outcome. After a result with context_lost nothing more can
  // run in this process. `on_progress` is called from this thread, never between the events of a
  // sample; may be empty.
  ExperimentResult run(const ExperimentRequest& request,
                       const std::function<void(const ExperimentProgress&)>& on_progress = {});

 private:
  struct State;
  explicit ExperimentRunner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rnnadvisor
