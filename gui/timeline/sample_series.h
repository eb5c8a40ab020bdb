// Averages over short intervals, such as samples of a hardware counter: drawn as an area, with
// nothing where nothing was sampled.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/timeline/scale.h"

namespace rnnadvisor::gui::timeline {

class SampleSeries {
 public:
  // In the order of their begins. What overlaps the sample before begins where that ends; what lies
  // within it altogether is left out.
  void add(std::int64_t begin, std::int64_t end, double value);
  void finish();

  bool empty() const { return begin_.empty(); }
  TimeRange range() const;  // from the first sample to the end of the last
  double peak() const { return peak_; }
  std::size_t bytes() const;

  struct Sample {
    TimeRange range;
    double value = 0;
  };
  // The sample that `time` lies in.
  std::optional<Sample> at(std::int64_t time) const;

  struct Summary {
    double mean = 0;              // over the time that was sampled
    double most = 0;              // of a sample
    std::int64_t sampled_ns = 0;  // how much of the range that is
  };
  // Nothing where nothing was sampled in the range.
  std::optional<Summary> in(TimeRange range) const;

  // The largest value in each pixel; NaN where nothing was sampled.
  void draw(const Scale& scale, std::vector<double>& highest) const;

 private:
  static constexpr std::size_t block = 64;
  // Of the samples [from, to), which are not none.
  double most_of(std::size_t from, std::size_t to) const;
  // The first sample that ends behind `time`.
  std::size_t first_behind(std::int64_t time) const;

  std::vector<std::int64_t> begin_, end_;
  std::vector<double> value_, block_most_;
  // Before each sample: the time sampled, and the sum of values times nanoseconds.
  std::vector<std::int64_t> covered_;
  std::vector<double> weighted_;
  double peak_ = 0;
};

}  // namespace rnnadvisor::gui::timeline
