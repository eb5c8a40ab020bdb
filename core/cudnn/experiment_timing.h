// The rounds of an experiment: who is sampled when, when it is enough, and which variants share the
// GPU's memory meanwhile. Private to core/cudnn; needs no CUDA: a sample is a function's answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cudnn/experiment_data.h"

namespace rnnadvisor::experiment {

// Why something did not come to its end.
struct Failure {
  Outcome outcome = Outcome::failed;
  std::string message;
  bool context_lost = false;
};
template <class T>
using Attempt = tl::expected<T, Failure>;

// Device bytes: what is its own, and the workspace, which all share as calls follow one another.
struct MemoryShare {
  std::int64_t own = 0, workspace = 0;
};

// Variants that are allocated at once, each group beside the original, in the order given. What
// does not fit beside the original alone is in no group.
std::vector<std::vector<int>> group_by_memory(MemoryShare original,
                                              const std::vector<MemoryShare>& variants,
                                              std::int64_t available);

// One sample, in ms, of the original (-1) or a variant by its number.
using Sampler = std::function<Attempt<double>(int variant, ExperimentScope scope)>;

struct RoundOptions {
  int warmup = 3, min_rounds = 7, max_rounds = 100;
  double seconds = 60;  // from the call on, by the clock
  double target_interval = 0.02;
  std::uint64_t seed = 1;
  std::function<double()> clock;            // seconds; monotonic
  std::function<void()> on_begin;           // before the first that counts; may be empty
  std::function<void(int round)> on_round;  // after each that counts; may be empty
};

struct ScopeSamples {
  ExperimentScope scope = ExperimentScope::training_step;
  std::vector<double> before, control;     // ms, one a round
  std::vector<std::vector<double>> after;  // by variant; empty: it has not this scope, or failed
};

struct Rounds {
  std::vector<ScopeSamples> scopes;
  std::vector<std::optional<Failure>> failures;  // by variant; such have no samples
  std::optional<Failure> stopped;  // the original failed, or the context is lost: all ended there
  int stopped_by = -1;             // who: -1 the original, else a variant
};

// Rounds of samples: in each, for each scope, the original twice (`before` and `control`) and each
// variant that has the scope once, in an order drawn anew. Rounds of warm-up come first and are
// kept nowhere. It ends when the median interval of every before / after is at most
// `target_interval` wide, relative to the median, or `seconds` are over, or at max_rounds; never
// before min_rounds. A variant that fails is left out from there on.
Rounds time_rounds(const std::vector<ExperimentScope>& scopes,
                   const std::vector<std::vector<ExperimentScope>>& variants, const Sampler& sample,
                   const RoundOptions& options);

// Medians, speedup and control of the samples of one variant.
ExperimentTiming make_timing(const ScopeSamples& samples, std::size_t variant, std::uint64_t seed);

}  // namespace rnnadvisor::experiment
