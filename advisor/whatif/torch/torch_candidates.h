// Which changes of a configuration are worth a try in PyTorch itself: what rules suggest, what the
// model proposes, and what a search with cuDNN's own calls has confirmed; without what PyTorch
// decides itself or cannot express; those have a reason instead.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "advisor/whatif/candidates.h"
#include "advisor/whatif/search.h"

namespace rnnadvisor::advisor {

struct TorchCandidate {
  std::vector<Transform> transforms;  // in the order in which they are applied
  Meaning meaning = Meaning::exact;   // the worst of its parts
  // The calls that PyTorch then makes, as its source says (advisor/facts/framework_model.h); empty
  // where the change is none of calls (cudnn_enabled, flatten_parameters).
  std::vector<RnnConfig> calls;
  std::string rule;         // whose suggestion it is; empty: found by searching
  double expected = 0;      // speedup that is hoped for; 0: nothing says
  std::string expected_by;  // where that is from
  std::string note;         // "PyTorch then picks persist_static", may be empty
};

struct TorchProposal {
  int configuration = -1;  // index into Profile::configurations
  std::vector<TorchCandidate> candidates;
  std::vector<Dropped> dropped;
};

// Whether a configuration is of a PyTorch program.
bool of_pytorch(const Profile& profile, int configuration);

// Suggestions first, then what `trials` of this configuration confirmed in cuDNN, then the rest by
// what is hoped for; `options.most` at most. What the trials refuted is tried again only where a
// rule suggests it. `findings` and `trials` may be those of all configurations. Also for
// configurations of other programs: then what their layer would gain as one of PyTorch.
// Deterministic.
TorchProposal propose_for_torch(const Profile& profile, int configuration,
                                std::span<const Finding> findings, const DeviceSpec& device,
                                const ProposeOptions& options, std::span<const Trial> trials = {});

// What those numbered `winners` of `tried`, the best first, make in pairs and all together, where
// that can be tried and is not in `tried`: at most four, as a search with cuDNN's calls puts
// together.
std::vector<TorchCandidate> combine_for_torch(const Profile& profile, int configuration,
                                              const DeviceSpec& device,
                                              const ProposeOptions& options,
                                              std::span<const TorchCandidate> tried,
                                              std::span<const std::size_t> winners);

}  // namespace rnnadvisor::advisor
