// Measures pairs of a sample of every rule.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advisor/validate/sample.h"
#include "advisor/whatif/experimenter.h"

namespace rnnadvisor::advisor {

struct MeasureProgress {
  std::size_t finished = 0, total = 0;  // pairs
  std::string rule;                     // whose turn it is
  double seconds = 0;                   // since the beginning
};

struct MeasureOptions {
  double budget_seconds = 600;
  unsigned long long seed = 1;
  const std::atomic<bool>* stop = nullptr;  // set: ends after the pair that is under way
  std::function<void(const MeasureProgress&)> on_progress;
  std::function<double()> clock;  // seconds, monotonic; empty: that of this machine
  // What is measured so far, every `partial_seconds`, so that a process that dies loses little.
  std::function<void(const Profile&)> on_partial;
  double partial_seconds = 30;
};

struct MeasureResult {
  Profile profile;           // a configuration and an experiment for each pair, with its rule
  std::size_t left_out = 0;  // pairs that the budget did not reach
  bool interrupted = false;
  std::optional<Error> error;  // nothing could be measured from here on
  double seconds = 0;
};

// One pair of every rule, then the next of every rule, so that a short budget leaves none out;
// those that fire before those that are silent. `environment` and `device` are of the machine that
// `experimenter` runs on.
MeasureResult measure_pairs(std::span<const RuleSample> samples, const DeviceSpec& device,
                            const Environment& environment, const Experimenter& experimenter,
                            const MeasureOptions& options);

}  // namespace rnnadvisor::advisor
