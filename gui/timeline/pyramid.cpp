#include "gui/timeline/pyramid.h"

#include <algorithm>

namespace rnnadvisor::gui::timeline {
namespace {

// The colour of most of the time, by weighted majority vote: exact where one colour has more than
// half, and one of the frequent ones otherwise, in one pass without a table of colours.
class Majority {
 public:
  void add(ColorId color, std::int64_t weight) {
    ++weight;  // marks have no duration, and still a colour
    if (color == color_) {
      weight_ += weight;
    } else if (weight > weight_) {
      color_ = color;
      weight_ = weight - weight_;
    } else {
      weight_ -= weight;
    }
  }
  ColorId color() const { return color_; }

 private:
  ColorId color_ = 0;
  std::int64_t weight_ = 0;
};

class Counter {
 public:
  Counter(const Spans& spans, const Pyramid& pyramid, TimeRange range)
      : spans_(spans), pyramid_(pyramid), range_(range) {}

  Occupancy count() {
    const int top = pyramid_.levels();
    if (top == 0) {
      leaves(0, spans_.count);
    } else {
      for (std::size_t i = 0; i < pyramid_.size_of(top); ++i) visit(top, i);
    }
    return sum_;
  }

 private:
  void leaves(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::int64_t begin = std::max(spans_.start_of(i), range_.begin_ns);
      const std::int64_t end = std::min(spans_.end_of(i), range_.end_ns);
      const bool mark = spans_.start_of(i) == spans_.end_of(i);
      if (end < begin || (end == begin && !(mark && range_.contains(begin)))) continue;
      ++sum_.count;
      sum_.busy_ns += end - begin;
    }
  }

  void visit(int level, std::size_t i) {
    const Node& node = pyramid_.node(level, i);
    if (node.end < range_.begin_ns || node.begin >= range_.end_ns) return;
    std::size_t spans_below = 1;
    for (int l = 0; l < level; ++l) spans_below *= Pyramid::fanout;
    const std::size_t from = i * spans_below,
                      to = std::min<std::size_t>(from + spans_below, spans_.count);
    if (node.begin >= range_.begin_ns && node.end < range_.end_ns) {
      sum_.count += static_cast<std::int64_t>(to - from);
      sum_.busy_ns += node.busy;
    } else if (level == 1) {
      leaves(from, to);
    } else {
      const std::size_t first = i * Pyramid::fanout;
      const std::size_t last = std::min(first + Pyramid::fanout, pyramid_.size_of(level - 1));
      for (std::size_t child = first; child < last; ++child) visit(level - 1, child);
    }
  }

  const Spans& spans_;
  const Pyramid& pyramid_;
  TimeRange range_;
  Occupancy sum_;
};

}  // namespace

std::size_t Spans::first_from(std::int64_t time) const {
  std::size_t low = 0, high = count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (start_of(middle) < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Pyramid::Pyramid(const Spans& spans) {
  // A lane of a few spans is its own summary.
  if (spans.count <= fanout) return;
  std::size_t total = 0;
  for (std::size_t n = spans.count; n > 1;) {
    n = (n + fanout - 1) / fanout;
    total += n;
  }
  nodes_.reserve(total);
  for (std::size_t from = 0; from < spans.count; from += fanout) {
    const std::size_t to = std::min<std::size_t>(from + fanout, spans.count);
    Node node{spans.start_of(from), spans.start_of(from), 0, 0};
    Majority majority;
    for (std::size_t i = from; i < to; ++i) {
      const std::uint32_t row = spans.row(i);
      const std::int64_t duration = spans.end[row] - spans.start[row];
      node.end = std::max(node.end, spans.end[row]);
      node.busy += duration;
      majority.add(spans.color != nullptr ? spans.color[row] : spans.one_color, duration);
    }
    node.color = majority.color();
    nodes_.push_back(node);
  }
  levels_ = 1;
  offset_[2] = nodes_.size();
  while (size_of(levels_) > 1) summarise(++levels_);
}

void Pyramid::summarise(int level) {
  const std::size_t below = at(level - 1), count = size_of(level - 1);
  for (std::size_t from = 0; from < count; from += fanout) {
    Node node = nodes_[below + from];
    Majority majority;
    majority.add(node.color, node.busy);
    for (std::size_t i = from + 1; i < std::min(from + fanout, count); ++i) {
      const Node& child = nodes_[below + i];
      node.end = std::max(node.end, child.end);
      node.busy += child.busy;
      majority.add(child.color, child.busy);
    }
    node.color = majority.color();
    nodes_.push_back(node);
  }
  offset_[static_cast<std::size_t>(level) + 1] = nodes_.size();
}

Occupancy occupancy(const Spans& spans, const Pyramid& pyramid, TimeRange range) {
  return Counter(spans, pyramid, range).count();
}

}  // namespace rnnadvisor::gui::timeline
