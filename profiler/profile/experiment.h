// A suggestion, tried and measured: what `advise --verify` adds to a profile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cudnn/experiment_data.h"

namespace rnnadvisor {

// confirmed and refuted: the interval of the speedup lies on one side of what the same comparison
// of the original with itself gave. inconclusive: it does not. not_run: it could not be tried, and
// `message` says why.
enum class ExperimentVerdict { confirmed, refuted, inconclusive, not_run };
std::string_view to_string(ExperimentVerdict verdict);

// A file that the user can take: a changed module, a difference to their own source.
struct ExperimentCode {
  std::string name;      // "split_lstm.py", "train.py.diff"
  std::string language;  // "python", "diff", "cpp"
  std::string text;

  bool operator==(const ExperimentCode&) const = default;
};

struct Experiment {
  int configuration = -1;  // before: index into Profile::configurations
  // after: indices into Profile::configurations, in the order of calls. Configurations that were
  // added for experiments: they are not the user's and are not judged. Empty where the calls stay
  // those of the original (a CUDA graph) or never ran.
  std::vector<int> changed;
  // "cudnn": the calls themselves; "pytorch": inside PyTorch; "program": in the program itself,
  // while it ran (`rnnadvisor accelerate`).
  std::string where;
  std::string rule;        // whose suggestion it was; empty: found by searching
  std::string transforms;  // JSON array of {"kind": …, "parameters": {…}}, applied in order
  std::string meaning;     // "exact", "padded", "numerics", "model"
  ExperimentVerdict verdict = ExperimentVerdict::not_run;
  std::string message;  // why it was not run, or what must be known of it
  int device = -1;      // index into Profile::devices
  std::int64_t memory_before = -1,
               memory_after = -1;  // bytes: weights, workspace and reserve space; -1: not known
  double seconds = 0;              // that it took
  GpuClocks clocks_before, clocks_after;  // when its samples began and had been taken
  std::vector<ExperimentTiming> timings;
  std::vector<TensorShift> shifts;
  std::vector<ExperimentCode> code;

  bool operator==(const Experiment&) const = default;
};

}  // namespace rnnadvisor
