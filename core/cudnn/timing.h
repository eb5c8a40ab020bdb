// Timing of phases with CUDA events, tracing off. Private to core/cudnn.
#pragma once

#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/cudnn/run_options.h"
#include "core/cudnn/run_result.h"

namespace rnnadvisor {

// One thing to time: `prepare` is enqueued before the start event and not timed.
struct TimedPhase {
  Phase phase;
  std::function<Result<void>()> prepare;
  std::function<Result<void>()> launch;
};

// Rounds over all phases, one sample of each a round, so that drift of clocks and host hits all
// alike. Every sample is one API call between two events on an idle stream: it holds the host's
// launch time where that is the limit, as a program would see it. Ends when every phase's interval
// is tight, or after the budget or max_repeats. `stream` is a cudaStream_t.
Result<std::vector<PhaseTiming>> time_phases(std::vector<TimedPhase>& phases, void* stream,
                                             const RunOptions& options);

}  // namespace rnnadvisor
