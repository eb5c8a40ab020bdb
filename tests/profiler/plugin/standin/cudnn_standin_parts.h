// What the parts of the stand-in for libcudnn share.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <vector>

#include "tests/profiler/plugin/standin/cudnn_standin.h"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};
struct cudnnRNNStruct {
  cudnnRNNAlgo_t algo;
  cudnnRNNMode_t cell;
  cudnnRNNBiasMode_t bias;
  cudnnDirectionMode_t direction;
  cudnnRNNInputMode_t input_mode;
  cudnnDataType_t data, math;
  cudnnMathType_t type;
  std::int32_t input, hidden, projection, layers;
  cudnnDropoutDescriptor_t dropout;
  std::uint32_t flags;
  cudnnRNNClipMode_t clip = CUDNN_RNN_CLIP_NONE;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  double low = 0, high = 0;
};
struct cudnnRNNDataStruct {
  cudnnDataType_t type;
  cudnnRNNDataLayout_t layout;
  int steps, batch, size;
  std::vector<int> lengths;
};
struct cudnnTensorStruct {
  cudnnDataType_t type;
  std::vector<int> sizes, strides;
};
struct cudnnDropoutStruct {
  float dropout = 0;
  void* states = nullptr;
  unsigned long long seed = 0;
};

namespace standin {

void arrived_as(std::uint64_t folded);
template <typename... Arguments>
void arrived(Arguments... all) {
  arrived_as(fold_arguments(all...));
}
// With the number that this version has for it, and a reason in the log.
cudnnStatus_t refuse(cudnnStatus_t as_in_9, const char* reason);
cudnnStatus_t numbered(cudnnStatus_t as_in_9);
// An execution call: starts a piece of work.
// Sequences of more than 16 steps take longer in proportion, where `x` is given.
cudnnStatus_t run(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                  cudnnRNNDataDescriptor_t x = nullptr);

template <typename Descriptor>
cudnnStatus_t create(Descriptor** out) {
  *out = new Descriptor{};
  return CUDNN_STATUS_SUCCESS;
}
template <typename Descriptor>
cudnnStatus_t destroy(Descriptor* descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace standin
