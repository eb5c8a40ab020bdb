// Dropout descriptors and the ends of descriptors: counted, and kept when cuDNN refuses them.
// Programs call them often, and a counter and two looks at the clock are what they pay.
#include "profiler/plugin/cudnn_dispatch.h"
#include "profiler/plugin/cudnn_record.h"

namespace rnnadvisor::plugin {
namespace {

using spool::Entry;

// Nothing is read back: the descriptor may be gone.
const Arguments nothing;

template <int Slot>
struct Hooks {
  static CudnnLibrary& library() { return *library_at(Slot); }

  static cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t dropout,
                                                 cudnnHandle_t handle, float probability,
                                                 void* states, std::size_t bytes,
                                                 unsigned long long seed) {
    auto& l = library();
    return setup(l, Entry::set_dropout, nothing, false, [&] {
      return l.cudnnSetDropoutDescriptor(dropout, handle, probability, states, bytes, seed);
    });
  }
  static cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t dropout,
                                                     cudnnHandle_t handle, float probability,
                                                     void* states, std::size_t bytes,
                                                     unsigned long long seed) {
    auto& l = library();
    return setup(l, Entry::restore_dropout, nothing, false, [&] {
      return l.cudnnRestoreDropoutDescriptor(dropout, handle, probability, states, bytes, seed);
    });
  }
  static cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout) {
    auto& l = library();
    return setup(l, Entry::destroy_dropout, nothing, false,
                 [&] { return l.cudnnDestroyDropoutDescriptor(dropout); });
  }
  static cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t rnn) {
    auto& l = library();
    return setup(l, Entry::destroy_rnn_descriptor, nothing, false,
                 [&] { return l.cudnnDestroyRNNDescriptor(rnn); });
  }
  static cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data) {
    auto& l = library();
    return setup(l, Entry::destroy_rnn_data_descriptor, nothing, false,
                 [&] { return l.cudnnDestroyRNNDataDescriptor(data); });
  }
};

const HookRow rows[] = {RNNADVISOR_DESCRIPTORS(RNNADVISOR_HOOK_ROW)};

}  // namespace

HookRows descriptor_hooks() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

EXPORT cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t a, cudnnHandle_t b, float c,
                                               void* d, size_t e, unsigned long long f) {
  RNNADVISOR_DISPATCH(cudnnSetDropoutDescriptor, a, b, c, d, e, f);
}
EXPORT cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t a, cudnnHandle_t b,
                                                   float c, void* d, size_t e,
                                                   unsigned long long f) {
  RNNADVISOR_DISPATCH(cudnnRestoreDropoutDescriptor, a, b, c, d, e, f);
}
EXPORT cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t a) {
  RNNADVISOR_DISPATCH(cudnnDestroyDropoutDescriptor, a);
}
EXPORT cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t a) {
  RNNADVISOR_DISPATCH(cudnnDestroyRNNDescriptor, a);
}
EXPORT cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t a) {
  RNNADVISOR_DISPATCH(cudnnDestroyRNNDataDescriptor, a);
}
