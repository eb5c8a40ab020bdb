// What build_tracks.cpp leaves to others, once the tracks of records stand.
#pragma once

#include "gui/timeline/track.h"

namespace rnnadvisor::gui::timeline {

// A track for each device that says when any kernel runs on it.
void add_busy_tracks(Timeline& timeline, const BuildOptions& options);
// A track for each hardware counter of each device.
void add_counter_tracks(Timeline& timeline, const BuildOptions& options);
// The range of everything.
void find_range(Timeline& timeline);
// Devices first, then every process: its threads' NVTX ranges, what it did on devices, and its
// calls of CUDA. A heading for each process.
void order_tracks(Timeline& timeline);

}  // namespace rnnadvisor::gui::timeline
