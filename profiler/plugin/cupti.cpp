#include "profiler/plugin/cupti.h"

#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>
#include <initializer_list>

#include "profiler/plugin/capture_range.h"
#include "profiler/plugin/counters.h"
#include "profiler/plugin/cupti_records.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/exit_hooks.h"
#include "profiler/plugin/frameworks.h"
#include "profiler/plugin/last_flush.h"
#include "profiler/plugin/our_cupti.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {
namespace {

// clang-format off
#define RNNADVISOR_CUPTI(X)                                                             \
  X(cuptiGetVersion) X(cuptiGetResultString) X(cuptiActivityEnable)                     \
  X(cuptiActivityDisable) X(cuptiActivityRegisterCallbacks) X(cuptiActivityGetNextRecord) \
  X(cuptiActivityFlushAll) X(cuptiActivityFlushPeriod) X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiActivityRegisterTimestampCallback) X(cuptiGetCallbackName) X(cuptiSubscribe)   \
  X(cuptiUnsubscribe) X(cuptiEnableCallback) X(cuptiGetGraphNodeId)
// What a library may be without.
#define RNNADVISOR_CUPTI_EXTRA(X) \
  X(cuptiGetStreamIdEx) X(cuptiGetDeviceId) X(cuptiGetThreadIdType) X(cuptiSetThreadIdType) \
  X(cuptiFinalize)
// clang-format on

struct Api {
#define RNNADVISOR_DECLARE(name) decltype(&::name) name;
  RNNADVISOR_CUPTI(RNNADVISOR_DECLARE)
  RNNADVISOR_CUPTI_EXTRA(RNNADVISOR_DECLARE)
#undef RNNADVISOR_DECLARE
  // Headers before CUDA 13 do not declare it. A library may be without.
  CUptiResult(CUPTIAPI* cuptiActivityEnableRuntimeApi)(CUpti_CallbackId id, std::uint8_t enable);
  void* library;
};

enum State : int { off, starting, recording, paused, detached, gone };
std::atomic<int> state{off};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Api api;
CUpti_SubscriberHandle subscriber = nullptr;
bool system_threads = false;  // set before anything is recorded
CUpti_ActivityThreadIdType threads_before = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
thread_local int ours = 0;  // our own calls into CUPTI
// What is asked for its number: a call that changes nothing and that hardly a program makes.
constexpr CUpti_CallbackId probe_function = CUPTI_DRIVER_TRACE_CBID_cuCtxGetStreamPriorityRange;
constexpr std::uint32_t no_stream = 0xffffffff;
constexpr std::uint32_t flush_period_ms = 1000;
thread_local bool probing = false;
thread_local std::uint32_t probed = 0, first_of_call = 0;
thread_local std::uint64_t in_call = 0;  // the RNN call that this thread is in
std::atomic<int> calls_under_way{0};     // that are traced
std::atomic<bool> graphs_made{false};
// CUPTI may number calls from the beginning once it is attached again: what is added to its
// numbers.
std::atomic<std::uint32_t> numbered_before{0};
thread_local bool detaching = false, has_detached = false;
std::atomic<int> contexts_made{0};

struct Ours {
  Ours() { ++ours; }
  ~Ours() { --ours; }
};

constexpr CUpti_ActivityKind kinds_kernels[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
constexpr CUpti_ActivityKind kinds_transfers[] = {CUPTI_ACTIVITY_KIND_MEMCPY,
                                                  CUPTI_ACTIVITY_KIND_MEMSET};
// A launch by the runtime is a call of the driver, too: records of both cost every launch twice.
constexpr CUpti_ActivityKind kinds_api[] = {CUPTI_ACTIVITY_KIND_RUNTIME,
                                            CUPTI_ACTIVITY_KIND_OVERHEAD};
constexpr CUpti_ActivityKind kinds_driver[] = {CUPTI_ACTIVITY_KIND_DRIVER};
constexpr CUpti_ActivityKind kinds_memory[] = {CUPTI_ACTIVITY_KIND_MEMORY2};
// Calls that wait for the GPU, which no step can make while it is captured in a CUDA graph: few, so
// that they are recorded where those that launch would cost too much.
constexpr CUpti_CallbackId waiting_calls[] = {CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
                                              CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
                                              CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020,
                                              CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020};

// Buffers: some are made and touched beforehand, so that a launch does not wait for their pages.
constexpr int max_buffers = 64, prepared_buffers = 4;
std::uint8_t* free_buffers[max_buffers];
int free_count = 0, allocated = 0;

std::uint8_t* new_buffer(bool touch) {
  void* memory = mmap(nullptr, settings().buffer_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | (touch ? MAP_POPULATE : 0), -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory);
}

std::uint64_t CUPTIAPI timestamp() { return static_cast<std::uint64_t>(now_ns()); }

void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *max_records = 0;
  *size = settings().buffer_bytes;
  *buffer = nullptr;
  {
    const Locked locked(mutex);
    if (free_count > 0) {
      *buffer = free_buffers[--free_count];
    } else if (allocated < max_buffers) {
      ++allocated;
      *buffer = new_buffer(false);
      if (*buffer == nullptr) --allocated;
    }
  }
  if (*buffer == nullptr) *size = 0;
}

// On CUPTI's own thread as a rule: the program's launches do not wait for it.
void CUPTIAPI completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                        std::size_t valid) {
  if (buffer == nullptr) return;
  const Scope scope;
  const Ours guard;
  describe_frameworks();
  CUpti_Activity* record = nullptr;
  while (valid > 0 && api.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    write_activity(*record, {api.cuptiGetCallbackName, system_threads, numbered_before.load()});
  std::size_t dropped = 0;
  if (api.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
      dropped > 0)
    writer().count_loss(spool::Loss::cupti, dropped);
  const Locked locked(mutex);
  free_buffers[free_count++] = buffer;
}

void graph_node(CUpti_CallbackId id, const CUpti_GraphData& graph) {
  graphs_made.store(true);
  std::uint64_t node = 0, original = 0;
  if (api.cuptiGetGraphNodeId(graph.node, &node) != CUPTI_SUCCESS) return;
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
    if (in_call != 0) writer().add(spool::GraphNode{{}, node, 0, in_call}, spool::Loss::other);
    return;
  }
  if (api.cuptiGetGraphNodeId(graph.originalNode, &original) == CUPTI_SUCCESS)
    writer().add(spool::GraphNode{{}, node, original, 0}, spool::Loss::other);
}

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  const Scope scope;
  const Ours guard;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
      contexts_made.fetch_add(1);
      // When the first kernels reach us the driver may have been shut down already.
      std::uint32_t device = 0;
      if (api.cuptiGetDeviceId != nullptr &&
          api.cuptiGetDeviceId(resource.context, &device) == CUPTI_SUCCESS) {
        device_seen(static_cast<int>(device));
      }
      return;
    }
    if (resource.resourceDescriptor != nullptr)
      graph_node(id, *static_cast<const CUpti_GraphData*>(resource.resourceDescriptor));
  } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (probing && id == probe_function) probed = call.correlationId + numbered_before.load();
    if (detaching && id == probe_function && call.callbackSite == CUPTI_API_EXIT) {
      // Where CUPTI's documentation has it: at the exit of a call of the driver.
      detaching = false;
      has_detached =
          api.cuptiUnsubscribe(subscriber) == CUPTI_SUCCESS && api.cuptiFinalize() == CUPTI_SUCCESS;
      subscriber = nullptr;
      return;
    }
    if (id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart && call.callbackSite == CUPTI_API_EXIT)
      begin_range();
    if (id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop && call.callbackSite == CUPTI_API_ENTER)
      end_range();
  }
}

// CUPTI numbers CUDA calls as they come. External correlation ids would need a record for every
// CUDA call, and are given to the kernels of none while only kernels are recorded; the numbers of a
// call before and after cost two cheap calls, whatever lies between them.
std::uint32_t probe() {
  const Driver* d = driver();
  if (d == nullptr) return 0;
  int least = 0, greatest = 0;
  probed = 0;
  probing = true;
  d->cuCtxGetStreamPriorityRange(&least, &greatest);
  probing = false;
  return probed;
}

template <std::size_t count>
CUptiResult enable(const CUpti_ActivityKind (&kinds)[count], bool on) {
  for (const auto kind : kinds) {
    const auto status = on ? api.cuptiActivityEnable(kind) : api.cuptiActivityDisable(kind);
    if (on && status != CUPTI_SUCCESS) return status;
  }
  return CUPTI_SUCCESS;
}

void enable_waiting_calls(bool on) {
  if (api.cuptiActivityEnableRuntimeApi == nullptr || settings().trace_api) return;
  for (const auto call : waiting_calls) api.cuptiActivityEnableRuntimeApi(call, on ? 1 : 0);
}

CUptiResult enable_all(bool on) {
  CUptiResult status = enable(kinds_kernels, on);
  if (status == CUPTI_SUCCESS && settings().trace_transfers) enable_waiting_calls(on);
  if (status == CUPTI_SUCCESS && settings().trace_transfers) status = enable(kinds_transfers, on);
  if (status == CUPTI_SUCCESS && settings().trace_api) status = enable(kinds_api, on);
  if (status == CUPTI_SUCCESS && settings().trace_driver) status = enable(kinds_driver, on);
  if (status == CUPTI_SUCCESS && settings().trace_memory) status = enable(kinds_memory, on);
  return status;
}

void* open_library() {
  // The one that the program has: two CUPTIs in a process are one too many.
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD); library != nullptr) return library;
  }
  if (const char* path = getenv("RNNADVISOR_CUPTI"); path != nullptr && *path != 0) {
    if (void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL); library != nullptr) return library;
  }
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL); library != nullptr) return library;
  }
  return nullptr;
}

bool load() {
  api.library = open_library();
  if (api.library == nullptr) {
    step_down("no-cupti", "libcupti was not found; calls are recorded without their kernels");
    return false;
  }
#define RNNADVISOR_FIND(name) \
  api.name = reinterpret_cast<decltype(api.name)>(real_symbol(api.library, #name));
#define RNNADVISOR_NEED(name)                                  \
  if (api.name == nullptr) {                                   \
    step_down("cupti-too-old", "this libcupti has no " #name); \
    return false;                                              \
  }
  RNNADVISOR_CUPTI(RNNADVISOR_FIND)
  RNNADVISOR_CUPTI_EXTRA(RNNADVISOR_FIND)
  RNNADVISOR_CUPTI(RNNADVISOR_NEED)
  RNNADVISOR_FIND(cuptiActivityEnableRuntimeApi)
#undef RNNADVISOR_FIND
#undef RNNADVISOR_NEED
  std::uint32_t version = 0;
  api.cuptiGetVersion(&version);
  Dl_info info{};
  const char* path =
      dladdr(reinterpret_cast<void*>(api.cuptiGetVersion), &info) != 0 ? info.dli_fname : "";
  writer().add(spool::Library{{}, spool::LibraryKind::cupti, 0, version, writer().intern(path), 0},
               spool::Loss::other);
  return true;
}

// Everything of ours that CUPTI knows, so that others find it as if we had not been.
void hand_back() {
  enable_all(false);
  api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  api.cuptiActivityFlushPeriod(0);
  if (system_threads) api.cuptiSetThreadIdType(threads_before);
  if (subscriber != nullptr) api.cuptiUnsubscribe(subscriber);
  subscriber = nullptr;
  counters_finish();
  const Locked locked(mutex);
  while (free_count > 0) {
    munmap(free_buffers[--free_count], settings().buffer_bytes);
    --allocated;
  }
}

void refused(CUptiResult status, const char* what) {
  state.store(gone);
  hand_back();
  const char* text = nullptr;
  api.cuptiGetResultString(status, &text);
  char message[512];
  snprintf(message, sizeof message, "%s: %s; calls are recorded without their kernels", what,
           text != nullptr ? text : "unknown error of CUPTI");
  const bool other = status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  step_down(other ? "tracing-conflict" : "cupti-refused", message);
}

void conflict(const char* who) {
  char message[512];
  snprintf(message, sizeof message,
           "the program itself began to trace with CUPTI (%s), which one user at a time can do; "
           "from here on calls are "
           "recorded without their kernels",
           who);
  step_down("tracing-conflict", message);
}

// With `state` at `starting`: at the start and after a time without CUPTI.
void attach(State next) {
  int expected = starting;
  api.cuptiActivityRegisterTimestampCallback(&timestamp);
  if (const auto status = api.cuptiSubscribe(&subscriber, &called, nullptr);
      status != CUPTI_SUCCESS) {
    subscriber = nullptr;
    return refused(status, "cuptiSubscribe");
  }
  // Only now: it would change the thread ids of another tool, too. By default they are no ids of
  // the system, and a call of the CUDA API would belong to no thread that anything else names.
  if (api.cuptiGetThreadIdType != nullptr) api.cuptiGetThreadIdType(&threads_before);
  system_threads = api.cuptiSetThreadIdType != nullptr &&
                   api.cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) == CUPTI_SUCCESS;
  for (const auto id : {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
                        CUPTI_CBID_RESOURCE_CONTEXT_CREATED})
    api.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                            static_cast<CUpti_CallbackId>(id));
  api.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, probe_function);
  for (const auto id :
       {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop})
    if (settings().capture == Settings::Capture::profiler_api)
      api.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                              static_cast<CUpti_CallbackId>(id));
  if (const auto status = api.cuptiActivityRegisterCallbacks(&requested, &completed);
      status != CUPTI_SUCCESS)
    return refused(status, "cuptiActivityRegisterCallbacks");
  // What is finished reaches the spool within this time, so that little is lost with a killed
  // program.
  api.cuptiActivityFlushPeriod(flush_period_ms);
  if (next == recording) {
    if (const auto status = enable_all(true); status != CUPTI_SUCCESS)
      return refused(status, "cuptiActivityEnable");
  }
  // Another tool may have come in between.
  if (!state.compare_exchange_strong(expected, next)) hand_back();
}

// Where it could not detach after all.
void resume_recording() {
  int expected = detached;
  if (state.compare_exchange_strong(expected, recording)) enable_all(true);
}

// After waiting for it. False also where a stream is captured, which waiting would end.
bool device_is_idle() {
  const Driver* d = driver();
  if (d == nullptr || d->cuCtxSynchronize == nullptr) return false;
  const Relaxed relaxed(*d);
  return d->cuCtxSynchronize() == CUDA_SUCCESS;
}

}  // namespace

void cupti_start() {
  if (!ready()) return cupti_was_missed();
  if (mode() == spool::Mode::calls) return;
  const Scope scope;
  const Ours guard;
  int expected = off;
  if (!state.compare_exchange_strong(expected, starting)) return;
  if (!load()) {
    state.store(gone);
    return;
  }
  for (int i = 0; i < prepared_buffers; ++i) {
    if (auto* buffer = new_buffer(true); buffer != nullptr) {
      ++allocated;
      free_buffers[free_count++] = buffer;
    }
  }
  counters_prepare(api.library, &cupti_is_recording);
  const bool wait = settings().capture != Settings::Capture::always || settings().delay_ns > 0 ||
                    settings().skip > 0;
  attach(wait ? paused : recording);
  const int now = state.load();
  if (now != paused && now != recording) return;
  last_flush_prepare(&cupti_flush);
  exits_prepare();
}

void cupti_resume() {
  int expected = paused;
  if (state.load(std::memory_order_relaxed) != paused ||
      !state.compare_exchange_strong(expected, recording))
    return;
  const Ours guard;
  enable_all(true);
}

void cupti_pause() {
  int expected = detached;
  // The recording is over: CUPTI stays out of the process. Ranges, which begin again, never detach
  // it.
  if (state.compare_exchange_strong(expected, off)) return;
  expected = recording;
  if (state.load(std::memory_order_relaxed) != recording ||
      !state.compare_exchange_strong(expected, paused))
    return;
  const Ours guard;
  enable_all(false);
  // What a person wants to see of a range need not wait for CUPTI's next flush. Other ranges may be
  // as short as a step.
  if (settings().capture == Settings::Capture::profiler_api) api.cuptiActivityFlushAll(0);
}

bool cupti_begin(std::uint64_t call) {
  if (state.load(std::memory_order_relaxed) != recording) return false;
  const Ours guard;
  calls_under_way.fetch_add(1);
  // Another thread may have detached it in between.
  first_of_call = state.load() == recording ? probe() : 0;
  if (first_of_call == 0) {
    calls_under_way.fetch_sub(1);
    return false;
  }
  in_call = call;
  return true;
}

void cupti_end(CUstream stream) {
  const Ours guard;
  const std::uint64_t call = in_call;
  in_call = 0;
  const std::uint32_t last = probe();
  if (last == 0) {
    calls_under_way.fetch_sub(1);
    return;
  }
  std::uint32_t id = no_stream;
  CUcontext context = nullptr;
  const Driver* d = driver();
  if (api.cuptiGetStreamIdEx == nullptr || d == nullptr ||
      d->cuCtxGetCurrent(&context) != CUDA_SUCCESS ||
      api.cuptiGetStreamIdEx(context, stream, 0, &id) != CUPTI_SUCCESS)
    id = no_stream;
  calls_under_way.fetch_sub(1);
  writer().add(spool::CorrelationRange{{}, call, first_of_call, last, id, thread_id()},
               spool::Loss::kernels);
}

Detached cupti_detach() {
  if (api.cuptiFinalize == nullptr || graphs_made.load() || contexts_made.load() > 1)
    return Detached::never;
  const Scope scope;
  const Ours guard;
  int expected = recording;
  if (!state.compare_exchange_strong(expected, detached))
    return expected == paused ? Detached::later : Detached::never;
  if (calls_under_way.load() > 0) {
    resume_recording();
    return Detached::later;
  }
  enable_all(false);
  // What still runs or is not handed over would be lost.
  if (!device_is_idle() ||
      api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != CUPTI_SUCCESS) {
    resume_recording();
    return Detached::later;
  }
  api.cuptiActivityFlushPeriod(0);
  if (system_threads) api.cuptiSetThreadIdType(threads_before);
  has_detached = false;
  detaching = true;
  const std::uint32_t last = probe();
  if (has_detached) {
    numbered_before.store(last);
    return Detached::yes;
  }
  // CUPTI did not see our call of the driver, or could not detach: it records as before.
  detaching = false;
  if (subscriber != nullptr) api.cuptiUnsubscribe(subscriber);
  cupti_reattach();
  return Detached::never;
}

void cupti_reattach() {
  int expected = detached;
  if (!state.compare_exchange_strong(expected, starting)) return;
  const Scope scope;
  const Ours guard;
  attach(recording);
}

bool cupti_is_detached() { return state.load(std::memory_order_relaxed) == detached; }

bool cupti_is_inactive() {
  const int now = state.load(std::memory_order_relaxed);
  return now == detached || now == off;
}

bool cupti_stream(CUstream stream, std::uint32_t& number, int& device) {
  const int now = state.load();
  const Driver* d = driver();
  if ((now != recording && now != paused) || d == nullptr || api.cuptiGetStreamIdEx == nullptr)
    return false;
  const Ours guard;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  constexpr std::uintptr_t per_thread = 2;  // CU_STREAM_PER_THREAD, the last that is no address
  const auto number_in = [&](CUcontext context) {
    return context != nullptr &&
           api.cuptiGetStreamIdEx(context, stream, handle == per_thread, &number) == CUPTI_SUCCESS;
  };
  CUcontext context = nullptr;
  if (d->cuCtxGetCurrent(&context) == CUDA_SUCCESS && number_in(context))
    return d->cuCtxGetDevice(&device) == CUDA_SUCCESS;
  // One of another device, as a rule.
  if (handle <= per_thread || d->cuStreamGetCtx == nullptr || api.cuptiGetDeviceId == nullptr)
    return false;
  const Relaxed relaxed(*d);
  std::uint32_t ordinal = 0;
  if (d->cuStreamGetCtx(stream, &context) != CUDA_SUCCESS || !number_in(context) ||
      api.cuptiGetDeviceId(context, &ordinal) != CUPTI_SUCCESS)
    return false;
  device = static_cast<int>(ordinal);
  return true;
}

void cupti_flush() {
  const int now = state.load();
  if (now != recording && now != paused) return;
  const Ours guard;
  api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void cupti_step_back(const char* who) {
  if (!ready()) return;
  const int before = state.exchange(gone);
  if (before == gone) return;
  const Scope scope;
  const Ours guard;
  // Half way to the start the thread that starts hands back.
  if (before == recording || before == paused) hand_back();
  conflict(who);
}

void cupti_in_child() {
  state.store(off);
  subscriber = nullptr;
  free_count = 0;
  allocated = 0;
  in_call = 0;
  calls_under_way.store(0);
  numbered_before.store(0);
  contexts_made.store(0);
  graphs_made.store(false);
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
}

bool cupti_is_recording() { return state.load(std::memory_order_relaxed) == recording; }

bool cupti_is_ours() { return ours > 0; }
OurCupti::OurCupti() { ++ours; }
OurCupti::~OurCupti() { --ours; }

}  // namespace rnnadvisor::plugin

// The driver calls this in every process that CUDA_INJECTION64_PATH is set for, at its first use.
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  using namespace rnnadvisor::plugin;
  // Once: a launcher under a launcher names us as the tool that was there before.
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return 1;
  cupti_start();
  const char* other = getenv("RNNADVISOR_CHAIN_CUDA_INJECTION");
  if (other == nullptr || *other == 0) return 1;
  void* library = dlopen(other, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    note("cuda-chain", "the library that CUDA_INJECTION64_PATH named before cannot be loaded");
    return 1;
  }
  using Initialize = int (*)();
  const auto theirs = reinterpret_cast<Initialize>(real_symbol(library, "InitializeInjection"));
  if (theirs != nullptr) theirs();
  return 1;
}
