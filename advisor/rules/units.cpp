#include "advisor/rules/units.h"

#include <array>
#include <charconv>
#include <cmath>

namespace rnnadvisor::advisor {
namespace {

struct Unit {
  std::string_view name;
  std::string_view base;  // what facts are given in
  double factor;
};

constexpr std::array units = {
    Unit{"B", "B", 1},
    Unit{"KiB", "B", 1024.0},
    Unit{"MiB", "B", 1048576.0},
    Unit{"GiB", "B", 1073741824.0},
    Unit{"TiB", "B", 1099511627776.0},
    Unit{"kB", "B", 1e3},
    Unit{"MB", "B", 1e6},
    Unit{"GB", "B", 1e9},
    Unit{"TB", "B", 1e12},
    Unit{"ns", "ms", 1e-6},
    Unit{"us", "ms", 1e-3},
    Unit{"ms", "ms", 1},
    Unit{"s", "ms", 1e3},
    Unit{"1", "1", 1},
    Unit{"%", "1", 0.01},
};

const Unit* find_unit(std::string_view name) {
  for (const auto& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  return Quantity{number, std::string(unit)};
}

std::optional<double> unit_factor(std::string_view from, std::string_view to) {
  if (from == to) return 1;
  const Unit* source = find_unit(from);
  const Unit* target = find_unit(to);
  if (!source || !target || source->base != target->base) return std::nullopt;
  return source->factor / target->factor;
}

}  // namespace rnnadvisor::advisor
