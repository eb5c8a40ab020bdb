// From a profile to findings: every rule against every configuration, then the passes that settle
// what the findings say together. docs/ordering.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "advisor/facts/predicted_change.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

struct JudgeOptions {
  std::vector<std::string> ignore;  // rule ids or prefixes that end with '/'
  bool keep_verdicts = true;        // false: findings only, quicker
  // Asked before each configuration with the share that is done. Once it says no the judgement is
  // of those before, and of no use but to be thrown away.
  std::function<bool(double)> keep_going = {};
  // Predicted times of a device, for predicted.*, for the findings that rest on it and for the
  // order of changes that it can tell apart. Empty: nothing is predicted.
  PredictFor predict_for = {};
};

// Applies all rules to all configurations but those that experiments added, and takes what
// experiments found into the findings. Pure; never fails: a rule that cannot be evaluated gives
// the verdict `error`.
Judgement judge(const Profile& profile, const RuleSet& rules, const JudgeOptions& options = {});

}  // namespace rnnadvisor::advisor
