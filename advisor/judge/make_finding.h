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
  std::int64_t all_calls = 0, all_kernels = 0;  // as in Finding
};
Evidence gather_evidence(const ProfileIndex& index, int configuration);

// For the configuration the memo is at.
Finding make_finding(const Rule& rule, FactMemo& facts, const Evidence& evidence);

}  // namespace rnnadvisor::advisor
