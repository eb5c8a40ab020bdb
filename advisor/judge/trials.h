// Findings meet the experiments of their profile.
#pragma once

#include <vector>

#include "advisor/facts/profile_index.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {

// Puts the outcome of every experiment of the finding's configuration that is about one of its
// suggestions (the same changes, or the rule's own trial of others) into the finding, see
// Finding::trial. Of several the one in the program itself counts before the one inside the
// framework, that before the one of bare calls, then the newest. What was tried on another kind of
// GPU is shown and changes neither gain nor severity.
void apply_trials(Finding& finding, const Rule& rule, const ProfileIndex& index);

// Of one configuration's findings, after apply_trials(): takes out what a search found
// (experiments/faster-*) where the change is one that another finding suggests and has confirmed,
// so that one change is reported once. Returns what was taken out.
std::vector<LeftOut> leave_to_rules(std::vector<Finding>& findings, const ProfileIndex& index);

// Of all findings, after apply_trials(): what was timed in whole steps of the program is not
// offered where it gained nothing there, or where another change that takes no more to apply
// (Effort) gained more; one that takes less, where it gained as much but for 5 %. A finding with
// nothing else that was confirmed becomes a remark and says so.
void withdraw_by_whole_steps(std::vector<Finding>& findings, const Profile& profile);

}  // namespace rnnadvisor::advisor
