// The kinds of tracks, and what one needs to know of a kind to lay it out, name it, paint it and
// keep it: a new kind is a value here, a row in track_kind.cpp and who fills it (build_tracks.cpp).
#pragma once

#include <cstdint>
#include <span>

#include "gui/models/item.h"

namespace rnnadvisor::gui::timeline {

enum class TrackKind : std::uint8_t {
  process,     // a heading; its tracks follow
  busy,        // a device: when a kernel of any stream runs, and when none does
  nvtx,        // by thread
  calls,       // cuDNN RNN calls where their kernels run, by device and stream
  kernels,     // by device and stream
  transfers,   // by device and stream
  memory,      // allocated bytes, by device
  host_calls,  // cuDNN RNN calls where they were made, by thread
  api,         // CUDA runtime and driver calls, by thread
  counter      // samples of a hardware counter, by device and metric
};

struct TrackTraits {
  TrackKind kind;
  const char* word;   // in the file that keeps tracks between sessions
  const char* title;  // %1: the number of the GPU; empty: each track has one of its own
  // What there is one track of.
  enum class Of { process, device, stream, thread } of;
  enum class Shape { heading, busy, spans, steps, samples } shape;
  ItemKind items = ItemKind::none;  // of which table its rows are
  // In which order they stand: devices and their counters above all processes, a heading first.
  int section;
  bool under_heading() const { return section > 0; }
  bool is_area() const { return shape == Shape::steps || shape == Shape::samples; }
};
// All, in the order of TrackKind.
std::span<const TrackTraits> track_traits();
const TrackTraits& traits_of(TrackKind kind);

}  // namespace rnnadvisor::gui::timeline
