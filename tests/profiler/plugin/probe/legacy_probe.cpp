// A program of cuDNN 8's time: legacy_probe linked|handle MODE. It ends with 70 and a line when
// what it relies on does not hold.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "profiler/plugin/cudnn8.h"
#include "tests/profiler/plugin/probe/legacy_values.h"
#include "tests/profiler/plugin/standin/cudnn_standin.h"

using namespace probe;

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::_Exit(70);                                                                    \
    }                                                                                    \
  } while (false)

// Deprecated in the headers of cuDNN 9.
using CreateFilter = cudnnStatus_t(cudnnFilterStruct**);
using SetFilter = cudnnStatus_t(cudnnFilterStruct*, cudnnDataType_t, cudnnTensorFormat_t, int,
                                const int[]);

#define FUNCTIONS(X) RNNADVISOR_LEGACY(X) RNNADVISOR_SEARCHES(X)

struct Table {
#define MEMBER(name) decltype(&::name) name = nullptr;
  FUNCTIONS(MEMBER)
#undef MEMBER
};

static Table table_of(const std::string& how) {
  Table t;
  if (how == "linked") {
#define TAKE(name) t.name = &::name;
    FUNCTIONS(TAKE)
#undef TAKE
  } else {
    void* library = dlopen(PROBE_CUDNN8_FILE, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != nullptr);
#define FIND(name)                                                    \
  t.name = reinterpret_cast<decltype(t.name)>(dlsym(library, #name)); \
  CHECK(t.name != nullptr);
    FUNCTIONS(FIND)
#undef FIND
  }
  return t;
}

struct Network {
  cudnnHandle_t handle = nullptr;
  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnDropoutDescriptor_t dropout_descriptor = nullptr;
  std::vector<cudnnTensorDescriptor_t> x, y;
  cudnnRNNDataDescriptor_t x_data = nullptr, y_data = nullptr;
  cudnnTensorDescriptor_t h = nullptr, c = nullptr, dh = nullptr, dc = nullptr;
  cudnnFilterStruct* w = nullptr;

  explicit Network(const Table& t) {
    CHECK(cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS);
    cudnnCreateRNNDescriptor(&rnn);
    cudnnCreateDropoutDescriptor(&dropout_descriptor);
    CHECK(cudnnSetDropoutDescriptor(dropout_descriptor, handle, dropout, nullptr, 0,
                                    dropout_seed) == CUDNN_STATUS_SUCCESS);
    CHECK(t.cudnnSetRNNDescriptor_v6(handle, rnn, hidden_size, layers, dropout_descriptor,
                                     CUDNN_LINEAR_INPUT, CUDNN_BIDIRECTIONAL, CUDNN_LSTM,
                                     CUDNN_RNN_ALGO_PERSIST_STATIC,
                                     CUDNN_DATA_FLOAT) == CUDNN_STATUS_SUCCESS);
    CHECK(t.cudnnSetRNNMatrixMathType(rnn, CUDNN_TENSOR_OP_MATH) == CUDNN_STATUS_SUCCESS);
    CHECK(t.cudnnSetRNNBiasMode(rnn, CUDNN_RNN_SINGLE_REC_BIAS) == CUDNN_STATUS_SUCCESS);
    CHECK(t.cudnnSetRNNProjectionLayers(handle, rnn, projection_size, 0) == CUDNN_STATUS_SUCCESS);
    // Equal steps share a descriptor, as in programs.
    for (const int batch : batches) {
      x.push_back(!x.empty() && batch == x_batch ? x.back() : tensor({batch, input_size, 1}));
      y.push_back(tensor({batch, 2 * projection_size, 1}));
      x_batch = batch;
    }
    h = tensor({layers * 2, batches[0], projection_size});
    c = tensor({layers * 2, batches[0], hidden_size});
    dh = tensor({layers * 2, batches[0], projection_size});
    dc = tensor({layers * 2, batches[0], hidden_size});
    float fill = 0;
    cudnnCreateRNNDataDescriptor(&x_data);
    cudnnCreateRNNDataDescriptor(&y_data);
    for (auto* data : {x_data, y_data})
      CHECK(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_HALF,
                                      CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, ex_steps,
                                      static_cast<int>(ex_lengths.size()),
                                      data == x_data ? ex_input_size : 2 * projection_size,
                                      ex_lengths.data(), &fill) == CUDNN_STATUS_SUCCESS);
    auto* create = reinterpret_cast<CreateFilter*>(
        dlsym(dlopen(PROBE_CUDNN8_FILE, RTLD_LAZY), "cudnnCreateFilterDescriptor"));
    auto* set = reinterpret_cast<SetFilter*>(
        dlsym(dlopen(PROBE_CUDNN8_FILE, RTLD_LAZY), "cudnnSetFilterNdDescriptor"));
    create(&w);
    const int sizes[3] = {weights, 1, 1};
    set(w, CUDNN_DATA_HALF, CUDNN_TENSOR_NCHW, 3, sizes);
  }

 private:
  int x_batch = 0;
  static cudnnTensorDescriptor_t tensor(const std::vector<int>& sizes) {
    cudnnTensorDescriptor_t d = nullptr;
    cudnnCreateTensorDescriptor(&d);
    const int strides[3] = {sizes[1] * sizes[2], sizes[2], 1};
    CHECK(cudnnSetTensorNdDescriptor(d, CUDNN_DATA_HALF, 3, sizes.data(), strides) ==
          CUDNN_STATUS_SUCCESS);
    return d;
  }
};

// One call, whose arguments arrive as they were passed.
template <typename Function, typename... Passed>
static void call(Function function, Passed... passed) {
  const std::uint64_t before = standin_calls();
  CHECK(function(passed...) == CUDNN_STATUS_SUCCESS);
  CHECK(standin_calls() == before + 1);
  CHECK(standin_arguments() == fold_arguments(passed...));
}
static const void* in(std::uintptr_t bits) { return at(bits); }

// Every function once, with every argument a different one, and what arrives is what was passed.
static void each_once(const Table& t) {
  Network n(t);
  const auto* const none = static_cast<const void*>(nullptr);
  void* const nothing = nullptr;
  const cudnnRNNDataDescriptor_t no_data = nullptr;
  const auto* x = static_cast<const cudnnTensorDescriptor_t*>(n.x.data());
  const auto* y = static_cast<const cudnnTensorDescriptor_t*>(n.y.data());
  const int count = static_cast<int>(batches.size());
  std::size_t bytes = 0;
  call(t.cudnnGetRNNWorkspaceSize, n.handle, n.rnn, count, x, &bytes);
  CHECK(bytes == 4096);
  call(t.cudnnGetRNNTrainingReserveSize, n.handle, n.rnn, count, x, &bytes);
  CHECK(bytes == 8192);
  call(t.cudnnRNNForwardInference, n.handle, n.rnn, count, x, in(1), n.h, in(2), n.c, in(3), n.w,
       in(4), y, at(5), n.dh, at(6), n.dc, at(7), at(8), workspace_bytes);
  call(t.cudnnRNNForwardTraining, n.handle, n.rnn, count, x, in(1), n.h, in(2), n.c, in(3), n.w,
       in(4), y, at(5), n.dh, at(6), n.dc, at(7), at(8), workspace_bytes, at(40), reserve_bytes);
  call(t.cudnnRNNBackwardData, n.handle, n.rnn, count, y, in(1), y, in(2), n.dh, in(3), n.dc, in(4),
       n.w, in(5), n.h, in(6), n.c, in(7), x, at(8), n.dh, at(9), n.dc, at(10), at(11),
       workspace_bytes, at(40), reserve_bytes);
  call(t.cudnnRNNBackwardWeights, n.handle, n.rnn, count, x, in(1), n.h, in(2), y, in(3), in(4),
       workspace_bytes, n.w, at(5), in(40), reserve_bytes);
  call(t.cudnnSetRNNPaddingMode, n.rnn, 1U);
  call(t.cudnnRNNForwardInferenceEx, n.handle, n.rnn, n.x_data, in(1), n.h, in(2), n.c, in(3), n.w,
       in(4), n.y_data, at(5), n.dh, at(6), n.dc, at(7), no_data, none, no_data, nothing, no_data,
       nothing, no_data, nothing, at(8), workspace_bytes);
  call(t.cudnnRNNForwardTrainingEx, n.handle, n.rnn, n.x_data, in(1), n.h, in(2), n.c, in(3), n.w,
       in(4), n.y_data, at(5), n.dh, at(6), n.dc, at(7), no_data, none, no_data, nothing, no_data,
       nothing, no_data, nothing, at(8), workspace_bytes, at(41), reserve_bytes);
  call(t.cudnnRNNBackwardDataEx, n.handle, n.rnn, n.y_data, in(1), n.y_data, in(2), no_data, none,
       n.dh, in(3), n.dc, in(4), n.w, in(5), n.h, in(6), n.c, in(7), n.x_data, at(8), n.dh, at(9),
       n.dc, at(10), no_data, nothing, at(11), workspace_bytes, at(41), reserve_bytes);
  call(t.cudnnRNNBackwardWeightsEx, n.handle, n.rnn, n.x_data, in(1), n.h, in(2), n.y_data, in(3),
       at(4), workspace_bytes, n.w, at(5), at(41), reserve_bytes);
}

// What cuDNN refuses, with cuDNN 8's number for it.
static void refusals(const Table& t) {
  constexpr auto bad = static_cast<cudnnStatus_t>(3);
  Network n(t);
  std::size_t bytes = 0;
  CHECK(t.cudnnSetRNNDescriptor_v6(n.handle, n.rnn, 0, 1, nullptr, CUDNN_LINEAR_INPUT,
                                   CUDNN_UNIDIRECTIONAL, CUDNN_GRU, CUDNN_RNN_ALGO_STANDARD,
                                   CUDNN_DATA_FLOAT) == bad);
  CHECK(t.cudnnSetRNNProjectionLayers(n.handle, n.rnn, 1000, 0) == bad);
  CHECK(t.cudnnGetRNNWorkspaceSize(n.handle, n.rnn, 0, n.x.data(), &bytes) == bad);
  // Batches that grow.
  const std::vector<cudnnTensorDescriptor_t> wrong = {n.x.back(), n.x.front()};
  CHECK(t.cudnnRNNForwardInference(n.handle, n.rnn, 2, wrong.data(), at(1), n.h, nullptr, n.c,
                                   nullptr, n.w, at(2), n.y.data(), at(3), n.h, nullptr, n.c,
                                   nullptr, at(4), 10) == bad);
}

// What fills a descriptor beyond its first filling, plans, and searches for an algorithm; one call
// that has it all, on a stream that others use as well.
static void searches(const Table& t) {
  Network n(t);
  const auto* x = static_cast<const cudnnTensorDescriptor_t*>(n.x.data());
  const auto* y = static_cast<const cudnnTensorDescriptor_t*>(n.y.data());
  const int count = static_cast<int>(batches.size());
  auto* algorithm = reinterpret_cast<cudnnAlgorithmStruct* (*)(int)>(
      dlsym(dlopen(PROBE_CUDNN8_FILE, RTLD_LAZY), "standin_algorithm"));
  call(t.cudnnRNNSetClip, n.handle, n.rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, clip_low,
       clip_high);
  cudnnPersistentRNNPlan* plan = nullptr;
  call(t.cudnnCreatePersistentRNNPlan, n.rnn, batches[0], CUDNN_DATA_HALF, &plan);
  call(t.cudnnSetPersistentRNNPlan, n.rnn, plan);
  int found = 0;
  cudnnAlgorithmPerformanceStruct* results[2] = {};
  call(t.cudnnFindRNNForwardInferenceAlgorithmEx, n.handle, n.rnn, count, x, in(1), n.h, in(2), n.c,
       in(3), n.w, in(4), y, at(5), n.dh, at(6), n.dc, at(7), 0.5F, 2, &found, &results[0], at(8),
       workspace_bytes);
  CHECK(found == 2);
  call(t.cudnnFindRNNForwardTrainingAlgorithmEx, n.handle, n.rnn, count, x, in(1), n.h, in(2), n.c,
       in(3), n.w, in(4), y, at(5), n.dh, at(6), n.dc, at(7), 0.5F, 2, &found, &results[0], at(8),
       workspace_bytes, at(40), reserve_bytes);
  call(t.cudnnFindRNNBackwardDataAlgorithmEx, n.handle, n.rnn, count, y, in(1), y, in(2), n.dh,
       in(3), n.dc, in(4), n.w, in(5), n.h, in(6), n.c, in(7), x, at(8), n.dh, at(9), n.dc, at(10),
       0.5F, 2, &found, &results[0], at(11), workspace_bytes, at(40), reserve_bytes);
  call(t.cudnnFindRNNBackwardWeightsAlgorithmEx, n.handle, n.rnn, count, x, in(1), n.h, in(2), y,
       in(3), 0.5F, 2, &found, &results[0], in(4), workspace_bytes, n.w, at(5), in(40),
       reserve_bytes);
  call(t.cudnnSetRNNAlgorithmDescriptor, n.handle, n.rnn, algorithm(CUDNN_RNN_ALGO_STANDARD));
  call(t.cudnnRNNForwardTraining, n.handle, n.rnn, count, x, in(1), n.h, in(2), n.c, in(3), n.w,
       in(4), y, at(5), n.dh, at(6), n.dc, at(7), at(8), workspace_bytes, at(40), reserve_bytes);
  // Searched again for what ran, and refused.
  call(t.cudnnFindRNNForwardTrainingAlgorithmEx, n.handle, n.rnn, count, x, in(1), n.h, in(2), n.c,
       in(3), n.w, in(4), y, at(5), n.dh, at(6), n.dc, at(7), 0.5F, 2, &found, &results[0], at(8),
       workspace_bytes, at(40), reserve_bytes);
  constexpr auto bad = static_cast<cudnnStatus_t>(3);
  CHECK(t.cudnnFindRNNBackwardWeightsAlgorithmEx(n.handle, n.rnn, count, x, at(1), n.h, at(2), y,
                                                 at(3), 0.5F, 0, &found, &results[0], at(4), 1, n.w,
                                                 at(5), at(6), 1) == bad);
  CHECK(t.cudnnRNNSetClip(n.handle, n.rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, 2, 1) ==
        bad);
  CHECK(t.cudnnSetPersistentRNNPlan(n.rnn, nullptr) == bad);
  call(t.cudnnDestroyPersistentRNNPlan, plan);
}

static void load_cuda() {
  CHECK(dlopen(PROBE_CUDA_FILE, RTLD_NOW | RTLD_GLOBAL) != nullptr);
  CHECK(dlopen(PROBE_CUPTI_FILE, RTLD_NOW | RTLD_LOCAL) != nullptr);
  reinterpret_cast<int (*)(unsigned)>(dlsym(RTLD_DEFAULT, "cuInit"))(0);
  reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "standin_new_context"))(0);
}

int main(int count, char** words) {
  CHECK(count == 3);
  const Table t = table_of(words[1]);
  const std::string mode = words[2];
  if (mode == "each-once") each_once(t);
  if (mode == "refusals") refusals(t);
  if (mode == "searches") searches(t);
  if (mode == "kernels" || mode == "searches-with-kernels") load_cuda();
  if (mode == "kernels") each_once(t);
  if (mode == "searches-with-kernels") searches(t);
  return 0;
}
