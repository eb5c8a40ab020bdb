// Where tracks stand: rows from top to bottom, with what is pinned, folded and hidden. Heights in
// pixels of the widget. Finding the row at a height is a binary search, whatever the number of
// tracks.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "gui/timeline/track.h"
#include "gui/timeline/track_order.h"

namespace rnnadvisor::gui::timeline {

struct Metrics {
  int heading = 26, lane = 20, folded_lane = 5, area = 44, busy = 36;
  int gap = 4;  // between tracks
};
// Rows of `factor` times their usual height; headings keep theirs. Between 0.6 and 3.
Metrics scaled(const Metrics& metrics, double factor);
inline constexpr double least_height = 0.6, most_height = 3;

struct TrackState {
  bool folded = false;  // of a heading: its tracks are gone; of a track: its lanes are thin
  bool pinned = false;
  bool hidden = false;
  bool operator==(const TrackState&) const = default;
};

struct Row {
  int track = 0;
  int y = 0, height = 0;  // without the gap; pinned rows from the top, others from below them
  int lane_height = 0, lanes = 0;  // that it shows
};

struct Layout {
  std::vector<Row> pinned, rows;
  int pinned_height = 0, height = 0;  // of all pinned and of all other rows

  // Index into `rows` of the row at or below `y`; rows.size() where there is none.
  std::size_t row_at(int y) const;
  // Of a track, or nullptr.
  const Row* row_of(int track) const;

  std::vector<int> place;  // by track: n: rows[n]; -1: not shown; -2 - n: pinned[n]
};

// What a person has made of the order of the tracks.
struct Arrangement {
  TrackOrder order;
  std::vector<int> pinned;  // pinned tracks in their order; what is not in it comes after
};

// `states` and `depths` by track; a shorter one means the rest is as it comes. A row has no more
// lanes than its depth, and a folded one no more than six thin ones; of depth 0 there is a row only
// where it is pinned.
Layout lay_out(const Timeline& timeline, std::span<const TrackState> states,
               const Arrangement& arrangement = {}, const Metrics& metrics = {},
               std::span<const int> depths = {});

// By track: lanes down to the last one that has something in the range, at least one. With
// `hide_empty` none for a track that has nothing in it, and for a heading of such alone; what a
// device does and holds is never nothing.
std::vector<int> depths_in(const Timeline& timeline, TimeRange range, bool hide_empty = false);

}  // namespace rnnadvisor::gui::timeline
