// How much of a whole step of a recorded program a gain is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advisor/facts/profile_index.h"
#include "advisor/rules/finding.h"

namespace rnnadvisor::advisor {

// Holds a reference: the index must outlive it.
class StepSavings {
 public:
  explicit StepSavings(const ProfileIndex& index) : index_(&index) {}

  // What following the finding is expected to save. Nothing where it promises no speed that the
  // program can have (another model, a change that its framework cannot express), and where the
  // recording does not tell which share of a step the calls have.
  std::optional<StepSaving> of(const Finding& finding);
  // Sets `saving` and `rule_saving` of each.
  void tell(std::vector<Finding>& findings);
  // Makes a remark of what saves less than 1 % of a step, and of a change that was not measured
  // here and is expected to make the step less than 1.05 times as fast: one that a command makes at
  // the upper end, another precision at the lower end; what is no part of a training step is no
  // warning. But for errors and for what was measured in whole steps. After tell().
  void lower_severities(std::vector<Finding>& findings) const;
  // share_of_step(), which goes through all calls, once for each configuration and scope.
  std::optional<StepShare> share(int configuration, const std::string& scope);
  // It is about calls that are no part of the training steps of the program.
  bool outside(const Finding& finding);
  const ProfileIndex& index() const { return *index_; }

 private:
  const ProfileIndex* index_;
  std::map<std::pair<int, std::string>, std::optional<StepShare>> known_;
};

// The finding claims that its change makes calls or steps faster, and the change is one that the
// program can have.
bool saves_time(const Finding& finding);

// What was tried in the program itself and gained: it comes before what is only expected of it.
bool measured_in_whole_steps(const Finding& finding);

}  // namespace rnnadvisor::advisor
