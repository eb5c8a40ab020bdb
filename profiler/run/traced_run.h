// One configuration after the other on one GPU, each becoming a Profile of its own: timed without
// tracing first, then executed once under the activity source, then once more per phase for the
// counters.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/config/read_config.h"
#include "core/cudnn/run_options.h"
#include "profiler/cupti/activity_source.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

class TracedRunner {
 public:
  // Takes the GPU and cuDNN. CUPTI is loaded when the first configuration asks for a trace or
  // counters; its absence becomes a note in the profile, not an error.
  static Result<std::unique_ptr<TracedRunner>> create(int ordinal);
  ~TracedRunner();

  // Never fails: what went wrong is the outcome of the configuration. The environment of the
  // profile has the libraries, the GPU and the clocks at start and end.
  Profile run(const ConfigInput& input, const RunOptions& options);

  // Of the GPU that was taken, as NVML knows it: "GPU-…".
  const std::string& gpu_uuid() const;

  // After a sticky CUDA error nothing more can run in this process.
  bool context_lost() const;

 private:
  struct State;
  explicit TracedRunner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rnnadvisor
