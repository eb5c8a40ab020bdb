// Programs that train and infer, as frameworks call cuDNN: a new descriptor for each call, sizes
// asked each time, the reserve kept from forward to backward. What they compute is printed, so that
// a run under the plugin can be compared with one without.
#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "tests/profiler/plugin/probe/probe.h"

namespace probe {
namespace {

struct Shape {
  std::int32_t hidden = 128, batch = 4, steps = 16, layers = 1;
  bool unequal = false, misaligned = false, dropout = false, odd_workspace = false;
  float scale = 1, dy_scale = 1;  // of the inputs, and of the gradients of the outputs
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNAlgo_t algo = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t cell = CUDNN_GRU;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  bool bidirectional = false, skips = false, clips = false;
  std::int32_t projection = 0;  // 0: none
  std::int32_t input() const { return skips ? hidden : 8; }
  std::int32_t output() const {
    return (projection > 0 ? projection : hidden) * (bidirectional ? 2 : 1);
  }
};

// Of 64 bytes' alignment, or of 4.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes, bool misaligned = false)
      : all_(new unsigned char[bytes + 128]()), bytes_(bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(all_.get());
    at_ = all_.get() + (64 - address % 64) + (misaligned ? 4 : 0);
  }
  void* get() const { return at_; }
  float* floats() const { return reinterpret_cast<float*>(at_); }
  std::size_t bytes() const { return bytes_; }
  double sum() const {
    double sum = 0;
    for (std::size_t i = 0; i < bytes_ / sizeof(float); ++i)
      sum += static_cast<double>(floats()[i]) * static_cast<double>(i % 5 + 1);
    return sum;
  }
  void fill(unsigned seed, float scale = 1) const {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < bytes_ / sizeof(float); ++i)
      floats()[i] = scale * (static_cast<float>(random() % 2001) / 1000.0F - 1);
  }

 private:
  std::unique_ptr<unsigned char[]> all_;
  unsigned char* at_;
  std::size_t bytes_;
};

// One handle, stream and set of dropout states, as a thread of a framework has.
struct Thread {
  cudnnHandle_t handle = nullptr;
  void* stream = nullptr;
  alignas(64) std::uint64_t states[8] = {};
  Thread() {
    standin<void(int)>("libcuda.so.1", "standin_join_context")(0);
    PROBE_CHECK(cudnn().cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS);
    stream = standin<void*()>("libcuda.so.1", "standin_make_stream")();
    cudnn().cudnnSetStream(handle, static_cast<cudaStream_t>(stream));
  }
};

class Descriptors {
 public:
  Descriptors(Thread& thread, const Shape& shape) {
    const Cudnn& t = cudnn();
    t.cudnnCreateDropoutDescriptor(&dropout_);
    t.cudnnSetDropoutDescriptor(dropout_, thread.handle, shape.dropout ? 0.5F : 0, thread.states,
                                sizeof thread.states, 1);
    t.cudnnCreateRNNDescriptor(&rnn);
    PROBE_CHECK(t.cudnnSetRNNDescriptor_v8(
                    rnn, shape.algo, shape.cell, shape.bias,
                    shape.bidirectional ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL,
                    shape.skips ? CUDNN_SKIP_INPUT : CUDNN_LINEAR_INPUT, shape.type,
                    CUDNN_DATA_FLOAT, shape.math, shape.input(), shape.hidden,
                    shape.projection > 0 ? shape.projection : shape.hidden, shape.layers, dropout_,
                    CUDNN_RNN_PADDED_IO_ENABLED) == CUDNN_STATUS_SUCCESS);
    if (shape.clips)
      PROBE_CHECK(t.cudnnRNNSetClip_v9(rnn, CUDNN_RNN_CLIP_MINMAX, -1, 1) == CUDNN_STATUS_SUCCESS);
    std::vector<int> lengths(static_cast<std::size_t>(shape.batch), shape.steps);
    if (shape.unequal) lengths.back() = 1;
    float fill = 0;
    for (const auto& [descriptor, size] :
         {std::pair(&x, shape.input()), std::pair(&y, shape.output())}) {
      t.cudnnCreateRNNDataDescriptor(descriptor);
      PROBE_CHECK(t.cudnnSetRNNDataDescriptor(*descriptor, shape.type,
                                              CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, shape.steps,
                                              shape.batch, size, lengths.data(),
                                              &fill) == CUDNN_STATUS_SUCCESS);
    }
    t.cudnnCreateTensorDescriptor(&h);
    const int sizes[3] = {shape.layers * (shape.bidirectional ? 2 : 1), shape.batch, shape.hidden};
    const int strides[3] = {shape.batch * shape.hidden, shape.hidden, 1};
    t.cudnnSetTensorNdDescriptor(h, shape.type, 3, sizes, strides);
  }
  ~Descriptors() {
    cudnn().cudnnDestroyRNNDescriptor(rnn);
    cudnn().cudnnDestroyRNNDataDescriptor(x);
    cudnn().cudnnDestroyRNNDataDescriptor(y);
    cudnn().cudnnDestroyDropoutDescriptor(dropout_);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnRNNDataDescriptor_t x = nullptr, y = nullptr;
  cudnnTensorDescriptor_t h = nullptr;

 private:
  cudnnDropoutDescriptor_t dropout_ = nullptr;
};

class Layer;
struct Options {
  Layer* between = nullptr;      // trains between the two backward calls of another
  bool clone = false;            // the reserve, before the backward pass
  int backward = 1;              // passes on one forward pass
  bool natural_reserve = false;  // sizes as they were in another process, without the plugin
  bool natural_workspace = false;
};

// One layer with its weights and their gradients.
class Layer {
 public:
  explicit Layer(const Shape& shape)
      : shape_(shape),
        weights_(static_cast<std::size_t>(shape.hidden) * 8 * sizeof(float)),
        dw_(weights_.bytes()) {
    weights_.fill(7);
  }

  double infer(Thread& thread, unsigned seed) const { return forward(thread, seed, false).y.sum(); }

  // The sums of outputs and gradients.
  std::vector<double> train(Thread& thread, unsigned seed, const Options& options) {
    auto made = forward(thread, seed, true, options);
    std::vector<double> sums = {made.y.sum(), made.hy.sum()};
    for (int pass = 0; pass < options.backward; ++pass) {
      Thread* by = &thread;
      Buffer copy(made.reserve.bytes());
      const bool clone = options.clone || options.backward > 1;
      if (clone) std::memcpy(copy.get(), made.reserve.get(), made.reserve.bytes());
      sums.push_back(backward(*by, made, clone ? copy : made.reserve, options));
    }
    sums.push_back(dw_.sum());
    return sums;
  }
  const Shape& shape() const { return shape_; }
  void scale(float inputs) { shape_.scale = inputs; }
  void misalign() { shape_.misaligned = true; }
  void algorithm(cudnnRNNAlgo_t algo) { shape_.algo = algo; }

 private:
  struct Made {
    Buffer x, y, hx, hy, reserve;
  };
  std::size_t elements(std::int32_t size) const {
    return static_cast<std::size_t>(shape_.steps) * static_cast<std::size_t>(shape_.batch) *
           static_cast<std::size_t>(size);
  }

  Made forward(Thread& thread, unsigned seed, bool training, const Options& options = {}) const {
    const Cudnn& t = cudnn();
    const Descriptors d(thread, shape_);
    const auto mode = training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
    std::size_t workspace = 0, reserve = 0;
    PROBE_CHECK(t.cudnnGetRNNTempSpaceSizes(thread.handle, d.rnn, mode, d.x, &workspace,
                                            &reserve) == CUDNN_STATUS_SUCCESS);
    if (options.natural_reserve && reserve % 2 == 1) reserve = reserve / 4096 * 4096;
    if (options.natural_workspace) workspace = 4096;
    const std::size_t states = static_cast<std::size_t>(shape_.layers) *
                               static_cast<std::size_t>(shape_.bidirectional ? 2 : 1) *
                               static_cast<std::size_t>(shape_.batch) *
                               static_cast<std::size_t>(shape_.hidden) * sizeof(float);
    Made made{Buffer(elements(shape_.input()) * sizeof(float), shape_.misaligned),
              Buffer(elements(shape_.output()) * sizeof(float)), Buffer(states), Buffer(states),
              Buffer(reserve)};
    made.x.fill(seed, shape_.scale);
    made.hx.fill(seed + 1);
    const Buffer space(workspace);
    PROBE_CHECK(t.cudnnRNNForward(thread.handle, d.rnn, mode, nullptr, d.x, made.x.get(), d.y,
                                  made.y.get(), d.h, made.hx.get(), made.hy.get(), d.h, nullptr,
                                  nullptr, weights_.bytes(), weights_.get(), workspace, space.get(),
                                  reserve,
                                  training ? made.reserve.get() : nullptr) == CUDNN_STATUS_SUCCESS);
    return made;
  }

  double backward(Thread& thread, const Made& made, const Buffer& reserve,
                  const Options& options) const {
    const Cudnn& t = cudnn();
    const Descriptors d(thread, shape_);
    std::size_t workspace = 0, unused = 0;
    PROBE_CHECK(t.cudnnGetRNNTempSpaceSizes(thread.handle, d.rnn, CUDNN_FWD_MODE_TRAINING, d.x,
                                            &workspace, &unused) == CUDNN_STATUS_SUCCESS);
    if (options.natural_workspace) workspace = 4096;
    const Buffer space(workspace), dx(made.x.bytes()), dy(made.y.bytes()), dhx(made.hx.bytes());
    dy.fill(11, shape_.dy_scale);
    PROBE_CHECK(t.cudnnRNNBackwardData_v8(thread.handle, d.rnn, nullptr, d.y, made.y.get(),
                                          dy.get(), d.x, dx.get(), d.h, made.hx.get(), nullptr,
                                          dhx.get(), d.h, nullptr, nullptr, nullptr,
                                          weights_.bytes(), weights_.get(), workspace, space.get(),
                                          reserve.bytes(), reserve.get()) == CUDNN_STATUS_SUCCESS);
    if (options.between != nullptr) options.between->train(thread, 1, {});
    PROBE_CHECK(t.cudnnRNNBackwardWeights_v8(
                    thread.handle, d.rnn, CUDNN_WGRAD_MODE_ADD, nullptr, d.x, made.x.get(), d.h,
                    made.hx.get(), d.y, made.y.get(), weights_.bytes(), dw_.get(), workspace,
                    space.get(), reserve.bytes(), reserve.get()) == CUDNN_STATUS_SUCCESS);
    return dx.sum() + dhx.sum();
  }

  Shape shape_;
  Buffer weights_, dw_;
};

void print(const char* what, const std::vector<double>& sums) {
  std::printf("%s", what);
  for (const double sum : sums) std::printf(" %.9g", sum);
  std::printf("\n");
}

void finish() {
  PROBE_CHECK(standin<int()>("libcuda.so.1", "standin_faults")() == 0);
  std::fflush(stdout);
}

std::int32_t number(const std::string& word) { return std::stoi(word.substr(word.find('=') + 1)); }

}  // namespace

// "train 60 hidden=64 batch=8 clone twice unequal misaligned dropout natural-reserve
// lstm bidirectional layers=2 projection=64 no-bias skips clips conversion natural-workspace
// varying fma large-from=30 misaligned-from=30 natural-workspace-from=30 zero-gradients change=1
// changed-hidden=32 small-from=30 other-gpu-from=20 steps=12 between", or "infer 60 …".
PROBE_MODE(accelerate, "accelerate") {
  load_cuda();
  Shape shape, longer;
  Options options;
  bool varying = false, capture = false, late_backward = false, between = false;
  int cycle = 0;        // batches from 64 on, each for a hundred steps
  int large_from = -1;  // inputs of a step and those after it are beyond half's range
  int misaligned_from = -1, natural_workspace_from = -1;
  int small_from = -1;  // another layer with 32 units
  int other_gpu_from = -1;
  // Announced changes: the program itself chooses another algorithm, or another layer.
  int change = -1, changed_hidden = 0;
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    const auto& word = arguments[i];
    if (word.starts_with("hidden=")) shape.hidden = number(word);
    if (word.starts_with("batch=")) shape.batch = number(word);
    if (word == "double") shape.type = CUDNN_DATA_DOUBLE;
    if (word == "lstm") shape.cell = CUDNN_LSTM;
    if (word == "relu") shape.cell = CUDNN_RNN_RELU;
    if (word == "no-bias") shape.bias = CUDNN_RNN_NO_BIAS;
    if (word == "tensor-op") shape.math = CUDNN_TENSOR_OP_MATH;
    if (word == "conversion") shape.math = CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
    if (word.starts_with("layers=")) shape.layers = number(word);
    if (word.starts_with("projection=")) shape.projection = number(word);
    shape.bidirectional |= word == "bidirectional";
    shape.skips |= word == "skips";
    shape.clips |= word == "clips";
    if (word == "zero-gradients") shape.dy_scale = 0;
    if (word == "fma") shape.math = CUDNN_FMA_MATH;
    if (word.starts_with("large-from=")) large_from = number(word);
    if (word.starts_with("misaligned-from=")) misaligned_from = number(word);
    if (word.starts_with("natural-workspace-from=")) natural_workspace_from = number(word);
    if (word.starts_with("small-from=")) small_from = number(word);
    if (word.starts_with("other-gpu-from=")) other_gpu_from = number(word);
    if (word.starts_with("change=")) change = number(word);
    if (word.starts_with("changed-hidden=")) changed_hidden = number(word);
    if (word.starts_with("steps=")) shape.steps = number(word);
    between |= word == "between";
    shape.unequal |= word == "unequal";
    shape.misaligned |= word == "misaligned";
    shape.dropout |= word == "dropout";
    options.clone |= word == "clone";
    if (word == "twice") options.backward = 2;
    if (word == "no-backward") options.backward = 0;
    late_backward |= word == "late-backward";
    options.natural_reserve |= word == "natural-reserve";
    options.natural_workspace |= word == "natural-workspace";
    varying |= word == "varying";
    if (word.starts_with("cycling=")) cycle = number(word);
    capture |= word == "capture";
  }
  Thread thread;
  Layer layer(shape), other_layer(longer);
  if (between) options.between = &other_layer;
  Shape small_shape = shape;
  small_shape.hidden = 32;
  Layer small(small_shape);
  Shape changed_shape = shape;
  if (changed_hidden > 0) changed_shape.hidden = changed_hidden;
  Layer changed_layer(changed_shape);
  const int count = std::stoi(arguments.at(2));
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<unsigned>(i);
    if (i == large_from) layer.scale(1e6F);
    if (i == misaligned_from) layer.misalign();
    if (i == other_gpu_from) standin<void(int)>("libcuda.so.1", "standin_device")(1);
    if (change >= 0) {
      using Ready = void (*)(int);
      using Wanted = int (*)();
      auto* const ready = reinterpret_cast<Ready>(dlsym(RTLD_DEFAULT, "rnnadvisor_change_ready"));
      auto* const wanted =
          reinterpret_cast<Wanted>(dlsym(RTLD_DEFAULT, "rnnadvisor_change_wanted"));
      constexpr int calls_to_prepare = 150;
      if (ready != nullptr && i == 0) ready(-1);
      if (ready != nullptr && i == calls_to_prepare) ready(change);
      const bool now = wanted != nullptr && wanted() != 0;
      if (now && changed_hidden > 0) {
        print("step", changed_layer.train(thread, seed, options));
        continue;
      }
      layer.algorithm(now ? CUDNN_RNN_ALGO_PERSIST_STATIC : CUDNN_RNN_ALGO_STANDARD);
    }
    if (i == natural_workspace_from) options.natural_workspace = true;
    if (late_backward) options.backward = i < 40 ? 0 : 1;
    if (capture) standin<void(void*, int)>("libcuda.so.1", "standin_capture")(thread.stream, i % 2);
    if (cycle > 0) {
      Shape other = shape;
      other.batch = 64 + i * cycle / count;
      Layer one(other);
      print("step", one.train(thread, seed, options));
    } else if (varying) {
      Shape other = shape;
      other.batch = 1 + i % 300;
      Layer one(other);
      print("step", one.train(thread, seed, options));
    } else if (small_from >= 0 && i >= small_from) {
      print("step", small.train(thread, seed, options));
    } else if (arguments.at(1) == "train") {
      print("step", layer.train(thread, seed, options));
    } else {
      print("step", {layer.infer(thread, seed)});
    }
  }
  print("drawn", {static_cast<double>(thread.states[0])});
  finish();
  return 0;
}

// What no order was thought of for: shapes, lengths, threads, streams, handles, clones, captures.
PROBE_MODE(accelerate_random, "accelerate-random") {
  load_cuda();
  const auto seed = static_cast<unsigned>(std::stoul(arguments.at(1)));
  const int count = std::stoi(arguments.at(2));
  const unsigned threads = 1 + seed % 3;
  std::vector<std::vector<std::vector<double>>> sums(threads);
  std::vector<std::thread> running;
  for (unsigned id = 0; id < threads; ++id) {
    running.emplace_back([&, id] {
      std::mt19937 random(seed * 31 + id);
      const auto below = [&](unsigned most) { return static_cast<int>(random() % most); };
      std::vector<std::unique_ptr<Thread>> handles;
      for (int i = 0; i < 2; ++i) handles.push_back(std::make_unique<Thread>());
      std::vector<std::unique_ptr<Layer>> layers;
      for (int i = 0; i < 3; ++i) {
        Shape shape;
        shape.hidden = 32 << below(3);
        shape.batch = 1 + below(9);
        shape.steps = 4 + below(8);
        shape.unequal = below(6) == 0;
        shape.misaligned = below(6) == 0;
        shape.odd_workspace = below(8) == 0;
        layers.push_back(std::make_unique<Layer>(shape));
      }
      for (int i = 0; i < count; ++i) {
        Thread& thread = *handles[random() % handles.size()];
        Layer& layer = *layers[random() % layers.size()];
        Options options;
        options.clone = below(3) == 0;
        options.backward = below(5) == 0 ? 2 : below(7) == 0 ? 0 : 1;
        options.natural_reserve = below(10) == 0;
        options.natural_workspace = layer.shape().odd_workspace;
        // A clone of a reserve whose call did not suit is the one thing that the plugin cannot
        // know.
        if (layer.shape().misaligned || options.natural_workspace) {
          options.clone = false;
          if (options.backward > 1) options.backward = 1;
        }
        const bool capture = below(8) == 0;
        auto* const set = standin<void(void*, int)>("libcuda.so.1", "standin_capture");
        if (capture) set(thread.stream, 1);
        const auto step = static_cast<unsigned>(i);
        sums[id].push_back(below(3) == 0 ? std::vector{layer.infer(thread, step)}
                                         : layer.train(thread, step, options));
        if (capture) set(thread.stream, 0);
      }
    });
  }
  for (auto& one : running) one.join();
  for (const auto& of_thread : sums)
    for (const auto& step : of_thread) print("step", step);
  finish();
  return 0;
}

}  // namespace probe
