// What of two compared profiles stands beside each other on two timelines: matched calls, and the
// steps that begin with matched calls. Where no step does, as with another layer, the steps of the
// first process in their order.
#pragma once

#include <cstddef>
#include <vector>

#include "advisor/compare/compared.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

struct Pair {
  // Into Comparison::calls: this one, or the one that a step begins with; -1: of steps that are
  // matched in their order.
  int row = -1;
  TimeRange before, after;  // where a timeline shows it, by the clock of its profile
  double ratio() const;     // before over after
};

class PairedCalls {
 public:
  PairedCalls() = default;
  // Takes time in proportion to the calls.
  PairedCalls(const compare::Comparison& comparison, const Document& before, const Document& after);

  // Calls that are in both and have times, by their beginning before.
  const std::vector<Pair>& calls() const { return calls_; }
  // Of the recorded programs, by their beginning before; empty where one has none.
  const std::vector<Pair>& steps() const { return steps_; }
  // Of a row of the comparison; null: it has no partner, or no times.
  const Pair* of_row(int row) const;
  // The row of a call of one profile; -1: none.
  int row_of(int call, bool before) const;
  // Of the rows of a phase, the one whose call is of median length before; -1: none is in both.
  int typical_row(const compare::Comparison& comparison, int match) const;
  // Indices of calls of which something lies in both ranges; no more than `most` + 1 of them.
  std::vector<std::size_t> in_sight(TimeRange before, TimeRange after, std::size_t most) const;

 private:
  std::vector<Pair> calls_, steps_;
  std::vector<int> of_row_;                  // by row, into calls_; -1: none
  std::vector<int> before_row_, after_row_;  // by call
  std::int64_t longest_ns_ = 0;              // of calls_ before
};

}  // namespace rnnadvisor::gui
