// CUPTI without CUPTI: activity buffers built by hand, records one after the other at 8-byte
// boundaries as CUPTI lays them out, and the few entry points that read them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "profiler/cupti/cupti_api.h"

namespace rnnadvisor {

// The end that the tests give to what has none: later than every record.
inline constexpr std::int64_t end_of_recording = 9000;

class HandBuiltBuffer {
 public:
  template <class Record>
  HandBuiltBuffer& add(const Record& record) {
    const std::size_t offset = bytes_.size();
    bytes_.resize(offset + (sizeof(Record) + 7) / 8 * 8);
    std::memcpy(bytes_.data() + offset, &record, sizeof(Record));
    return *this;
  }
  std::uint8_t* data() { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
};

// A kind no CUPTI has: what a later version may deliver. Carried by a bare CUpti_Activity.
inline constexpr auto kind_of_the_future = static_cast<CUpti_ActivityKind>(9999);

inline std::size_t record_bytes(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_MARKER_DATA:
      return sizeof(CUpti_ActivityMarkerData2);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    default:
      return sizeof(CUpti_Activity);
  }
}

inline CUptiResult CUPTIAPI next_record(std::uint8_t* buffer, std::size_t valid,
                                        CUpti_Activity** record) {
  std::size_t offset = 0;
  if (*record != nullptr) {
    const auto at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer);
    offset = at + (record_bytes((*record)->kind) + 7) / 8 * 8;
  }
  if (offset + sizeof(CUpti_Activity) > valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  auto* next = reinterpret_cast<CUpti_Activity*>(buffer + offset);
  if (offset + record_bytes(next->kind) > valid) return CUPTI_ERROR_INVALID_KIND;
  *record = next;
  return CUPTI_SUCCESS;
}

inline constexpr CUpti_CallbackId launch_cbid = 211;
inline constexpr CUpti_CallbackId synchronize_cbid = 131;  // of cudaStreamSynchronize
inline constexpr CUpti_CallbackId unknown_cbid = 54321;

inline CUptiResult CUPTIAPI callback_name(CUpti_CallbackDomain domain, std::uint32_t id,
                                          const char** name) {
  const bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
  if (id == synchronize_cbid && !driver) {
    *name = "cudaStreamSynchronize";
    return CUPTI_SUCCESS;
  }
  if (id != launch_cbid) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = driver ? "cuLaunchKernel" : "cudaLaunchKernel";
  return CUPTI_SUCCESS;
}

inline CuptiApi fake_cupti() {
  CuptiApi api;
  api.cuptiActivityGetNextRecord = &next_record;
  api.cuptiGetCallbackName = &callback_name;
  return api;
}

}  // namespace rnnadvisor
