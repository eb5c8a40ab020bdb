// A stand-in for libcuda: contexts, streams, events and captures as numbers, no device. It loads
// what CUDA_INJECTION64_PATH names as the driver does.
#include "tests/profiler/plugin/standin/cuda_standin.h"

#include <cuda.h>
#include <cudaProfiler.h>
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>

// Names as they are in the library, not as the header maps them.
#undef cuEventElapsedTime
#undef cuStreamGetCaptureInfo
#undef cuDeviceTotalMem
#undef cuDeviceGetUuid
#undef cuGetProcAddress_v2
#undef cuEventDestroy

struct CUctx_st {
  std::atomic<unsigned long long> id{0};
};
struct CUstream_st {
  std::atomic<unsigned long long> capture{0};
  CUctx_st* context = nullptr;
  int number = 0;
};
struct CUevent_st {
  unsigned long long context_id;
  CUctx_st* context;
  double milliseconds;
};

namespace {

constexpr double kernel_milliseconds = 1.5;
CUctx_st contexts[4];
std::atomic<unsigned long long> next_context{1}, next_capture{1};
std::atomic<std::uint32_t> next_correlation{1};
std::atomic<std::uint64_t> next_node{1};
std::atomic<int> faults{0}, capturing{0};
std::atomic<bool> held{false};
std::atomic<const StandinTracer*> tracer{nullptr};
std::mutex mutex;
double clock_milliseconds = 0;
std::deque<CUevent_st> events;
std::deque<CUstream_st> streams;
std::set<void*> allocations;
thread_local CUctx_st* current = nullptr;
std::atomic<int> current_device = 0;
thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

bool is_captured(CUstream stream) { return stream != nullptr && stream->capture.load() != 0; }

bool gone(CUevent event) {
  if (event->context->id.load() == event->context_id) return false;
  ++faults;
  return true;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int standin_faults() { return faults.load(); }
void standin_hold(int hold) { held.store(hold != 0); }
void standin_set_tracer(const StandinTracer* to) { tracer.store(to); }
void standin_new_context(int slot) {
  current = &contexts[slot];
  current->id.store(next_context.fetch_add(1));
}
void standin_join_context(int slot) { current = &contexts[slot]; }
void* standin_make_stream() {
  const std::lock_guard lock(mutex);
  auto& made = streams.emplace_back();
  made.context = current;
  made.number = static_cast<int>(streams.size());
  return &made;
}
int standin_stream_number(void* stream, void* context) {
  const std::lock_guard lock(mutex);
  for (const auto& one : streams)
    if (&one == stream && one.context == context) return one.number;
  return 0;
}
int standin_context_slot(void* context) {
  for (int slot = 0; slot < 4; ++slot)
    if (&contexts[slot] == context) return slot;
  return -1;
}
void standin_device(int device) { current_device.store(device); }
void standin_capture(void* stream, int on) {
  static_cast<CUstream>(stream)->capture.store(on != 0 ? next_capture.fetch_add(1) : 0);
  capturing.fetch_add(on != 0 ? 1 : -1);
}
void standin_launch(void* stream, const char* kernel) {
  standin_launch_for(stream, kernel, kernel_milliseconds);
}
void standin_launch_for(void* stream, const char* kernel, double milliseconds) {
  const bool captured = stream != nullptr && static_cast<CUstream>(stream)->capture.load() != 0;
  {
    const std::lock_guard lock(mutex);
    if (!captured) clock_milliseconds += milliseconds;
  }
  if (const auto* to = tracer.load(); to != nullptr)
    to->work(
        {kernel, stream, next_correlation.fetch_add(1), captured ? next_node.fetch_add(1) : 0});
}

CUresult cuInit(unsigned) {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* path = getenv("CUDA_INJECTION64_PATH");
    void* library = path == nullptr ? nullptr : dlopen(path, RTLD_LAZY);
    if (library == nullptr) return;
    if (const auto start = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
        start != nullptr)
      start();
  });
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  *id = context->id.load();
  return CUDA_SUCCESS;
}
// Waiting for a context ends a capture in it.
CUresult cuCtxSynchronize() {
  if (capturing.load() > 0) ++faults;
  while (held.load()) usleep(1000);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = current_device.load();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  if (const auto* to = tracer.load(); to != nullptr) {
    const std::uint32_t correlation = next_correlation.fetch_add(1);
    to->priority_range(correlation, true);
    to->priority_range(correlation, false);
  }
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(mutex);
  *event = &events.emplace_back(CUevent_st{current->id.load(), current, 0});
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream) {
  if (gone(event)) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(mutex);
  event->milliseconds = clock_milliseconds;
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
  if (gone(event)) return CUDA_ERROR_INVALID_HANDLE;
  if (capturing.load() > 0 && mode != CU_STREAM_CAPTURE_MODE_RELAXED) ++faults;
  return held.load() ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent event) {
  if (gone(event)) return CUDA_ERROR_INVALID_HANDLE;
  event->context_id = 0;
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent event) {
  if (gone(event)) return CUDA_ERROR_INVALID_HANDLE;
  while (held.load()) usleep(1000);
  return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  if (gone(begin) || gone(end)) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(mutex);
  *milliseconds = static_cast<float>(end->milliseconds - begin->milliseconds);
  return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = stream != nullptr && stream->capture.load() != 0 ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                             : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  *id = stream != nullptr ? stream->capture.load() : 0;
  return cuStreamIsCapturing(stream, status);
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* other) {
  std::swap(mode, *other);
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  *context = stream->context;
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  strncpy(name, device == 0 ? "Stand-in GPU" : "Another GPU", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
// Each attribute is 1000 and its own number, so that none can stand in for another.
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = 1000 + static_cast<int>(which);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(i + 1);
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = std::size_t{141} << 30;
  return CUDA_SUCCESS;
}
// Memory of the device is memory of the host, and work on it is done at once.
int standin_allocations() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(allocations.size());
}
CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
  if (is_captured(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (getenv("STANDIN_NO_MEMORY") != nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  const std::lock_guard lock(mutex);
  allocations.insert(memory);
  *out = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream) {
  const std::lock_guard lock(mutex);
  if (allocations.erase(reinterpret_cast<void*>(memory)) == 0) {
    ++faults;
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::free(reinterpret_cast<void*>(memory));
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t bytes, CUstream) {
  memset(reinterpret_cast<void*>(memory), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream) {
  memcpy(to, reinterpret_cast<void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned) {
  alignas(64) static char pinned[4096];
  *out = bytes <= sizeof pinned ? pinned : nullptr;
  return *out != nullptr ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* all) {
  *free_bytes = *all = std::size_t{141} << 30;
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule* module, const void*) {
  *module = reinterpret_cast<CUmodule>(&allocations);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = reinterpret_cast<CUfunction>(&allocations);
  return strcmp(name, "rnnadvisor_compare") == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
// The only kernel there is: the comparison of two tensors of float.
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void** arguments, void**) {
  const auto pointer = [&](int i) { return *static_cast<CUdeviceptr*>(arguments[i]); };
  const auto* a = reinterpret_cast<const float*>(pointer(0));
  const auto* b = reinterpret_cast<const float*>(pointer(1));
  const auto count = *static_cast<unsigned long long*>(arguments[2]);
  auto* out = reinterpret_cast<double*>(pointer(4));
  for (unsigned long long i = 0; i < count; ++i) {
    const bool finite[2] = {std::isfinite(a[i]), std::isfinite(b[i])};
    if (finite[0] && finite[1]) {
      const double x = static_cast<double>(a[i]), difference = x - static_cast<double>(b[i]);
      out[0] += difference * difference;
      out[1] += x * x;
    } else if (finite[0] != finite[1]) {
      out[2] += 1;
    }
  }
  return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream, CUevent event, unsigned) {
  return gone(event) ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}
CUresult cuProfilerStart();
CUresult cuProfilerStop();
CUresult cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult*) {
  *function = nullptr;
  if (strcmp(name, "cuProfilerStart") == 0) *function = reinterpret_cast<void*>(&cuProfilerStart);
  if (strcmp(name, "cuProfilerStop") == 0) *function = reinterpret_cast<void*>(&cuProfilerStop);
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuProfilerStart() {
  if (const auto* to = tracer.load(); to != nullptr) {
    to->profiler(true, true);
    to->profiler(true, false);
  }
  return CUDA_SUCCESS;
}
CUresult cuProfilerStop() {
  if (const auto* to = tracer.load(); to != nullptr) {
    to->profiler(false, true);
    to->profiler(false, false);
  }
  return CUDA_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
