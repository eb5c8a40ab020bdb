#include "core/base/protobuf_wire.h"

#include <algorithm>

namespace rnnadvisor {

bool WireReader::varint(std::uint64_t& value) {
  value = 0;
  const auto bytes = bytes_->view(at_, std::min<std::uint64_t>(10, end_ - at_));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80U) != 0) continue;
    at_ += i + 1;
    return true;
  }
  return false;
}

bool WireReader::next(WireField& field) {
  if (damaged_ || at_ >= end_) return false;
  std::uint64_t tag = 0;
  if (!varint(tag) || tag >> 3U == 0 || tag >> 3U > 0x1fffffffU) return fail();
  field = {};
  field.number = static_cast<std::uint32_t>(tag >> 3U);
  field.type = static_cast<WireType>(tag & 7U);
  switch (field.type) {
    case WireType::varint:
      return varint(field.value) || fail();
    case WireType::bytes: {
      std::uint64_t length = 0;
      if (!varint(length) || length > end_ - at_) return fail();
      field.begin = at_;
      field.end = at_ += length;
      return true;
    }
    case WireType::fixed64:
    case WireType::fixed32: {
      const unsigned size = field.type == WireType::fixed64 ? 8 : 4;
      if (end_ - at_ < size) return fail();
      field.value = bytes_->number(at_, size);
      at_ += size;
      return true;
    }
  }
  return fail();  // groups are no part of the definitions that are read here
}

std::string wire_text(FileBytes& bytes, const WireField& field, std::size_t most) {
  if (field.type != WireType::bytes) return {};
  return bytes.read(field.begin, std::min(field.end, field.begin + most));
}

void append_wire_numbers(FileBytes& bytes, const WireField& field,
                         std::vector<std::int64_t>& numbers, std::size_t most) {
  if (field.type == WireType::varint && numbers.size() < most)
    numbers.push_back(static_cast<std::int64_t>(field.value));
  if (field.type != WireType::bytes) return;
  for (std::uint64_t at = field.begin; at < field.end && numbers.size() < most;) {
    std::uint64_t value = 0;
    std::uint64_t length = 0;
    for (const char each : bytes.view(at, std::min<std::uint64_t>(10, field.end - at))) {
      const auto byte = static_cast<unsigned char>(each);
      value |= std::uint64_t{byte & 0x7fU} << (7 * length++);
      if ((byte & 0x80U) == 0) break;
    }
    if (length == 0) return;
    at += length;
    numbers.push_back(static_cast<std::int64_t>(value));
  }
}

}  // namespace rnnadvisor
