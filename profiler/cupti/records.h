// CUPTI's activity records as ours. Apart from the source so that hand-built buffers can be read in
// tests without a GPU. Private to profiler/cupti.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "profiler/cupti/activity_source.h"
#include "profiler/cupti/cupti_api.h"

namespace rnnadvisor {

class RecordReader {
 public:
  explicit RecordReader(const CuptiApi& api) : api_(api) {}

  // Reads all records of one completed buffer. Called from one thread at a time.
  void read(std::uint8_t* buffer, std::size_t valid_bytes);
  void add_dropped(std::size_t count) { batch_.dropped += static_cast<std::int64_t>(count); }

  // What was read; NVTX ranges whose end never came end at `now_ns`.
  ActivityBatch take(std::int64_t now_ns);

 private:
  struct OpenRange {
    NvtxRecord record;
  };
  void read_one(const CUpti_Activity* record);
  void read_marker(const CUpti_ActivityMarker2& marker);

  const CuptiApi& api_;
  ActivityBatch batch_;
  std::map<std::uint32_t, NvtxRecord> open_;  // by marker id
};

}  // namespace rnnadvisor
