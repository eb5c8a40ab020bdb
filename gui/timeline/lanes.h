// Which track and which lane of it every row of a table belongs to. Spans that overlap lie in
// different lanes, so that a lane is sorted by its starts and by its ends.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

namespace rnnadvisor::gui::timeline {

// What tells tracks of one kind apart.
struct TrackKey {
  int process = -1, device = -1, stream = -1;
  std::int64_t thread = -1;
  int metric = -1;  // index into Profile::strings

  auto operator<=>(const TrackKey&) const = default;
};

struct LaneRows {
  std::uint32_t offset = 0, count = 0;  // within LanedRows::rows
  std::uint32_t first = 0;              // the first row
  bool consecutive = false;             // the rows are first, first + 1, …
};
struct LanedTrack {
  TrackKey key;
  std::vector<LaneRows> lanes;
};
struct LanedRows {
  std::vector<LanedTrack> tracks;   // in the order of their keys
  std::vector<std::uint32_t> rows;  // empty where every lane is consecutive
};

// Lanes of one track. What overlaps more often than this shares the last lane, so that a damaged
// or hostile profile cannot make as many lanes as spans.
inline constexpr std::size_t most_lanes = 32;

struct LaneInput {
  std::uint32_t count = 0;  // rows
  const std::int64_t* start = nullptr;
  const std::int64_t* end = nullptr;
  const std::uint32_t* order = nullptr;  // rows by start; nullptr: they are sorted already
  std::function<TrackKey(std::uint32_t)> key;
  std::function<bool(std::uint32_t)> keep;  // may be empty: all
};

// Two passes over the rows, first fit. Stops early, with what it has, when asked to.
LanedRows lay_out_lanes(const LaneInput& input, const std::stop_token& stop);

}  // namespace rnnadvisor::gui::timeline
