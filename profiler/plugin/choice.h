// Which algorithm is fastest, from times of calls that alternate between several. Arithmetic alone:
// no CUDA, no allocation, no lock; the caller holds one.
#pragma once

#include <cstdint>

#include "profiler/spool/format.h"

namespace rnnadvisor::plugin {

// Times of one phase with one algorithm, nanoseconds of a step of the sequence. Keeps the latest.
class Samples {
 public:
  static constexpr std::uint32_t most = 96;
  void add(float ns);
  std::uint32_t count() const { return count_; }
  struct Interval {
    float low, median, high;
  };
  // Of the median, by the order statistics between which it lies in 95 of 100 cases; the extremes
  // where there are too few samples for that. All 0 without samples.
  Interval interval() const;

 private:
  float kept_[most];
  std::uint32_t count_;  // of all that were added
};

// One kind of call. Index 0 is the program's own algorithm. Zero is its state at the beginning.
class Choice {
 public:
  static constexpr std::uint32_t most = spool::most_variants;
  // Once an algorithm's results are right.
  void admit(std::uint32_t variant) { in_[variant] = true; }
  // It takes part no longer.
  void drop(std::uint32_t variant) { in_[variant] = false; }

  // For the next call that may choose: the one of which the fewest were started. 0 when all have
  // enough on their way.
  std::uint32_t next() const;
  void started(std::uint32_t variant) { ++started_[variant]; }
  void called(std::size_t phase) { ++called_[phase]; }
  void add(std::uint32_t variant, std::size_t phase, float ns);

  // Drops what is surely slower. True once the choice has fallen; with `now` it falls at once, on
  // what is known. `chosen` is 0 unless another algorithm is surely faster. Where times vary much,
  // as on a GPU that others use, and one seems faster, more samples are taken.
  bool decide(bool now, std::uint32_t& chosen);
  const Samples& samples(std::uint32_t variant, std::size_t phase) const {
    return samples_[variant][phase];
  }
  // Time that samples took beyond the program's own algorithm, for the budget.
  float excess_ns(std::uint32_t variant, std::size_t phase, float ns) const;

 private:
  // Of a forward call and the share of backward calls that follow it.
  bool total(std::uint32_t variant, Samples::Interval& sum) const;

  // How many samples of each algorithm are wanted.
  std::uint32_t enough() const;

  bool in_[most];
  std::uint32_t doubled_;  // how often more samples were asked for
  std::uint32_t started_[most];
  std::uint64_t called_[spool::choice_phases];
  Samples samples_[most][spool::choice_phases];
};

}  // namespace rnnadvisor::plugin
