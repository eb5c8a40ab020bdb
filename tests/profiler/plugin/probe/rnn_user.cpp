// A library that is linked to cuDNN, as a framework's extension module is.
#include <thread>

#include "tests/profiler/plugin/probe/cudnn_table.h"

extern "C" __attribute__((visibility("default"))) void rnn_user_table(Cudnn* table) {
#define PROBE_TAKE(name) table->name = &::name;
  PROBE_CUDNN(PROBE_TAKE)
#if RNN_USER_CUDNN >= 9
  PROBE_CUDNN_9(PROBE_TAKE)
#endif
#undef PROBE_TAKE
}

// By the procedure linkage table, with this library as the caller.
extern "C" __attribute__((visibility("default"))) cudnnStatus_t
rnn_user_build(cudnnRNNDescriptor_t rnn, int batch) {
  return cudnnBuildRNNDynamic(nullptr, rnn, batch);
}

extern "C" __attribute__((visibility("default"))) cudnnStatus_t
rnn_user_forward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x,
                 cudnnTensorDescriptor_t h) {
  return cudnnRNNForward(handle, rnn, CUDNN_FWD_MODE_INFERENCE, nullptr, x, nullptr, x, nullptr, h,
                         nullptr, nullptr, h, nullptr, nullptr, 0, nullptr, 0, nullptr, 0, nullptr);
}

extern "C" __attribute__((visibility("default"))) cudnnStatus_t
rnn_user_forward_on_a_thread(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                             cudnnRNNDataDescriptor_t x, cudnnTensorDescriptor_t h) {
  cudnnStatus_t status{};
  std::thread([&] { status = rnn_user_forward(handle, rnn, x, h); }).join();
  return status;
}
