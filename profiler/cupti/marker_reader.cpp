#include "profiler/cupti/marker_reader.h"

#include <string>
#include <utility>

namespace rnnadvisor {
namespace {

// CUPTI 13.0.1 tells a range without a payload as the unsigned number 0, and so one with a 32-bit
// payload; both become "none", and with them an unsigned 0 that was meant.
NvtxPayload payload_of(const CUpti_ActivityMarkerData2& data) {
  switch (data.payloadKind) {
    case CUPTI_METRIC_VALUE_KIND_DOUBLE:
      return data.payload.metricValueDouble;
    case CUPTI_METRIC_VALUE_KIND_UINT64:
      if (data.payload.metricValueUint64 == 0) return {};
      return data.payload.metricValueUint64;
    case CUPTI_METRIC_VALUE_KIND_INT64:
      return data.payload.metricValueInt64;
    default:  // a schema of its own: no single number
      return {};
  }
}

}  // namespace

void MarkerReader::read(const CUpti_ActivityMarker2& marker) {
  const bool end = (marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0;
  if (marker.timestamp == CUPTI_TIMESTAMP_UNKNOWN) {
    ++untimed_;
    if (end) open_.erase(marker.id);
    return;
  }
  const auto time = static_cast<std::int64_t>(marker.timestamp);
  if (end) {
    const auto begun = open_.find(marker.id);
    if (begun == open_.end()) {
      ends_[marker.id] = time;
      return;
    }
    begun->second.end_ns = time;
    finish(marker.id, std::move(begun->second));
    open_.erase(begun);
    return;
  }
  NvtxRecord record;
  record.start_ns = record.end_ns = time;
  record.name = marker.name != nullptr ? marker.name : "";
  record.domain = marker.domain != nullptr ? marker.domain : "";
  record.thread =
      marker.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? marker.objectId.pt.threadId : 0;
  if (const auto known = data_.find(marker.id); known != data_.end()) {
    apply(record, std::move(known->second));
    data_.erase(known);
  }
  if ((marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS) != 0) {
    finish(marker.id, std::move(record));
  } else if ((marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0) {
    const auto ended = ends_.find(marker.id);
    // An end before the start is of another range.
    if (ended == ends_.end() || ended->second < time) {
      open_[marker.id] = std::move(record);
    } else {
      record.end_ns = ended->second;
      finish(marker.id, std::move(record));
    }
    if (ended != ends_.end()) ends_.erase(ended);
  }
}

void MarkerReader::read(const CUpti_ActivityMarkerData2& data) {
  Data read;
  if ((data.flags & CUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB) != 0)
    read.color = static_cast<int>(data.color);
  if (data.category != 0) read.category = std::to_string(data.category);  // names do not come
  read.payload = payload_of(data);
  if (const auto open = open_.find(data.id); open != open_.end()) {
    apply(open->second, std::move(read));
  } else if (const auto place = places_.find(data.id); place != places_.end()) {
    apply(done_[place->second], std::move(read));
  } else {
    data_[data.id] = std::move(read);
  }
}

void MarkerReader::apply(NvtxRecord& record, Data data) {
  record.color = data.color;
  record.category = std::move(data.category);
  record.payload = data.payload;
}

void MarkerReader::finish(std::uint32_t id, NvtxRecord record) {
  places_[id] = done_.size();
  done_.push_back(std::move(record));
}

std::vector<NvtxRecord> MarkerReader::take(std::int64_t now_ns) {
  for (auto& [id, record] : open_) {
    record.end_ns = now_ns;
    done_.push_back(std::move(record));
  }
  open_.clear();
  places_.clear();
  ends_.clear();
  data_.clear();
  return std::exchange(done_, {});
}

std::int64_t MarkerReader::take_untimed() { return std::exchange(untimed_, 0); }

}  // namespace rnnadvisor
