// The cuDNN libraries of the process: one as a rule, several where a program brought two. For each
// the functions behind our hooks, and the getters that read descriptors back.
#pragma once

#include <cudnn.h>

#include <cstddef>

#include "profiler/plugin/cudnn8.h"

namespace rnnadvisor::plugin {

// Functions that a hook replaces, with those of cuDNN 8 (profiler/plugin/cudnn8.h).
#define RNNADVISOR_HOOKED(X)   \
  X(cudnnSetRNNDescriptor_v8)  \
  X(cudnnSetRNNDataDescriptor) \
  X(cudnnGetRNNTempSpaceSizes) \
  X(cudnnBuildRNNDynamic)      \
  X(cudnnRNNSetClip_v8)        \
  X(cudnnRNNSetClip_v9)        \
  X(cudnnRNNForward)           \
  X(cudnnRNNBackwardData_v8)   \
  X(cudnnRNNBackwardWeights_v8)

// Functions that a hook only counts, where nothing goes wrong.
#define RNNADVISOR_DESCRIPTORS(X)  \
  X(cudnnSetDropoutDescriptor)     \
  X(cudnnRestoreDropoutDescriptor) \
  X(cudnnDestroyDropoutDescriptor) \
  X(cudnnDestroyRNNDescriptor)     \
  X(cudnnDestroyRNNDataDescriptor)

// Functions that we ask, or call for calls of our own.
#define RNNADVISOR_ASKED(X)       \
  X(cudnnGetRNNDescriptor_v8)     \
  X(cudnnGetRNNDataDescriptor)    \
  X(cudnnRNNGetClip_v8)           \
  X(cudnnRNNGetClip_v9)           \
  X(cudnnGetDropoutDescriptor)    \
  X(cudnnGetTensorNdDescriptor)   \
  X(cudnnCreateRNNDescriptor)     \
  X(cudnnCreateRNNDataDescriptor) \
  X(cudnnCreateDropoutDescriptor) \
  X(cudnnCreateTensorDescriptor)  \
  X(cudnnDestroyTensorDescriptor) \
  X(cudnnGetRNNWeightSpaceSize)   \
  X(cudnnGetRNNWeightParams)      \
  X(cudnnGetStream)               \
  X(cudnnGetVersion)              \
  X(cudnnGetCallback)             \
  X(cudnnSetCallback)             \
  X(cudnnGetRNNDescriptor_v6)     \
  X(cudnnGetRNNMatrixMathType)    \
  X(cudnnGetRNNBiasMode)          \
  X(cudnnGetRNNPaddingMode)       \
  X(cudnnGetRNNProjectionLayers)  \
  X(cudnnRNNGetClip)

#define RNNADVISOR_DECLARE(name) decltype(&::name) name;
struct CudnnLibrary {
  RNNADVISOR_HOOKED(RNNADVISOR_DECLARE)
  RNNADVISOR_DESCRIPTORS(RNNADVISOR_DECLARE)
  RNNADVISOR_LEGACY(RNNADVISOR_DECLARE)
  RNNADVISOR_SEARCHES(RNNADVISOR_DECLARE)
  RNNADVISOR_ASKED(RNNADVISOR_DECLARE)
  // Deprecated in cuDNN 9, as is its descriptor.
  cudnnStatus_t (*cudnnGetFilterSizeInBytes)(cudnnFilterStruct*, std::size_t*);
  const void* base;  // where the loader put it
  unsigned index;    // from 1, as in the spool
  bool has_reasons;  // our log callback is in
};
#undef RNNADVISOR_DECLARE

inline constexpr int max_libraries = 4;

// The library that `function` lies in; null when it is no library, or there are more than
// max_libraries.
CudnnLibrary* library_of(void* function);
CudnnLibrary* library_at(int slot);
// What the program whose code is at `caller` is linked to under that name; null: nothing.
void* linked_function(const void* caller, const char* name);

// Once per library and spool, when the program first calls it.
void introduce(CudnnLibrary& library);

// What cuDNN logged as a reason on this thread since forget_reason(); empty: nothing.
const char* reason();
void forget_reason();

void cudnn_libraries_in_child();  // after fork()
void cudnn_libraries_forget();    // for a new spool

}  // namespace rnnadvisor::plugin
