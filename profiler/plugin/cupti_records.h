// CUPTI's activity records, one by one, as records of the spool.
#pragma once

#include <cupti.h>

#include <cstdint>

namespace rnnadvisor::plugin {

struct Reading {
  decltype(&::cuptiGetCallbackName) name_of;  // called for calls of the CUDA API only
  bool system_threads;  // CUPTI tells threads by the system's ids; else they stay unknown, 0
  std::uint32_t numbered_before;  // is added to CUPTI's numbers of calls
};

// Writes one record; kinds that are not recorded are passed over. Kernels whose time CUPTI could
// not get are counted as lost. Any thread; never throws.
void write_activity(const CUpti_Activity& record, const Reading& reading);

}  // namespace rnnadvisor::plugin
