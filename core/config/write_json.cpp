// A configuration as one line of JSON, written without a document in between: `check --batch` and
// the workers write many.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <type_traits>

#include "core/base/text.h"
#include "core/config/fields/field_index.h"
#include "core/config/read_config.h"

namespace rnnadvisor {
namespace {

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

void append(std::string& out, const std::string& text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  append_string(out, std::all_of(text.begin(), text.end(), is_ascii) ? text : to_valid_utf8(text));
}

void append(std::string& out, bool value) { out += value ? "true" : "false"; }

template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>)
void append(std::string& out, Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) {  // JSON has no such number, and no reader lets one in
      out += "null";
      return;
    }
  }
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, result.ptr);
}

template <class Enum>
  requires std::is_enum_v<Enum>
void append(std::string& out, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  out += '"';
  if (index < Spellings<Enum>::values.size()) out += Spellings<Enum>::values[index];
  out += '"';
}

void append(std::string& out, const std::vector<int>& values) {
  out += '[';
  for (const int value : values) {
    if (out.back() != '[') out += ',';
    append(out, value);
  }
  out += ']';
}

bool is_absent(const std::string& value) { return value.empty(); }
bool is_absent(const std::vector<int>& value) { return value.empty(); }
template <class T>
bool is_absent(const std::optional<T>& value) {
  return !value.has_value();
}
template <class T>
bool is_absent(const T&) {
  return false;
}

template <class T>
void append_content(std::string& out, const T& value) {
  append(out, value);
}
template <class T>
void append_content(std::string& out, const std::optional<T>& value) {
  append(out, *value);
}

template <class Table>
auto field_writer(std::string& out, const Table& table, const fields::FieldSet* only = nullptr) {
  return [&out, &table, only, index = std::size_t{0}](std::string_view key, auto member,
                                                      std::string_view) mutable {
    const auto& value = table.*member;
    const bool wanted = only == nullptr || only->has(index);
    ++index;
    if (!wanted || is_absent(value)) return;
    out += out.back() == '{' ? "\"" : ",\"";
    out += key;
    out += "\":";
    append_content(out, value);
  };
}

std::string write(const RnnConfig& config, const ProgramContext* program) {
  std::string out;
  out.reserve(640 + config.id.size() + config.seq_lengths.size() * 5);
  out += '{';
  visit_config_fields(field_writer(out, config));
  if (program != nullptr && !program->empty()) {
    out += ",\"framework\":{";
    visit_context_fields(field_writer(out, *program));
    out += '}';
  }
  out += '}';
  return out;
}

}  // namespace

std::string to_json_line(const ConfigInput& input) { return write(input.config, &input.program); }
std::string to_json_line(const RnnConfig& config) { return write(config, nullptr); }

std::string to_json_line(const RnnConfig& config, const fields::FieldSet& given) {
  std::string out = "{";
  visit_config_fields(field_writer(out, config, &given));
  return out + '}';
}

}  // namespace rnnadvisor
