#include "gui/timeline/ticks.h"

#include <fmt/format.h>

#include <cmath>

namespace rnnadvisor::gui::timeline {
namespace {

constexpr int marks_between = 5;

std::int64_t step_of_at_least(double ns) {
  double power = std::pow(10.0, std::floor(std::log10(std::max(ns, 1.0))));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (factor * power >= ns * 0.999)
      return static_cast<std::int64_t>(std::llround(factor * power));
  }
  return static_cast<std::int64_t>(power) * 10;
}

}  // namespace

std::string tick_label(std::int64_t since_origin, std::int64_t step) {
  struct Unit {
    std::int64_t ns;
    const char* name;
  };
  // The unit in which the step is not below a thousandth, so that labels stay short.
  const std::int64_t size = std::max(std::abs(since_origin), step);
  const Unit unit = size >= 1'000'000'000 ? Unit{1'000'000'000, "s"}
                    : size >= 1'000'000   ? Unit{1'000'000, "ms"}
                    : size >= 1000        ? Unit{1000, "\u00b5s"}
                                          : Unit{1, "ns"};
  int digits = 0;
  for (std::int64_t finest = unit.ns; finest > step && digits < 9; finest /= 10) ++digits;
  if (since_origin == 0) digits = 0;
  return fmt::format("{:.{}f} {}", static_cast<double>(since_origin) / static_cast<double>(unit.ns),
                     digits, unit.name);
}

std::vector<Tick> ticks(const Scale& scale, std::int64_t origin, double spacing) {
  std::vector<Tick> marks;
  if (scale.visible.length() <= 0 || scale.width < 1) return marks;
  const std::int64_t step = step_of_at_least(spacing / scale.pixels_per_ns());
  const std::int64_t small = step % marks_between == 0 ? step / marks_between : step;
  // From the last small step at or before the left edge.
  const std::int64_t left = scale.visible.begin_ns - origin;
  std::int64_t at = left / small * small;
  if (at > left) at -= small;
  for (; at <= scale.visible.end_ns - origin; at += small) {
    marks.push_back({origin + at, at % step == 0 ? tick_label(at, step) : std::string()});
  }
  return marks;
}

}  // namespace rnnadvisor::gui::timeline
