// What comparing two profiles finds: their calls matched one by one, what became of each, and
// whether the change is more than noise. Times are in ms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/compare/split_stack.h"
#include "core/base/statistics.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::compare {

// By how much equal runs of one hour differed in the time in which the GPU waits or copies, as a
// part of it (18 programs on an H200, tests/gpu/compare/README.md).
inline constexpr double between_runs = 0.3;
// By how much the time of a step's kernels may differ in equal runs, as a part of it: that of 30
// programs differed by less than 1 %, that of one by 3.5 % (the same page). Our choice.
inline constexpr double kernels_between_runs = 0.05;

enum class Change {
  faster,
  slower,
  no_difference,  // the intervals of the medians overlap, or equal runs differ by as much
  unclear,        // too few samples for an interval
  only_before,
  only_after
};
std::string_view to_string(Change change);  // "no_difference"

// One phase of one configuration in both profiles.
struct Match {
  std::string name;  // of the configuration
  Phase phase = Phase::forward_training;
  int before = -1, after = -1;  // into each profile's configurations; -1: it is not there
  // All configurations that stand for it: several calls of one layer for one of a stack. Times are
  // then the sum over those calls.
  ConfigurationPair sets;
  MedianInterval before_ms, after_ms;  // count 0: no time
  bool from_kernels = false;           // times of traced calls, for want of timings
  Change change = Change::unclear;
  // Calls of this phase, aligned (call_alignment.h): indices into each profile's calls.
  std::vector<std::pair<int, int>> calls;
  // Of the calls that are in both: time on the GPU after minus before, ms. Where there are enough,
  // `change` rests on this: what both have in common, such as a slow start, falls out of it.
  MedianInterval paired_ms;
  bool paired() const;   // `change` rests on paired_ms
  double ratio() const;  // before / after; 0: not known
};

// One call, in one profile or in both.
struct CallMatch {
  int before = -1, after = -1;               // indices into each profile's calls
  std::vector<int> more_before, more_after;  // further calls that are one with it (split_stack.h)
  int match = -1;                            // into Comparison::matches; -1: of none with times
  double before_ms = -1, after_ms = -1;      // first kernel to last; -1: without kernels
  int before_kernels = 0, after_kernels = 0;
};

// A whole step of the program: as it was timed without tracing in both, else as NVTX ranges mark it
// in both, from the start of one to that of the next (step_times.h).
struct StepComparison {
  std::string name;    // of the ranges; empty: timed without tracing
  bool trains = true;  // a training step; else one of inference
  int device = -1;     // into the devices of the profile after; -1: of ranges
  double before_launches = 0, after_launches = 0;  // kernels and copies of a step; 0: not known
  // How long the GPU waits or copies in it, on the side with more; 0: not known, or several
  // baselines show what runs differ by.
  double host_ms = 0;
  double before_kernels_ms = 0, after_kernels_ms = 0;  // in which kernels run; 0: not known
  MedianInterval before_ms, after_ms;
  Change change = Change::unclear;
  double ratio() const { return after_ms.median > 0 ? before_ms.median / after_ms.median : 0; }
};

// A part of such a step, ms: what ran, or that nothing did.
struct StepPartComparison {
  std::string name;
  double before_ms = 0, after_ms = 0;
};

// What explains a change of time (causes.h).
struct Cause {
  // A key of a configuration ("batch_size"); "split", "joined": of stacks; "without_cudnn",
  // "with_cudnn", "only_before", "only_after": of calls; "rnn_kernels", "native_cells",
  // "other_kernels", "copies", "host_wait", "idle_in_rnn", "idle": of parts of a step; "launches".
  std::string key;
  std::string text;
  // The change of that part of a step. Of what differs in the calls: of all that they take of it,
  // so that causes of one change of calls have the same. 0: not known.
  double ms = 0;
};

// A factor of time, before over after; `low` 0: without an interval.
struct Speedup {
  double value = 0, low = 0, high = 0;
};

// What a finding of the profile before expected of its change, and what was measured of a change
// that it proposes (predicted.h).
struct Prediction {
  std::string rule, title;
  int configuration = -1;    // of the profile before; -1: of a step of the program
  std::vector<int> matches;  // into Comparison::matches, what it is of; empty: of a step
  std::string scope;         // "training step" of the layer, "program step"
  std::string predicted_of;  // the change, in words: "the persist_static algorithm"
  std::string made;          // the change that was made, where it is another one; else empty
  Speedup predicted, measured;
  bool of_step() const { return configuration < 0; }
};

struct Comparison {
  std::vector<Match> matches;          // the largest change of time first
  std::vector<CallMatch> calls;        // process by process, in the order of time
  double before_ms = 0, after_ms = 0;  // over what is in both
  double batches = 1;    // batch after over batch before, where all layers have the same; else 1
  double spread_ms = 0;  // half the interval of their difference; -1: too few samples to tell
  std::optional<StepComparison> step;       // nothing: neither timed nor marked in both
  std::vector<StepComparison> other_steps;  // of other GPUs, with less of a slowdown
  std::vector<StepPartComparison>
      parts;                             // of steps timed without tracing; the largest change first
  std::vector<Cause> causes;             // what explains most of the step's change first
  std::vector<Prediction> predictions;   // of layers in the order of the findings, then of the step
  std::vector<std::string> environment;  // "cuDNN 9.1.0 -> 9.19.0"
  std::vector<std::string> fixed, appeared;  // rules that no longer fire, and that do now
};

}  // namespace rnnadvisor::compare
