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

// Turns a batch into records of the builder: kernels and API calls of an external id belong to the
// call that has it. Exposed for tests with hand-built batches. calls[id - 1] is the index of the
// call that was pushed with `id`. CUPTI numbers devices by CUDA ordinal, a profile by its own list:
// all records get `device`, the index there of the one GPU that was traced, and `process`, the one
// that was. What was lost or mixed up becomes notes.
void add_batch(ProfileBuilder& builder, ActivityBatch batch, const std::vector<int>& calls,
               int device = 0, int process = -1);

}  // namespace rnnadvisor
