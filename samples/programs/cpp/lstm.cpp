// A program that calls cuDNN itself: training steps of one LSTM layer, with NVTX ranges. It asks
// for the persistent algorithm with float data and the default math type, for which that algorithm
// has no Tensor Core kernel: a trap that nothing in cuDNN warns of.
//
//   c++ -std=c++20 lstm.cpp -o lstm -I$CUDA/include -L$CUDA/lib64 -lcudnn -lcudart
#include <cuda_runtime.h>
#include <cudnn.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}
void check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS) {
    std::fprintf(stderr, "%s: %s\n", what, cudnnGetErrorString(status));
    std::exit(1);
  }
}
#define CHECK(call) check((call), #call)

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, bytes > 0 ? bytes : 1));
  CHECK(cudaMemset(memory, 0, bytes));
  return memory;
}

float* random_floats(std::size_t count, float scale) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (auto& value : values) value = normal(generator);
  auto* memory = static_cast<float*>(allocate(count * sizeof(float)));
  CHECK(cudaMemcpy(memory, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  return memory;
}

struct Range {
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
};

}  // namespace

int main(int argc, char** argv) {
  int steps = 10;
  bool persistent = true;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--steps") == 0 && i + 1 < argc) steps = std::atoi(argv[++i]);
    if (std::strcmp(argv[i], "--standard") == 0) persistent = false;
  }
  constexpr int units = 512, batch = 64, length = 64;
  cudnnHandle_t handle;
  CHECK(cudnnCreate(&handle));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudnnSetStream(handle, stream));

  cudnnDropoutDescriptor_t dropout;
  CHECK(cudnnCreateDropoutDescriptor(&dropout));
  std::size_t state_bytes = 0;
  CHECK(cudnnDropoutGetStatesSize(handle, &state_bytes));
  CHECK(cudnnSetDropoutDescriptor(dropout, handle, 0.0f, allocate(state_bytes), state_bytes, 1));

  cudnnRNNDescriptor_t rnn;
  CHECK(cudnnCreateRNNDescriptor(&rnn));
  CHECK(cudnnSetRNNDescriptor_v8(
      rnn, persistent ? CUDNN_RNN_ALGO_PERSIST_STATIC : CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM,
      CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
      CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, units, units, units, 1, dropout,
      CUDNN_RNN_PADDED_IO_DISABLED));
  const std::vector<int> lengths(batch, length);
  float padding = 0;
  cudnnRNNDataDescriptor_t data;
  CHECK(cudnnCreateRNNDataDescriptor(&data));
  CHECK(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                  length, batch, units, lengths.data(), &padding));
  cudnnTensorDescriptor_t state;
  CHECK(cudnnCreateTensorDescriptor(&state));
  const int sizes[] = {1, batch, units}, strides[] = {batch * units, units, 1};
  CHECK(cudnnSetTensorNdDescriptor(state, CUDNN_DATA_FLOAT, 3, sizes, strides));

  std::size_t weight_bytes = 0, workspace_bytes = 0, reserve_bytes = 0;
  CHECK(cudnnGetRNNWeightSpaceSize(handle, rnn, &weight_bytes));
  CHECK(cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING, data, &workspace_bytes,
                                  &reserve_bytes));
  const std::size_t count = static_cast<std::size_t>(length) * batch * units;
  float* weights = random_floats(weight_bytes / sizeof(float), 0.05f);
  float* x = random_floats(count, 1.0f);
  float* dy = random_floats(count, 0.01f);
  auto* y = static_cast<float*>(allocate(count * sizeof(float)));
  auto* dx = static_cast<float*>(allocate(count * sizeof(float)));
  auto* dw = static_cast<float*>(allocate(weight_bytes));
  void* workspace = allocate(workspace_bytes);
  void* reserve = allocate(reserve_bytes);
  std::int32_t* device_lengths = nullptr;
  CHECK(cudaMalloc(&device_lengths, batch * sizeof(std::int32_t)));
  CHECK(cudaMemcpy(device_lengths, lengths.data(), batch * sizeof(std::int32_t),
                   cudaMemcpyHostToDevice));

  for (int step = 0; step < steps; ++step) {
    const Range whole("step");
    {
      const Range range("forward");
      CHECK(cudnnRNNForward(handle, rnn, CUDNN_FWD_MODE_TRAINING, device_lengths, data, x, data, y,
                            state, nullptr, nullptr, state, nullptr, nullptr, weight_bytes, weights,
                            workspace_bytes, workspace, reserve_bytes, reserve));
    }
    {
      const Range range("backward");
      CHECK(cudnnRNNBackwardData_v8(handle, rnn, device_lengths, data, y, dy, data, dx, state,
                                    nullptr, nullptr, nullptr, state, nullptr, nullptr, nullptr,
                                    weight_bytes, weights, workspace_bytes, workspace,
                                    reserve_bytes, reserve));
      CHECK(cudaMemsetAsync(dw, 0, weight_bytes, stream));
      CHECK(cudnnRNNBackwardWeights_v8(handle, rnn, CUDNN_WGRAD_MODE_ADD, device_lengths, data, x,
                                       state, nullptr, data, y, weight_bytes, dw, workspace_bytes,
                                       workspace, reserve_bytes, reserve));
    }
  }
  CHECK(cudaStreamSynchronize(stream));
  std::vector<float> result(count);
  CHECK(cudaMemcpy(result.data(), dx, count * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float value : result) sum += static_cast<double>(value) * static_cast<double>(value);
  std::printf("loss %.17g\n", sum);
  return 0;
}
