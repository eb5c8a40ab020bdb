#include "tests/profiler/plugin/probe/probe.h"

namespace probe {

std::map<std::string, Mode>& modes() {
  static std::map<std::string, Mode> all;
  return all;
}

static Cudnn chosen() {
  const char* told = std::getenv("PROBE_THROUGH");
  const std::string through = told == nullptr ? "linked" : told;
  Cudnn table;
#ifdef PROBE_LINKED
  if (through == "linked") {
#define PROBE_TAKE(name) table.name = &::name;
    PROBE_CUDNN(PROBE_TAKE)
    PROBE_CUDNN_9(PROBE_TAKE)
#undef PROBE_TAKE
    return table;
  }
#endif
  if (through == "handle") {
    const char* other = std::getenv("PROBE_CUDNN_FILE");
    void* handle = dlopen(other != nullptr ? other : PROBE_CUDNN_FILE, RTLD_NOW | RTLD_LOCAL);
    PROBE_CHECK(handle != nullptr);
    return looked_up(handle);
  }
  if (through == "user") {
    void* handle = dlopen(PROBE_USER_FILE, RTLD_NOW | RTLD_LOCAL);
    PROBE_CHECK(handle != nullptr);
    reinterpret_cast<void (*)(Cudnn*)>(dlsym(handle, "rnn_user_table"))(&table);
    return table;
  }
  std::fprintf(stderr, "PROBE_THROUGH=%s: this probe does not know it\n", through.c_str());
  std::_Exit(71);
}

const Cudnn& cudnn() {
  static const Cudnn table = chosen();
  return table;
}

void load_cuda() {
  PROBE_CHECK(dlopen(PROBE_CUDA_FILE, RTLD_NOW | RTLD_GLOBAL) != nullptr);
  if (std::getenv("PROBE_CUPTI") != nullptr)
    PROBE_CHECK(dlopen(PROBE_CUPTI_FILE, RTLD_NOW | RTLD_LOCAL) != nullptr);
  standin<int(unsigned)>("libcuda.so.1", "cuInit")(0);
  standin<void(int)>("libcuda.so.1", "standin_new_context")(0);
}

Rnn::Rnn(const Cudnn& functions, std::int32_t hidden, std::int32_t batch) : table(functions) {
  // The real library creates a handle only where there is a GPU.
  if (table.cudnnGetVersion() % 100 == 77)
    PROBE_CHECK(table.cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(table.cudnnCreateRNNDescriptor(&rnn) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(table.cudnnCreateRNNDataDescriptor(&x) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(table.cudnnCreateRNNDataDescriptor(&y) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(table.cudnnCreateTensorDescriptor(&h) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(table.cudnnCreateTensorDescriptor(&c) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(table.cudnnCreateDropoutDescriptor(&dropout) == CUDNN_STATUS_SUCCESS);
  set(hidden);
  set_data(10, std::vector<int>(static_cast<std::size_t>(batch), 10));
  const int sizes[3] = {1, batch, hidden}, strides[3] = {batch * hidden, hidden, 1};
  for (auto* descriptor : {h, c})
    PROBE_CHECK(table.cudnnSetTensorNdDescriptor(descriptor, CUDNN_DATA_FLOAT, 3, sizes, strides) ==
                CUDNN_STATUS_SUCCESS);
}

void Rnn::set(std::int32_t hidden) {
  PROBE_CHECK(table.cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM,
                                             CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL,
                                             CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                             CUDNN_DEFAULT_MATH, 32, hidden, hidden, 1, nullptr,
                                             CUDNN_RNN_PADDED_IO_ENABLED) == CUDNN_STATUS_SUCCESS);
}

void Rnn::set_data(std::int32_t steps, const std::vector<int>& lengths, std::int32_t size) {
  float fill = 0;
  for (auto* descriptor : {x, y})
    PROBE_CHECK(table.cudnnSetRNNDataDescriptor(descriptor, CUDNN_DATA_FLOAT,
                                                CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, steps,
                                                static_cast<int>(lengths.size()), size,
                                                lengths.data(), &fill) == CUDNN_STATUS_SUCCESS);
}

static void* const somewhere = reinterpret_cast<void*>(0x10000);

cudnnStatus_t Rnn::forward(bool training) const {
  return table.cudnnRNNForward(handle, rnn,
                               training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE,
                               nullptr, x, somewhere, y, somewhere, h, nullptr, nullptr, c, nullptr,
                               nullptr, 1000, somewhere, 2000, somewhere, 3000, somewhere);
}
cudnnStatus_t Rnn::backward_data() const {
  return table.cudnnRNNBackwardData_v8(handle, rnn, nullptr, y, somewhere, somewhere, x, somewhere,
                                       h, nullptr, nullptr, nullptr, c, nullptr, nullptr, nullptr,
                                       1000, somewhere, 2000, somewhere, 3000, somewhere);
}
cudnnStatus_t Rnn::backward_weights() const {
  return table.cudnnRNNBackwardWeights_v8(handle, rnn, CUDNN_WGRAD_MODE_ADD, nullptr, x, somewhere,
                                          h, nullptr, y, somewhere, 1000, somewhere, 2000,
                                          somewhere, 3000, somewhere);
}

}  // namespace probe

int main(int count, char** words) {
  probe::Arguments arguments(words + 1, words + count);
  if (arguments.empty() || !probe::modes().contains(arguments[0])) {
    std::fprintf(stderr, "no such mode\n");
    return 72;
  }
  return probe::modes()[arguments[0]](arguments);
}
