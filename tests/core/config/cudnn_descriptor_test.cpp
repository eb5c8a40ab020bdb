// validate() against the real cuDNN: descriptor calls need no GPU, so thousands of random
// configurations are given to cudnnSetRNNDescriptor_v8, cudnnRNNSetClip_v9 and
// cudnnSetRNNDataDescriptor, and their answers compared.
#include <cudnn.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/config/read_config.h"
#include "core/config/validate.h"

namespace rnnadvisor {
namespace {

struct Cudnn {
  void* library = nullptr;
  std::string path;
  decltype(&cudnnGetVersion) get_version = nullptr;
  decltype(&cudnnGetErrorString) get_error_string = nullptr;
  decltype(&cudnnCreateRNNDescriptor) create_rnn = nullptr;
  decltype(&cudnnDestroyRNNDescriptor) destroy_rnn = nullptr;
  decltype(&cudnnSetRNNDescriptor_v8) set_rnn = nullptr;
  decltype(&cudnnRNNSetClip_v9) set_clip = nullptr;
  decltype(&cudnnCreateRNNDataDescriptor) create_data = nullptr;
  decltype(&cudnnDestroyRNNDataDescriptor) destroy_data = nullptr;
  decltype(&cudnnSetRNNDataDescriptor) set_data = nullptr;

  bool whole() const {
    return get_version && get_error_string && create_rnn && destroy_rnn && set_rnn && set_clip &&
           create_data && destroy_data && set_data;
  }
};

Cudnn load() {
  std::vector<std::string> names = {"libcudnn.so.9"};
  std::string folders = RNNADVISOR_CUDNN_FOLDERS;
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    if (end > begin) names.push_back(folders.substr(begin, end - begin) + "/libcudnn.so.9");
    begin = end + 1;
  }
  Cudnn cudnn;
  for (const auto& name : names) {
    cudnn.library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (cudnn.library == nullptr) continue;
    cudnn.path = name;
    const auto find = [&](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(cudnn.library, symbol));
    };
    find(cudnn.get_version, "cudnnGetVersion");
    find(cudnn.get_error_string, "cudnnGetErrorString");
    find(cudnn.create_rnn, "cudnnCreateRNNDescriptor");
    find(cudnn.destroy_rnn, "cudnnDestroyRNNDescriptor");
    find(cudnn.set_rnn, "cudnnSetRNNDescriptor_v8");
    find(cudnn.set_clip, "cudnnRNNSetClip_v9");
    find(cudnn.create_data, "cudnnCreateRNNDataDescriptor");
    find(cudnn.destroy_data, "cudnnDestroyRNNDataDescriptor");
    find(cudnn.set_data, "cudnnSetRNNDataDescriptor");
    break;
  }
  return cudnn;
}

template <class Enum, std::size_t N>
Enum pick(const std::array<Enum, N>& values, auto ours) {
  return values[static_cast<std::size_t>(ours)];
}

// The first status other than success, as a program that makes these calls would meet it.
cudnnStatus_t ask(const Cudnn& cudnn, const RnnConfig& c, cudnnRNNDescriptor_t rnn,
                  cudnnRNNDataDescriptor_t data) {
  constexpr std::array cells = {CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU};
  constexpr std::array algos = {CUDNN_RNN_ALGO_STANDARD, CUDNN_RNN_ALGO_PERSIST_STATIC,
                                CUDNN_RNN_ALGO_PERSIST_DYNAMIC,
                                CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H};
  constexpr std::array directions = {CUDNN_UNIDIRECTIONAL, CUDNN_BIDIRECTIONAL};
  constexpr std::array biases = {CUDNN_RNN_NO_BIAS, CUDNN_RNN_SINGLE_INP_BIAS,
                                 CUDNN_RNN_DOUBLE_BIAS, CUDNN_RNN_SINGLE_REC_BIAS};
  constexpr std::array inputs = {CUDNN_LINEAR_INPUT, CUDNN_SKIP_INPUT};
  constexpr std::array types = {CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF,
                                CUDNN_DATA_BFLOAT16};
  constexpr std::array maths = {CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH,
                                CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, CUDNN_FMA_MATH};
  constexpr std::array layouts = {CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                  CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                                  CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED};
  auto status = cudnn.set_rnn(
      rnn, pick(algos, c.algo), pick(cells, c.cell), pick(biases, c.bias_mode),
      pick(directions, c.direction), pick(inputs, c.input_mode), pick(types, c.data_type),
      pick(types, c.math_precision), pick(maths, c.math_type), c.input_size, c.hidden_size,
      c.proj_size, c.num_layers, nullptr, c.padded_io ? CUDNN_RNN_PADDED_IO_ENABLED : 0U);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (c.clip_mode == ClipMode::minmax) {
    status = cudnn.set_clip(rnn, CUDNN_RNN_CLIP_MINMAX, c.clip_left, c.clip_right);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  std::vector<int> lengths = c.seq_lengths;
  if (lengths.empty())
    lengths.assign(static_cast<std::size_t>(std::max(c.batch_size, 1)), c.seq_length);
  return cudnn.set_data(data, pick(types, c.data_type), pick(layouts, c.layout), c.seq_length,
                        c.batch_size, c.input_size, lengths.data(), nullptr);
}

// Mostly legal values, so that a configuration has few reasons to be refused and each can be told.
class RandomConfigs {
 public:
  RnnConfig next() {
    RnnConfig c;
    c.cell = choose({Cell::lstm, Cell::lstm, Cell::gru, Cell::rnn_relu, Cell::rnn_tanh});
    c.algo = choose({Algo::standard, Algo::standard, Algo::persist_static, Algo::persist_dynamic,
                     Algo::persist_static_small_h});
    c.direction = choose({Direction::unidirectional, Direction::bidirectional});
    if (rarely())
      c.bias_mode =
          choose({BiasMode::no_bias, BiasMode::single_inp_bias, BiasMode::single_rec_bias});
    if (rarely()) c.input_mode = InputMode::skip_input;
    const std::initializer_list<DataType> types = {DataType::float32, DataType::half,
                                                   DataType::bfloat16, DataType::float64};
    c.data_type = choose(types);
    c.math_precision = rarely() ? choose(types) : natural_math_precision(c.data_type);
    c.math_type = choose({MathType::default_math, MathType::tensor_op,
                          MathType::tensor_op_allow_conversion, MathType::fma});
    const std::initializer_list<int> sizes = {1, 7, 32, 100, 192, 512, 1024, 1537, 4096, 65536};
    c.input_size = rarely() ? choose({0, -1, std::numeric_limits<int>::min()}) : choose(sizes);
    c.hidden_size = rarely() ? choose({0, -7}) : choose(sizes);
    c.proj_size = c.hidden_size;
    if (rarely())
      c.proj_size = choose({0, -1, 1, c.hidden_size - 1, c.hidden_size + 1, c.hidden_size / 2});
    c.num_layers = rarely() ? choose({0, -1}) : choose({1, 1, 2, 4, 12});
    if (rarely()) c.dropout = 0.5;
    if (rarely()) {
      c.clip_mode = ClipMode::minmax;
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      const std::initializer_list<double> bounds = {-1.0, 0.0, 1.0, -5.5, 5.5, 1e30, nan};
      c.clip_left = choose(bounds);
      c.clip_right = choose(bounds);
    }
    c.layout = choose(
        {Layout::seq_major_unpacked, Layout::seq_major_packed, Layout::batch_major_unpacked});
    c.padded_io = choose({true, false});
    c.seq_length = rarely() ? choose({0, -1, 65536, 100000}) : choose({1, 2, 10, 128, 65535});
    c.batch_size = rarely() ? choose({0, -1}) : choose({1, 3, 8, 64});
    if (choose({true, false}) && c.batch_size > 0 && c.seq_length > 0) {
      const int most = std::min(c.seq_length, 300);
      for (int i = 0; i < c.batch_size; ++i)
        c.seq_lengths.push_back(rarely() ? 0 : 1 + number(most));
      if (!rarely()) std::sort(c.seq_lengths.rbegin(), c.seq_lengths.rend());
      if (!rarely()) c.seq_lengths.front() = c.seq_length;
      if (rarely()) c.seq_lengths.back() = choose({-1, c.seq_length + 1, 0});
    }
    return c;
  }

 private:
  int number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  bool rarely() { return number(12) == 0; }
  template <class T>
  T choose(std::initializer_list<T> values) {
    return values.begin()[static_cast<std::size_t>(number(static_cast<int>(values.size())))];
  }

  std::mt19937 random_{20240601};
};

TEST(CudnnDescriptors, AnswerAsValidateSays) {
  const Cudnn cudnn = load();
  if (cudnn.library == nullptr) {
    GTEST_SKIP()
        << "libcudnn.so.9 was found neither on the loader's path nor in " RNNADVISOR_CUDNN_FOLDERS
        << ": validate() is NOT compared with a real cuDNN";
  }
  ASSERT_TRUE(cudnn.whole()) << cudnn.path << " lacks a function this test calls";
  std::cout << "cuDNN " << cudnn.get_version() << " from " << cudnn.path << "\n";

  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnRNNDataDescriptor_t data = nullptr;
  ASSERT_EQ(cudnn.create_data(&data), CUDNN_STATUS_SUCCESS);
  RandomConfigs configs;
  int accepted = 0;
  std::map<std::string, int> refused_for;
  for (int i = 0; i < 8000; ++i) {
    const RnnConfig config = configs.next();
    // A fresh descriptor: clipping set for one configuration would stay for the next.
    ASSERT_EQ(cudnn.create_rnn(&rnn), CUDNN_STATUS_SUCCESS);
    const auto status = ask(cudnn, config, rnn, data);
    cudnn.destroy_rnn(rnn);
    std::vector<std::string> expected;
    std::string reasons;
    for (const auto& violation : validate(config)) {
      if (violation.enforcement != Enforcement::rejected_by_set_descriptor) continue;
      expected.push_back(violation.status);
      reasons += violation.message + "; ";
      if (status != CUDNN_STATUS_SUCCESS) ++refused_for[violation.id];
    }
    EXPECT_EQ(rejected_by_set_descriptor(config), !expected.empty());
    const std::string answer = cudnn.get_error_string(status);
    if (expected.empty()) {
      EXPECT_EQ(answer, "CUDNN_STATUS_SUCCESS") << to_json_line(config);
      ++accepted;
    } else {
      EXPECT_NE(std::find(expected.begin(), expected.end(), answer), expected.end())
          << "cuDNN answered " << answer << " to " << to_json_line(config)
          << ", but validate() says: " << reasons;
    }
    if (testing::Test::HasFailure()) break;
  }
  cudnn.destroy_data(data);
  EXPECT_GT(accepted, 1000);
  // Every constraint that says so was really met with a refusal.
  for (const char* id : {"input-size-min",
                         "hidden-size-min",
                         "proj-size-min",
                         "num-layers-min",
                         "seq-length-min",
                         "batch-size-min",
                         "seq-length-max",
                         "math-precision",
                         "persist-double",
                         "persist-half-math",
                         "persist-double-bias",
                         "persist-no-projection",
                         "proj-size-max",
                         "proj-lstm-only",
                         "clip-order",
                         "clip-nan",
                         "seq-lengths-range",
                         "packed-sorted",
                         "packed-no-zero-length",
                         "packed-longest"}) {
    EXPECT_GT(refused_for[id], 0) << id;
  }
}

}  // namespace
}  // namespace rnnadvisor
