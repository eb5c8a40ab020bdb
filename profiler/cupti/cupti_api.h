// CUPTI, loaded at run time. Private to profiler/cupti.
#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace rnnadvisor {

// clang-format off: it does not settle on a layout for these lists
#define RNNADVISOR_CUPTI_REQUIRED(X) \
  X(cuptiGetVersion) X(cuptiGetResultString) X(cuptiActivityEnable) \
  X(cuptiActivityDisable) X(cuptiActivityRegisterCallbacks) \
  X(cuptiActivityGetNextRecord) X(cuptiActivityFlushAll) \
  X(cuptiActivityGetNumDroppedRecords) X(cuptiActivityPushExternalCorrelationId) \
  X(cuptiActivityPopExternalCorrelationId) X(cuptiGetTimestamp) X(cuptiGetCallbackName) \
  X(cuptiSubscribe) X(cuptiUnsubscribe)
// Later additions that can be done without: the name of another subscriber, thread ids of the
// operating system.
#define RNNADVISOR_CUPTI_EXTRA(X) X(cuptiSubscribe_v2) X(cuptiSetThreadIdType)
// The Range Profiler came with CUDA 12.6; without it there are no counters.
#define RNNADVISOR_CUPTI_OPTIONAL(X) \
  X(cuptiProfilerInitialize) X(cuptiProfilerGetCounterAvailability) \
  X(cuptiDeviceGetChipName) X(cuptiProfilerHostInitialize) \
  X(cuptiProfilerHostDeinitialize) X(cuptiProfilerHostConfigAddMetrics) \
  X(cuptiProfilerHostGetConfigImageSize) X(cuptiProfilerHostGetConfigImage) \
  X(cuptiProfilerHostGetNumOfPasses) X(cuptiProfilerHostEvaluateToGpuValues) \
  X(cuptiRangeProfilerEnable) X(cuptiRangeProfilerDisable) \
  X(cuptiRangeProfilerSetConfig) X(cuptiRangeProfilerStart) X(cuptiRangeProfilerStop) \
  X(cuptiRangeProfilerPushRange) X(cuptiRangeProfilerPopRange) \
  X(cuptiRangeProfilerDecodeData) X(cuptiRangeProfilerGetCounterDataSize) \
  X(cuptiRangeProfilerCounterDataImageInitialize)
// clang-format on

struct CuptiApi {
#define RNNADVISOR_DECLARE(name) decltype(&::name) name = nullptr;
  RNNADVISOR_CUPTI_REQUIRED(RNNADVISOR_DECLARE)
  RNNADVISOR_CUPTI_EXTRA(RNNADVISOR_DECLARE)
  RNNADVISOR_CUPTI_OPTIONAL(RNNADVISOR_DECLARE)
#undef RNNADVISOR_DECLARE
  std::string path;
  std::uint32_t version = 0;
  bool has_range_profiler = false;

  // Loads CUPTI once per process. Also names it to NVTX (NVTX_INJECTION64_PATH), unless another
  // tool is named there already, so it must be called before the first NVTX range. Thread-safe.
  static Result<const CuptiApi*> load();
};

Error cupti_error(const CuptiApi& api, CUptiResult status, const char* what);

}  // namespace rnnadvisor
