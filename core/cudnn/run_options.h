// How a configuration is run and timed. Plain data: known to every build, also to those without
// CUDA.
#pragma once

#include <string_view>

namespace rnnadvisor {

enum class Counters {
  automatic,
  off,
  required
};  // hardware counters: with a traced pass when permitted, never, or an error without

struct RunOptions {
  int warmup = 3;         // repetitions of every phase before the first sample
  int min_repeats = 7;    // samples per phase at least
  int max_repeats = 200;  // and at most
  double budget_seconds =
      2.0;  // per configuration, for timing; at least min_repeats are always taken
  double target_interval =
      0.02;           // stop when (high - low) / median of the 95 % interval is at most this
  bool time = true;   // measure times; off for a pass that only traces
  bool trace = true;  // one traced pass for the kernels
  Counters counters = Counters::automatic;
  bool correctness = false;      // compare with the float64 CPU reference (small sizes only)
  bool sizes_only = false;       // ask cuDNN for descriptors and sizes, run nothing
  double timeout_seconds = 600;  // per configuration, before its worker is ended
  unsigned long long seed = 1;   // of the random inputs

  bool operator==(const RunOptions&) const = default;
};

}  // namespace rnnadvisor
