// A quantity that changes at moments, such as allocated memory: drawn as an area.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/timeline/scale.h"

namespace rnnadvisor::gui::timeline {

class StepArea {
 public:
  // In the order of time.
  void add(std::int64_t time, std::int64_t value);
  void finish();

  bool empty() const { return time_.empty(); }
  std::int64_t peak() const { return peak_; }
  std::size_t bytes() const;
  // The value that holds at `time`; 0 before the first change.
  std::int64_t at(std::int64_t time) const;
  // The largest value that holds anywhere in the range.
  std::int64_t most(TimeRange range) const;
  // The same per pixel.
  void draw(const Scale& scale, std::vector<std::int64_t>& highest) const;

 private:
  static constexpr std::size_t block = 64;
  // Of the changes [from, to).
  std::int64_t most_of(std::size_t from, std::size_t to) const;

  std::vector<std::int64_t> time_, value_, block_most_;
  std::int64_t peak_ = 0;
};

}  // namespace rnnadvisor::gui::timeline
