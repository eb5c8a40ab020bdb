// Candidates tried by successive halving within a time budget: a short round for all, then the best
// few again, with what they make together, until their intervals are tight. Everything that was
// measured is kept, also the failures.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advisor/whatif/candidates.h"
#include "advisor/whatif/experimenter.h"
#include "advisor/whatif/trial.h"

namespace rnnadvisor::advisor {

struct SearchProgress {
  int configuration = -1;
  int round = 1;                // 1: all, short; 2: the best, in full
  int finished = 0, total = 0;  // configurations
  std::size_t variants = 0;     // that are being measured now
  double seconds = 0;           // since the beginning
};

struct SearchOptions {
  double budget_seconds = 60;
  ProposeOptions propose;
  unsigned long long seed = 1;
  const std::atomic<bool>* stop = nullptr;  // set: ends after the request that is under way
  std::function<void(const SearchProgress&)> on_progress;
  std::function<double()> clock;  // seconds, monotonic; empty: that of this machine
};

struct SearchResult {
  std::vector<Trial> trials;  // by configuration, best first
  std::vector<Proposal> proposals;
  std::vector<int> left_out;  // configurations that the budget did not reach
  bool interrupted = false;
  std::optional<Error> error;  // nothing could be measured from here on
  double seconds = 0;
};

// Least time that a configuration is worth beginning with, seconds.
inline constexpr double least_seconds = 1.0;

// What is to be timed of a configuration: inference; or forward training and the training step; or
// forward training alone where no backward pass was captured.
std::vector<ExperimentScope> scopes_of(const Profile& profile, int configuration);

// Tries the proposals in their order; `profile` and `device` are those they were made from.
// Proposals without candidates are passed over.
SearchResult search(const Profile& profile, std::vector<Proposal> proposals,
                    const DeviceSpec& device, const Experimenter& experimenter,
                    const SearchOptions& options);

// The order in which configurations deserve the budget: those with suggestions first, then by the
// time that they take. Those an experiment added, and those that are not described, are not in it.
std::vector<int> worth_trying(const Profile& profile, std::span<const Finding> findings);

}  // namespace rnnadvisor::advisor
