// The largest size that fits, tried on a GPU: cuDNN is asked for the sizes around the model's
// answer, and the largest that fits is run, and nothing larger. Every need is compared with free
// memory before anything is allocated.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "advisor/fit/question.h"
#include "profiler/run/run_configurations.h"

namespace rnnadvisor::advisor {

// Memory is in bytes.
struct FitTrial {
  Outcome outcome = Outcome::not_run;
  std::string message;          // of the run, why not completed
  int size = 0;                 // that was run; 0: none
  std::int64_t room = 0;        // of this machine, when it was asked
  std::int64_t need = -1;       // by cuDNN's answers
  std::int64_t next_need = -1;  // of the next size, by cuDNN's answers; it was not run
  std::int64_t used = -1;       // bytes by which free memory shrank
  int queries = 0;              // how often cuDNN was asked for sizes
  int predicted = 0;            // by the model, for the room that was found
};

struct FitTrialOptions {
  int gpu = 0;                              // CUDA ordinal
  std::optional<std::int64_t> limit;        // the room is the smaller one of it and what is free
  std::string command_line;                 // for the environment of the profiles
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler; null: nothing stops it
};

// From the calling thread. An error when nothing can run here; a size that does not run is an
// outcome.
Result<FitTrial> try_fit(const FitQuestion& question, const FitTrialOptions& options,
                         const RunConfigurations& run);

}  // namespace rnnadvisor::advisor
