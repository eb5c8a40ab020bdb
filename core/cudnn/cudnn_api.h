// cuDNN, loaded at run time: one function pointer per entry point, so that nothing of cuDNN is
// linked.
#pragma once

#include <cudnn.h>

#include <string>

#include "core/base/result.h"
#include "core/cudnn/machine.h"

namespace rnnadvisor {

// Entry points without which nothing runs, and those that came or went with a version (null when
// absent).
// clang-format off: it does not settle on a layout for these lists
#define RNNADVISOR_CUDNN_REQUIRED(X) \
  X(cudnnGetVersion) X(cudnnGetErrorString) X(cudnnCreate) X(cudnnDestroy) \
  X(cudnnSetStream) X(cudnnCreateRNNDescriptor) X(cudnnDestroyRNNDescriptor) \
  X(cudnnSetRNNDescriptor_v8) X(cudnnCreateRNNDataDescriptor) \
  X(cudnnDestroyRNNDataDescriptor) X(cudnnSetRNNDataDescriptor) \
  X(cudnnCreateTensorDescriptor) X(cudnnDestroyTensorDescriptor) \
  X(cudnnSetTensorNdDescriptor) X(cudnnGetTensorNdDescriptor) \
  X(cudnnCreateDropoutDescriptor) X(cudnnDestroyDropoutDescriptor) \
  X(cudnnDropoutGetStatesSize) X(cudnnSetDropoutDescriptor) X(cudnnBuildRNNDynamic) \
  X(cudnnGetRNNTempSpaceSizes) X(cudnnGetRNNWeightSpaceSize) X(cudnnGetRNNWeightParams) \
  X(cudnnRNNForward) X(cudnnRNNBackwardData_v8) X(cudnnRNNBackwardWeights_v8)
#define RNNADVISOR_CUDNN_OPTIONAL(X) \
  X(cudnnGetLastErrorString) X(cudnnRNNSetClip_v9) X(cudnnSetCallback) X(cudnnAddTensor) \
  X(cudnnDropoutGetReserveSpaceSize) X(cudnnDropoutForward) X(cudnnDropoutBackward)
// clang-format on

struct CudnnApi {
#define RNNADVISOR_DECLARE(name) decltype(&::name) name = nullptr;
  RNNADVISOR_CUDNN_REQUIRED(RNNADVISOR_DECLARE)
  RNNADVISOR_CUDNN_OPTIONAL(RNNADVISOR_DECLARE)
#undef RNNADVISOR_DECLARE
  // cuDNN 8's clip function, deprecated in 9; taken only where _v9 is missing.
  cudnnStatus_t (*clip_v8)(cudnnRNNDescriptor_t, cudnnRNNClipMode_t, cudnnNanPropagation_t, double,
                           double) = nullptr;
  std::string path;
  std::size_t version = 0;  // cudnnGetVersion()

  // Loads cuDNN once per process by the search order of dynamic_library.h. Thread-safe.
  static Result<const CudnnApi*> load();

  // cuDNN's own words for the last failure in this thread, cut to the failing condition; empty when
  // it has none. Reading it forgets it. cuDNN 9.19 leaves cudnnGetLastErrorString empty for the RNN
  // functions and tells the condition only to its log callback, which load() therefore sets.
  std::string take_reason() const;
};

// "CUDNN_STATUS_NOT_SUPPORTED"; a number cuDNN has no name for gives "CUDNN_STATUS_<number>", where
// cudnnGetErrorString says "CUDNN_UNKNOWN_STATUS" of them all.
std::string status_name(const CudnnApi& api, cudnnStatus_t status);

}  // namespace rnnadvisor
