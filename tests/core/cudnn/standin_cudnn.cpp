// A libcudnn.so.9 that computes with the float64 reference, for programs with standin_cuda.h. It is
// strict where cuDNN leaves things open: weight spaces have gaps and another order for each
// algorithm; backward passes demand a reserve space that the passes before them left, and what is
// enqueued reads its tensors when it runs, not when it is called. hidden_size 13 loses the context
// when it runs, hidden_size 17 refuses to be captured, and persist_static refuses float64.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cudnn.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/cudnn/io_layout.h"
#include "core/cudnn/reference.h"

extern "C" bool standin_enqueue(const std::function<void()>& kernel);
extern "C" void standin_lose_context();
extern "C" bool standin_capturing();

using rnnadvisor::DataType;
using rnnadvisor::IoLayout;
using rnnadvisor::RnnConfig;
namespace reference = rnnadvisor::reference;
using Vector = std::vector<double>;

struct cudnnContext {};
struct cudnnTensorStruct {
  cudnnDataType_t type;
  std::vector<int> dims, strides;
};
struct cudnnDropoutStruct {
  float probability = 0;
};
struct cudnnRNNStruct {
  RnnConfig config;
  cudnnDataType_t type;
};
struct cudnnRNNDataStruct {
  cudnnRNNDataLayout_t layout;
  int steps = 0, batch = 0, width = 0;
  std::vector<int> lengths;
};

namespace {

std::size_t size_of(cudnnDataType_t type) {
  return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2;
}
double get(const void* base, std::size_t i, cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      return static_cast<const double*>(base)[i];
    case CUDNN_DATA_FLOAT:
      return static_cast<const float*>(base)[i];
    case CUDNN_DATA_HALF:
      return __half2float(static_cast<const __half*>(base)[i]);
    default:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(base)[i]);
  }
}
void set(void* base, std::size_t i, cudnnDataType_t type, double value) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      static_cast<double*>(base)[i] = value;
      return;
    case CUDNN_DATA_FLOAT:
      static_cast<float*>(base)[i] = static_cast<float>(value);
      return;
    case CUDNN_DATA_HALF:
      static_cast<__half*>(base)[i] = __float2half(static_cast<float>(value));
      return;
    default:
      static_cast<__nv_bfloat16*>(base)[i] = __float2bfloat16(static_cast<float>(value));
  }
}

// --- weight space ---

struct Part {
  std::size_t offset = 0, rows = 0, columns = 0;
  std::size_t count() const { return rows * columns; }
};
struct LayerParts {
  std::vector<Part> matrices, biases;  // by linLayerID
};

std::vector<LayerParts> parts_of(const RnnConfig& c, std::size_t& elements) {
  std::vector<LayerParts> layers;
  elements = 3;  // nothing begins at the beginning
  const auto size = [](int value) { return static_cast<std::size_t>(value); };
  const std::size_t gates = size(c.gates());
  for (int pseudo = 0; pseudo < c.pseudo_layers(); ++pseudo) {
    const bool first = pseudo < c.directions();
    const std::size_t in = size(first ? c.input_size : c.directions() * c.proj_size);
    LayerParts layer;
    for (std::size_t id = 0; id < 2 * gates; ++id) {
      const bool input = id < gates;
      const bool skipped = input && first && c.input_mode == rnnadvisor::InputMode::skip_input;
      layer.matrices.push_back(
          {0, skipped ? 0 : size(c.hidden_size), input ? in : size(c.proj_size)});
      const auto single =
          input ? rnnadvisor::BiasMode::single_inp_bias : rnnadvisor::BiasMode::single_rec_bias;
      const bool biased = c.bias_mode == rnnadvisor::BiasMode::double_bias || c.bias_mode == single;
      layer.biases.push_back({0, biased ? size(c.hidden_size) : 0, 1});
    }
    if (c.has_projection()) {
      layer.matrices.push_back({0, size(c.proj_size), size(c.hidden_size)});
      layer.biases.push_back({});
    }
    const auto place = [&](std::size_t id) {
      for (auto* part : {&layer.matrices[id], &layer.biases[id]}) {
        part->offset = elements;
        elements += part->count() + 5;
      }
    };
    const std::size_t ids = layer.matrices.size();
    for (std::size_t i = 0; i < ids; ++i)
      place(c.algo == rnnadvisor::Algo::standard ? i : ids - 1 - i);
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<reference::LayerWeights> read_weights(const RnnConfig& c, const void* base,
                                                  cudnnDataType_t type) {
  std::size_t elements = 0;
  std::vector<reference::LayerWeights> layers;
  for (const auto& parts : parts_of(c, elements)) {
    reference::LayerWeights layer;
    const auto gates = static_cast<std::size_t>(c.gates());
    for (std::size_t id = 0; id < parts.matrices.size(); ++id) {
      const auto slice = [&](const Part& part) {
        Vector values(part.count());
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = get(base, part.offset + i, type);
        return values;
      };
      Vector matrix = slice(parts.matrices[id]);
      Vector bias = slice(parts.biases[id]);
      if (id == 2 * gates) {
        layer.projection = std::move(matrix);
        continue;
      }
      if (!matrix.empty())
        (id < gates ? layer.input : layer.recurrent).push_back(std::move(matrix));
      if (!bias.empty())
        (id < gates ? layer.input_bias : layer.recurrent_bias).push_back(std::move(bias));
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

// Visits the elements of the weight space in the order of reference::flatten().
template <class Visit>
void visit_flat(const RnnConfig& c, const Visit& visit) {
  std::size_t elements = 0;
  std::size_t flat = 0;
  const auto gates = static_cast<std::size_t>(c.gates());
  const auto all = [&](const Part& part) {
    for (std::size_t i = 0; i < part.count(); ++i) visit(part.offset + i, flat++);
  };
  for (const auto& parts : parts_of(c, elements)) {
    for (std::size_t id = 0; id < 2 * gates; ++id) all(parts.matrices[id]);
    for (std::size_t id = 0; id < 2 * gates; ++id) all(parts.biases[id]);
    if (c.has_projection()) all(parts.matrices[2 * gates]);
  }
}

// --- tensors ---

RnnConfig with_data(const cudnnRNNStruct* rnn, const cudnnRNNDataStruct* x) {
  RnnConfig c = rnn->config;
  c.layout = static_cast<rnnadvisor::Layout>(x->layout);
  c.seq_length = x->steps;
  c.batch_size = x->batch;
  c.seq_lengths = x->lengths;
  return c;
}

Vector dense(const RnnConfig& c, const void* base, int width, cudnnDataType_t type) {
  const IoLayout layout(c);
  Vector values(static_cast<std::size_t>(c.seq_length) * static_cast<std::size_t>(c.batch_size) *
                    static_cast<std::size_t>(width),
                0.0);
  for (int b = 0; b < c.batch_size; ++b) {
    for (int t = 0; t < layout.lengths()[static_cast<std::size_t>(b)]; ++t) {
      for (int i = 0; i < width; ++i) {
        values[static_cast<std::size_t>((t * c.batch_size + b) * width + i)] =
            get(base, static_cast<std::size_t>(layout.row(t, b) * width + i), type);
      }
    }
  }
  return values;
}
void spread(const RnnConfig& c, void* base, int width, cudnnDataType_t type, const Vector& values) {
  const IoLayout layout(c);
  for (int b = 0; b < c.batch_size; ++b) {
    for (int t = 0; t < layout.lengths()[static_cast<std::size_t>(b)]; ++t) {
      for (int i = 0; i < width; ++i) {
        set(base, static_cast<std::size_t>(layout.row(t, b) * width + i), type,
            values[static_cast<std::size_t>((t * c.batch_size + b) * width + i)]);
      }
    }
  }
}
Vector state(const RnnConfig& c, const void* base, int width, cudnnDataType_t type) {
  Vector values(static_cast<std::size_t>(c.pseudo_layers() * c.batch_size * width), 0.0);
  for (std::size_t i = 0; base != nullptr && i < values.size(); ++i) values[i] = get(base, i, type);
  return values;
}
void set_state(void* base, cudnnDataType_t type, const Vector& values) {
  for (std::size_t i = 0; base != nullptr && i < values.size(); ++i) set(base, i, type, values[i]);
}

// What a training pass leaves for the way back: cuDNN's backward data is not given x, and its
// backward weights not dy.
struct Reserve {
  enum Stage : int { forward = 0x51, data = 0x52 };
  int stage;
  const void* y;
  std::size_t x_elements;
  double* x() { return reinterpret_cast<double*>(this + 1); }
  // In the order of reference::flatten().
  double* gradients() { return x() + x_elements; }
};

reference::Inputs inputs_of(const RnnConfig& c, cudnnDataType_t type, const void* x, const void* hx,
                            const void* cx, const void* weights) {
  reference::Inputs inputs;
  inputs.config = c;
  inputs.lengths = rnnadvisor::sequence_lengths(c);
  inputs.weights = read_weights(c, weights, type);
  if (x != nullptr) inputs.x = dense(c, x, c.input_size, type);
  inputs.hx = state(c, hx, c.proj_size, type);
  if (c.cell == rnnadvisor::Cell::lstm) inputs.cx = state(c, cx, c.hidden_size, type);
  return inputs;
}

cudnnStatus_t enqueue(const RnnConfig& c, const std::function<void()>& kernel) {
  if (c.hidden_size == 17 && standin_capturing()) return CUDNN_STATUS_NOT_SUPPORTED;
  return standin_enqueue([c, kernel] {
    if (c.hidden_size == 13) {
      standin_lose_context();
    } else {
      kernel();
    }
  })
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_EXECUTION_FAILED;
}

template <class T>
cudnnStatus_t make(T** target) {
  *target = new T();
  return CUDNN_STATUS_SUCCESS;
}
template <class T>
cudnnStatus_t destroy(T* target) {
  delete target;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

std::size_t cudnnGetVersion() { return 91900; }
const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_UNKNOWN_STATUS";
  }
}
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) { return make(handle); }
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return destroy(handle); }
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* d) { return make(d); }
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* d) { return make(d); }
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) { return make(d); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* d) { return make(d); }
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t d) { return destroy(d); }

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algo,
                                       cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction, cudnnRNNInputMode_t input,
                                       cudnnDataType_t type, cudnnDataType_t, cudnnMathType_t,
                                       int32_t input_size, int32_t hidden, int32_t projection,
                                       int32_t layers, cudnnDropoutDescriptor_t dropout, uint32_t) {
  if (algo == CUDNN_RNN_ALGO_PERSIST_STATIC && type == CUDNN_DATA_DOUBLE)
    return CUDNN_STATUS_NOT_SUPPORTED;
  RnnConfig& c = rnn->config;
  rnn->type = type;
  c.algo = static_cast<rnnadvisor::Algo>(algo);
  c.cell = static_cast<rnnadvisor::Cell>(cell);
  c.bias_mode = static_cast<rnnadvisor::BiasMode>(bias);
  c.direction = static_cast<rnnadvisor::Direction>(direction);
  c.input_mode = static_cast<rnnadvisor::InputMode>(input);
  c.input_size = input_size;
  c.hidden_size = hidden;
  c.proj_size = projection;
  c.num_layers = layers;
  c.dropout = static_cast<double>(dropout->probability);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t rnn, cudnnRNNClipMode_t mode, double left,
                                 double right) {
  rnn->config.clip_mode = static_cast<rnnadvisor::ClipMode>(mode);
  rnn->config.clip_left = left;
  rnn->config.clip_right = right;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t,
                                        cudnnRNNDataLayout_t layout, int steps, int batch,
                                        int width, const int lengths[], void*) {
  d->layout = layout;
  d->steps = steps;
  d->batch = batch;
  d->width = width;
  d->lengths.assign(lengths, lengths + batch);
  const bool packed = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
  for (int b = 0; b < batch; ++b) {
    if (lengths[b] < (packed ? 1 : 0) || lengths[b] > steps) return CUDNN_STATUS_BAD_PARAM;
    if (packed && b > 0 && lengths[b] > lengths[b - 1]) return CUDNN_STATUS_BAD_PARAM;
  }
  return packed && lengths[0] != steps ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t d, cudnnDataType_t type, int rank,
                                         const int dims[], const int strides[]) {
  *d = {type, {dims, dims + rank}, {strides, strides + rank}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(cudnnTensorDescriptor_t d, int, cudnnDataType_t* type,
                                         int* rank, int dims[], int strides[]) {
  *type = d->type;
  *rank = static_cast<int>(d->dims.size());
  std::copy(d->dims.begin(), d->dims.end(), dims);
  std::copy(d->strides.begin(), d->strides.end(), strides);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, std::size_t* bytes) {
  *bytes = 4096;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t,
                                        float probability, void* states, std::size_t bytes,
                                        unsigned long long) {
  if (probability > 0 && (states == nullptr || bytes < 4096)) return CUDNN_STATUS_BAD_PARAM;
  d->probability = probability;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t, cudnnRNNDescriptor_t, int) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                         std::size_t* bytes) {
  std::size_t elements = 0;
  parts_of(rnn->config, elements);
  *bytes = elements * size_of(rnn->type);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                        std::size_t* workspace, std::size_t* reserve) {
  std::size_t elements = 0;
  parts_of(rnn->config, elements);
  *workspace = 1U << 20U;
  elements += static_cast<std::size_t>(x->steps) * static_cast<std::size_t>(x->batch) *
              static_cast<std::size_t>(x->width);
  *reserve = mode == CUDNN_FWD_MODE_TRAINING ? sizeof(Reserve) + elements * sizeof(double) : 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t rnn, int32_t pseudo,
                                      std::size_t, const void* base, int32_t id,
                                      cudnnTensorDescriptor_t matrix, void** matrix_address,
                                      cudnnTensorDescriptor_t bias, void** bias_address) {
  std::size_t elements = 0;
  const auto layer = parts_of(rnn->config, elements).at(static_cast<std::size_t>(pseudo));
  const auto tell = [&](const Part& part, cudnnTensorDescriptor_t d, void** address) {
    const int rows = static_cast<int>(part.rows);
    const int columns = static_cast<int>(part.columns);
    *d = {rnn->type, {1, rows, columns}, {rows * columns, columns, 1}};
    *address = part.count() == 0
                   ? nullptr
                   : static_cast<char*>(const_cast<void*>(base)) + part.offset * size_of(rnn->type);
  };
  tell(layer.matrices.at(static_cast<std::size_t>(id)), matrix, matrix_address);
  tell(layer.biases.at(static_cast<std::size_t>(id)), bias, bias_address);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                              const int32_t[], cudnnRNNDataDescriptor_t x_desc, const void* x,
                              cudnnRNNDataDescriptor_t, void* y, cudnnTensorDescriptor_t,
                              const void* hx, void* hy, cudnnTensorDescriptor_t, const void* cx,
                              void* cy, std::size_t, const void* weights, std::size_t workspace,
                              void* workspace_address, std::size_t, void* reserve_address) {
  const RnnConfig c = with_data(rnn, x_desc);
  const auto type = rnn->type;
  if (workspace < (1U << 20U)) return CUDNN_STATUS_BAD_PARAM;
  if (mode == CUDNN_FWD_MODE_TRAINING && reserve_address == nullptr) return CUDNN_STATUS_BAD_PARAM;
  return enqueue(c, [=] {
    std::memset(workspace_address, 0xFF, 1U << 20U);  // it is everybody's
    const auto inputs = inputs_of(c, type, x, hx, cx, weights);
    const auto outputs = reference::compute(inputs);
    spread(c, y, c.proj_size * c.directions(), type, outputs.y);
    set_state(hy, type, outputs.hy);
    set_state(cy, type, outputs.cy);
    if (mode != CUDNN_FWD_MODE_TRAINING) return;
    auto* reserve = static_cast<Reserve*>(reserve_address);
    reserve->stage = Reserve::forward;
    reserve->y = y;
    reserve->x_elements = inputs.x.size();
    std::copy(inputs.x.begin(), inputs.x.end(), reserve->x());
  });
}
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t, cudnnRNNDescriptor_t rnn, const int32_t[],
                                      cudnnRNNDataDescriptor_t, const void* y, const void* dy,
                                      cudnnRNNDataDescriptor_t x_desc, void* dx,
                                      cudnnTensorDescriptor_t, const void* hx, const void* dhy,
                                      void* dhx, cudnnTensorDescriptor_t, const void* cx,
                                      const void* dcy, void* dcx, std::size_t, const void* weights,
                                      std::size_t, void* workspace, std::size_t,
                                      void* reserve_address) {
  const RnnConfig c = with_data(rnn, x_desc);
  const auto type = rnn->type;
  return enqueue(c, [=] {
    std::memset(workspace, 0xFF, 1U << 20U);
    auto* reserve = static_cast<Reserve*>(reserve_address);
    if (reserve->stage != Reserve::forward || reserve->y != y) return;  // dx keeps its poison
    reference::Inputs inputs = inputs_of(c, type, nullptr, hx, cx, weights);
    inputs.x.assign(reserve->x(), reserve->x() + reserve->x_elements);
    inputs.dy = dense(c, dy, c.proj_size * c.directions(), type);
    inputs.dhy = state(c, dhy, c.proj_size, type);
    if (c.cell == rnnadvisor::Cell::lstm) inputs.dcy = state(c, dcy, c.hidden_size, type);
    const auto outputs = reference::compute(inputs);
    spread(c, dx, c.input_size, type, outputs.dx);
    set_state(dhx, type, outputs.dhx);
    set_state(dcx, type, outputs.dcx);
    const Vector flat = reference::flatten(outputs.dweights);
    std::copy(flat.begin(), flat.end(), reserve->gradients());
    reserve->stage = Reserve::data;
  });
}
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t,
                                         const int32_t[], cudnnRNNDataDescriptor_t x_desc,
                                         const void* x, cudnnTensorDescriptor_t, const void*,
                                         cudnnRNNDataDescriptor_t, const void* y, std::size_t,
                                         void* gradients, std::size_t, void*, std::size_t,
                                         void* reserve_address) {
  const RnnConfig c = with_data(rnn, x_desc);
  const auto type = rnn->type;
  return enqueue(c, [=] {
    auto* reserve = static_cast<Reserve*>(reserve_address);
    const Vector now = dense(c, x, c.input_size, type);
    const bool same = reserve->stage == Reserve::data && reserve->y == y &&
                      std::equal(now.begin(), now.end(), reserve->x());
    // It adds. What comes out of order gives nonsense.
    visit_flat(c, [&](std::size_t at, std::size_t flat) {
      const double add = same ? reserve->gradients()[flat] : 1e9;
      set(gradients, at, type, get(gradients, at, type) + add);
    });
  });
}

cudnnStatus_t cudnnAddTensor(cudnnHandle_t, const void* alpha, const cudnnTensorDescriptor_t a_desc,
                             const void* a, const void* beta, const cudnnTensorDescriptor_t c_desc,
                             void* c) {
  if (a_desc->dims != c_desc->dims) return CUDNN_STATUS_BAD_PARAM;
  const auto type = a_desc->type;
  const auto scale = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  const double of_a = get(alpha, 0, scale);
  const double of_c = get(beta, 0, scale);
  const auto count = static_cast<std::size_t>(a_desc->dims.back());
  return standin_enqueue([=] {
    for (std::size_t i = 0; i < count; ++i)
      set(c, i, type, of_a * get(a, i, type) + of_c * get(c, i, type));
  })
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_EXECUTION_FAILED;
}

// Dropout drops nothing, but its way back needs what its way there left.
cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t, std::size_t* bytes) {
  *bytes = sizeof(int);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDropoutForward(cudnnHandle_t, const cudnnDropoutDescriptor_t,
                                  const cudnnTensorDescriptor_t shape, const void* x,
                                  const cudnnTensorDescriptor_t, void* y, void* reserve,
                                  std::size_t) {
  const std::size_t bytes = static_cast<std::size_t>(shape->dims.back()) * size_of(shape->type);
  standin_enqueue([=] {
    std::memcpy(y, x, bytes);
    *static_cast<int*>(reserve) = 0x53;
  });
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t, const cudnnDropoutDescriptor_t,
                                   const cudnnTensorDescriptor_t shape, const void* dy,
                                   const cudnnTensorDescriptor_t, void* dx, void* reserve,
                                   std::size_t) {
  const std::size_t bytes = static_cast<std::size_t>(shape->dims.back()) * size_of(shape->type);
  standin_enqueue([=] {
    if (*static_cast<int*>(reserve) == 0x53) std::memcpy(dx, dy, bytes);
  });
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
