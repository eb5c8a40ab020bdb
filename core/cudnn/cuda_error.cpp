#include "core/cudnn/cuda_error.h"

#include <fmt/format.h>

namespace rnnadvisor {

bool is_sticky(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorContextIsDestroyed:
      return true;
    default:
      return false;
  }
}

Error cuda_error(cudaError_t status, const char* expression) {
  Error error;
  error.code = status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::cuda;
  error.message = fmt::format("{} ({}) from {}", cudaGetErrorName(status),
                              cudaGetErrorString(status), expression);
  if (status == cudaErrorInsufficientDriver) {
    error.remedy = fmt::format(
        "this program is built with the CUDA {}.{} runtime: update the NVIDIA driver, or build it "
        "with "
        "the CUDA toolkit that your driver serves",
        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  } else if (status == cudaErrorNoDevice) {
    error.remedy =
        "check that a GPU is visible (nvidia-smi, CUDA_VISIBLE_DEVICES); 'rnnadvisor doctor' shows "
        "what was found";
  }
  return error;
}

}  // namespace rnnadvisor
