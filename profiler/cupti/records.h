// CUPTI's activity records as ours. Apart from the source so that hand-built buffers can be read in
// tests without a GPU. Private to profiler/cupti.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/cupti/activity_source.h"
#include "profiler/cupti/cupti_api.h"
#include "profiler/cupti/marker_reader.h"

namespace rnnadvisor {

// The kind under which ActivitySource::push() gives ids to CUPTI. Other tools and OpenACC use
// others, for the same calls.
inline constexpr CUpti_ExternalCorrelationKind own_correlation_kind =
    CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

class RecordReader {
 public:
  explicit RecordReader(const CuptiApi& api) : api_(api) {}

  // Reads all records of one completed buffer. Called from one thread at a time.
  void read(std::uint8_t* buffer, std::size_t valid_bytes);
  void add_dropped(std::size_t count) { batch_.dropped += static_cast<std::int64_t>(count); }

  // What was read; NVTX ranges whose end never came end at `now_ns`.
  ActivityBatch take(std::int64_t now_ns);

 private:
  void read_one(const CUpti_Activity* record);
  void read_kernel(const CUpti_ActivityKernel10& kernel);
  void read_transfer(TransferRecord record);
  void read_api(const CUpti_ActivityAPI& call, bool driver);
  void read_memory(const CUpti_ActivityMemory4& memory);
  void read_overhead(const CUpti_ActivityOverhead3& overhead);

  const CuptiApi& api_;
  ActivityBatch batch_;
  MarkerReader markers_;
};

}  // namespace rnnadvisor
