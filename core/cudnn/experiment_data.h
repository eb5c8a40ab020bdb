// What an experiment is asked to do and what it yields: a configuration against changed ones, by
// the same cuDNN calls that a program makes, interleaved. Plain data: known to every build, also to
// those without CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/statistics.h"
#include "core/config/rnn_config.h"
#include "core/cudnn/gpu_clocks.h"
#include "core/cudnn/run_result.h"

namespace rnnadvisor {

// What was timed, as one sample.
enum class ExperimentScope {
  inference,         // one forward pass for inference
  forward_training,  // one forward pass for training
  training_step,     // forward for training, backward data, backward weights
  program_step       // a whole step of the program, after it with all chosen algorithms at once
};
std::string_view to_string(ExperimentScope scope);

// Samples are taken in rounds, one of each a round, in random order, with tracing off; what stands
// at the same place of the three lists belongs to the same round. Nothing is left out. A sample is
// the time between two CUDA events on a stream that was idle before, so it holds the host's launch
// time where that is the limit; setting weight gradients to zero is before the first.
struct ExperimentTiming {
  ExperimentScope scope = ExperimentScope::training_step;
  MedianInterval before_ms, after_ms;
  // Median over rounds of before / after and its 95 % bootstrap interval.
  double speedup = 0, speedup_low = 0, speedup_high = 0;
  // The same for the original against itself, before / control: what this machine calls no change
  // at all.
  double control_low = 0, control_high = 0;
  std::vector<double> before_samples_ms, after_samples_ms, control_samples_ms;

  bool operator==(const ExperimentTiming&) const = default;
};

// How far a result moved: || a - b || / || b || over all elements.
struct TensorShift {
  std::string tensor;                          // "y", "hy", "cy", "dx", "dhx", "dcx", "dw"
  double from_before = 0;                      // after against before
  double before_error = -1, after_error = -1;  // against the float64 reference; -1: not compared

  bool operator==(const TensorShift&) const = default;
};

// How several calls take the place of one.
enum class Composition {
  single,      // one call
  layers,      // the output of each is the input of the next
  directions,  // the same input, the second reversed; outputs side by side
  rows,        // each has some of the sequences of the batch
  steps        // each has some of the time steps; states are handed on
};
std::string_view to_string(Composition composition);

// Calls may be larger than the part of the original that they compute (more units, inputs or
// sequences: padding, filled with zeros), and of another algorithm, data type, math, layout or bias
// mode. Those of one variant agree in data type and mode; those of `rows` and of `steps` in
// everything but their sequences, because they share their weights; those of `layers` and of
// `directions` in layout and sequences. `layers`: from the first layer on, one call or more layers
// each. `directions`: for each layer a call of the forward and one of the backward direction, both
// unidirectional. `steps`: in the order of time, one direction only; gradients go through all
// chunks, as in one call.
struct ExperimentVariant {
  Composition composition = Composition::single;
  std::vector<RnnConfig> calls;  // in the order in which they are made
  // Which sequences of the original each call has, by their numbers there: one list for each call
  // of `rows`, one list for all of the others. May be empty: sequences are then known by their
  // lengths.
  std::vector<std::vector<int>> rows;
  bool cuda_graph = false;  // the calls are captured once and launched as a graph

  bool operator==(const ExperimentVariant&) const = default;
};

struct ExperimentRequest {
  RnnConfig before;
  std::vector<ExperimentVariant> variants;
  // Empty: `inference` where `before` infers, else `forward_training` and `training_step`. A
  // variant that infers where `before` trains is timed beside `forward_training`, in the place of
  // which it stands.
  std::vector<ExperimentScope> scopes;
  double budget_seconds = 60;  // for all of it
  int warmup = 3;              // rounds before the first that counts
  int min_rounds = 7;          // rounds at least, whatever the budget
  int max_rounds = 100;
  // Enough when the 95 % interval of every speedup, relative to its median, is at most this wide.
  double target_interval = 0.02;
  unsigned long long seed = 1;  // of inputs, of the order within rounds and of the bootstrap
  bool reference = true;        // compare with the float64 reference where its size allows
  // Results against those of the original; false: random data, and only that they are finite.
  bool compare = true;

  bool operator==(const ExperimentRequest&) const = default;
};

// What became of one variant. Where the original does not run, its variants run once each, on
// random data, and are neither timed nor compared. not_run: its turn never came, because a variant
// before it lost the context or the original failed while it ran.
struct VariantResult {
  Outcome outcome = Outcome::not_run;
  std::string message;  // why not completed, or what must be known of the numbers; for people
  std::vector<ExperimentTiming> timings;
  // Empty where results were not compared: a variant of one call that computes something else than
  // the original, or sizes that would fill the host's memory; the message says which.
  std::vector<TensorShift> shifts;
  std::int64_t memory_bytes = -1;  // weights, workspace and reserve space of its calls
  // Before the first round that has its samples, warm-up done, and behind the last; not known where
  // nothing was timed or the driver could not be asked.
  GpuClocks clocks_before, clocks_after;

  bool operator==(const VariantResult&) const = default;
};

struct ExperimentResult {
  Outcome outcome = Outcome::not_run;  // of the original
  std::string message;
  std::int64_t memory_bytes = -1;  // of the original
  std::vector<VariantResult> variants;
  double seconds = 0;         // that it took
  bool context_lost = false;  // a sticky CUDA error: the process must end

  bool operator==(const ExperimentResult&) const = default;
};

// What an experiment is at.
struct ExperimentProgress {
  enum class Kind {
    trying,  // a variant is prepared and run for the first time
    timing,  // rounds begin
    round    // a round has ended
  };
  Kind kind = Kind::trying;
  int variant = -1;  // trying: its number; -1: the original
  int round = 0;     // round: how many there were in this group of variants

  bool operator==(const ExperimentProgress&) const = default;
};

}  // namespace rnnadvisor
