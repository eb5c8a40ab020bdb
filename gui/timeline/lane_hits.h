// Which spans of a lane are hits of a search, and which nodes of its pyramid hold one: so that a
// hit is seen also where many spans share a pixel.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "gui/timeline/pyramid.h"

namespace rnnadvisor::gui::timeline {

class LaneHits {
 public:
  LaneHits() = default;
  // `is_hit` is asked for every span once. What was made when it is stopped must not be used.
  LaneHits(const Spans& spans, const Pyramid& pyramid,
           const std::function<bool(std::uint32_t row)>& is_hit, const std::stop_token& stop = {});

  bool empty() const { return count_ == 0; }
  std::int64_t count() const { return count_; }
  // Level 0 are the spans, level 1 and on the nodes of the pyramid.
  bool any(int level, std::size_t i) const {
    const auto& bits = levels_[static_cast<std::size_t>(level)];
    return (bits[i / 64] >> (i % 64) & 1U) != 0;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
  std::int64_t count_ = 0;
};

}  // namespace rnnadvisor::gui::timeline
