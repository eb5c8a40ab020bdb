// The kinds of columns that are texts in the file and more in a profile.
#include "profiler/profile/file_columns.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <variant>

#include "core/config/read_config.h"

namespace rnnadvisor::columns {
namespace {

// How a payload is spelled that is not a number: SQLite would store it as NULL.
constexpr std::string_view payload_nan = "nan";

template <class Number>
std::string joined(const std::vector<Number>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

std::optional<ConfigInput> read_json(sqlite::Rows& rows, int at, std::string_view name) {
  auto input = read_json_line(rows.text(at), name, 1);
  if (input) return std::move(*input);
  rows.wrong(at, fmt::format("is no configuration: {}", input.error().message));
  return std::nullopt;
}

}  // namespace

std::string numbers_json(const std::vector<int>& numbers) { return joined(numbers); }
std::string numbers_json(const std::vector<double>& numbers) { return joined(numbers); }

template <class Number>
std::optional<std::vector<Number>> parse_numbers(std::string_view text) {
  std::vector<Number> numbers;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    Number value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc()) return std::nullopt;
    if (std::is_integral_v<Number> && value < 0) return std::nullopt;
    numbers.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return numbers;
}
template std::optional<std::vector<int>> parse_numbers(std::string_view text);
template std::optional<std::vector<double>> parse_numbers(std::string_view text);

void store_payload(sqlite::Inserter& insert, const NvtxPayload& payload) {
  if (const auto* integer = std::get_if<std::int64_t>(&payload)) {
    insert.add(*integer);
  } else if (const auto* large = std::get_if<std::uint64_t>(&payload)) {
    insert.add_copy(std::to_string(*large));
  } else if (const auto* real = std::get_if<double>(&payload); real == nullptr) {
    insert.add(std::nullopt);
  } else if (std::isnan(*real)) {
    insert.add(payload_nan);
  } else {
    insert.add(*real);
  }
}

NvtxPayload read_payload(sqlite::Rows& rows, int at) {
  switch (rows.type(at)) {
    case SQLITE_NULL:
      return {};
    case SQLITE_INTEGER:
      return rows.int64(at);
    case SQLITE_FLOAT:
      return rows.real_or_nan(at);
    default: {
      const std::string text = rows.text(at);
      std::uint64_t number = 0;
      const char* last = text.data() + text.size();
      const auto [end, status] = std::from_chars(text.data(), last, number);
      if (text == payload_nan) return std::numeric_limits<double>::quiet_NaN();
      if (status != std::errc() || end != last) rows.wrong(at, "is no payload");
      return number;
    }
  }
}

std::string configuration_json(const Configuration& configuration) {
  return to_json_line(ConfigInput{configuration.config, configuration.program, {}});
}

void store_written(sqlite::Inserter& insert, const Configuration& configuration) {
  if (configuration.given.empty()) {
    insert.add(std::nullopt);
  } else {
    insert.add_copy(
        to_json_line(configuration.written.value_or(configuration.config), configuration.given));
  }
}

void read_configuration(sqlite::Rows& rows, int at, Configuration& into) {
  const auto input = read_json(rows, at, "configurations.json");
  if (!input) return;
  into.config = input->config;
  into.program = input->program;
}

void read_written(sqlite::Rows& rows, int at, Configuration& into) {
  if (rows.is_null(at)) return;
  const auto input = read_json(rows, at, "configurations.written");
  if (!input) return;
  into.given = input->given;
  if (!(input->config == into.config)) into.written = input->config;
}

std::string sql_name(std::string_view name) {
  const bool keyword = name == "when" || name == "where";
  return keyword ? fmt::format("\"{}\"", name) : std::string(name);
}

}  // namespace rnnadvisor::columns
