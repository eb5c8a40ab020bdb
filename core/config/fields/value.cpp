#include "core/config/fields/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/text.h"

namespace rnnadvisor::fields {
namespace {

constexpr std::size_t longest_shown = 60;

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Value Value::of_text(std::string_view text) {
  Value value;
  value.kind = Kind::text;
  value.string = text;
  return value;
}

Value Value::of_integer(std::int64_t number) {
  Value value;
  value.kind = Kind::integer;
  value.negative = number < 0;
  value.magnitude =
      number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
  return value;
}

Value parse_number(std::string_view text) {
  Value value;
  value.written = text;
  const bool negative = text.starts_with('-');
  const std::string_view digits = negative ? text.substr(1) : text;
  const char* end = text.data() + text.size();
  if (is_digits(digits)) {
    value.kind = Value::Kind::integer;
    value.negative = negative;
    const auto result = std::from_chars(digits.data(), end, value.magnitude);
    value.out_of_range = result.ec == std::errc::result_out_of_range;
    if (value.magnitude == 0 && !value.out_of_range) value.negative = false;
    return value;
  }
  const auto result = std::from_chars(text.data(), end, value.real);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return value;
  value.kind = Value::Kind::real;
  value.out_of_range = result.ec == std::errc::result_out_of_range;
  return value;
}

std::string shown(std::string_view text) {
  std::string_view head = text.substr(0, longest_shown);
  // Not in the middle of a character.
  while (head.size() < text.size() && !head.empty() &&
         (static_cast<unsigned char>(text[head.size()]) & 0xC0U) == 0x80U &&
         head.size() > longest_shown - 4) {
    head.remove_suffix(1);
  }
  std::string out;
  for (const char c : to_valid_utf8(head)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return head.size() < text.size() ? out + "…" : out;
}

std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::boolean:
      return value.boolean ? "true" : "false";
    case Value::Kind::integer:
      return value.written.empty() ? fmt::format("{}{}", value.negative ? "-" : "", value.magnitude)
                                   : shown(value.written);
    case Value::Kind::real:
      return value.written.empty() ? fmt::format("{}", value.real) : shown(value.written);
    case Value::Kind::string:
      return "the string '" + shown(value.string) + "'";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::table:
      return "a table";
    case Value::Kind::text:
      return "'" + shown(value.string) + "'";
    case Value::Kind::other:
      return "a date or time";
  }
  return "?";
}

}  // namespace rnnadvisor::fields
