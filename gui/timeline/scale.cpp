#include "gui/timeline/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rnnadvisor::gui::timeline {
namespace {

// Of what __int128 is needed for: no sum or difference of times may overflow.
__extension__ using Wide = __int128;

std::int64_t saturate(Wide value) {
  constexpr Wide least = std::numeric_limits<std::int64_t>::min();
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, least, most));
}

TimeRange placed(Wide begin, Wide length, TimeRange limits) {
  const Wide whole = static_cast<Wide>(limits.end_ns) - limits.begin_ns;
  length = std::min(length, whole);
  begin = std::clamp<Wide>(begin, limits.begin_ns, limits.end_ns - length);
  return {saturate(begin), saturate(begin + length)};
}

Wide rounded(double value) {
  return static_cast<Wide>(std::llround(std::clamp(value, -9.2e18, 9.2e18)));
}

}  // namespace

double Scale::x_of(std::int64_t time) const {
  const Wide from_left = static_cast<Wide>(time) - visible.begin_ns;
  const double x = static_cast<double>(from_left) * pixels_per_ns();
  return std::clamp(x, -16.0, width + 16.0);
}

std::int64_t Scale::time_at(double x) const {
  const double ns = std::floor(x / pixels_per_ns() + 1e-6);
  return saturate(visible.begin_ns + static_cast<Wide>(std::clamp(ns, -9.2e18, 9.2e18)));
}

TimeRange zoomed(TimeRange range, std::int64_t anchor, double factor, TimeRange limits) {
  const double length = static_cast<double>(range.length());
  const double longest = static_cast<double>(limits.length());
  const double wanted = std::clamp(
      length * factor, std::min(static_cast<double>(shortest_visible_ns), longest), longest);
  const double share =
      length > 0 ? static_cast<double>(static_cast<Wide>(anchor) - range.begin_ns) / length : 0.5;
  return placed(static_cast<Wide>(anchor) - rounded(share * wanted), rounded(wanted), limits);
}

TimeRange moved(TimeRange range, std::int64_t by, TimeRange limits) {
  return placed(static_cast<Wide>(range.begin_ns) + by, range.length(), limits);
}

TimeRange clamped(TimeRange range, TimeRange limits) {
  const std::int64_t least = std::min(shortest_visible_ns, limits.length());
  const Wide length = static_cast<Wide>(range.end_ns) - range.begin_ns;
  const Wide missing = length < least ? least - length : 0;
  return placed(static_cast<Wide>(range.begin_ns) - missing / 2, length + missing, limits);
}

TimeRange with_margin(TimeRange range, double share, TimeRange limits) {
  const Wide margin = rounded(static_cast<double>(range.length()) * share);
  return clamped({saturate(range.begin_ns - margin), saturate(range.end_ns + margin)}, limits);
}

}  // namespace rnnadvisor::gui::timeline
