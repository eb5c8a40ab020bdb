#include "profiler/plugin/variant_descriptor.h"

#include <stdlib.h>

#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {

bool may_take(std::size_t bytes, std::size_t own) {
  return bytes <= own + settings().accelerate_bytes;
}

namespace {

template <typename... Functions>
bool are_there(Functions... functions) {
  return ((functions != nullptr) & ...);
}

}  // namespace

bool can_vary(const CudnnLibrary& l) {
  const bool has_clip = l.cudnnRNNSetClip_v9 != nullptr
                            ? l.cudnnRNNGetClip_v9 != nullptr
                            : are_there(l.cudnnRNNSetClip_v8, l.cudnnRNNGetClip_v8);
  return has_clip &&
         are_there(l.cudnnCreateRNNDescriptor, l.cudnnDestroyRNNDescriptor,
                   l.cudnnSetRNNDescriptor_v8, l.cudnnGetRNNDescriptor_v8,
                   l.cudnnGetRNNTempSpaceSizes, l.cudnnGetRNNDataDescriptor,
                   l.cudnnGetTensorNdDescriptor, l.cudnnGetRNNWeightSpaceSize,
                   l.cudnnGetRNNWeightParams, l.cudnnCreateTensorDescriptor,
                   l.cudnnDestroyTensorDescriptor, l.cudnnCreateDropoutDescriptor,
                   l.cudnnSetDropoutDescriptor, l.cudnnDestroyDropoutDescriptor, l.cudnnGetStream,
                   l.cudnnRNNForward, l.cudnnRNNBackwardData_v8, l.cudnnRNNBackwardWeights_v8);
}

VariantDescriptor::VariantDescriptor(const CudnnLibrary& library, cudnnHandle_t handle,
                                     cudnnRNNDescriptor_t program, Variant variant, Dropout dropout)
    : library_(library), handle_(handle), status_(library.cudnnCreateRNNDescriptor(&descriptor_)) {
  if (status_ != CUDNN_STATUS_SUCCESS) {
    descriptor_ = nullptr;
    return;
  }
  status_ = copy(program, variant, dropout);
  if (status_ == CUDNN_STATUS_SUCCESS) return;
  library_.cudnnDestroyRNNDescriptor(descriptor_);
  descriptor_ = nullptr;
}

VariantDescriptor::~VariantDescriptor() {
  if (descriptor_ != nullptr) library_.cudnnDestroyRNNDescriptor(descriptor_);
  if (no_dropout_ != nullptr) library_.cudnnDestroyDropoutDescriptor(no_dropout_);
}

cudnnStatus_t VariantDescriptor::copy(cudnnRNNDescriptor_t program, Variant variant,
                                      Dropout dropout) {
  const auto& l = library_;
  cudnnRNNAlgo_t own{};
  cudnnRNNMode_t cell{};
  cudnnRNNBiasMode_t bias{};
  cudnnDirectionMode_t direction{};
  cudnnRNNInputMode_t input_mode{};
  cudnnDataType_t data{}, math{};
  cudnnMathType_t type{};
  std::int32_t input = 0, hidden = 0, projection = 0, layers = 0;
  std::uint32_t flags = 0;
  cudnnDropoutDescriptor_t masks = nullptr;
  auto status =
      l.cudnnGetRNNDescriptor_v8(program, &own, &cell, &bias, &direction, &input_mode, &data, &math,
                                 &type, &input, &hidden, &projection, &layers, &masks, &flags);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (dropout == Dropout::none) {
    status = l.cudnnCreateDropoutDescriptor(&no_dropout_);
    if (status == CUDNN_STATUS_SUCCESS)
      status = l.cudnnSetDropoutDescriptor(no_dropout_, handle_, 0, nullptr, 0, 0);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    masks = no_dropout_;
  }
  if (variant.converts) type = CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  status = l.cudnnSetRNNDescriptor_v8(descriptor_, static_cast<cudnnRNNAlgo_t>(variant.algo), cell,
                                      bias, direction, input_mode, data, math, type, input, hidden,
                                      projection, layers, masks, flags);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  cudnnRNNClipMode_t mode{};
  double low = 0, high = 0;
  if (l.cudnnRNNSetClip_v9 != nullptr) {
    status = l.cudnnRNNGetClip_v9(program, &mode, &low, &high);
    if (status == CUDNN_STATUS_SUCCESS && mode != CUDNN_RNN_CLIP_NONE)
      status = l.cudnnRNNSetClip_v9(descriptor_, mode, low, high);
    return status;
  }
  cudnnNanPropagation_t nan{};
  status = l.cudnnRNNGetClip_v8(program, &mode, &nan, &low, &high);
  if (status == CUDNN_STATUS_SUCCESS && mode != CUDNN_RNN_CLIP_NONE)
    status = l.cudnnRNNSetClip_v8(descriptor_, mode, nan, low, high);
  return status;
}

bool VariantDescriptor::sizes(cudnnRNNDataDescriptor_t x, bool training, Sizes& out) {
  out = {0, 0};
  status_ = library_.cudnnGetRNNTempSpaceSizes(
      handle_, descriptor_, training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE, x,
      &out.workspace, &out.reserve);
  return status_ == CUDNN_STATUS_SUCCESS;
}

FirstSteps::FirstSteps(const CudnnLibrary& library, cudnnRNNDataDescriptor_t whole,
                       std::int32_t steps)
    : library_(library) {
  if (library.cudnnCreateRNNDataDescriptor == nullptr ||
      library.cudnnSetRNNDataDescriptor == nullptr ||
      library.cudnnDestroyRNNDataDescriptor == nullptr ||
      library.cudnnCreateRNNDataDescriptor(&descriptor_) != CUDNN_STATUS_SUCCESS) {
    descriptor_ = nullptr;
  } else if (!set(whole, steps)) {
    library.cudnnDestroyRNNDataDescriptor(descriptor_);
    descriptor_ = nullptr;
  }
}

FirstSteps::~FirstSteps() {
  if (descriptor_ != nullptr) library_.cudnnDestroyRNNDataDescriptor(descriptor_);
}

bool FirstSteps::set(cudnnRNNDataDescriptor_t whole, std::int32_t steps) {
  cudnnDataType_t type{};
  cudnnRNNDataLayout_t layout{};
  int longest = 0, batch = 0, size = 0, none = 0;
  double fill = 0;  // room for any type's
  if (library_.cudnnGetRNNDataDescriptor(whole, &type, &layout, &longest, &batch, &size, 0, &none,
                                         &fill) != CUDNN_STATUS_SUCCESS ||
      layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED || longest < steps || batch < 1)
    return false;
  auto* lengths = static_cast<int*>(malloc(static_cast<std::size_t>(batch) * sizeof(int)));
  if (lengths == nullptr) return false;
  for (int i = 0; i < batch; ++i) lengths[i] = steps;
  const auto status = library_.cudnnSetRNNDataDescriptor(descriptor_, type, layout, steps, batch,
                                                         size, lengths, &fill);
  free(lengths);
  return status == CUDNN_STATUS_SUCCESS;
}

bool same_weights(const CudnnLibrary& l, cudnnHandle_t handle, cudnnRNNDescriptor_t one,
                  cudnnRNNDescriptor_t other, const spool::Configuration& c) {
  std::size_t bytes[2] = {};
  if (l.cudnnGetRNNWeightSpaceSize(handle, one, &bytes[0]) != CUDNN_STATUS_SUCCESS ||
      l.cudnnGetRNNWeightSpaceSize(handle, other, &bytes[1]) != CUDNN_STATUS_SUCCESS ||
      bytes[0] != bytes[1])
    return false;
  cudnnTensorDescriptor_t matrix = nullptr, bias = nullptr;
  if (l.cudnnCreateTensorDescriptor(&matrix) != CUDNN_STATUS_SUCCESS) return false;
  if (l.cudnnCreateTensorDescriptor(&bias) != CUDNN_STATUS_SUCCESS) {
    l.cudnnDestroyTensorDescriptor(matrix);
    return false;
  }
  // Nothing is read there: cuDNN adds offsets to it.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto* const base = reinterpret_cast<void*>(std::uintptr_t{1} << 40);
  const int gates = c.cell == CUDNN_LSTM ? 8 : c.cell == CUDNN_GRU ? 6 : 2;
  const int layers = c.layers * (c.direction == CUDNN_BIDIRECTIONAL ? 2 : 1);
  bool same = true;
  for (int layer = 0; layer < layers && same; ++layer) {
    for (int gate = 0; gate < gates && same; ++gate) {
      void* places[2][2] = {};
      for (int i = 0; i < 2; ++i) {
        same = same && l.cudnnGetRNNWeightParams(handle, i == 0 ? one : other, layer, bytes[0],
                                                 base, gate, matrix, &places[i][0], bias,
                                                 &places[i][1]) == CUDNN_STATUS_SUCCESS;
      }
      same = same && places[0][0] == places[1][0] && places[0][1] == places[1][1];
    }
  }
  l.cudnnDestroyTensorDescriptor(matrix);
  l.cudnnDestroyTensorDescriptor(bias);
  return same;
}

}  // namespace rnnadvisor::plugin
