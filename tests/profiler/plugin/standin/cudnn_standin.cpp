// A stand-in for libcudnn: descriptors hold what was set and give it back, execution functions
// start one piece of work on the stand-in for libcuda where that is in the process, and refusals
// reach the log callback as in cuDNN 9.19. STANDIN_VERSION is what cudnnGetVersion answers;
// below 9 the functions that came with 9 are not there.
#include "tests/profiler/plugin/standin/cudnn_standin.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/profiler/plugin/standin/cudnn_compute.h"
#include "tests/profiler/plugin/standin/cudnn_standin_parts.h"

namespace {

std::atomic<std::uint64_t> calls{0};
thread_local std::uint64_t arguments = 0;
thread_local int fail_with = 0;
thread_local void (*during)(void*) = nullptr;
thread_local void* during_user = nullptr;

std::mutex callback_mutex;
unsigned callback_mask = 0;
void* callback_user = nullptr;
cudnnCallback_t callback = nullptr;

}  // namespace

namespace standin {

void arrived_as(std::uint64_t folded) {
  calls.fetch_add(1);
  arguments = folded;
}

// cuDNN 8 numbers its answers otherwise.
cudnnStatus_t numbered(cudnnStatus_t status) {
#if STANDIN_VERSION < 90000
  if (status == CUDNN_STATUS_BAD_PARAM) return static_cast<cudnnStatus_t>(3);
  if (status == CUDNN_STATUS_NOT_SUPPORTED) return static_cast<cudnnStatus_t>(9);
#endif
  return status;
}

// As in cuDNN's log: lines that end in NUL, the last in two.
cudnnStatus_t refuse(cudnnStatus_t as_in_9, const char* reason) {
  const cudnnStatus_t status = numbered(as_in_9);
  cudnnCallback_t tell = nullptr;
  void* user = nullptr;
  {
    const std::lock_guard lock(callback_mutex);
    if ((callback_mask & CUDNN_SEV_ERROR_EN) != 0) tell = callback;
    user = callback_user;
  }
  if (tell == nullptr) return status;
  std::string message = "Error: CUDNN_STATUS_BAD_PARAM; Reason: ";
  message += reason;
  message += '\0';
  message += "Time: just now\n";
  message += '\0';
  message += '\0';
  cudnnDebug_t debug{};
  tell(CUDNN_SEV_ERROR, user, &debug, message.c_str());
  return status;
}

static void start_work(cudnnHandle_t handle, double milliseconds) {
  using Launch = void (*)(void*, const char*, double);
  static const Launch launch = [] {
    void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return driver == nullptr ? nullptr
                             : reinterpret_cast<Launch>(dlsym(driver, "standin_launch_for"));
  }();
  if (launch != nullptr) launch(handle->stream, "standin_rnn_kernel", milliseconds);
}

// On the device after the latest call, before the next is prepared.
static thread_local double to_pass = 0;

cudnnStatus_t run(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x) {
  if (fail_with != 0) {
    const auto status = static_cast<cudnnStatus_t>(fail_with);
    fail_with = 0;
    return status;
  }
  if (handle == nullptr) return refuse(CUDNN_STATUS_BAD_PARAM, "handle == NULL");
  if (rnn == nullptr) return refuse(CUDNN_STATUS_BAD_PARAM, "rnnDesc == NULL");
  constexpr int usual_steps = 16;
  const double longer = x != nullptr && x->steps > usual_steps ? x->steps / double{usual_steps} : 1;
  start_work(handle, milliseconds_of(rnn) * longer);
  to_pass = milliseconds_after(rnn);
  return CUDNN_STATUS_SUCCESS;
}

static void pass_time(cudnnHandle_t handle) {
  if (to_pass > 0) start_work(handle, to_pass);
  to_pass = 0;
}

}  // namespace standin

using namespace standin;

#pragma GCC visibility push(default)
extern "C" {

std::uint64_t standin_calls() { return calls.load(); }
std::uint64_t standin_arguments() { return arguments; }
void standin_during_next(void (*action)(void*), void* user) {
  during = action;
  during_user = user;
}
void standin_fail_next(int status) { fail_with = status; }

size_t cudnnGetVersion() { return STANDIN_VERSION; }
cudnnStatus_t cudnnCreate(cudnnHandle_t* h) { return create(h); }
cudnnStatus_t cudnnDestroy(cudnnHandle_t h) { return destroy(h); }
cudnnStatus_t cudnnSetStream(cudnnHandle_t h, cudaStream_t stream) {
  h->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetStream(cudnnHandle_t h, cudaStream_t* stream) {
  *stream = h->stream;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetCallback(unsigned mask, void* user, cudnnCallback_t function) {
  const std::lock_guard lock(callback_mutex);
  callback_mask = mask;
  callback_user = user;
  callback = function;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetCallback(unsigned* mask, void** user, cudnnCallback_t* function) {
  const std::lock_guard lock(callback_mutex);
  *mask = callback_mask;
  *user = callback_user;
  *function = callback;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t d) {
  arrived(d);
  return d == nullptr ? refuse(CUDNN_STATUS_BAD_PARAM, "descriptor == NULL") : destroy(d);
}
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t d) {
  arrived(d);
  return d == nullptr ? refuse(CUDNN_STATUS_BAD_PARAM, "descriptor == NULL") : destroy(d);
}
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) { return destroy(d); }
cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* d) { return create(d); }
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t d) {
  arrived(d);
  return d == nullptr ? refuse(CUDNN_STATUS_BAD_PARAM, "descriptor == NULL") : destroy(d);
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t d, cudnnDataType_t type, int count,
                                         const int sizes[], const int strides[]) {
  if (count < 1) return refuse(CUDNN_STATUS_BAD_PARAM, "nbDims <= 0");
  d->type = type;
  d->sizes.assign(sizes, sizes + count);
  d->strides.assign(strides, strides + count);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t d, int requested,
                                         cudnnDataType_t* type, int* count, int sizes[],
                                         int strides[]) {
  *type = d->type;
  *count = static_cast<int>(d->sizes.size());
  for (int i = 0; i < requested && i < *count; ++i) {
    sizes[i] = d->sizes[static_cast<std::size_t>(i)];
    strides[i] = d->strides[static_cast<std::size_t>(i)];
  }
  return CUDNN_STATUS_SUCCESS;
}
static cudnnStatus_t set_dropout(cudnnDropoutDescriptor_t d, float dropout, void* states,
                                 unsigned long long seed) {
  if (dropout < 0 || dropout > 1) return refuse(CUDNN_STATUS_BAD_PARAM, "dropout > 1");
  *d = {dropout, states, seed};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t h, float dropout,
                                        void* states, size_t bytes, unsigned long long seed) {
  arrived(d, h, dropout, states, bytes, seed);
  return set_dropout(d, dropout, states, seed);
}
cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t h,
                                            float dropout, void* states, size_t bytes,
                                            unsigned long long seed) {
  arrived(d, h, dropout, states, bytes, seed);
  return set_dropout(d, dropout, states, seed);
}
cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t, float* dropout,
                                        void** states, unsigned long long* seed) {
  *dropout = d->dropout;
  *states = d->states;
  *seed = d->seed;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t algo,
                                       cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction, cudnnRNNInputMode_t mode,
                                       cudnnDataType_t data, cudnnDataType_t math,
                                       cudnnMathType_t type, int32_t input, int32_t hidden,
                                       int32_t projection, int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, uint32_t flags) {
  arrived(d, algo, cell, bias, direction, mode, data, math, type, input, hidden, projection, layers,
          dropout, flags);
  if (d == nullptr) return refuse(CUDNN_STATUS_BAD_PARAM, "rnnDesc == NULL");
  if (projection > hidden) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "projSize > hiddenSize");
  d->algo = algo;
  d->cell = cell;
  d->bias = bias;
  d->direction = direction;
  d->input_mode = mode;
  d->data = data;
  d->math = math;
  d->type = type;
  d->input = input;
  d->hidden = hidden;
  d->projection = projection;
  d->layers = layers;
  d->dropout = dropout;
  d->flags = flags;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t* algo,
                                       cudnnRNNMode_t* cell, cudnnRNNBiasMode_t* bias,
                                       cudnnDirectionMode_t* direction, cudnnRNNInputMode_t* mode,
                                       cudnnDataType_t* data, cudnnDataType_t* math,
                                       cudnnMathType_t* type, int32_t* input, int32_t* hidden,
                                       int32_t* projection, int32_t* layers,
                                       cudnnDropoutDescriptor_t* dropout, uint32_t* flags) {
  if (getenv("STANDIN_V8_GETTER_REFUSES") != nullptr) return numbered(CUDNN_STATUS_BAD_PARAM);
  *algo = d->algo;
  *cell = d->cell;
  *bias = d->bias;
  *direction = d->direction;
  *mode = d->input_mode;
  *data = d->data;
  *math = d->math;
  *type = d->type;
  *input = d->input;
  *hidden = d->hidden;
  *projection = d->projection;
  *layers = d->layers;
  *dropout = d->dropout;
  *flags = d->flags;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t mode,
                                 cudnnNanPropagation_t nan, double low, double high) {
  arrived(d, mode, nan, low, high);
  if (low > high) return refuse(CUDNN_STATUS_BAD_PARAM, "lclip > rclip");
  d->clip = mode;
  d->nan = nan;
  d->low = low;
  d->high = high;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNGetClip_v8(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t* mode,
                                 cudnnNanPropagation_t* nan, double* low, double* high) {
  // As where only the older getter answers.
  if (getenv("STANDIN_V8_GETTER_REFUSES") != nullptr) return numbered(CUDNN_STATUS_NOT_SUPPORTED);
  *mode = d->clip;
  *nan = d->nan;
  *low = d->low;
  *high = d->high;
  return CUDNN_STATUS_SUCCESS;
}
#if STANDIN_VERSION >= 90000
cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t mode, double low,
                                 double high) {
  arrived(d, mode, low, high);
  if (low > high) return refuse(CUDNN_STATUS_BAD_PARAM, "lclip > rclip");
  d->clip = mode;
  d->low = low;
  d->high = high;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNGetClip_v9(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t* mode, double* low,
                                 double* high) {
  *mode = d->clip;
  *low = d->low;
  *high = d->high;
  return CUDNN_STATUS_SUCCESS;
}
#endif
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int steps, int batch, int size,
                                        const int lengths[], void* fill) {
  arrived(d, type, layout, steps, batch, size, lengths, fill);
  if (steps > 65535) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "maxSeqLength > (0x7fff * 2 + 1)");
  if (steps < 1 || batch < 1 || size < 1) return refuse(CUDNN_STATUS_BAD_PARAM, "sizes <= 0");
  *d = {type, layout, steps, batch, size, std::vector<int>(lengths, lengths + batch)};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t* type,
                                        cudnnRNNDataLayout_t* layout, int* steps, int* batch,
                                        int* size, int requested, int lengths[], void*) {
  *type = d->type;
  *layout = d->layout;
  *steps = d->steps;
  *batch = d->batch;
  *size = d->size;
  for (int i = 0; i < requested && i < d->batch; ++i)
    lengths[i] = d->lengths[static_cast<std::size_t>(i)];
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t h, cudnnRNNDescriptor_t d,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                        size_t* workspace, size_t* reserve) {
  arrived(h, d, mode, x, workspace, reserve);
  pass_time(h);
  if (d->algo == CUDNN_RNN_ALGO_PERSIST_STATIC && d->hidden > 1536)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "hiddenSize > 1536");
  if (computes()) {
    if (const auto status = accepts(d); status != CUDNN_STATUS_SUCCESS) return status;
    *workspace = workspace_of(d);
    *reserve = mode == CUDNN_FWD_MODE_TRAINING ? reserve_of(d, x) : 0;
    return CUDNN_STATUS_SUCCESS;
  }
  *workspace = 4096;
  *reserve = mode == CUDNN_FWD_MODE_TRAINING ? 8192 : 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t d, size_t* bytes) {
  *bytes = weight_bytes_of(d);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t d, int32_t layer, size_t,
                                      const void* weights, int32_t gate, cudnnTensorDescriptor_t,
                                      void** matrix, cudnnTensorDescriptor_t, void** bias) {
  auto* base = static_cast<char*>(const_cast<void*>(weights));
  *matrix =
      base + static_cast<std::size_t>(layer * 16 + gate) * static_cast<std::size_t>(d->hidden);
  *bias = static_cast<char*>(*matrix) + d->hidden;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t h, cudnnRNNDescriptor_t d, int batch) {
  arrived(h, d, batch);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNForward(cudnnHandle_t a, cudnnRNNDescriptor_t b, cudnnForwardMode_t c,
                              const int32_t d[], cudnnRNNDataDescriptor_t e, const void* f,
                              cudnnRNNDataDescriptor_t g, void* h, cudnnTensorDescriptor_t i,
                              const void* j, void* k, cudnnTensorDescriptor_t l, const void* m,
                              void* n, size_t o, const void* p, size_t q, void* r, size_t s,
                              void* t) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  if (const auto action = during; action != nullptr) {
    during = nullptr;
    action(during_user);
  }
  if (computes() && b != nullptr) {
    const auto status =
        compute(Forward{b, c == CUDNN_FWD_MODE_TRAINING, e, f, g, h, j, m, k, n, o, p, q, r, s, t});
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  return run(a, b, e);
}
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t a, cudnnRNNDescriptor_t b, const int32_t c[],
                                      cudnnRNNDataDescriptor_t d, const void* e, const void* f,
                                      cudnnRNNDataDescriptor_t g, void* h,
                                      cudnnTensorDescriptor_t i, const void* j, const void* k,
                                      void* l, cudnnTensorDescriptor_t m, const void* n,
                                      const void* o, void* p, size_t q, const void* r, size_t s,
                                      void* t, size_t u, void* v) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  if (computes() && b != nullptr) {
    const auto status = compute(BackwardData{b, d, e, f, g, h, l, p, r, q, s, t, u, v});
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  return run(a, b, g);
}
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t a, cudnnRNNDescriptor_t b,
                                         cudnnWgradMode_t c, const int32_t d[],
                                         cudnnRNNDataDescriptor_t e, const void* f,
                                         cudnnTensorDescriptor_t g, const void* h,
                                         cudnnRNNDataDescriptor_t i, const void* j, size_t k,
                                         void* l, size_t m, void* n, size_t o, void* p) {
  arrived(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  if (computes() && b != nullptr) {
    const auto status = compute(BackwardWeights{b, e, f, k, l, m, n, o, p});
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  return run(a, b, e);
}

}  // extern "C"
#pragma GCC visibility pop
