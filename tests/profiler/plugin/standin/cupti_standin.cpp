// A stand-in for libcupti: one subscriber, records of the work that the stand-in for libcuda
// starts, buffers that are completed on a thread of its own.
#include "tests/profiler/plugin/standin/cupti_standin.h"

#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/profiler/cupti/hand_built_buffer.h"
#include "tests/profiler/plugin/standin/cuda_standin.h"

namespace {

std::mutex mutex;
int subscriber_place = 0;
std::atomic<bool> subscribed{false};
std::atomic<bool> system_threads{false};
std::atomic<CUpti_CallbackFunc> callback{nullptr};
std::atomic<void*> callback_user{nullptr};
std::mutex callbacks_mutex;
std::set<std::pair<int, int>> enabled_callbacks;
std::set<int> enabled_kinds;
std::set<CUpti_CallbackId> enabled_calls;  // of the runtime, one by one
std::atomic<CUpti_BuffersCallbackRequestFunc> request{nullptr};
std::atomic<CUpti_BuffersCallbackCompleteFunc> complete{nullptr};
std::atomic<CUpti_TimestampCallbackFunc> now{nullptr};
std::uint8_t* buffer = nullptr;
std::size_t size = 0, used = 0;
std::atomic<std::size_t> dropped{0};
// Calls are numbered from the beginning after cuptiFinalize().
std::atomic<std::uint32_t> last_number{0}, numbered_from{0};
std::atomic<int> at_exit_of_call{0};

std::uint32_t number_of(std::uint32_t correlation) {
  last_number.store(correlation);
  return correlation - numbered_from.load();
}

std::uint64_t time_now() {
  const auto function = now.load();
  return function != nullptr ? function() : 1;
}

bool refuses(const char* name) {
  const char* text = getenv("STANDIN_CUPTI_REFUSES");
  return text != nullptr && strcmp(text, name) == 0;
}

void hand_over(std::uint8_t* full, std::size_t whole, std::size_t valid) {
  std::thread([=] { complete.load()(nullptr, 0, full, whole, valid); }).join();
}

bool kind_is_enabled(int kind) {
  const std::lock_guard lock(mutex);
  return enabled_kinds.contains(kind);
}

template <typename Record>
void record(Record value) {
  const std::unique_lock lock(mutex);
  bool wanted = enabled_kinds.contains(value.kind);
  if constexpr (std::is_same_v<Record, CUpti_ActivityAPI>)
    wanted =
        wanted || (value.kind == CUPTI_ACTIVITY_KIND_RUNTIME && enabled_calls.contains(value.cbid));
  if (!wanted || request == nullptr) return;
  const std::size_t bytes = (sizeof value + 7) / 8 * 8;
  if (buffer != nullptr && used + bytes > size) {
    std::uint8_t* full = buffer;
    buffer = nullptr;
    hand_over(full, size, used);
  }
  if (buffer == nullptr) {
    std::size_t most = 0;
    request.load()(&buffer, &size, &most);
    used = 0;
    if (buffer == nullptr) {
      ++dropped;
      return;
    }
  }
  memcpy(buffer + used, &value, sizeof value);
  used += bytes;
}

void record_kernel(const char* name, std::uint32_t correlation, std::uint64_t node) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = time_now();
  kernel.end = kernel.start + 1'500'000;
  kernel.name = name;
  kernel.correlationId = correlation;
  kernel.deviceId = 0;
  kernel.streamId = 7;
  kernel.contextId = 1;
  kernel.registersPerThread = 64;
  kernel.gridX = 1;
  kernel.gridY = 2;
  kernel.gridZ = 3;
  kernel.blockX = 4;
  kernel.blockY = 5;
  kernel.blockZ = 6;
  kernel.staticSharedMemory = 48;
  kernel.dynamicSharedMemory = 96;
  kernel.graphNodeId = node;
  record(kernel);
}

void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  {
    const std::lock_guard lock(callbacks_mutex);
    if (!enabled_callbacks.contains({domain, static_cast<int>(id)})) return;
  }
  if (const auto function = callback.load(); function != nullptr)
    function(callback_user, domain, id, data);
}

void node_made(CUpti_CallbackId id, std::uint64_t node, std::uint64_t original) {
  CUpti_GraphData graph{};
  graph.node = reinterpret_cast<CUgraphNode>(node);
  graph.originalNode = reinterpret_cast<CUgraphNode>(original);
  CUpti_ResourceData data{};
  data.resourceDescriptor = &graph;
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

// A context is made with the first work that it gets.
void context_made() {
  static std::atomic<bool> made{false};
  if (made.exchange(true)) return;
  CUpti_ResourceData data{};
  data.context = reinterpret_cast<CUcontext>(&made);
  call_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &data);
}

void work(const StandinWork& done) {
  context_made();
  const std::uint32_t number = number_of(done.correlation);
  if (done.node != 0) return node_made(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, done.node, 0);
  const std::uint64_t time = time_now();
  CUpti_ActivityAPI api{};
  api.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  api.cbid = rnnadvisor::launch_cbid;
  api.start = time;
  api.end = time + 10;
  // As CUPTI does: else an id that only it knows.
  api.threadId = system_threads ? static_cast<std::uint32_t>(gettid()) : 77;
  api.correlationId = number;
  record(api);
  api.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  record(api);
  // Only where it is asked for alone: as if each piece of work were waited for.
  api.cbid = rnnadvisor::synchronize_cbid;
  if (!kind_is_enabled(api.kind)) record(api);
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.bytes = 1234;
  copy.start = time;
  copy.end = time + 20;
  copy.correlationId = number;
  copy.streamId = 7;
  record(copy);
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.bytes = 99;
  set.start = time;
  set.end = time + 5;
  record(set);
  CUpti_ActivityMemory4 memory{};
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  memory.address = 0x7000;
  memory.bytes = 512;
  memory.timestamp = time;
  record(memory);
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE;
  overhead.start = time;
  overhead.end = time + 3;
  record(overhead);
  record_kernel(done.kernel, number, 0);
}

void profiler(bool start, bool enter) {
  CUpti_CallbackData data{};
  data.callbackSite = enter ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  call_back(
      CUPTI_CB_DOMAIN_DRIVER_API,
      start ? CUPTI_DRIVER_TRACE_CBID_cuProfilerStart : CUPTI_DRIVER_TRACE_CBID_cuProfilerStop,
      &data);
}

void priority_range(std::uint32_t correlation, bool enter) {
  CUpti_CallbackData data{};
  data.callbackSite = enter ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  data.correlationId = number_of(correlation);
  at_exit_of_call += enter ? 0 : 1;
  call_back(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuCtxGetStreamPriorityRange, &data);
  at_exit_of_call -= enter ? 0 : 1;
}

void watch_driver() {
  static const StandinTracer tracer = {&work, &profiler, &priority_range};
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return;
  const auto set =
      reinterpret_cast<void (*)(const StandinTracer*)>(dlsym(driver, "standin_set_tracer"));
  if (set != nullptr) set(&tracer);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  system_threads = type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  return CUPTI_SUCCESS;
}

int standin_cupti_subscribed() { return subscribed ? 1 : 0; }
int standin_cupti_enabled() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(enabled_kinds.size());
}
std::uint64_t standin_cupti_clone_node(std::uint64_t node) {
  node_made(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, node + 1000, node);
  return node + 1000;
}
void standin_cupti_run_node(std::uint64_t node) { record_kernel("standin_graph_kernel", 0, node); }

void standin_cupti_locked(void (*action)()) {
  const std::lock_guard lock(mutex);
  action();
}

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
              ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
              : "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
  return CUPTI_SUCCESS;
}
static CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function,
                             void* user) {
  if (refuses("cuptiSubscribe")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (subscribed) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  watch_driver();
  subscribed = true;
  callback = function;
  callback_user = user;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&subscriber_place);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function,
                           void* user) {
  return subscribe(handle, function, user);
}
#if CUPTI_API_VERSION >= 130000
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function,
                              void* user, CUpti_SubscriberParams*) {
  return subscribe(handle, function, user);
}
#endif
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  subscribed = false;
  callback = nullptr;
  const std::lock_guard lock(callbacks_mutex);
  enabled_callbacks.clear();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t on, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const std::lock_guard lock(callbacks_mutex);
  if (on != 0) enabled_callbacks.insert({domain, static_cast<int>(id)});
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function) {
  now = function;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  if (refuses("cuptiActivityRegisterCallbacks")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  request = requested;
  complete = completed;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (refuses("cuptiActivityEnable")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  const std::lock_guard lock(mutex);
  watch_driver();
  enabled_kinds.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(mutex);
  enabled_kinds.erase(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, std::uint8_t on) {
  const std::lock_guard lock(mutex);
  if (on != 0) {
    enabled_calls.insert(id);
  } else {
    enabled_calls.erase(id);
  }
  return CUPTI_SUCCESS;
}
// Aborts where it is called against its documentation: not at the exit of a call, or with records
// that were not flushed.
CUptiResult cuptiFinalize() {
  if (refuses("cuptiFinalize")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  const std::lock_guard lock(mutex);
  if (at_exit_of_call.load() == 0 || subscribed || buffer != nullptr) abort();
  enabled_kinds.clear();
  enabled_calls.clear();
  request = nullptr;
  complete = nullptr;
  now = nullptr;
  system_threads = false;
  numbered_from.store(last_number.load());
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushPeriod(std::uint32_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  while (getenv("STANDIN_CUPTI_HANGS") != nullptr) sleep(1);
  std::uint8_t* full = nullptr;
  std::size_t valid = 0, whole = 0;
  {
    const std::lock_guard lock(mutex);
    full = std::exchange(buffer, nullptr);
    valid = used;
    whole = size;
  }
  if (full != nullptr) hand_over(full, whole, valid);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t valid,
                                       CUpti_Activity** record) {
  return rnnadvisor::next_record(from, valid, record);
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* count) {
  static std::atomic<bool> told{false};
  const char* text = getenv("STANDIN_CUPTI_DROPS");
  *count = dropped.exchange(0);
  if (text != nullptr && !told.exchange(true)) *count += static_cast<std::size_t>(atoi(text));
  return CUPTI_SUCCESS;
}
// With STANDIN_STREAM_NUMBERS the streams of a program have numbers of their own from 14 on.
CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, std::uint8_t per_thread,
                               std::uint32_t* id) {
  *id = per_thread != 0 ? 8 : 7;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  if (getenv("STANDIN_STREAM_NUMBERS") == nullptr || handle <= 2) return CUPTI_SUCCESS;
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  const auto number_of =
      reinterpret_cast<int (*)(void*, void*)>(dlsym(driver, "standin_stream_number"));
  const int number = number_of(stream, context);
  *id = static_cast<std::uint32_t>(13 + number);
  return number == 0 ? CUPTI_ERROR_INVALID_STREAM : CUPTI_SUCCESS;
}
CUptiResult cuptiGetDeviceId(CUcontext context, std::uint32_t* device) {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  const auto slot_of =
      driver == nullptr ? nullptr
                        : reinterpret_cast<int (*)(void*)>(dlsym(driver, "standin_context_slot"));
  const int slot = slot_of == nullptr ? 0 : slot_of(context);
  *device = slot < 0 ? 0 : static_cast<std::uint32_t>(slot);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  return rnnadvisor::callback_name(domain, id, name);
}
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id) {
  *id = reinterpret_cast<std::uint64_t>(node);
  return CUPTI_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
