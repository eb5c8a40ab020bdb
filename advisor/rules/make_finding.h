// From a rule that fired to a finding: text, comparisons, suggestions, gain, evidence.
#pragma once

#include "advisor/rules/evaluate.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {

// Calls and kernels of a configuration: the same for all of its findings.
struct Evidence {
  std::vector<int> calls;
  std::vector<int> kernels;
};
Evidence gather_evidence(const ProfileIndex& index, int configuration);

// For the configuration the memo is at.
Finding make_finding(const Rule& rule, FactMemo& facts, const Evidence& evidence);

// All that the finding proposes is another model: nobody's layer computes the same afterwards, so
// that its gain is no match for one that leaves the function as it is. No, where it proposes
// nothing or something that no machine can do.
bool another_model_only(const Finding& finding);

// Puts findings into the order in which they are shown: errors first, for there the whole run is to
// gain; then gains, measured before modelled before none, by the time they save (where times are
// known), their speedup and the bytes they save; then severity, rule and configuration. What is
// refused while the same with another algorithm ran has nothing to gain: its errors do not come
// before the gains.
// What was tried and refuted comes last.
// In somebody's program that was recorded, what says why it runs the kernels it runs (consequence
// `path`) comes before what follows from that.
void order_findings(std::vector<Finding>& findings, const ProfileIndex& index,
                    const RuleSet& rules);

}  // namespace rnnadvisor::advisor
