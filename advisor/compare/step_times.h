// Steps of a program, by the NVTX ranges that mark them: what a change of the program is worth as a
// whole, whatever became of single calls.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::compare {

// Six samples are the fewest with an interval of 95 % (core/base/statistics.h).
inline constexpr int least_steps = 6;

// Ranges of one name in which RNN calls were made. Numbers in names count as equal ("step 1",
// "step 2" are "step #").
struct StepMarks {
  std::map<int, std::vector<std::int64_t>> starts_ns;  // by process, in order
  int depth = 0;                                       // the least nesting
  int periods() const;
  // From the start of each to that of the next of its process, ms: a step with everything in it,
  // also where the host runs ahead of the GPU.
  std::vector<double> periods_ms() const;
};

// By name. Only those with at least `least_steps` periods.
std::map<std::string, StepMarks> step_marks(const Profile& profile);

// The name that marks steps in both, the outermost; nothing where there is none.
std::optional<std::string> common_step(const std::map<std::string, StepMarks>& before,
                                       const std::map<std::string, StepMarks>& after);

// By call, the number of the step it was made in, -1 before the first; all 0 without marks.
std::vector<int> step_of_calls(const Profile& profile, const StepMarks* marks);

}  // namespace rnnadvisor::compare
