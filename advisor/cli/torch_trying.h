// The part of `advise --verify --torch` that is made in PyTorch.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/cli/run_torch.h"
#include "advisor/cli/trying_plan.h"
#include "advisor/rules/finding.h"
#include "advisor/whatif/search.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

struct TorchTrying {
  std::string python;  // the interpreter
  int device = 0;      // CUDA ordinal, as for cuDNN's calls: CUDA_VISIBLE_DEVICES counts for both
  double budget_seconds = 60;
  advisor::ProposeOptions propose;
  const std::atomic<bool>* stop = nullptr;
  DeviceSpec spec;                  // of that device
  std::vector<int> configurations;  // in this order, each gets its share of the time
  std::vector<advisor::Finding> findings;
  std::vector<advisor::Trial> trials;  // what cuDNN's calls have shown
};

struct TorchTried {
  std::vector<Experiment> experiments;              // measured, and what could not be
  std::vector<std::vector<Configuration>> changed;  // of each, for add_experiment()
  int not_reached = 0;                              // changes for which there was no time
  bool interrupted = false;
  std::optional<Error> error;  // nothing could be tried from here on
  double seconds = 0;
};

// Those of `configurations` whose changes are tried in PyTorch: of its programs, and all that the
// user named.
std::vector<int> torch_configurations(const Profile& profile,
                                      const std::vector<int>& configurations, bool named);

// Tries them. Progress on standard error; never fails as a whole: see TorchTried::error.
TorchTried try_in_torch(const Context& context, const Profile& profile, const TorchTrying& trying);

// What would be tried in PyTorch and what not, for one configuration. Starts the interpreter, which
// needs no PyTorch for this, to ask which changes apply. An error where it cannot be asked.
Result<TryingPlan> plan_in_torch(const Profile& profile, int configuration,
                                 const TorchTrying& trying);

}  // namespace rnnadvisor::cli
