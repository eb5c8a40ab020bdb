// In what order tracks are shown where a person has moved them. A track moves among its siblings:
// tracks of a process within it, processes (with all that is theirs) and devices among each other.
#pragma once

#include <vector>

#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

// Every track once. Empty stands for the order in which they were built.
using TrackOrder = std::vector<int>;

bool are_siblings(const Timeline& timeline, int a, int b);
// One sibling up (by = -1) or down (by = 1). False: it stands at the end already.
bool move_track(const Timeline& timeline, TrackOrder& order, int track, int by);
// To where the sibling `target` stands. False: it is none, or the track itself.
bool move_track_to(const Timeline& timeline, TrackOrder& order, int track, int target);

}  // namespace rnnadvisor::gui::timeline
