// A library that is linked to cuDNN, as a framework's extension module is.
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
