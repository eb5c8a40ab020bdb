// Profiles of XLA in memory: messages written field by field, and read as a profile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/file_bytes.h"
#include "profiler/import/imported_profile.h"
#include "profiler/import/xplane.h"

namespace rnnadvisor::import_trace {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7U) bytes += static_cast<char>((value & 127U) | 128U);
  return bytes += static_cast<char>(value);
}

// A field of a message.
inline std::string field(unsigned number, std::string_view bytes) {
  return varint((number << 3U) | 2U) + varint(bytes.size()) + std::string(bytes);
}
inline std::string number_field(unsigned number, std::uint64_t value) {
  return varint(number << 3U) + varint(value);
}

// Names of a plane: `number` 4 of events, 5 of stats.
inline std::string name_entry(unsigned number, std::uint64_t id, std::string_view name,
                              std::string_view more = {}) {
  return field(number, number_field(1, id) +
                           field(2, number_field(1, id) + field(2, name) + std::string(more)));
}

inline std::string number_stat(std::uint64_t id, std::uint64_t value) {
  return field(4, number_field(1, id) + number_field(3, value));
}
inline std::string text_stat(std::uint64_t id, std::string_view text) {
  return field(4, number_field(1, id) + field(5, text));
}

// `read` has what read_xplane() returned.
inline Profile import_xplane_bytes(std::string_view bytes, XplaneRead* read = nullptr) {
  ImportedProfile profile(Recorder::xla_profiler);
  FileBytes file{std::string(bytes)};
  const auto result = read_xplane(file, "host", profile);
  if (read != nullptr) *read = result;
  return profile.finish("give the file of all planes");
}

}  // namespace rnnadvisor::import_trace
