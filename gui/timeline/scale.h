// Coordinates of the timeline: int64 nanoseconds to pixels and back. Differences are taken between
// integers before anything becomes floating point, so that a nanosecond is a nanosecond at every
// zoom, years after the epoch of the clock.
#pragma once

#include <cstdint>

#include "gui/models/item.h"

namespace rnnadvisor::gui::timeline {

// The least that can be seen: one nanosecond is then a pixel or two, which is what the clocks of
// GPUs resolve.
inline constexpr std::int64_t shortest_visible_ns = 1000;

struct Scale {
  TimeRange visible;
  double width = 1;  // pixels

  double pixels_per_ns() const {
    return width / static_cast<double>(visible.length() > 0 ? visible.length() : 1);
  }
  // Anything far outside comes back as a pixel just outside, which painting can clip.
  double x_of(std::int64_t time) const;
  // The nanosecond whose left edge is at or left of x.
  std::int64_t time_at(double x) const;
};

// `range` made longer by `factor` (shorter below 1) so that `anchor` keeps its place, within
// `limits` and not shorter than shortest_visible_ns. At the edges of `limits` the range is moved
// rather than cut, so that zooming out and in again is symmetric.
TimeRange zoomed(TimeRange range, std::int64_t anchor, double factor, TimeRange limits);
// Moved by `by` nanoseconds, without leaving `limits`.
TimeRange moved(TimeRange range, std::int64_t by, TimeRange limits);
// `range` within `limits`, at least shortest_visible_ns long where `limits` are.
TimeRange clamped(TimeRange range, TimeRange limits);
// The range with a margin of `share` of its length on each side, for focusing on it.
TimeRange with_margin(TimeRange range, double share, TimeRange limits);

}  // namespace rnnadvisor::gui::timeline
