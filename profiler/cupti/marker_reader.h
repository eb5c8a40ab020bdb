// NVTX ranges out of CUPTI's markers: a start, an end and perhaps data are records of their own,
// joined by an id that is unique in the process. Private to profiler/cupti.
//
// They come in any order: an end that was called on another thread lies in another buffer, and
// CUPTI may deliver that one first. Seen on CUPTI 13.0.1 with nvtxRangeStart and nvtxRangeEnd.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "profiler/cupti/cupti_api.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor {

class MarkerReader {
 public:
  void read(const CUpti_ActivityMarker2& marker);
  void read(const CUpti_ActivityMarkerData2& data);

  // Ranges and marks read so far. A range whose end never came ends at `now_ns`; an end whose start
  // never came belongs to a range that began before the recording, and is left out.
  std::vector<NvtxRecord> take(std::int64_t now_ns);
  // Markers for which CUPTI could not collect a time, since the last call; they are left out.
  std::int64_t take_untimed();

 private:
  struct Data {
    int color = 0;
    std::string category;
    NvtxPayload payload;
  };
  void finish(std::uint32_t id, NvtxRecord record);
  static void apply(NvtxRecord& record, Data data);

  std::vector<NvtxRecord> done_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // in done_, for data that comes late
  std::unordered_map<std::uint32_t, NvtxRecord> open_;
  std::unordered_map<std::uint32_t, std::int64_t> ends_;  // of ranges whose start has not come
  std::unordered_map<std::uint32_t, Data> data_;          // of markers that have not come
  std::int64_t untimed_ = 0;
};

}  // namespace rnnadvisor
