// The part of the stand-in for libcupti that samples hardware counters: one sample a millisecond on
// the clock of the host, in which metric number i of the configuration has the value i + 0.5.
//
// STANDIN_PM_REFUSES: the function that is not permitted. STANDIN_PM_UNKNOWN: a part of the name of
// metrics that the chip does not have. STANDIN_PM_PASSES: one that does not fit into the same pass.
#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object {
  std::vector<std::string> metrics;
};
struct CUpti_PmSampling_Object {
  bool running = false;
  std::uint64_t interval = 0, sampled = 0;
};

namespace {

struct Image {  // what our images hold
  std::uint64_t count, start, interval;
};
constexpr std::uint64_t most_samples = 256;

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

bool named(const char* variable, const std::string& text) {
  const char* value = getenv(variable);
  return value != nullptr && *value != 0 && text.find(value) != std::string::npos;
}

CUptiResult answer(const char* function) {
  return named("STANDIN_PM_REFUSES", function) ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
                                               : CUPTI_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return answer("cuptiProfilerInitialize");
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  p->pChipName = "STANDIN";
  return answer("cuptiDeviceGetChipName");
}
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  p->pHostObject = new CUpti_Profiler_Host_Object();
  return answer("cuptiProfilerHostInitialize");
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  delete p->pHostObject;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  for (std::size_t i = 0; i < p->numMetrics; ++i) {
    if (named("STANDIN_PM_UNKNOWN", p->ppMetricNames[i])) return CUPTI_ERROR_INVALID_METRIC_NAME;
    p->pHostObject->metrics.emplace_back(p->ppMetricNames[i]);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  p->configImageSize = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  p->pConfigImage[0] = 1;
  for (const auto& metric : p->pHostObject->metrics)
    if (named("STANDIN_PM_PASSES", metric)) p->pConfigImage[0] = 2;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  p->numOfPasses = p->pConfigImage[0];
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterAvailability(
    CUpti_PmSampling_GetCounterAvailability_Params* p) {
  p->counterAvailabilityImageSize = 16;
  return answer("cuptiPmSamplingGetCounterAvailability");
}
CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* p) {
  p->pPmSamplingObject = new CUpti_PmSampling_Object();
  return answer("cuptiPmSamplingEnable");
}
CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params* p) {
  delete p->pPmSamplingObject;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* p) {
  p->pPmSamplingObject->interval = p->samplingInterval;
  return answer("cuptiPmSamplingSetConfig");
}
CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params* p) {
  p->pPmSamplingObject->running = true;
  p->pPmSamplingObject->sampled = now();
  return answer("cuptiPmSamplingStart");
}
CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params* p) {
  p->counterDataSize = sizeof(Image);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataImageInitialize(
    CUpti_PmSampling_CounterDataImage_Initialize_Params* p) {
  memset(p->pCounterData, 0, sizeof(Image));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* p) {
  auto& object = *p->pPmSamplingObject;
  auto& image = *reinterpret_cast<Image*>(p->pCounterDataImage);
  const std::uint64_t there = (now() - object.sampled) / object.interval;
  image = {there < most_samples ? there : most_samples, object.sampled, object.interval};
  object.sampled += image.count * object.interval;
  p->overflow = 0;
  p->decodeStopReason = there > most_samples
                            ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                            : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params* p) {
  p->numCompletedSamples = reinterpret_cast<const Image*>(p->pCounterDataImage)->count;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(
    CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
  const auto& image = *reinterpret_cast<const Image*>(p->pCounterDataImage);
  p->startTimestamp = image.start + p->sampleIndex * image.interval;
  p->endTimestamp = p->startTimestamp + image.interval;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  for (std::size_t i = 0; i < p->numMetrics; ++i)
    p->pMetricValues[i] = static_cast<double>(i) + 0.5;
  return CUPTI_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
