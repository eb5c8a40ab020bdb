// CUDA runtime statuses as Errors, with the expression that met them.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/base/result.h"

namespace rnnadvisor {

// True for errors after which the context is lost: no further call in this process will succeed on
// the device.
bool is_sticky(cudaError_t status);

Error cuda_error(cudaError_t status, const char* expression);

inline Result<void> cuda_check(cudaError_t status, const char* expression) {
  if (status == cudaSuccess) return {};
  return fail(cuda_error(status, expression));
}

#define RNNADVISOR_CUDA(expression) ::rnnadvisor::cuda_check((expression), #expression)

// Leaves the function with the error of a Result, else goes on.
#define RNNADVISOR_TRY(expression)                                                             \
  do {                                                                                         \
    auto rnnadvisor_result_ = (expression);                                                    \
    if (!rnnadvisor_result_) return ::rnnadvisor::fail(std::move(rnnadvisor_result_.error())); \
  } while (false)

}  // namespace rnnadvisor
