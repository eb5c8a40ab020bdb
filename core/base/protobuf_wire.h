// The fields of a protobuf message in a file, one after the other, without generated code. Source:
// protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/file_bytes.h"

namespace rnnadvisor {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;           // of a varint or a fixed number
  std::uint64_t begin = 0, end = 0;  // in the file, of bytes: text, a message or packed numbers
};

class WireReader {
 public:
  WireReader(FileBytes& bytes, std::uint64_t begin, std::uint64_t end)
      : bytes_(&bytes), at_(begin), end_(end) {}
  WireReader(FileBytes& bytes, const WireField& message)
      : WireReader(bytes, message.begin, message.end) {}

  // False at the end, and where the message is not well formed.
  bool next(WireField& field);
  bool damaged() const { return damaged_; }
  std::uint64_t at() const { return at_; }

 private:
  bool varint(std::uint64_t& value);
  bool fail() {
    damaged_ = true;
    return false;
  }

  FileBytes* bytes_;
  std::uint64_t at_, end_;
  bool damaged_ = false;
};

// A text field, cut at `most` bytes; empty for other fields.
std::string wire_text(FileBytes& bytes, const WireField& field, std::size_t most = 1024);
// Appends the numbers of a repeated int64, packed or not, while `numbers` has fewer than `most`.
void append_wire_numbers(FileBytes& bytes, const WireField& field,
                         std::vector<std::int64_t>& numbers, std::size_t most);

}  // namespace rnnadvisor
