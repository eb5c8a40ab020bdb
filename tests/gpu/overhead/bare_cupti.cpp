// The floor of any trace of kernels: CUPTI's activity interface alone, buffers taken and thrown
// away. Loaded with CUDA_INJECTION64_PATH by measure.py, beside which our modes are measured. What
// else a recorder does is added one by one, by words in BARE_CUPTI, so that the cost of each shows:
//   timestamps   times by a callback of ours instead of CUPTI's own clock
//   subscriber   a subscriber to callbacks, with those that the plugin enables
//   flush        finished buffers are delivered each second
//   transfers    copies and memsets are recorded as well
//   walk         each record is visited
//   per-thread   a buffer for each thread that launches
//   zeroed       CUPTI is told that buffers come zeroed
#include <cupti.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <initializer_list>

namespace {

constexpr size_t buffer_bytes = 4 << 20;

bool asked(const char* word) {
  const char* words = getenv("BARE_CUPTI");
  return words != nullptr && strstr(words, word) != nullptr;
}

const bool walk = asked("walk"), zeroed = asked("zeroed");
volatile uint64_t sum = 0;

uint64_t CUPTIAPI timestamp() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void CUPTIAPI requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(zeroed ? mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                         : aligned_alloc(8, buffer_bytes));
  *size = buffer_bytes;
  *max_records = 0;
}

void CUPTIAPI completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (walk && valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    sum = sum + record->kind;
  if (zeroed)
    munmap(buffer, buffer_bytes);
  else
    free(buffer);
}

void CUPTIAPI called(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) { sum = sum + 1; }

void set(CUpti_ActivityAttribute attribute) {
  uint8_t on = 1;
  size_t size = sizeof on;
  cuptiActivitySetAttribute(attribute, &size, &on);
}

}  // namespace

extern "C" int InitializeInjection() {
  if (asked("per-thread")) set(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
  if (zeroed) set(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
  if (asked("timestamps")) cuptiActivityRegisterTimestampCallback(&timestamp);
  if (asked("subscriber")) {
    CUpti_SubscriberHandle subscriber = nullptr;
    cuptiSubscribe(&subscriber, &called, nullptr);
    for (const auto id :
         {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
          CUPTI_CBID_RESOURCE_CONTEXT_CREATED})
      cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                          static_cast<CUpti_CallbackId>(id));
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                        CUPTI_DRIVER_TRACE_CBID_cuCtxGetStreamPriorityRange);
  }
  cuptiActivityRegisterCallbacks(&requested, &completed);
  if (asked("flush")) cuptiActivityFlushPeriod(1000);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (asked("transfers")) {
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  }
  return 1;
}
