#include "gui/timeline/idle.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rnnadvisor::gui::timeline {
namespace {

// Gaps that are looked at on each side of the pointer.
constexpr std::size_t gap_reach = 256;

TimeRange gap_of(const Spans& busy, std::size_t span) {
  return {busy.end_of(span - 1), busy.start_of(span)};
}
bool is_gap(const Spans& busy, std::size_t span) {
  return span > 0 && span < busy.count && gap_of(busy, span).length() > 0;
}

}  // namespace

Item gap_before_span(const Timeline& timeline, const Track& busy, std::size_t span) {
  const Spans& spans = busy.lanes.front().spans;
  if (!is_gap(spans, span)) return {};
  const auto& k = timeline.profile->kernels;
  const std::int64_t start = spans.start_of(span);
  auto row = static_cast<std::size_t>(
      std::lower_bound(k.start_ns.begin(), k.start_ns.end(), start) - k.start_ns.begin());
  while (row < k.size() && k.start_ns[row] == start && k.device[row] != busy.key.device) ++row;
  if (row == k.size() || k.start_ns[row] != start) return {};
  return {ItemKind::gap, static_cast<int>(row)};
}

std::optional<Place> place_of_gap(const Timeline& timeline, Item gap) {
  const auto& k = timeline.profile->kernels;
  const auto row = static_cast<std::size_t>(gap.index);
  if (row >= k.size()) return std::nullopt;
  const auto found = timeline.track_of.find({TrackKind::busy, {-1, k.device[row], -1, -1}});
  if (found == timeline.track_of.end()) return std::nullopt;
  const auto& track = timeline.tracks[static_cast<std::size_t>(found->second)];
  const std::size_t span = track.lanes.front().spans.first_from(k.start_ns[row]);
  if (gap_before_span(timeline, track, span) != gap) return std::nullopt;
  return Place{found->second, idle_lane, span};
}

TimeRange range_of_gap(const Timeline& timeline, const Place& place) {
  return gap_of(timeline.tracks[static_cast<std::size_t>(place.track)].lanes.front().spans,
                place.span);
}

std::optional<std::size_t> gap_span_at(const Spans& busy, std::int64_t time, std::int64_t slack) {
  const std::size_t after = busy.first_from(time + 1);
  if (is_gap(busy, after) && gap_of(busy, after).contains(time)) return after;
  if (slack <= 0) return std::nullopt;
  std::optional<std::size_t> best;
  const auto consider = [&](std::size_t span) {
    const auto rank = [&](std::size_t s) {
      const TimeRange gap = gap_of(busy, s);
      const std::int64_t away = std::max({gap.begin_ns - time, time - gap.end_ns, std::int64_t{0}});
      return std::pair(gap.length(), -away);
    };
    if (is_gap(busy, span) && (!best || rank(span) > rank(*best))) best = span;
  };
  // A gap begins where the span before it ends.
  for (std::size_t i = after; i < std::min<std::size_t>(busy.count, after + gap_reach); ++i) {
    if (i > 0 && busy.end_of(i - 1) > time + slack) break;
    consider(i);
  }
  for (std::size_t back = 1; back <= std::min(after, gap_reach); ++back) {
    const std::size_t i = after - back;
    if (busy.start_of(i) < time - slack) break;
    consider(i);
  }
  return best;
}

std::optional<std::size_t> next_gap_span(const Spans& busy, std::size_t span, int by) {
  if (by > 0) {
    for (std::size_t i = span + 1; i < busy.count; ++i)
      if (is_gap(busy, i)) return i;
  } else {
    for (std::size_t i = span; i-- > 1;)
      if (is_gap(busy, i)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> nearest_gap_span(const Spans& busy, std::int64_t time) {
  const std::size_t after = busy.first_from(time + 1);
  if (is_gap(busy, after) && gap_of(busy, after).contains(time)) return after;
  const auto before = next_gap_span(busy, after, -1), next = next_gap_span(busy, after, 1);
  // The span that holds the moment, or the one after it, ends a gap itself.
  std::optional<std::size_t> best = is_gap(busy, after) ? std::optional(after) : std::nullopt;
  for (const auto& one : {before, next}) {
    if (!one) continue;
    const auto away = [&](std::size_t s) {
      const TimeRange gap = gap_of(busy, s);
      return std::max({gap.begin_ns - time, time - gap.end_ns, std::int64_t{0}});
    };
    if (!best || away(*one) < away(*best)) best = one;
  }
  return best;
}

void draw_gaps(const Spans& busy, const Scale& scale, Picture& picture) {
  const double per_ns = scale.pixels_per_ns();
  const auto x = [&](std::int64_t time) {
    return static_cast<double>(time - scale.visible.begin_ns) * per_ns;
  };
  const int pixels = static_cast<int>(picture.columns.size());
  for (const auto& bar : picture.bars) {
    for (int at = bar.begin; at < bar.end; ++at)
      picture.columns[static_cast<std::size_t>(at)] = {1, 0, 0, true};
  }
  picture.bars.clear();
  std::vector<std::pair<int, int>> runs;  // of columns without work: each lies in one gap
  for (int at = 0; at < pixels; ++at) {
    auto& column = picture.columns[static_cast<std::size_t>(at)];
    if (column.any) {
      column.covered = std::max(0.0F, 1 - column.covered);
      column.any = column.covered > 0;
      column.color = idle_color;
    } else if (!runs.empty() && runs.back().second == at) {
      ++runs.back().second;
    } else {
      runs.emplace_back(at, at + 1);
    }
  }
  for (const auto& [begin, end] : runs) {
    // What ends the gap starts after the nanosecond at the middle of the run.
    const std::size_t span = busy.first_from(scale.time_at((begin + end) / 2.0) + 1);
    if (!is_gap(busy, span)) continue;  // before the first span, after the last
    const TimeRange gap = gap_of(busy, span);
    const double left = std::max(0.0, x(gap.begin_ns));
    const double right = std::min<double>(pixels, x(gap.end_ns));
    if (right - left >= bar_pixels) {
      picture.bars.push_back({begin, end, static_cast<std::uint32_t>(span), idle_color});
    } else {
      for (int at = begin; at < end; ++at)
        picture.columns[static_cast<std::size_t>(at)] = {1, 0, idle_color, true};
    }
  }
}

}  // namespace rnnadvisor::gui::timeline
