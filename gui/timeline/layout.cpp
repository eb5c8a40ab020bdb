#include "gui/timeline/layout.h"

#include <algorithm>

namespace rnnadvisor::gui::timeline {
namespace {

constexpr int most_folded_lanes = 6;

TrackState state_of(std::span<const TrackState> states, int track) {
  const auto i = static_cast<std::size_t>(track);
  return i < states.size() ? states[i] : TrackState{};
}

Row row_for(const Track& track, int index, const TrackState& state, const Metrics& metrics) {
  Row row{index, 0, 0, metrics.lane};
  switch (track.kind) {
    case TrackKind::process:
      row.height = metrics.heading;
      break;
    case TrackKind::busy:
      row.height = state.folded ? metrics.lane : metrics.busy;
      row.lane_height = row.height;
      break;
    case TrackKind::memory:
      row.height = state.folded ? metrics.lane : metrics.area;
      break;
    default:
      if (state.folded && track.lanes.size() > 1) row.lane_height = metrics.folded_lane;
      if (state.folded && track.lanes.size() == 1) row.lane_height = metrics.lane / 2;
      row.height = std::max(row.lane_height * shown_lanes(track, state), metrics.lane / 2);
  }
  return row;
}

}  // namespace

int shown_lanes(const Track& track, const TrackState& state) {
  const int lanes = static_cast<int>(track.lanes.size());
  return state.folded ? std::min(lanes, most_folded_lanes) : lanes;
}

Layout lay_out(const Timeline& timeline, std::span<const TrackState> states,
               const Metrics& metrics) {
  Layout layout;
  for (int i = 0; i < static_cast<int>(timeline.tracks.size()); ++i) {
    const auto& track = timeline.tracks[static_cast<std::size_t>(i)];
    const TrackState state = state_of(states, i);
    const bool folded_away = track.parent >= 0 && state_of(states, track.parent).folded;
    if (state.hidden || (folded_away && !state.pinned)) continue;
    Row row = row_for(track, i, state, metrics);
    auto& rows = state.pinned ? layout.pinned : layout.rows;
    int& height = state.pinned ? layout.pinned_height : layout.height;
    row.y = height;
    height += row.height + metrics.gap;
    rows.push_back(row);
  }
  return layout;
}

std::size_t Layout::row_at(int y) const {
  const auto found = std::partition_point(rows.begin(), rows.end(),
                                          [y](const Row& row) { return row.y + row.height <= y; });
  return static_cast<std::size_t>(found - rows.begin());
}

const Row* Layout::row_of(int track) const {
  for (const auto* list : {&pinned, &rows}) {
    const auto found = std::lower_bound(list->begin(), list->end(), track,
                                        [](const Row& row, int t) { return row.track < t; });
    if (found != list->end() && found->track == track) return &*found;
  }
  return nullptr;
}

}  // namespace rnnadvisor::gui::timeline
