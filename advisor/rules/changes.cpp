
#include "advisor/rules/finding.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {
namespace {

template <class Whose>
std::vector<Transform> all_of(const Whose& suggestion) {
  std::vector<Transform> changes;
  if (!suggestion.transform) return changes;
  changes.push_back(*suggestion.transform);
  changes.insert(changes.end(), suggestion.with.begin(), suggestion.with.end());
  return changes;
}

}  // namespace

std::vector<Transform> changes_of(const Suggestion& suggestion) { return all_of(suggestion); }
std::vector<Transform> changes_of(const SuggestionTemplate& suggestion) {
  return all_of(suggestion);
}

bool another_model_only(const Finding& finding) {
  bool any = false;
  for (const auto& suggestion : finding.suggestions) {
    if (widest_meaning(changes_of(suggestion)) != Meaning::model) return false;
    any = true;
  }
  return any;
}

namespace {

bool tried_here(const std::optional<TrialOutcome>& trial, ExperimentVerdict verdict) {
  return trial && trial->device.empty() && trial->verdict == verdict;
}

}  // namespace

bool timed_here(const Suggestion& suggestion) {
  return suggestion.trial && suggestion.trial->device.empty() && suggestion.trial->speedup > 0;
}

bool refuted(const Finding& finding) {
  if (finding.severity == Severity::error) return false;
  if (finding.refuted_here) return true;
  return finding.refuted_by && !tried_here(finding.trial, ExperimentVerdict::confirmed);
}

bool is_remark(const Finding& finding) {
  return finding.severity == Severity::info || refuted(finding);
}

bool withdrawn(const Finding& finding, const Suggestion& suggestion) {
  if (finding.severity == Severity::error) return false;
  if (!suggestion.not_offered.empty()) return true;
  if (finding.refuted_by) return !tried_here(suggestion.trial, ExperimentVerdict::confirmed);
  return finding.refuted_here &&
         (suggestion.no_faster_here || tried_here(suggestion.trial, ExperimentVerdict::refuted));
}

}  // namespace rnnadvisor::advisor
