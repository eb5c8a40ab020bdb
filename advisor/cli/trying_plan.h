// What `advise --verify --dry-run` says: which changes would be tried and which not.
#pragma once

#include <string>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/whatif/candidates.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

// Of one configuration in one place: cuDNN's own calls, or PyTorch.
struct TryingPlan {
  struct Change {
    std::vector<advisor::Transform> transforms;
    advisor::Meaning meaning = advisor::Meaning::exact;
    double expected = 0;  // speedup; 0: nothing says
    std::string expected_by, rule, note;
  };
  int configuration = -1;
  std::string name, device;
  std::string python;   // of PyTorch: its interpreter; empty: cuDNN's own calls
  std::string nothing;  // why nothing at all can be tried; empty: `tried` says
  std::vector<Change> tried;
  std::vector<advisor::Dropped> not_tried;
};

void add_proposal(TryingPlan& plan, const advisor::Proposal& proposal);

// On standard output: as text, for many configurations counted by change unless everything is asked
// for, or as JSON (docs/schema/candidates.schema.json), which has those of cuDNN's own calls.
void write_plans(const Context& context, const Profile& profile,
                 const std::vector<TryingPlan>& plans, bool json, bool verbose);

}  // namespace rnnadvisor::cli
