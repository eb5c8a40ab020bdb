// Comparison of two profiles. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/compare/compared.h"
#include "advisor/report/report.h"
#include "core/base/statistics.h"

namespace rnnadvisor::compare {

// Configurations are matched by id, then by equal parameters, then by equal shape and place; what
// is left of stacks with the calls of one layer that they were split into. The result does not
// refer to the reports. Never fails.
Comparison compare(const advisor::Report& before, const advisor::Report& after);

// Whether the interval of one median lies beside that of the other, and further away than
// `between_runs` of `host_ms`; unclear where either has too few samples.
Change change_between(const MedianInterval& before, const MedianInterval& after,
                      double host_ms = 0);
// Of steps that were timed without tracing, ms.
MedianInterval interval_of(const StepAccount& steps);
// How long the GPU waits or copies in such a step: what the host decides, ms.
double host_ms_of(const StepAccount& steps);
// What `rnnadvisor profile -o FILE -- PROGRAM` ran, with its arguments; empty where no program of
// its own was recorded.
std::string_view program_of(std::string_view command_line);
// "cuDNN 9.1.0 -> 9.19.0": what differs, but the time of recording. Of commands the part that is
// the recorded program.
std::vector<std::string> environment_changes(const Environment& before, const Environment& after);

// Where the time of one phase went: kernels by what they do, and waiting, of one call, in both.
struct TimePart {
  std::optional<KernelRole> role;      // nothing: the GPU was idle
  double before_ms = 0, after_ms = 0;  // -1: that side is not there
};
// Of the reports that were compared. The largest change first. Empty where neither was traced.
std::vector<TimePart> time_parts(const advisor::Report& before, const advisor::Report& after,
                                 const Match& match);

}  // namespace rnnadvisor::compare
