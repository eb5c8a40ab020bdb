#include "profiler/plugin/counters.h"

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <initializer_list>

#include "profiler/plugin/our_cupti.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {
namespace {

// clang-format off
#define RNNADVISOR_PM(X)                                                                         \
  X(cuptiGetResultString) X(cuptiProfilerInitialize) X(cuptiDeviceGetChipName)                   \
  X(cuptiProfilerHostInitialize) X(cuptiProfilerHostDeinitialize)                                \
  X(cuptiProfilerHostConfigAddMetrics) X(cuptiProfilerHostGetConfigImageSize)                    \
  X(cuptiProfilerHostGetConfigImage) X(cuptiProfilerHostGetNumOfPasses)                          \
  X(cuptiProfilerHostEvaluateToGpuValues) X(cuptiPmSamplingGetCounterAvailability)               \
  X(cuptiPmSamplingEnable) X(cuptiPmSamplingDisable) X(cuptiPmSamplingSetConfig)                 \
  X(cuptiPmSamplingStart) X(cuptiPmSamplingStop) X(cuptiPmSamplingDecodeData)                    \
  X(cuptiPmSamplingGetCounterDataSize) X(cuptiPmSamplingCounterDataImageInitialize)              \
  X(cuptiPmSamplingGetCounterDataInfo) X(cuptiPmSamplingCounterDataGetSampleInfo)
// clang-format on

struct Api {
#define RNNADVISOR_DECLARE(name) decltype(&::name) name;
  RNNADVISOR_PM(RNNADVISOR_DECLARE)
#undef RNNADVISOR_DECLARE
};

// What is asked for, the most wanted first: those that fit into one pass together are taken. In the
// order of CUPTI's Metrics Table; percentages are of what the unit could do in the interval.
constexpr const char* wanted_metrics[spool::most_counters] = {
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes.sum.per_second",
    "gr__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "gpc__cycles_elapsed.avg.per_second"};

constexpr int most_devices = 16;
// About 60 KB each in CUPTI's image on an H200.
constexpr std::uint32_t most_samples = 256;
constexpr std::size_t hardware_buffer_bytes = std::size_t{32} << 20;
constexpr long decode_every_ns = 50'000'000;

template <typename T>
T params(std::size_t size) {
  T value;
  memset(&value, 0, sizeof value);
  value.structSize = size;
  return value;
}
#define RNNADVISOR_PARAMS(type) params<type>(type##_STRUCT_SIZE)

// Memory of CUPTI's images: nothing of the program's allocator is touched from our thread.
struct Image {
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0;

  bool make(std::size_t wanted) {
    void* memory =
        mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    data = static_cast<std::uint8_t*>(memory);
    bytes = wanted;
    return true;
  }
  void release() {
    if (data != nullptr) munmap(data, bytes);
    data = nullptr;
    bytes = 0;
  }
};

struct Sampler {
  int device = -1;
  CUpti_Profiler_Host_Object* host = nullptr;
  CUpti_PmSampling_Object* object = nullptr;
  Image available, config, samples;  // CUPTI keeps the address of the first
  const char* metrics[spool::most_counters] = {};
  std::size_t metric_count = 0;
  bool running = false;
  bool first = true;  // the first sample reaches back to when the device was last sampled
};

Api api;
bool (*is_wanted)() = nullptr;
std::atomic<bool> prepared{false};
std::atomic<std::uint32_t> seen{0};  // a bit for each device
enum Life : int { none, alive, ended };
std::atomic<int> life{none};
std::atomic<bool> stop{false};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed;  // on the monotonic clock
Sampler samplers[most_devices];

timespec from_now(long nanoseconds, clockid_t clock = CLOCK_MONOTONIC) {
  timespec at{};
  clock_gettime(clock, &at);
  at.tv_nsec += nanoseconds;
  at.tv_sec += at.tv_nsec / 1'000'000'000;
  at.tv_nsec %= 1'000'000'000;
  return at;
}

// Why there are no counters of a device. The program is not disturbed by it.
bool refused(const Sampler& s, CUptiResult status, const char* what) {
  const char* reason = nullptr;
  api.cuptiGetResultString(status, &reason);
  char text[512];
  if (status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    snprintf(text, sizeof text,
             "hardware counters of GPU %d are not permitted: run as root, or load the driver with "
             "NVreg_RestrictProfilingToAdminUsers=0",
             s.device);
  } else {
    snprintf(text, sizeof text, "no hardware counters of GPU %d: %s: %s", s.device, what,
             reason != nullptr ? reason : "unknown error of CUPTI");
  }
  note(
      status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "counters-not-permitted" : "counters-refused",
      text);
  return false;
}
#define RNNADVISOR_TRY(function, p)                                             \
  if (const CUptiResult status_ = api.function(&(p)); status_ != CUPTI_SUCCESS) \
  return refused(s, status_, #function)

// The image of a configuration with these metrics; 0 passes: they cannot be had at all.
std::size_t passes_of(const CUpti_Profiler_Host_Initialize_Params& like, const char** metrics,
                      std::size_t count) {
  auto host = like;
  host.pHostObject = nullptr;
  if (api.cuptiProfilerHostInitialize(&host) != CUPTI_SUCCESS) return 0;
  std::size_t passes = 0;
  auto add = RNNADVISOR_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  add.pHostObject = host.pHostObject;
  add.ppMetricNames = metrics;
  add.numMetrics = count;
  auto size = RNNADVISOR_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = host.pHostObject;
  Image image;
  if (api.cuptiProfilerHostConfigAddMetrics(&add) == CUPTI_SUCCESS &&
      api.cuptiProfilerHostGetConfigImageSize(&size) == CUPTI_SUCCESS &&
      image.make(size.configImageSize)) {
    auto get = RNNADVISOR_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
    get.pHostObject = host.pHostObject;
    get.configImageSize = image.bytes;
    get.pConfigImage = image.data;
    auto number = RNNADVISOR_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params);
    number.configImageSize = image.bytes;
    number.pConfigImage = image.data;
    if (api.cuptiProfilerHostGetConfigImage(&get) == CUPTI_SUCCESS &&
        api.cuptiProfilerHostGetNumOfPasses(&number) == CUPTI_SUCCESS)
      passes = number.numOfPasses;
  }
  image.release();
  auto end = RNNADVISOR_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
  end.pHostObject = host.pHostObject;
  api.cuptiProfilerHostDeinitialize(&end);
  return passes;
}

bool configure(Sampler& s) {
  auto chip = RNNADVISOR_PARAMS(CUpti_Device_GetChipName_Params);
  chip.deviceIndex = static_cast<std::size_t>(s.device);
  RNNADVISOR_TRY(cuptiDeviceGetChipName, chip);
  auto availability = RNNADVISOR_PARAMS(CUpti_PmSampling_GetCounterAvailability_Params);
  availability.deviceIndex = static_cast<std::size_t>(s.device);
  RNNADVISOR_TRY(cuptiPmSamplingGetCounterAvailability, availability);
  if (!s.available.make(availability.counterAvailabilityImageSize))
    return refused(s, CUPTI_ERROR_OUT_OF_MEMORY, "mmap");
  availability.pCounterAvailabilityImage = s.available.data;
  const CUptiResult asked = api.cuptiPmSamplingGetCounterAvailability(&availability);
  auto host = RNNADVISOR_PARAMS(CUpti_Profiler_Host_Initialize_Params);
  host.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = s.available.data;
  CUptiResult status = asked;
  if (status == CUPTI_SUCCESS) {
    for (const char* metric : wanted_metrics) {
      s.metrics[s.metric_count] = metric;
      if (passes_of(host, s.metrics, s.metric_count + 1) == 1) ++s.metric_count;
    }
    status = api.cuptiProfilerHostInitialize(&host);
  }
  if (status != CUPTI_SUCCESS) return refused(s, status, "cuptiProfilerHostInitialize");
  s.host = host.pHostObject;
  if (s.metric_count == 0) return refused(s, CUPTI_ERROR_NOT_SUPPORTED, "its metrics");

  auto add = RNNADVISOR_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  add.pHostObject = s.host;
  add.ppMetricNames = s.metrics;
  add.numMetrics = s.metric_count;
  RNNADVISOR_TRY(cuptiProfilerHostConfigAddMetrics, add);
  auto size = RNNADVISOR_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = s.host;
  RNNADVISOR_TRY(cuptiProfilerHostGetConfigImageSize, size);
  if (!s.config.make(size.configImageSize)) return refused(s, CUPTI_ERROR_OUT_OF_MEMORY, "mmap");
  auto get = RNNADVISOR_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
  get.pHostObject = s.host;
  get.configImageSize = s.config.bytes;
  get.pConfigImage = s.config.data;
  RNNADVISOR_TRY(cuptiProfilerHostGetConfigImage, get);
  return true;
}

bool reset_samples(Sampler& s) {
  auto reset = RNNADVISOR_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params);
  reset.pPmSamplingObject = s.object;
  reset.counterDataSize = s.samples.bytes;
  reset.pCounterData = s.samples.data;
  return api.cuptiPmSamplingCounterDataImageInitialize(&reset) == CUPTI_SUCCESS;
}

void write_sample(Sampler& s, std::size_t index) {
  auto info = RNNADVISOR_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params);
  info.pPmSamplingObject = s.object;
  info.pCounterDataImage = s.samples.data;
  info.counterDataImageSize = s.samples.bytes;
  info.sampleIndex = index;
  if (api.cuptiPmSamplingCounterDataGetSampleInfo(&info) != CUPTI_SUCCESS) return;
  spool::CounterSample out{};
  auto evaluate = RNNADVISOR_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  evaluate.pHostObject = s.host;
  evaluate.pCounterDataImage = s.samples.data;
  evaluate.counterDataImageSize = s.samples.bytes;
  evaluate.rangeIndex = index;
  evaluate.ppMetricNames = s.metrics;
  evaluate.numMetrics = s.metric_count;
  evaluate.pMetricValues = out.values;
  if (api.cuptiProfilerHostEvaluateToGpuValues(&evaluate) != CUPTI_SUCCESS) {
    writer().count_loss(spool::Loss::other);
    return;
  }
  if (s.first) {
    s.first = false;
    return;
  }
  if (!is_wanted()) return;  // outside the range that the user asked for
  out.start_ns = static_cast<std::int64_t>(info.startTimestamp);
  out.end_ns = static_cast<std::int64_t>(info.endTimestamp);
  out.device = static_cast<std::uint32_t>(s.device);
  out.count = static_cast<std::uint32_t>(s.metric_count);
  writer().add(out, spool::Loss::other);
}

// What the device has sampled until now.
void collect(Sampler& s) {
  if (!s.running) return;
  for (int round = 0; round < 64; ++round) {
    auto decode = RNNADVISOR_PARAMS(CUpti_PmSampling_DecodeData_Params);
    decode.pPmSamplingObject = s.object;
    decode.pCounterDataImage = s.samples.data;
    decode.counterDataImageSize = s.samples.bytes;
    const std::int64_t before = now_ns();
    const CUptiResult status = api.cuptiPmSamplingDecodeData(&decode);
    if (decode.overflow != 0 || status == CUPTI_ERROR_OUT_OF_MEMORY)
      writer().count_loss(spool::Loss::other);
    if (status != CUPTI_SUCCESS) return;
    auto info = RNNADVISOR_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params);
    info.pCounterDataImage = s.samples.data;
    info.counterDataImageSize = s.samples.bytes;
    if (api.cuptiPmSamplingGetCounterDataInfo(&info) != CUPTI_SUCCESS) return;
    for (std::size_t i = 0; i < info.numCompletedSamples; ++i) write_sample(s, i);
    if (info.numCompletedSamples > 0) {
      // Samples are on the device's clock; this tells how it stands to ours.
      auto last = RNNADVISOR_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params);
      last.pPmSamplingObject = s.object;
      last.pCounterDataImage = s.samples.data;
      last.counterDataImageSize = s.samples.bytes;
      last.sampleIndex = info.numCompletedSamples - 1;
      if (api.cuptiPmSamplingCounterDataGetSampleInfo(&last) == CUPTI_SUCCESS)
        writer().add(spool::CounterClock{{},
                                         before,
                                         static_cast<std::int64_t>(last.endTimestamp),
                                         static_cast<std::uint32_t>(s.device),
                                         0},
                     spool::Loss::other);
    }
    if (!reset_samples(s)) return;
    if (decode.decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL) return;
  }
}

bool begin(Sampler& s) {
  if (!configure(s)) return false;
  auto enable = RNNADVISOR_PARAMS(CUpti_PmSampling_Enable_Params);
  enable.deviceIndex = static_cast<std::size_t>(s.device);
  RNNADVISOR_TRY(cuptiPmSamplingEnable, enable);
  s.object = enable.pPmSamplingObject;
  auto config = RNNADVISOR_PARAMS(CUpti_PmSampling_SetConfig_Params);
  config.pPmSamplingObject = s.object;
  config.configSize = s.config.bytes;
  config.pConfig = s.config.data;
  config.hardwareBufferSize = hardware_buffer_bytes;
  config.samplingInterval = static_cast<std::uint64_t>(settings().counter_interval_ns);
  config.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  RNNADVISOR_TRY(cuptiPmSamplingSetConfig, config);
  auto size = RNNADVISOR_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params);
  size.pPmSamplingObject = s.object;
  size.pMetricNames = s.metrics;
  size.numMetrics = s.metric_count;
  size.maxSamples = most_samples;
  RNNADVISOR_TRY(cuptiPmSamplingGetCounterDataSize, size);
  if (!s.samples.make(size.counterDataSize) || !reset_samples(s))
    return refused(s, CUPTI_ERROR_OUT_OF_MEMORY, "cuptiPmSamplingCounterDataImageInitialize");
  spool::CounterMetrics names{};
  names.device = static_cast<std::uint32_t>(s.device);
  names.count = static_cast<std::uint32_t>(s.metric_count);
  for (std::size_t i = 0; i < s.metric_count; ++i) names.names[i] = writer().intern(s.metrics[i]);
  writer().add(names, spool::Loss::other);
  auto start = RNNADVISOR_PARAMS(CUpti_PmSampling_Start_Params);
  start.pPmSamplingObject = s.object;
  RNNADVISOR_TRY(cuptiPmSamplingStart, start);
  s.running = true;
  // Everything of CUPTI has been used once when this returns: see end_before_cupti().
  const timespec pause = {0, 3'000'000};
  nanosleep(&pause, nullptr);
  collect(s);
  return true;
}

void end(Sampler& s) {
  if (s.running) {
    auto halt = RNNADVISOR_PARAMS(CUpti_PmSampling_Stop_Params);
    halt.pPmSamplingObject = s.object;
    api.cuptiPmSamplingStop(&halt);
    collect(s);
    s.running = false;
  }
  if (s.object != nullptr) {
    auto disable = RNNADVISOR_PARAMS(CUpti_PmSampling_Disable_Params);
    disable.pPmSamplingObject = s.object;
    api.cuptiPmSamplingDisable(&disable);
  }
  if (s.host != nullptr) {
    auto finish = RNNADVISOR_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
    finish.pHostObject = s.host;
    api.cuptiProfilerHostDeinitialize(&finish);
  }
  s.available.release();
  s.config.release();
  s.samples.release();
}

void* sample(void*) {
  const Scope scope;
  const OurCupti guard;
  pthread_setname_np(pthread_self(), "rnnadvisor");
  const std::int64_t begun = now_ns();
  pthread_mutex_lock(&mutex);
  while (!stop.load()) {
    for (auto& sampler : samplers) collect(sampler);
    // A program pays for sampling with each of its launches; see docs/profiling.md.
    if (settings().counter_duration_ns > 0 && now_ns() - begun > settings().counter_duration_ns)
      break;
    const timespec until = from_now(decode_every_ns);
    int waited = 0;
    while (!stop.load() && waited != ETIMEDOUT)
      waited = pthread_cond_timedwait(&changed, &mutex, &until);
  }
  stop.store(true);
  for (auto& sampler : samplers) end(sampler);
  life.store(ended);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

// CUPTI loads its profiling libraries when they are first used, later than the plugin asked to be
// called at exit(): their destructors run before that call, and what we asked of them then would
// corrupt the program's memory. So sampling ends by a call of its own.
void end_before_cupti() {
  static std::atomic<bool> registered{false};
  if (!registered.exchange(true)) on_exit([](int, void*) { counters_finish(); }, nullptr);
}

bool start_thread() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The program's signals are for its own threads. Those that an instruction causes would end the
  // process past its handlers, if they were kept off.
  sigset_t all, before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool made = pthread_create(&thread, &attributes, &sample, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return made;
}

}  // namespace

void counters_prepare(void* library, bool (*wanted)()) {
  if (!settings().trace_counters || prepared.load()) return;
  is_wanted = wanted;
#define RNNADVISOR_FIND(name)                                                      \
  api.name = reinterpret_cast<decltype(api.name)>(real_symbol(library, #name));    \
  if (api.name == nullptr) {                                                       \
    note("counters-refused",                                                       \
         "this libcupti cannot sample hardware counters; it came with CUDA 12.6"); \
    return;                                                                        \
  }
  RNNADVISOR_PM(RNNADVISOR_FIND)
#undef RNNADVISOR_FIND
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &clock);
  pthread_condattr_destroy(&clock);
  prepared.store(true);
}

void counters_see(int device) {
  if (!prepared.load(std::memory_order_acquire) || device < 0 || device >= most_devices) return;
  if ((seen.load(std::memory_order_relaxed) & 1U << device) != 0) return;
  const OurCupti guard;
  const Locked locked(mutex);
  if ((seen.fetch_or(1U << device) & 1U << device) == 0 && !stop.load()) {
    Sampler& s = samplers[device];
    s.device = device;
    auto initialize = RNNADVISOR_PARAMS(CUpti_Profiler_Initialize_Params);
    const auto status = api.cuptiProfilerInitialize(&initialize);
    if (status != CUPTI_SUCCESS) {
      refused(s, status, "cuptiProfilerInitialize");
    } else if (begin(s) && life.load() == none) {
      end_before_cupti();
      life.store(start_thread() ? alive : ended);
    }
  }
}

void counters_finish() {
  prepared.store(false);
  if (life.load() != alive) return;
  const Uncancelled guard;
  const timespec until = from_now(500'000'000);
  const timespec lock_until = from_now(500'000'000, CLOCK_REALTIME);
  if (pthread_mutex_timedlock(&mutex, &lock_until) != 0) return;
  stop.store(true);
  pthread_cond_broadcast(&changed);
  while (life.load() == alive && pthread_cond_timedwait(&changed, &mutex, &until) != ETIMEDOUT) {
  }
  pthread_mutex_unlock(&mutex);
}

void counters_in_child() {
  prepared.store(false);
  seen.store(0);
  life.store(none);
  stop.store(false);
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
  for (auto& sampler : samplers) sampler = Sampler();
}

}  // namespace rnnadvisor::plugin
