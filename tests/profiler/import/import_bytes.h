// A trace in memory as a profile.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "profiler/import/chrome_trace.h"
#include "profiler/import/imported_profile.h"
#include "profiler/import/kineto.h"

namespace rnnadvisor::import_trace {

// Handed over in pieces of so many bytes.
inline TraceRead read_bytes(std::string_view bytes, std::size_t piece,
                            std::function<bool(const TraceEvent&, const TraceHeader&)> event,
                            std::function<Wanted(const TraceEvent&)> wanted = {}) {
  TraceReading reading;
  reading.read = [bytes](char* into, std::size_t most) mutable {
    const auto size = std::min(most, bytes.size());
    std::memcpy(into, bytes.data(), size);
    bytes.remove_prefix(size);
    return size;
  };
  reading.event = std::move(event);
  reading.wanted = std::move(wanted);
  reading.buffer_bytes = piece;
  return read_chrome_trace(reading);
}

inline Profile import_bytes(std::string_view bytes, std::size_t piece = 1U << 16U,
                            std::function<Wanted(const TraceEvent&)> wanted = Kineto::wanted) {
  ImportedProfile profile(Recorder::torch_profiler);
  Kineto kineto(profile, "host");
  const auto read = read_bytes(
      bytes, piece,
      [&](const TraceEvent& event, const TraceHeader& header) {
        kineto.take(event, header);
        return true;
      },
      std::move(wanted));
  kineto.finish(read.header);
  return profile.finish("record with record_shapes=True");
}

}  // namespace rnnadvisor::import_trace
