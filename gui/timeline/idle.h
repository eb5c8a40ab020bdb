// Gaps of a device: what lies between the spans of its track. Nothing is stored of them, so that
// ten million kernels have as many gaps for nothing: a gap is known by the kernel that ends it
// (ItemKind::gap), and found by binary search.
#pragma once

#include <optional>
#include <vector>

#include "gui/timeline/density.h"
#include "gui/timeline/hit.h"

namespace rnnadvisor::gui::timeline {

// Below what a device does, the lane of its gaps.
inline constexpr int idle_lane = 1;

// The gap before a span of a busy track; no item before its first and where two spans touch.
Item gap_before_span(const Timeline& timeline, const Track& busy, std::size_t span);
// Of a gap the span that ends it, on the track of its device.
std::optional<Place> place_of_gap(const Timeline& timeline, Item gap);
TimeRange range_of_gap(const Timeline& timeline, const Place& place);

// The span after the gap that holds `time`, else after the longest of those that reach to within
// `slack` of it.
std::optional<std::size_t> gap_span_at(const Spans& busy, std::int64_t time, std::int64_t slack);
// The span after the next (by = 1) or previous (by = -1) gap; nothing at the ends.
std::optional<std::size_t> next_gap_span(const Spans& busy, std::size_t span, int by);
// The span after the gap that is nearest to a moment.
std::optional<std::size_t> nearest_gap_span(const Spans& busy, std::int64_t time);

// Turns the picture of what a device does into that of its gaps: columns by the share that is idle,
// and bars with the span that ends them. Nothing before the first span and after the last.
void draw_gaps(const Spans& busy, const Scale& scale, Picture& picture);

}  // namespace rnnadvisor::gui::timeline
