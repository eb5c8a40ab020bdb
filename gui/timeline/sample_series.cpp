#include "gui/timeline/sample_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rnnadvisor::gui::timeline {

void SampleSeries::add(std::int64_t begin, std::int64_t end, double value) {
  if (!end_.empty()) begin = std::max(begin, end_.back());
  if (end <= begin) return;
  peak_ = begin_.empty() ? value : std::max(peak_, value);
  begin_.push_back(begin);
  end_.push_back(end);
  value_.push_back(value);
}

void SampleSeries::finish() {
  for (auto* times : {&begin_, &end_}) times->shrink_to_fit();
  value_.shrink_to_fit();
  block_most_.clear();
  covered_.assign(1, 0);
  weighted_.assign(1, 0);
  covered_.reserve(value_.size() + 1);
  weighted_.reserve(value_.size() + 1);
  for (std::size_t i = 0; i < value_.size(); ++i) {
    const std::int64_t length = end_[i] - begin_[i];
    covered_.push_back(covered_.back() + length);
    weighted_.push_back(weighted_.back() + value_[i] * static_cast<double>(length));
  }
  for (std::size_t from = 0; from < value_.size(); from += block) {
    const auto to = std::min(from + block, value_.size());
    block_most_.push_back(*std::max_element(value_.begin() + static_cast<std::ptrdiff_t>(from),
                                            value_.begin() + static_cast<std::ptrdiff_t>(to)));
  }
}

TimeRange SampleSeries::range() const {
  return empty() ? TimeRange{} : TimeRange{begin_.front(), end_.back()};
}

std::size_t SampleSeries::bytes() const {
  return (begin_.capacity() + end_.capacity() + covered_.capacity()) * sizeof(std::int64_t) +
         (value_.capacity() + block_most_.capacity() + weighted_.capacity()) * sizeof(double);
}

std::size_t SampleSeries::first_behind(std::int64_t time) const {
  return static_cast<std::size_t>(std::upper_bound(end_.begin(), end_.end(), time) - end_.begin());
}

std::optional<SampleSeries::Sample> SampleSeries::at(std::int64_t time) const {
  const std::size_t i = first_behind(time);
  if (i >= begin_.size() || begin_[i] > time) return std::nullopt;
  return Sample{{begin_[i], end_[i]}, value_[i]};
}

double SampleSeries::most_of(std::size_t from, std::size_t to) const {
  double most = value_[from];
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

std::optional<SampleSeries::Summary> SampleSeries::in(TimeRange range) const {
  const std::size_t from = first_behind(range.begin_ns);
  const auto to = static_cast<std::size_t>(
      std::lower_bound(begin_.begin(), begin_.end(), range.end_ns) - begin_.begin());
  if (from >= to) return std::nullopt;
  Summary sum;
  sum.most = most_of(from, to);
  sum.sampled_ns = covered_[to] - covered_[from];
  double weighted = weighted_[to] - weighted_[from];
  // The outer ones count with what lies in the range.
  const auto cut = [&](std::size_t i, std::int64_t outside) {
    if (outside <= 0) return;
    sum.sampled_ns -= outside;
    weighted -= value_[i] * static_cast<double>(outside);
  };
  cut(from, range.begin_ns - begin_[from]);
  cut(to - 1, end_[to - 1] - range.end_ns);
  sum.mean = weighted / static_cast<double>(std::max<std::int64_t>(1, sum.sampled_ns));
  return sum;
}

void SampleSeries::draw(const Scale& scale, std::vector<double>& highest) const {
  const auto pixels = static_cast<std::size_t>(std::max(1.0, std::ceil(scale.width)));
  highest.assign(pixels, std::numeric_limits<double>::quiet_NaN());
  auto from = first_behind(scale.visible.begin_ns);
  for (std::size_t pixel = 0; pixel < pixels && from < begin_.size(); ++pixel) {
    const std::int64_t begin = scale.time_at(static_cast<double>(pixel));
    const std::int64_t end = std::max(begin + 1, scale.time_at(static_cast<double>(pixel) + 1));
    while (from < end_.size() && end_[from] <= begin) ++from;
    const auto to = static_cast<std::size_t>(
        std::lower_bound(begin_.begin() + static_cast<std::ptrdiff_t>(from), begin_.end(), end) -
        begin_.begin());
    if (from >= to) continue;
    highest[pixel] = most_of(from, to);
    from = to - 1;  // it may reach into the next pixel
  }
}

}  // namespace rnnadvisor::gui::timeline
