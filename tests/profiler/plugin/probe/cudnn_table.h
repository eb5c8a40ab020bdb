// cuDNN's functions as a program has them: linked, or looked up.
#pragma once

#include <cudnn.h>
#include <dlfcn.h>

#define PROBE_CUDNN(X)             \
  X(cudnnGetVersion)               \
  X(cudnnCreate)                   \
  X(cudnnSetStream)                \
  X(cudnnSetCallback)              \
  X(cudnnCreateRNNDescriptor)      \
  X(cudnnDestroyRNNDescriptor)     \
  X(cudnnCreateRNNDataDescriptor)  \
  X(cudnnCreateTensorDescriptor)   \
  X(cudnnCreateDropoutDescriptor)  \
  X(cudnnSetTensorNdDescriptor)    \
  X(cudnnSetDropoutDescriptor)     \
  X(cudnnRestoreDropoutDescriptor) \
  X(cudnnDestroyDropoutDescriptor) \
  X(cudnnDestroyRNNDataDescriptor) \
  X(cudnnSetRNNDescriptor_v8)      \
  X(cudnnSetRNNDataDescriptor)     \
  X(cudnnRNNSetClip_v8)            \
  X(cudnnGetRNNTempSpaceSizes)     \
  X(cudnnBuildRNNDynamic)          \
  X(cudnnRNNForward)               \
  X(cudnnRNNBackwardData_v8)       \
  X(cudnnRNNBackwardWeights_v8)

// cuDNN 9 has these, cuDNN 8 does not.
#define PROBE_CUDNN_9(X) X(cudnnRNNSetClip_v9)

struct Cudnn {
#define PROBE_MEMBER(name) decltype(&::name) name = nullptr;
  PROBE_CUDNN(PROBE_MEMBER)
  PROBE_CUDNN_9(PROBE_MEMBER)
#undef PROBE_MEMBER
};

// As JAX and TensorFlow do.
inline Cudnn looked_up(void* handle) {
  Cudnn table;
#define PROBE_FIND(name) table.name = reinterpret_cast<decltype(table.name)>(dlsym(handle, #name));
  PROBE_CUDNN(PROBE_FIND)
  PROBE_CUDNN_9(PROBE_FIND)
#undef PROBE_FIND
  return table;
}
