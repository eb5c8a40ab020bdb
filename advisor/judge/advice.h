// What the findings of one configuration propose, held against what it leads to: a change that
// cuDNN would refuse, that predicted times expect to be slower, or that only swaps one finding for
// another is no advice; a gain is that of the change that stands beside it; and how severe a
// finding of speed is follows from what it gains (docs/ordering.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advisor/facts/profile_index.h"
#include "advisor/judge/predictions.h"
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {

// Holds references: profile, rules and predictions must outlive it.
class AdviceCheck {
 public:
  AdviceCheck(const ProfileIndex& index, std::vector<const Rule*> rules, Predictions& predictions);

  // `findings` are all of one configuration. Takes out suggestions, puts the best one first, sets
  // gains and severities. Findings stay, but for the one of a
  // prediction whose change was taken out.
  void apply(std::vector<Finding>& findings);

 private:
  using Fired = std::map<std::string, Severity>;  // by rule

  const Rule* rule_of(const Finding& finding) const;
  void what_runs_first(Finding& finding, const DeviceSpec& device);
  // What the rules say of a call that was never made, in the program of this configuration.
  const Fired& rules_that_fire(const RnnConfig& config, int configuration);
  // Why a suggestion of this finding is none; nothing where it may stand.
  struct Objection {
    std::string why;
    bool error = false;  // it would be refused, or lead to an error
  };
  std::optional<Objection> objection(const Finding& finding, const Suggestion& suggestion,
                                     const std::vector<Finding>& all, bool runs);

  const ProfileIndex& index_;
  std::vector<const Rule*> rules_;
  Predictions& predictions_;
  std::vector<std::pair<RnnConfig, Fired>> known_;  // of the configuration that is looked at
};

// The severity that a finding of speed has by what its change gains; `card` where nothing is known
// of it or the finding is about something else.
Severity severity_by_gain(const Finding& finding, const Rule& rule);

}  // namespace rnnadvisor::advisor
