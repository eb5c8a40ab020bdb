// A program that calls cuDNN itself, with a thread that prepares and copies batches ahead of the
// training loop, streams and threads that have names, and coloured NVTX ranges. It asks for the
// persistent algorithm with half data and Tensor Cores, and its batches are of 36 sequences: cuDNN
// takes them, and its kernels are far slower than those for 40.
//
//   c++ -std=c++20 -pthread prefetch.cpp -o prefetch -I$CUDA/include -L$CUDA/lib64 -lcudnn -lcudart
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cudnn.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr int units = 1024, length = 96;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}
void check(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, cudnnGetErrorString(status));
  std::exit(1);
}
#define CHECK(call) check((call), #call)

struct Range {
  Range(nvtxDomainHandle_t domain, const char* name, std::uint32_t rgb) : domain_(domain) {
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = 0xff000000u | rgb;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain_, &attributes);
  }
  ~Range() { nvtxDomainRangePop(domain_); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  nvtxDomainHandle_t domain_;
};

std::vector<__half> random_halves(std::size_t count, float scale, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<__half> values(count);
  for (auto& value : values) value = __float2half(normal(generator));
  return values;
}

__half* on_gpu(const std::vector<__half>& values) {
  __half* memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(__half)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(__half), cudaMemcpyHostToDevice));
  return memory;
}

// Two batches: one is trained on while the next is made and copied.
class Loader {
 public:
  Loader(int steps, std::size_t count) : steps_(steps), count_(count) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    nvtxNameCudaStreamA(stream_, "copies");
    for (auto& slot : slots_) {
      CHECK(cudaMallocHost(&slot.host, count * sizeof(__half)));
      CHECK(cudaMalloc(&slot.device, count * sizeof(__half)));
      CHECK(cudaEventCreateWithFlags(&slot.copied, cudaEventDisableTiming));
    }
    thread_ = std::thread([this] { run(); });
  }
  ~Loader() {
    thread_.join();
    for (auto& slot : slots_) {
      CHECK(cudaEventDestroy(slot.copied));
      CHECK(cudaFree(slot.device));
      CHECK(cudaFreeHost(slot.host));
    }
    CHECK(cudaStreamDestroy(stream_));
  }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The batch of this step; `stream` goes on when it has arrived.
  const __half* take(int step, cudaStream_t stream) {
    Slot& slot = slots_[static_cast<std::size_t>(step % 2)];
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return slot.step == step; });
    CHECK(cudaStreamWaitEvent(stream, slot.copied, 0));
    return slot.device;
  }
  // Call when the GPU is done with it.
  void release(int step) {
    const std::scoped_lock lock(mutex_);
    slots_[static_cast<std::size_t>(step % 2)].step = -1;
    changed_.notify_all();
  }

 private:
  struct Slot {
    __half* host = nullptr;
    __half* device = nullptr;
    cudaEvent_t copied = nullptr;
    int step = -1;  // -1: free
  };

  void run() {
    nvtxNameOsThreadA(static_cast<std::uint32_t>(gettid()), "loader");
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("data");
    const auto features = random_halves(count_ + static_cast<std::size_t>(steps_), 1.0f, 3);
    for (int step = 0; step < steps_; ++step) {
      Slot& slot = slots_[static_cast<std::size_t>(step % 2)];
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return slot.step < 0; });
      }
      {
        const Range range(domain, "make batch", 0xe69f00);
        std::memcpy(slot.host, features.data() + step, count_ * sizeof(__half));
      }
      const Range range(domain, "copy batch", 0x56b4e9);
      CHECK(cudaMemcpyAsync(slot.device, slot.host, count_ * sizeof(__half), cudaMemcpyHostToDevice,
                            stream_));
      CHECK(cudaEventRecord(slot.copied, stream_));
      const std::scoped_lock lock(mutex_);
      slot.step = step;
      changed_.notify_all();
    }
  }

  int steps_;
  std::size_t count_;
  cudaStream_t stream_ = nullptr;
  std::array<Slot, 2> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

// A state of the layer has three dimensions, what is added and summed up four.
template <std::size_t N>
cudnnTensorDescriptor_t tensor(const int (&sizes)[N]) {
  cudnnTensorDescriptor_t made;
  CHECK(cudnnCreateTensorDescriptor(&made));
  int strides[N] = {};
  int stride = 1;
  for (std::size_t i = N; i-- > 0; stride *= sizes[i]) strides[i] = stride;
  CHECK(cudnnSetTensorNdDescriptor(made, CUDNN_DATA_HALF, static_cast<int>(N), sizes, strides));
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  int steps = 8, batch = 36;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--steps") == 0) steps = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--batch") == 0) batch = std::atoi(argv[i + 1]);
  }
  nvtxNameOsThreadA(static_cast<std::uint32_t>(gettid()), "training");
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("model");
  cudnnHandle_t handle;
  CHECK(cudnnCreate(&handle));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  nvtxNameCudaStreamA(stream, "training");
  CHECK(cudnnSetStream(handle, stream));

  cudnnDropoutDescriptor_t dropout;
  CHECK(cudnnCreateDropoutDescriptor(&dropout));
  std::size_t state_bytes = 0;
  void* states = nullptr;
  CHECK(cudnnDropoutGetStatesSize(handle, &state_bytes));
  CHECK(cudaMalloc(&states, state_bytes));
  CHECK(cudnnSetDropoutDescriptor(dropout, handle, 0.0f, states, state_bytes, 1));
  cudnnRNNDescriptor_t rnn;
  CHECK(cudnnCreateRNNDescriptor(&rnn));
  CHECK(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_PERSIST_STATIC, CUDNN_LSTM,
                                 CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
                                 CUDNN_DATA_HALF, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH, units,
                                 units, units, 1, dropout, CUDNN_RNN_PADDED_IO_DISABLED));
  const std::vector<std::int32_t> lengths(static_cast<std::size_t>(batch), length);
  cudnnRNNDataDescriptor_t data;
  CHECK(cudnnCreateRNNDataDescriptor(&data));
  CHECK(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_HALF, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                  length, batch, units, lengths.data(), nullptr));
  const cudnnTensorDescriptor_t state = tensor({1, batch, units});
  std::size_t weight_bytes = 0, workspace_bytes = 0, reserve_bytes = 0;
  CHECK(cudnnGetRNNWeightSpaceSize(handle, rnn, &weight_bytes));
  CHECK(cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING, data, &workspace_bytes,
                                  &reserve_bytes));
  std::int32_t* device_lengths = nullptr;
  CHECK(cudaMalloc(&device_lengths, lengths.size() * sizeof(std::int32_t)));
  CHECK(cudaMemcpy(device_lengths, lengths.data(), lengths.size() * sizeof(std::int32_t),
                   cudaMemcpyHostToDevice));

  const std::size_t count = static_cast<std::size_t>(length) * static_cast<std::size_t>(batch) *
                            static_cast<std::size_t>(units);
  const std::size_t bytes = count * sizeof(__half);
  const std::size_t weight_count = weight_bytes / sizeof(__half);
  __half* weights = on_gpu(random_halves(weight_count, 0.03f, 1));
  const __half* target = on_gpu(random_halves(count, 0.1f, 2));
  const cudnnTensorDescriptor_t outputs = tensor({1, length, batch, units});
  const cudnnTensorDescriptor_t all_weights = tensor({1, 1, 1, static_cast<int>(weight_count)});

  // The loss of a step is read by the host, as training loops do.
  cudnnReduceTensorDescriptor_t norm;
  CHECK(cudnnCreateReduceTensorDescriptor(&norm));
  CHECK(cudnnSetReduceTensorDescriptor(norm, CUDNN_REDUCE_TENSOR_NORM2, CUDNN_DATA_FLOAT,
                                       CUDNN_NOT_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_NO_INDICES,
                                       CUDNN_32BIT_INDICES));
  const cudnnTensorDescriptor_t one = tensor({1, 1, 1, 1});
  std::size_t norm_bytes = 0;
  CHECK(cudnnGetReductionWorkspaceSize(handle, norm, outputs, one, &norm_bytes));
  void *norm_workspace = nullptr, *distance = nullptr;
  CHECK(cudaMalloc(&norm_workspace, norm_bytes + 1));
  CHECK(cudaMalloc(&distance, sizeof(__half)));

  Loader loader(steps, count);
  for (int step = 0; step < steps; ++step) {
    const Range whole(domain, "step", 0x5f6875);
    const __half* x = loader.take(step, stream);
    // Memory of this step alone, from the stream's pool.
    void *y = nullptr, *dy = nullptr, *dx = nullptr, *dw = nullptr, *workspace = nullptr,
         *reserve = nullptr;
    CHECK(cudaMallocAsync(&y, bytes, stream));
    CHECK(cudaMallocAsync(&reserve, reserve_bytes, stream));
    CHECK(cudaMallocAsync(&workspace, workspace_bytes, stream));
    {
      const Range range(domain, "forward", 0x009e73);
      CHECK(cudnnRNNForward(handle, rnn, CUDNN_FWD_MODE_TRAINING, device_lengths, data, x, data, y,
                            state, nullptr, nullptr, state, nullptr, nullptr, weight_bytes, weights,
                            workspace_bytes, workspace, reserve_bytes, reserve));
    }
    {
      const Range range(domain, "loss", 0xd55e00);
      // The gradient of half the squared distance is the distance itself.
      const float minus = -0.01f, scale = 0.01f;
      CHECK(cudaMallocAsync(&dy, bytes, stream));
      CHECK(cudaMemcpyAsync(dy, y, bytes, cudaMemcpyDeviceToDevice, stream));
      CHECK(cudnnAddTensor(handle, &minus, outputs, target, &scale, outputs, dy));
      const float whole_norm = 1, nothing = 0;
      CHECK(cudnnReduceTensor(handle, norm, nullptr, 0, norm_workspace, norm_bytes, &whole_norm,
                              outputs, dy, &nothing, one, distance));
    }
    {
      const Range range(domain, "backward", 0xcc79a7);
      CHECK(cudaMallocAsync(&dx, bytes, stream));
      CHECK(cudaMallocAsync(&dw, weight_bytes, stream));
      CHECK(cudnnRNNBackwardData_v8(handle, rnn, device_lengths, data, y, dy, data, dx, state,
                                    nullptr, nullptr, nullptr, state, nullptr, nullptr, nullptr,
                                    weight_bytes, weights, workspace_bytes, workspace,
                                    reserve_bytes, reserve));
      CHECK(cudaMemsetAsync(dw, 0, weight_bytes, stream));
      CHECK(cudnnRNNBackwardWeights_v8(handle, rnn, CUDNN_WGRAD_MODE_ADD, device_lengths, data, x,
                                       state, nullptr, data, y, weight_bytes, dw, workspace_bytes,
                                       workspace, reserve_bytes, reserve));
    }
    {
      const Range range(domain, "update", 0x0072b2);
      const float rate = -0.05f, keep = 1;
      CHECK(cudnnAddTensor(handle, &rate, all_weights, dw, &keep, all_weights, weights));
    }
    for (void* memory : {dx, dw, dy, workspace, reserve, y}) CHECK(cudaFreeAsync(memory, stream));
    __half value;
    CHECK(cudaMemcpyAsync(&value, distance, sizeof(value), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    loader.release(step);
    std::printf("step %d loss %.9g\n", step, __half2float(value));
  }
  return 0;
}
