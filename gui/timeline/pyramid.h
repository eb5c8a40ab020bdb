// The spans of one lane, and their summary pyramid: what lies below a pixel is read off a few
// nodes, however many spans there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gui/models/item.h"
#include "gui/timeline/color_id.h"

namespace rnnadvisor::gui::timeline {

// A lane's rows of columns owned elsewhere, sorted by start. Nothing is copied: what a lane costs
// is its list of rows, and not even that where the rows follow one another.
struct Spans {
  const std::int64_t* start = nullptr;
  const std::int64_t* end = nullptr;
  const ColorId* color = nullptr;       // by row; nullptr: all are `one_color`
  const std::uint32_t* rows = nullptr;  // nullptr: `first`, `first` + 1, …
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  ColorId one_color = 0;

  std::uint32_t row(std::size_t i) const {
    return rows != nullptr ? rows[i] : first + static_cast<std::uint32_t>(i);
  }
  std::int64_t start_of(std::size_t i) const { return start[row(i)]; }
  std::int64_t end_of(std::size_t i) const { return end[row(i)]; }
  ColorId color_of(std::size_t i) const { return color != nullptr ? color[row(i)] : one_color; }
  // The first span that starts at or after `time`.
  std::size_t first_from(std::int64_t time) const;
};

// What `fanout` spans, or nodes of the level below, come to.
struct Node {
  std::int64_t begin = 0, end = 0;  // the earliest start, the latest end
  std::int64_t busy = 0;            // sum of the durations
  ColorId color = 0;                // of most of the time in it
};

class Pyramid {
 public:
  static constexpr std::size_t fanout = 16;

  Pyramid() = default;
  explicit Pyramid(const Spans& spans);

  int levels() const { return levels_; }
  // Level 1 summarises spans, level 2 level 1, and so on.
  std::size_t size_of(int level) const { return at(level + 1) - at(level); }
  const Node& node(int level, std::size_t i) const { return nodes_[at(level) + i]; }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

 private:
  std::size_t at(int level) const { return offset_[static_cast<std::size_t>(level)]; }
  void summarise(int level);

  std::vector<Node> nodes_;               // level after level
  std::array<std::size_t, 12> offset_{};  // where a level begins; 16^9 spans need nine
  int levels_ = 0;
};

// How many spans lie at least partly in `range`, and how much time of it they take. Exact.
struct Occupancy {
  std::int64_t count = 0;
  std::int64_t busy_ns = 0;
};
Occupancy occupancy(const Spans& spans, const Pyramid& pyramid, TimeRange range);

}  // namespace rnnadvisor::gui::timeline
