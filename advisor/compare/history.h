// Several recordings of one program, in the order in which they were made: its step over time, and
// a baseline that covers what differs from run to run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "advisor/compare/comparison.h"
#include "advisor/report/document.h"

namespace rnnadvisor::compare {

// One recording. Times in ms.
struct Recorded {
  std::string name;        // of the file
  std::string created;     // ISO 8601, UTC; may be empty
  MedianInterval step_ms;  // without tracing, of the GPU with the longest step; count 0: not timed
  double host_ms = 0;      // in which the GPU waited or copied in that step
  double idle = 0;         // share of that step in which the GPU waited, 0 … 1
  Change change = Change::unclear;       // against the recording before; unclear for the first
  std::vector<std::string> environment;  // what differs from the recording before
  std::string layers;    // GPUs, layers and their data types, as lines: of like recordings the same
  bool baseline = true;  // its layers are those of the last baseline, so that its step counts
};

// Of one recording by itself: name, time and step.
Recorded recorded(std::string name, const advisor::Report& report);
// Sets `change` and `environment` of each but the first, and `baseline`. `environments`: of each
// row.
void tell_changes(std::vector<Recorded>& rows, std::span<const Environment> environments);

// The comparison is of the last of `rows` with the one before it: the step before is now that of
// all baselines among the earlier rows, whose interval reaches from the least to the greatest end
// of theirs, and its change counts where it lies outside.
void widen_baseline(Comparison& comparison, std::span<const Recorded> rows,
                    const advisor::Report& before, const advisor::Report& after);
// The rows as a table, and what was compared with what. `rows`: three or more.
advisor::document::Blocks blocks_of(std::span<const Recorded> rows);

}  // namespace rnnadvisor::compare
