#include "gui/timeline/density.h"

#include <algorithm>
#include <cmath>

namespace rnnadvisor::gui::timeline {
namespace {

class Drawing {
 public:
  Drawing(const Spans& spans, const Pyramid& pyramid, const Scale& scale, Picture& picture,
          const LaneHits* hits)
      : spans_(spans),
        pyramid_(pyramid),
        hits_(hits),
        visible_(scale.visible),
        per_ns_(scale.pixels_per_ns()),
        pixels_(static_cast<int>(picture.columns.size())),
        one_pixel_ns_(static_cast<std::int64_t>(1 / per_ns_)),
        picture_(picture) {}

  void draw() {
    const int top = pyramid_.levels();
    if (top == 0) {
      for (std::size_t i = 0; i < spans_.count; ++i) leaf(i);
    } else {
      for (std::size_t i = 0; i < pyramid_.size_of(top); ++i) visit(top, i);
    }
  }

 private:
  bool outside(std::int64_t begin, std::int64_t end) const {
    return end < visible_.begin_ns || begin >= visible_.end_ns;
  }
  double x(std::int64_t time) const {
    return static_cast<double>(time - visible_.begin_ns) * per_ns_;
  }

  void visit(int level, std::size_t i) {
    const Node& node = pyramid_.node(level, i);
    ++picture_.visited;
    if (outside(node.begin, node.end)) return;
    if (node.end - node.begin <= one_pixel_ns_) {
      const double begin = x(node.begin);
      cover(begin, x(node.end), static_cast<double>(node.busy) * per_ns_, node.color);
      mark(level, i, begin);
      return;
    }
    const std::size_t first = i * Pyramid::fanout;
    if (level == 1) {
      const std::size_t last = std::min<std::size_t>(first + Pyramid::fanout, spans_.count);
      for (std::size_t span = first; span < last; ++span) leaf(span);
    } else {
      const std::size_t last = std::min(first + Pyramid::fanout, pyramid_.size_of(level - 1));
      for (std::size_t child = first; child < last; ++child) visit(level - 1, child);
    }
  }

  void leaf(std::size_t i) {
    ++picture_.visited;
    const std::uint32_t row = spans_.row(i);
    const std::int64_t start = spans_.start[row], finish = spans_.end[row];
    if (outside(start, finish)) return;
    const ColorId color = spans_.color != nullptr ? spans_.color[row] : spans_.one_color;
    const double begin = x(std::max(start, visible_.begin_ns));
    const double end = x(std::min(finish, visible_.end_ns));
    const int left = static_cast<int>(std::ceil(begin)), right = static_cast<int>(end);
    if (end - begin < bar_pixels || right <= left) {
      cover(begin, end, end - begin, color);
      mark(0, i, begin);
      return;
    }
    if (begin < left) cover(begin, left, left - begin, color);
    if (right < end) cover(right, end, end - right, color);
    picture_.bars.push_back({left, std::min(right, pixels_), static_cast<std::uint32_t>(i), color});
  }

  void mark(int level, std::size_t i, double begin) {
    if (hits_ == nullptr || !hits_->any(level, i)) return;
    picture_.columns[static_cast<std::size_t>(std::clamp(static_cast<int>(begin), 0, pixels_ - 1))]
        .hit = true;
  }

  // `amount` pixels of work somewhere in [begin, end), which is at most two pixels wide.
  void cover(double begin, double end, double amount, ColorId color) {
    const int left = std::clamp(static_cast<int>(begin), 0, pixels_ - 1);
    const int right = std::clamp(static_cast<int>(end), 0, pixels_ - 1);
    if (left == right || end <= begin) {
      add(left, amount, color);
      return;
    }
    const double per_pixel = amount / (end - begin);
    for (int pixel = left; pixel <= right; ++pixel) {
      const double part = std::min(end, pixel + 1.0) - std::max(begin, static_cast<double>(pixel));
      if (part > 0) add(pixel, part * per_pixel, color);
    }
  }

  void add(int pixel, double amount, ColorId color) {
    auto& column = picture_.columns[static_cast<std::size_t>(pixel)];
    const auto part = static_cast<float>(amount);
    column.covered += part;
    if (!column.any || column.color == color) {
      column.color = color;
      column.weight += part;
    } else if (part > column.weight) {
      column.color = color;
      column.weight = part - column.weight;
    } else {
      column.weight -= part;
    }
    column.any = true;
  }

  const Spans& spans_;
  const Pyramid& pyramid_;
  const LaneHits* hits_;
  TimeRange visible_;
  double per_ns_;
  int pixels_;
  std::int64_t one_pixel_ns_;
  Picture& picture_;
};

}  // namespace

void draw_lane(const Spans& spans, const Pyramid& pyramid, const Scale& scale, Picture& picture,
               const LaneHits* hits) {
  const auto pixels = static_cast<std::size_t>(std::max(1.0, std::ceil(scale.width)));
  picture.columns.assign(pixels, PixelColumn{});
  picture.bars.clear();
  picture.visited = 0;
  if (spans.count == 0 || scale.visible.length() <= 0) return;
  Drawing(spans, pyramid, scale, picture, hits).draw();
}

double opacity(const PixelColumn& column) {
  constexpr double least = 0.42;  // a single span of no duration must still be seen
  if (!column.any) return 0;
  return least + (1 - least) * std::min(1.0, static_cast<double>(column.covered));
}

}  // namespace rnnadvisor::gui::timeline
