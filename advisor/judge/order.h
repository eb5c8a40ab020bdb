// The one order in which findings are shown, by every report, the window and `advise`.
#pragma once

#include <vector>

#include "advisor/judge/step_saving.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {

// A command measures in the program what predictions cannot tell from another change: they miss by
// a fifth in the median (docs/models.md).
inline constexpr double as_predictions_tell = 1.25;

// Puts findings into the order of docs/ordering.md:
// 1. errors, for there the whole run is to gain;
// 2. what asks for nothing (is_remark()) comes behind all that does, and of it what was measured
//    and is not so (refuted()) last;
//    Before the rest come gains of at least 5 % that were measured in whole steps of the program;
// 3. in a recorded program, by the share of its step that is expected to be saved: the share that
//    the calls have of the step, where kernels were traced, times what the speedup saves of them.
//    A cause without a number (consequence `path`) counts a speedup of 1.2. What is called apart
//    from training steps, as for evaluation, comes after what is part of them. Elsewhere measured
//    gains, then modelled ones, then none, by the milliseconds they save, where times are known;
// 4. of those that come close to each other what takes less (Effort), then what is surer: measured
//    before predicted before estimated. Close are speedups (in a program of its step) within 1.05
//    of each other, a predicted one of a command and one at most 1.25 times as large, and an
//    estimate that claims at most twice what another finding saves. Before an estimate that needs
//    code comes, too, what a command measures in the program itself, where no number is known;
// 5. of equal ones what was measured here (in a program before causes and speedups), then what was
//    not refuted on another GPU, bytes, severity, what explains which kernels run, rule and
//    configuration.
// Of one configuration's confirmed changes the larger measured gain comes first, but a change that
// alters more (exact < padded < numerics < model) only where its interval lies wholly above that of
// the one that alters less. A gain that only another model reaches does not count.
// `saving` and `rule_saving` of each are set (StepSavings::tell()).
void order_findings(std::vector<Finding>& findings, StepSavings& savings, const RuleSet& rules);

}  // namespace rnnadvisor::advisor
