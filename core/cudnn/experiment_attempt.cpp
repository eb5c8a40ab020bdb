#include "core/cudnn/experiment_attempt.h"

#include <cudnn.h>
#include <fmt/format.h>

#include "core/cudnn/cuda_error.h"

namespace rnnadvisor::experiment {

Failure failure_of(const Error& error) {
  Failure failure;
  failure.outcome =
      error.code == ErrorCode::out_of_memory ? Outcome::out_of_memory : Outcome::failed;
  failure.message = error.message;
  failure.context_lost = is_sticky(cudaPeekAtLastError());
  cudaGetLastError();
  return failure;
}

Failure failure_of(const StageResult& stage, std::string_view what) {
  Failure failure;
  failure.outcome =
      stage.status == CUDNN_STATUS_NOT_SUPPORTED || stage.status == CUDNN_STATUS_BAD_PARAM
          ? Outcome::refused
          : Outcome::failed;
  failure.message = fmt::format("{} returned {}{}{}", what, stage.status_name,
                                stage.reason.empty() ? "" : ": ", stage.reason);
  failure.context_lost = is_sticky(cudaPeekAtLastError());
  cudaGetLastError();
  return failure;
}

}  // namespace rnnadvisor::experiment
