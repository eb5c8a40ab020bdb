#include "gui/timeline/step_area.h"

#include <algorithm>
#include <cmath>

namespace rnnadvisor::gui::timeline {

void StepArea::add(std::int64_t time, std::int64_t value) {
  time_.push_back(time);
  value_.push_back(value);
  peak_ = std::max(peak_, value);
}

void StepArea::finish() {
  time_.shrink_to_fit();
  value_.shrink_to_fit();
  block_most_.clear();
  for (std::size_t from = 0; from < value_.size(); from += block) {
    const auto to = std::min(from + block, value_.size());
    block_most_.push_back(*std::max_element(value_.begin() + static_cast<std::ptrdiff_t>(from),
                                            value_.begin() + static_cast<std::ptrdiff_t>(to)));
  }
}

std::size_t StepArea::bytes() const {
  return (time_.capacity() + value_.capacity() + block_most_.capacity()) * sizeof(std::int64_t);
}

std::int64_t StepArea::at(std::int64_t time) const {
  const auto after = std::upper_bound(time_.begin(), time_.end(), time) - time_.begin();
  return after == 0 ? 0 : value_[static_cast<std::size_t>(after) - 1];
}

std::int64_t StepArea::most_of(std::size_t from, std::size_t to) const {
  std::int64_t most = 0;
  while (from < to) {
    if (from % block == 0 && from + block <= to) {
      most = std::max(most, block_most_[from / block]);
      from += block;
    } else {
      most = std::max(most, value_[from++]);
    }
  }
  return most;
}

std::int64_t StepArea::most(TimeRange range) const {
  const auto from = std::lower_bound(time_.begin(), time_.end(), range.begin_ns);
  const auto to = std::lower_bound(from, time_.end(), range.end_ns);
  return std::max(at(range.begin_ns), most_of(static_cast<std::size_t>(from - time_.begin()),
                                              static_cast<std::size_t>(to - time_.begin())));
}

void StepArea::draw(const Scale& scale, std::vector<std::int64_t>& highest) const {
  const auto pixels = static_cast<std::size_t>(std::max(1.0, std::ceil(scale.width)));
  highest.assign(pixels, 0);
  std::int64_t before = at(scale.visible.begin_ns - 1);
  auto next = std::lower_bound(time_.begin(), time_.end(), scale.visible.begin_ns);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    const std::int64_t until = scale.time_at(static_cast<double>(pixel) + 1);
    const auto last = std::lower_bound(next, time_.end(), until);
    const auto from = static_cast<std::size_t>(next - time_.begin());
    const auto to = static_cast<std::size_t>(last - time_.begin());
    highest[pixel] = std::max(before, most_of(from, to));
    if (to > from) before = value_[to - 1];
    next = last;
  }
}

}  // namespace rnnadvisor::gui::timeline
