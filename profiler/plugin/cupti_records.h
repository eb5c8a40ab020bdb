// CUPTI's activity records, one by one, as records of the spool.
#pragma once

#include <cupti.h>

namespace rnnadvisor::plugin {

struct ApiReading {
  decltype(&::cuptiGetCallbackName) name_of;  // called for calls of the CUDA API only
  bool system_threads;  // CUPTI tells threads by the system's ids; else they stay unknown, 0
};

// Writes one record; kinds that are not recorded are passed over. Kernels whose time CUPTI could
// not get are counted as lost. Any thread; never throws.
void write_activity(const CUpti_Activity& record, const ApiReading& reading);

}  // namespace rnnadvisor::plugin
