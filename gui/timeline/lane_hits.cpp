#include "gui/timeline/lane_hits.h"

namespace rnnadvisor::gui::timeline {

LaneHits::LaneHits(const Spans& spans, const Pyramid& pyramid,
                   const std::function<bool(std::uint32_t row)>& is_hit,
                   const std::stop_token& stop) {
  const auto words = [](std::size_t bits) { return (bits + 63) / 64; };
  std::vector<std::uint64_t> bits(words(spans.count), 0);
  for (std::size_t i = 0; i < spans.count; ++i) {
    if ((i & 0xffff) == 0 && stop.stop_requested()) return;
    if (!is_hit(spans.row(i))) continue;
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
    ++count_;
  }
  levels_.push_back(std::move(bits));
  for (int level = 1; level <= pyramid.levels(); ++level) {
    const auto& below = levels_.back();
    const std::size_t size = pyramid.size_of(level);
    const std::size_t size_below = level == 1 ? spans.count : pyramid.size_of(level - 1);
    std::vector<std::uint64_t> above(words(size), 0);
    for (std::size_t i = 0; i < size_below; ++i) {
      if ((below[i / 64] >> (i % 64) & 1U) == 0) continue;
      const std::size_t parent = i / Pyramid::fanout;
      above[parent / 64] |= std::uint64_t{1} << (parent % 64);
    }
    levels_.push_back(std::move(above));
  }
}

}  // namespace rnnadvisor::gui::timeline
