// Configurations on both sides of a rule's boundary, made for measuring whether what the card says
// is true. Values come from what its conditions compare with, and from sizes that people use.
#pragma once

#include <string>
#include <vector>

#include "advisor/change/compose.h"
#include "advisor/rules/rule.h"
#include "advisor/whatif/candidates.h"
#include "core/device/device_spec.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// One configuration and the change that the card would make.
struct RulePair {
  bool fires = true;  // false: the card is silent here, and the change should not help
  Configuration before;
  Candidate candidate;
};

struct RuleSample {
  std::string rule;
  std::vector<RulePair> pairs;  // those that fire first
  // Why fewer fire than were asked for; empty when enough do. That few are silent needs no reason:
  // beyond the boundary there often is nothing left to change.
  std::string why_fewer;
  bool compare_results =
      false;  // what the card claims shows in results: they are held against the float64 reference
};

struct SampleOptions {
  int firing = 16, silent = 8;  // pairs of each kind
  int tries = 16384;            // configurations that are made at most
  unsigned long long seed = 1;
};

// What one call may cost, so that many can be measured: operations, steps and memory are bounded.
bool quick_enough(const RnnConfig& config);

// Why no configuration that is made up could show whether the card is right, by what the card is
// about; empty: one could.
std::string cannot_be_sampled(const Rule& rule);

// Deterministic: the same card, device, environment and options give the same pairs. `environment`
// gives the version of cuDNN. A rule that compares measurements, that has no change to try, or that
// is about what a framework other than PyTorch does before cuDNN sees it, has no pairs, and
// `why_fewer` says so.
RuleSample sample_pairs(const Rule& rule, const DeviceSpec& device, const Environment& environment,
                        const SampleOptions& options);

}  // namespace rnnadvisor::advisor
