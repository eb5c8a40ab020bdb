// What the program calls in place of cuDNN's RNN functions. One set of hooks per cuDNN library in
// the process, because a hook that was found by name must go on to the library it was found in.
#include <string.h>

#include <atomic>

#include "profiler/plugin/call_site.h"
#include "profiler/plugin/capture.h"
#include "profiler/plugin/cupti.h"
#include "profiler/plugin/cupti_hooks.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/events.h"
#include "profiler/plugin/frameworks.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/profiler_hooks.h"
#include "profiler/plugin/symbols.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace rnnadvisor::plugin {

namespace {

using spool::Entry;
using spool::Pointer;

std::atomic<std::uint64_t> next_call{0};

void count(Entry entry) {
  writer().header().entries[static_cast<std::size_t>(entry)].fetch_add(1,
                                                                       std::memory_order_relaxed);
}

std::uint32_t reason_of(cudnnStatus_t status) {
  const char* text = reason();
  return status == CUDNN_STATUS_SUCCESS || *text == 0 ? 0 : writer().intern(text);
}

CUstream stream_of(const CudnnLibrary& library, cudnnHandle_t handle) {
  cudaStream_t stream = nullptr;
  if (library.cudnnGetStream != nullptr && handle != nullptr)
    library.cudnnGetStream(handle, &stream);
  return stream;
}

void note_capture(CUstream stream, spool::Call& call) {
  const Driver* d = driver();
  if (d == nullptr) return;
  CUstreamCaptureStatus status{};
  if (d->cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
      status == CU_STREAM_CAPTURE_STATUS_NONE)
    return;
  call.flags |= spool::call_captured_in_graph;
  cuuint64_t id = 0;
  if (d->cuStreamGetCaptureInfo != nullptr &&
      d->cuStreamGetCaptureInfo(stream, &status, &id) == CUDA_SUCCESS)
    call.capture_id = id;
}

// A call that runs something. Everything is read after the call has returned, so that its kernels
// are on their way while we look.
template <typename Run>
cudnnStatus_t execute(CudnnLibrary& library, Entry entry, const Arguments& arguments, Run run) {
  const Scope scope;
  if (!scope.outermost() || !ready()) return run();
  introduce(library);
  describe_frameworks();
  count(entry);
  writer().header().calls.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t id = next_call.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool inside = in_range();
  if (inside) expect_call();
  const CUstream stream = inside ? stream_of(library, arguments.handle) : nullptr;
  const bool traced = inside && mode() != spool::Mode::calls && cupti_begin(id);
  const int timed = inside && !traced ? events_begin(stream) : -1;

  spool::Call call{};
  forget_reason();
  call.start_ns = now_ns();
  const cudnnStatus_t status = run();
  call.end_ns = now_ns();

  if (!inside) return status;
  const std::uint32_t configuration = configuration_of(library, arguments);
  const bool keep = admit_call(configuration, entry == Entry::forward);
  if (traced) cupti_end(stream, keep);
  events_end(timed, keep ? id : 0);
  if (!keep) return status;
  call.id = id;
  call.entry = entry;
  call.configuration = configuration;
  call.status = status;
  call.reason = reason_of(status);
  call.thread = thread_id();
  call.device = current_device();
  call.stream = reinterpret_cast<std::uintptr_t>(stream);
  call.handle = reinterpret_cast<std::uintptr_t>(arguments.handle);
  if (timed >= 0) call.flags |= spool::call_timed;
  note_capture(stream, call);
  describe(library, arguments, call);
  call.call_site = call_site(configuration);
  writer().add(call, spool::Loss::calls);
  if (timed >= 0) events_collect(false);
  return status;
}

// A call that only describes: kept when it is refused.
template <typename Run>
cudnnStatus_t setup(CudnnLibrary& library, Entry entry, const Arguments& arguments, bool always,
                    Run run) {
  const Scope scope;
  if (!scope.outermost() || !ready()) return run();
  introduce(library);
  count(entry);
  forget_reason();
  const std::int64_t start = now_ns();
  const cudnnStatus_t status = run();
  if (status == CUDNN_STATUS_SUCCESS && !always) return status;
  spool::Call call{};
  call.id = next_call.fetch_add(1, std::memory_order_relaxed) + 1;
  call.start_ns = start;
  call.end_ns = now_ns();
  call.entry = entry;
  call.status = status;
  call.reason = reason_of(status);
  if (arguments.rnn != nullptr && entry != Entry::set_rnn_descriptor)
    call.configuration = configuration_of(library, arguments);
  call.thread = thread_id();
  call.device = current_device();
  describe(library, arguments, call);
  call.call_site = call_site(call.configuration);
  writer().add(call, spool::Loss::calls);
  return status;
}

// A call that fills a descriptor. Refused, its values are in no descriptor: what was asked for is
// written from the arguments.
template <typename Run>
cudnnStatus_t describing(CudnnLibrary& library, Entry entry, spool::Configuration asked,
                         std::uint32_t known, Run run) {
  const Scope scope;
  if (!scope.outermost() || !ready()) return run();
  introduce(library);
  count(entry);
  forget_reason();
  const std::int64_t start = now_ns();
  const cudnnStatus_t status = run();
  if (status == CUDNN_STATUS_SUCCESS) return status;
  asked.known = known;
  spool::Call call{};
  call.id = next_call.fetch_add(1, std::memory_order_relaxed) + 1;
  call.start_ns = start;
  call.end_ns = now_ns();
  call.entry = entry;
  call.configuration = write_configuration(asked);
  call.status = status;
  call.reason = reason_of(status);
  call.thread = thread_id();
  call.device = current_device();
  memset(call.alignment, 255, sizeof call.alignment);
  call.library = library.index;
  call.call_site = call_site(call.configuration);
  writer().add(call, spool::Loss::calls);
  return status;
}

template <int Slot>
struct Hooks {
  static CudnnLibrary& library() { return *library_at(Slot); }

  static cudnnStatus_t cudnnSetRNNDescriptor_v8(
      cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
      cudnnDirectionMode_t direction, cudnnRNNInputMode_t input_mode, cudnnDataType_t data,
      cudnnDataType_t math, cudnnMathType_t type, std::int32_t input, std::int32_t hidden,
      std::int32_t projection, std::int32_t layers, cudnnDropoutDescriptor_t dropout,
      std::uint32_t flags) {
    auto& l = library();
    const auto run = [&] {
      return l.cudnnSetRNNDescriptor_v8(rnn, algo, cell, bias, direction, input_mode, data, math,
                                        type, input, hidden, projection, layers, dropout, flags);
    };
    spool::Configuration asked{};
    asked.algo = algo;
    asked.cell = cell;
    asked.bias = bias;
    asked.direction = direction;
    asked.input_mode = input_mode;
    asked.data_type = data;
    asked.math_precision = math;
    asked.math_type = type;
    asked.input_size = input;
    asked.hidden_size = hidden;
    asked.projection_size = projection;
    asked.layers = layers;
    asked.aux_flags = flags;
    return describing(l, Entry::set_rnn_descriptor, asked, spool::known_descriptor, run);
  }

  static cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data,
                                                 cudnnDataType_t type, cudnnRNNDataLayout_t layout,
                                                 int steps, int batch, int size, const int* lengths,
                                                 void* fill) {
    auto& l = library();
    spool::Configuration asked{};
    asked.x_data_type = type;
    asked.layout = layout;
    asked.max_seq_length = steps;
    asked.batch = batch;
    asked.vector_size = size;
    return describing(l, Entry::set_rnn_data_descriptor, asked, spool::known_data, [&] {
      return l.cudnnSetRNNDataDescriptor(data, type, layout, steps, batch, size, lengths, fill);
    });
  }

  static cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                 cudnnForwardMode_t mode,
                                                 cudnnRNNDataDescriptor_t x, std::size_t* workspace,
                                                 std::size_t* reserve) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    a.x = x;
    a.training = mode == CUDNN_FWD_MODE_TRAINING;
    return setup(l, Entry::get_temp_space_sizes, a, false, [&] {
      return l.cudnnGetRNNTempSpaceSizes(handle, rnn, mode, x, workspace, reserve);
    });
  }

  static cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                            int batch) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    return setup(l, Entry::build_dynamic, a, true,
                 [&] { return l.cudnnBuildRNNDynamic(handle, rnn, batch); });
  }

  static cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t rnn, cudnnRNNClipMode_t clip,
                                          cudnnNanPropagation_t nan, double low, double high) {
    auto& l = library();
    Arguments a;
    a.rnn = rnn;
    return setup(l, Entry::set_clip, a, false,
                 [&] { return l.cudnnRNNSetClip_v8(rnn, clip, nan, low, high); });
  }

  static cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t rnn, cudnnRNNClipMode_t clip,
                                          double low, double high) {
    auto& l = library();
    Arguments a;
    a.rnn = rnn;
    return setup(l, Entry::set_clip, a, false,
                 [&] { return l.cudnnRNNSetClip_v9(rnn, clip, low, high); });
  }

  static cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                       cudnnForwardMode_t mode, const std::int32_t* lengths,
                                       cudnnRNNDataDescriptor_t x_desc, const void* x,
                                       cudnnRNNDataDescriptor_t y_desc, void* y,
                                       cudnnTensorDescriptor_t h_desc, const void* hx, void* hy,
                                       cudnnTensorDescriptor_t c_desc, const void* cx, void* cy,
                                       std::size_t weight_bytes, const void* weights,
                                       std::size_t workspace_bytes, void* workspace,
                                       std::size_t reserve_bytes, void* reserve) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    a.x = x_desc;
    a.y = y_desc;
    a.h = h_desc;
    a.c = c_desc;
    a.training = mode == CUDNN_FWD_MODE_TRAINING;
    a.dev_lengths = lengths != nullptr;
    a.weight_bytes = weight_bytes;
    a.workspace_bytes = workspace_bytes;
    a.reserve_bytes = reserve_bytes;
    a.at(Pointer::x) = x;
    a.at(Pointer::y) = y;
    a.at(Pointer::hx) = hx;
    a.at(Pointer::hy) = hy;
    a.at(Pointer::cx) = cx;
    a.at(Pointer::cy) = cy;
    a.at(Pointer::weights) = weights;
    a.at(Pointer::workspace) = workspace;
    a.at(Pointer::reserve) = reserve;
    return execute(l, Entry::forward, a, [&] {
      return l.cudnnRNNForward(handle, rnn, mode, lengths, x_desc, x, y_desc, y, h_desc, hx, hy,
                               c_desc, cx, cy, weight_bytes, weights, workspace_bytes, workspace,
                               reserve_bytes, reserve);
    });
  }

  static cudnnStatus_t cudnnRNNBackwardData_v8(
      cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const std::int32_t* lengths,
      cudnnRNNDataDescriptor_t y_desc, const void* y, const void* dy,
      cudnnRNNDataDescriptor_t x_desc, void* dx, cudnnTensorDescriptor_t h_desc, const void* hx,
      const void* dhy, void* dhx, cudnnTensorDescriptor_t c_desc, const void* cx, const void* dcy,
      void* dcx, std::size_t weight_bytes, const void* weights, std::size_t workspace_bytes,
      void* workspace, std::size_t reserve_bytes, void* reserve) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    a.x = x_desc;
    a.y = y_desc;
    a.h = h_desc;
    a.c = c_desc;
    a.training = true;
    a.dev_lengths = lengths != nullptr;
    a.weight_bytes = weight_bytes;
    a.workspace_bytes = workspace_bytes;
    a.reserve_bytes = reserve_bytes;
    a.at(Pointer::y) = y;
    a.at(Pointer::dy) = dy;
    a.at(Pointer::dx) = dx;
    a.at(Pointer::hx) = hx;
    a.at(Pointer::hy) = dhy;
    a.at(Pointer::cx) = cx;
    a.at(Pointer::cy) = dcy;
    a.at(Pointer::weights) = weights;
    a.at(Pointer::workspace) = workspace;
    a.at(Pointer::reserve) = reserve;
    return execute(l, Entry::backward_data, a, [&] {
      return l.cudnnRNNBackwardData_v8(handle, rnn, lengths, y_desc, y, dy, x_desc, dx, h_desc, hx,
                                       dhy, dhx, c_desc, cx, dcy, dcx, weight_bytes, weights,
                                       workspace_bytes, workspace, reserve_bytes, reserve);
    });
  }

  static cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                                  cudnnWgradMode_t add, const std::int32_t* lengths,
                                                  cudnnRNNDataDescriptor_t x_desc, const void* x,
                                                  cudnnTensorDescriptor_t h_desc, const void* hx,
                                                  cudnnRNNDataDescriptor_t y_desc, const void* y,
                                                  std::size_t weight_bytes, void* dw,
                                                  std::size_t workspace_bytes, void* workspace,
                                                  std::size_t reserve_bytes, void* reserve) {
    auto& l = library();
    Arguments a;
    a.handle = handle;
    a.rnn = rnn;
    a.x = x_desc;
    a.y = y_desc;
    a.h = h_desc;
    a.training = true;
    a.dev_lengths = lengths != nullptr;
    a.wgrad_set = add == CUDNN_WGRAD_MODE_SET;
    a.weight_bytes = weight_bytes;
    a.workspace_bytes = workspace_bytes;
    a.reserve_bytes = reserve_bytes;
    a.at(Pointer::x) = x;
    a.at(Pointer::y) = y;
    a.at(Pointer::hx) = hx;
    a.at(Pointer::dw) = dw;
    a.at(Pointer::workspace) = workspace;
    a.at(Pointer::reserve) = reserve;
    return execute(l, Entry::backward_weights, a, [&] {
      return l.cudnnRNNBackwardWeights_v8(handle, rnn, add, lengths, x_desc, x, h_desc, hx, y_desc,
                                          y, weight_bytes, dw, workspace_bytes, workspace,
                                          reserve_bytes, reserve);
    });
  }
};

struct Named {
  const char* name;
  void* slots[max_libraries];
};

#define RNNADVISOR_ROW(name)                                                            \
  {#name,                                                                               \
   {reinterpret_cast<void*>(&Hooks<0>::name), reinterpret_cast<void*>(&Hooks<1>::name), \
    reinterpret_cast<void*>(&Hooks<2>::name), reinterpret_cast<void*>(&Hooks<3>::name)}},
const Named named[] = {RNNADVISOR_HOOKED(RNNADVISOR_ROW)};
#undef RNNADVISOR_ROW

const Named* row_of(const char* name) {
  for (const auto& row : named)
    if (strcmp(row.name, name) == 0) return &row;
  return nullptr;
}

// The hook in front of `real`; `real` itself where nothing is recorded or there is no room.
void* hook_in_front(const Named& row, void* real) {
  if (!ready()) return real;
  const auto* library = library_of(real);
  if (library != nullptr) return row.slots[library->index - 1];
  static std::atomic<std::uint32_t> told{0};
  if (told.exchange(generation()) != generation())
    note("cudnn-libraries", "more cuDNN libraries in the process than can be observed");
  return real;
}

}  // namespace

void* hook_for(const char* name, void* real) {
  if (strncmp(name, "cudnn", 5) != 0) {
    void* hook = cupti_hook_for(name, real);
    return hook != nullptr ? hook : profiler_hook_for(name, real);
  }
  const Named* row = row_of(name);
  if (row == nullptr) return nullptr;
  // cuDNN's front library looks up the same names in its parts: `Scope` keeps those from being
  // counted twice.
  return real == nullptr ? row->slots[0] : hook_in_front(*row, real);
}

}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

// What a linked program reaches. Which cuDNN it is linked to depends on who calls: two libraries of
// a process may be linked to two of them. Remembered by the place of the call.
namespace {

struct Known {
  std::atomic<const void*> caller;
  std::atomic<void*> function;
};
constexpr std::size_t known_slots = 1024, most_probes = 32;
Known known[known_slots];

void* function_for(const void* caller, const char* name) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  std::size_t slot = rnnadvisor::spool::hash_bytes(&address, sizeof address) & (known_slots - 1);
  Known* place = nullptr;
  for (std::size_t probes = 0; probes < most_probes; ++probes) {
    auto& here = known[slot];
    const void* there = here.caller.load(std::memory_order_acquire);
    if (there == caller) {
      void* function = here.function.load(std::memory_order_acquire);
      if (function != nullptr) return function;  // else another thread is about to find it
      break;
    }
    if (there == nullptr && here.caller.compare_exchange_strong(there, caller)) {
      place = &here;
      break;
    }
    slot = (slot + 1) & (known_slots - 1);
  }
  void* real = linked_function(caller, name);
  void* function = real == nullptr ? nullptr : hook_in_front(*row_of(name), real);
  if (place != nullptr) place->function.store(function, std::memory_order_release);
  return function;
}

template <typename Function, typename... Arguments>
cudnnStatus_t dispatch(const void* caller, Function*, const char* name, Arguments... arguments) {
  void* function = function_for(caller, name);
  // Nobody there to call, where the loader would have refused the program: said as cuDNN would.
  return function == nullptr ? CUDNN_STATUS_NOT_INITIALIZED
                             : reinterpret_cast<Function*>(function)(arguments...);
}

}  // namespace

#define RNNADVISOR_DISPATCH(name, ...) \
  return dispatch(__builtin_return_address(0), &::name, #name, __VA_ARGS__)

EXPORT cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t a, cudnnRNNAlgo_t b,
                                              cudnnRNNMode_t c, cudnnRNNBiasMode_t d,
                                              cudnnDirectionMode_t e, cudnnRNNInputMode_t f,
                                              cudnnDataType_t g, cudnnDataType_t h,
                                              cudnnMathType_t i, int32_t j, int32_t k, int32_t l,
                                              int32_t m, cudnnDropoutDescriptor_t n, uint32_t o) {
  RNNADVISOR_DISPATCH(cudnnSetRNNDescriptor_v8, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
}
EXPORT cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t a, cudnnDataType_t b,
                                               cudnnRNNDataLayout_t c, int d, int e, int f,
                                               const int g[], void* h) {
  RNNADVISOR_DISPATCH(cudnnSetRNNDataDescriptor, a, b, c, d, e, f, g, h);
}
EXPORT cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t a, cudnnRNNDescriptor_t b,
                                               cudnnForwardMode_t c, cudnnRNNDataDescriptor_t d,
                                               size_t* e, size_t* f) {
  RNNADVISOR_DISPATCH(cudnnGetRNNTempSpaceSizes, a, b, c, d, e, f);
}
EXPORT cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t a, cudnnRNNDescriptor_t b, int c) {
  RNNADVISOR_DISPATCH(cudnnBuildRNNDynamic, a, b, c);
}
EXPORT cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t a, cudnnRNNClipMode_t b,
                                        cudnnNanPropagation_t c, double d, double e) {
  RNNADVISOR_DISPATCH(cudnnRNNSetClip_v8, a, b, c, d, e);
}
EXPORT cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t a, cudnnRNNClipMode_t b, double c,
                                        double d) {
  RNNADVISOR_DISPATCH(cudnnRNNSetClip_v9, a, b, c, d);
}
EXPORT cudnnStatus_t cudnnRNNForward(cudnnHandle_t a, cudnnRNNDescriptor_t b, cudnnForwardMode_t c,
                                     const int32_t d[], cudnnRNNDataDescriptor_t e, const void* f,
                                     cudnnRNNDataDescriptor_t g, void* h, cudnnTensorDescriptor_t i,
                                     const void* j, void* k, cudnnTensorDescriptor_t l,
                                     const void* m, void* n, size_t o, const void* p, size_t q,
                                     void* r, size_t s, void* t) {
  RNNADVISOR_DISPATCH(cudnnRNNForward, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
}
EXPORT cudnnStatus_t cudnnRNNBackwardData_v8(
    cudnnHandle_t a, cudnnRNNDescriptor_t b, const int32_t c[], cudnnRNNDataDescriptor_t d,
    const void* e, const void* f, cudnnRNNDataDescriptor_t g, void* h, cudnnTensorDescriptor_t i,
    const void* j, const void* k, void* l, cudnnTensorDescriptor_t m, const void* n, const void* o,
    void* p, size_t q, const void* r, size_t s, void* t, size_t u, void* v) {
  RNNADVISOR_DISPATCH(cudnnRNNBackwardData_v8, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r,
                      s, t, u, v);
}
EXPORT cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t a, cudnnRNNDescriptor_t b,
                                                cudnnWgradMode_t c, const int32_t d[],
                                                cudnnRNNDataDescriptor_t e, const void* f,
                                                cudnnTensorDescriptor_t g, const void* h,
                                                cudnnRNNDataDescriptor_t i, const void* j, size_t k,
                                                void* l, size_t m, void* n, size_t o, void* p) {
  RNNADVISOR_DISPATCH(cudnnRNNBackwardWeights_v8, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}
