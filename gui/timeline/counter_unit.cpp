#include "gui/timeline/counter_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

namespace rnnadvisor::gui::timeline {

std::string short_number(double value) { return value == 0 ? "0" : three_digits(value); }

namespace {

std::string decimal(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 6> prefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{} {}{}", short_number(value), prefixes[prefix], unit);
}

}  // namespace

CounterUnit counter_unit(std::string_view metric) {
  const auto dot = metric.find('.');
  const std::string_view counter = metric.substr(0, dot);
  const std::string_view how = dot == std::string_view::npos ? "" : metric.substr(dot);
  const auto has = [](std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  if (has(how, ".pct")) return CounterUnit::percent;
  if (!has(how, ".per_second")) return CounterUnit::plain;
  if (has(counter, "bytes")) return CounterUnit::bytes_per_second;
  return has(counter, "cycles") ? CounterUnit::hertz : CounterUnit::per_second;
}

std::string counter_text(CounterUnit unit, double value) {
  switch (unit) {
    case CounterUnit::percent:
      return short_number(value) + " %";
    case CounterUnit::bytes_per_second:
      return decimal(value, "B/s");
    case CounterUnit::hertz:
      return decimal(value, "Hz");
    case CounterUnit::per_second:
      return decimal(value, "/s");
    case CounterUnit::plain:
      break;
  }
  return std::abs(value) < 1e6 ? short_number(value) : fmt::format("{:.3g}", value);
}

std::string unit_text(CounterUnit unit, double value) {
  const std::string text = counter_text(unit, value);
  const auto blank = text.find(' ');
  return blank == std::string::npos ? std::string() : text.substr(blank + 1);
}

double counter_top(CounterUnit unit, double peak) {
  if (unit == CounterUnit::percent) return std::max(100.0, peak);
  return peak > 0 ? peak : 1;
}

}  // namespace rnnadvisor::gui::timeline
