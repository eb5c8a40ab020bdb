// Failures of an experiment from those of CUDA and cuDNN. Private to the files experiment_*.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/cudnn/experiment_timing.h"

namespace rnnadvisor::experiment {

// A CUDA error as the failure it is. A lost context is known by the error that sticks to it; any
// other is taken off, so that no later call meets it.
Failure failure_of(const Error& error);
// A cuDNN status other than success, with what was asked of it.
Failure failure_of(const StageResult& stage, std::string_view what);

inline Failure to_failure(const Error& error) { return failure_of(error); }
inline Failure to_failure(Failure failure) { return failure; }

inline tl::unexpected<Failure> failed(Outcome outcome, std::string message) {
  return tl::unexpected(Failure{outcome, std::move(message), false});
}

// Leaves the function with the failure of an Attempt or of a Result, else goes on.
#define RNNADVISOR_ATTEMPT(expression)                                                   \
  do {                                                                                   \
    auto rnnadvisor_attempt_ = (expression);                                             \
    if (!rnnadvisor_attempt_) {                                                          \
      return tl::unexpected(                                                             \
          ::rnnadvisor::experiment::to_failure(std::move(rnnadvisor_attempt_.error()))); \
    }                                                                                    \
  } while (false)

}  // namespace rnnadvisor::experiment
