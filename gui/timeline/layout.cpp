#include "gui/timeline/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rnnadvisor::gui::timeline {
namespace {

constexpr int most_folded_lanes = 6;

TrackState state_of(std::span<const TrackState> states, int track) {
  const auto i = static_cast<std::size_t>(track);
  return i < states.size() ? states[i] : TrackState{};
}

Row row_for(const Track& track, int index, const TrackState& state, const Metrics& metrics,
            int depth) {
  const int lanes = std::min(static_cast<int>(track.lanes.size()), std::max(1, depth));
  Row row{index, 0, 0, metrics.lane, state.folded ? std::min(lanes, most_folded_lanes) : lanes};
  switch (traits_of(track.kind).shape) {
    case TrackTraits::Shape::heading:
      row.height = metrics.heading;
      break;
    case TrackTraits::Shape::busy:
      row.height = state.folded ? metrics.lane : metrics.busy;
      row.lanes = state.folded ? 1 : 2;  // what runs, and the gaps
      row.lane_height = row.height / row.lanes;
      break;
    case TrackTraits::Shape::steps:
    case TrackTraits::Shape::samples:
      row.height = state.folded ? metrics.lane : metrics.area;
      break;
    case TrackTraits::Shape::spans:
      if (state.folded && track.lanes.size() > 1) row.lane_height = metrics.folded_lane;
      if (state.folded && track.lanes.size() == 1) row.lane_height = metrics.lane / 2;
      row.height = std::max(row.lane_height * row.lanes, metrics.lane / 2);
  }
  return row;
}

// Whether a span of the lane lies in the range, at least partly.
bool span_in(const Spans& spans, TimeRange range) {
  const std::size_t next = spans.first_from(range.begin_ns);
  return (next < spans.count && spans.start_of(next) < range.end_ns) ||
         (next > 0 && spans.end_of(next - 1) > range.begin_ns);
}

}  // namespace

std::vector<int> depths_in(const Timeline& timeline, TimeRange range, bool hide_empty) {
  std::vector<int> depths;
  depths.reserve(timeline.tracks.size());
  for (const auto& track : timeline.tracks) {
    std::size_t depth = track.lanes.size();
    while (depth > 1 && !span_in(track.lanes[depth - 1].spans, range)) --depth;
    const auto shape = traits_of(track.kind).shape;
    bool empty = false;
    if (hide_empty && shape == TrackTraits::Shape::spans)
      empty = depth <= 1 && (depth == 0 || !span_in(track.lanes[0].spans, range));
    if (hide_empty && shape == TrackTraits::Shape::samples) empty = !track.samples.in(range);
    // A heading by its tracks, which follow it.
    if (hide_empty && shape == TrackTraits::Shape::heading) empty = true;
    depths.push_back(empty ? 0 : static_cast<int>(std::max<std::size_t>(1, depth)));
    if (!empty && track.parent >= 0) depths[static_cast<std::size_t>(track.parent)] = 1;
  }
  return depths;
}

Metrics scaled(const Metrics& metrics, double factor) {
  factor = std::clamp(factor, least_height, most_height);
  const auto by = [&](int height) {
    return std::max(3, static_cast<int>(std::lround(height * factor)));
  };
  Metrics result = metrics;
  result.lane = by(metrics.lane);
  result.folded_lane = by(metrics.folded_lane);
  result.area = by(metrics.area);
  result.busy = by(metrics.busy);
  return result;
}

Layout lay_out(const Timeline& timeline, std::span<const TrackState> states,
               const Arrangement& arrangement, const Metrics& metrics,
               std::span<const int> depths) {
  Layout layout;
  layout.place.assign(timeline.tracks.size(), -1);
  const auto add = [&](int i, bool pinned) {
    const auto index = static_cast<std::size_t>(i);
    Row row = row_for(timeline.tracks[index], i, state_of(states, i), metrics,
                      index < depths.size() ? depths[index] : std::numeric_limits<int>::max());
    auto& rows = pinned ? layout.pinned : layout.rows;
    int& height = pinned ? layout.pinned_height : layout.height;
    row.y = height;
    height += row.height + metrics.gap;
    const int at = static_cast<int>(rows.size());
    layout.place[static_cast<std::size_t>(i)] = pinned ? -2 - at : at;
    rows.push_back(row);
  };
  const bool ordered = arrangement.order.size() == timeline.tracks.size();
  const int count = static_cast<int>(timeline.tracks.size());
  const auto pinned_one = [&](int i) {
    if (i < 0 || i >= count || layout.place[static_cast<std::size_t>(i)] != -1) return;
    const TrackState state = state_of(states, i);
    if (state.pinned && !state.hidden) add(i, true);
  };
  for (const int i : arrangement.pinned) pinned_one(i);
  for (int i = 0; i < count; ++i) pinned_one(i);
  for (int n = 0; n < count; ++n) {
    const int i = ordered ? arrangement.order[static_cast<std::size_t>(n)] : n;
    const auto& track = timeline.tracks[static_cast<std::size_t>(i)];
    const TrackState state = state_of(states, i);
    const bool folded_away = track.parent >= 0 && state_of(states, track.parent).folded;
    const bool empty =
        static_cast<std::size_t>(i) < depths.size() && depths[static_cast<std::size_t>(i)] == 0;
    if (!state.hidden && !state.pinned && !folded_away && !empty) add(i, false);
  }
  return layout;
}

std::size_t Layout::row_at(int y) const {
  const auto found = std::partition_point(rows.begin(), rows.end(),
                                          [y](const Row& row) { return row.y + row.height <= y; });
  return static_cast<std::size_t>(found - rows.begin());
}

const Row* Layout::row_of(int track) const {
  const auto i = static_cast<std::size_t>(track);
  if (track < 0 || i >= place.size() || place[i] == -1) return nullptr;
  return place[i] >= 0 ? &rows[static_cast<std::size_t>(place[i])]
                       : &pinned[static_cast<std::size_t>(-2 - place[i])];
}

}  // namespace rnnadvisor::gui::timeline
