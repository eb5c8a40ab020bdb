// What a person has made of the tracks of a profile, by what each track shows rather than by where
// it stands, so that it outlives the timeline it was made in: a filter that leaves tracks out, the
// outline of a file whose records are still being read, and the end of the window.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "gui/timeline/layout.h"

namespace rnnadvisor::gui::timeline {

using TrackName = std::pair<TrackKind, TrackKey>;

struct KeptTracks {
  std::map<TrackName, TrackState> states;  // of those that stand otherwise than at first
  std::vector<TrackName> order;            // empty: as they were built
  std::vector<TrackName> pinned;           // in their order
  double height = 1;                       // factor of the rows: least_height to most_height
  bool hide_empty = false;                 // tracks with nothing in the visible range
  // Whether nothing was changed.
  bool empty() const {
    return states.empty() && order.empty() && pinned.empty() && height == 1 && !hide_empty;
  }
  bool operator==(const KeptTracks&) const = default;
};

// How a track stands before anybody touches it.
using FirstState = std::function<TrackState(const TrackName&)>;

// What stands now. Tracks of `before` that this timeline does not have are kept as they were there.
KeptTracks keep_tracks(const Timeline& timeline, std::span<const TrackState> states,
                       const Arrangement& arrangement, double height, const FirstState& first,
                       const KeptTracks& before);

struct RestoredTracks {
  std::vector<TrackState> states;  // by track
  Arrangement arrangement;
};
// The same in a timeline. Tracks that nothing was kept of stand as at first, after the one that
// they were built after; what is kept of tracks that are not there does nothing.
RestoredTracks restore_tracks(const Timeline& timeline, const KeptTracks& kept,
                              const FirstState& first);

}  // namespace rnnadvisor::gui::timeline
