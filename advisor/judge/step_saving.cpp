#include "advisor/judge/step_saving.h"

#include <algorithm>

namespace rnnadvisor::advisor {
namespace {

// The program's framework cannot express any of the changes that the finding proposes.
bool cannot_be_followed(const Finding& finding) {
  return !finding.suggestions.empty() &&
         std::all_of(finding.suggestions.begin(), finding.suggestions.end(),
                     [](const Suggestion& s) { return s.transform && !s.cannot.empty(); });
}

}  // namespace

bool saves_time(const Finding& finding) {
  return finding.gain && finding.gain->saved_bytes == 0 && !finding.gain->another_model &&
         !cannot_be_followed(finding);
}

std::optional<double> StepSavings::share(int configuration, const std::string& scope) {
  const auto [found, fresh] = known_.try_emplace({configuration, scope});
  if (fresh) found->second = share_of_step(*index_, configuration, scope);
  return found->second;
}

std::optional<StepSaving> StepSavings::of(const Finding& finding) {
  if (!saves_time(finding) || !(finding.gain->speedup > 0)) return std::nullopt;
  const auto part = share(finding.configuration, finding.gain->scope);
  if (!part) return std::nullopt;
  const Gain& gain = *finding.gain;
  const auto saved = [&](double speedup) { return *part * (1 - 1 / speedup); };
  StepSaving saving;
  saving.share = saving.low = saving.high = saved(gain.speedup);
  if (gain.low > 0) saving.low = saved(gain.low);
  if (gain.high > 0) saving.high = saved(gain.high);
  const auto& steps = index_->program_step(finding.configuration).steps;
  if (steps) saving.step_ms = steps->untraced_ns / 1e6;
  return saving;
}

void StepSavings::tell(std::vector<Finding>& findings) {
  // Shares of one step: of the calls of a scope they add up, a whole step is there once.
  const auto key = [&](const Finding& finding) {
    return std::pair(finding.rule_id,
                     finding.gain->scope == "program step"
                         ? finding.configuration
                         : index_->program_step(finding.configuration).main_configuration);
  };
  std::map<std::pair<std::string, int>, StepSaving> sums;
  for (auto& finding : findings) {
    finding.rule_saving = finding.saving = of(finding);
    if (!finding.saving || finding.saving->share <= 0) continue;
    const auto [sum, fresh] = sums.try_emplace(key(finding), *finding.saving);
    if (fresh) continue;
    // Calls of several streams may overlap.
    const auto add = [](double& all, double one) { all = std::min(all + one, 1.0); };
    add(sum->second.share, finding.saving->share);
    add(sum->second.low, finding.saving->low);
    add(sum->second.high, finding.saving->high);
  }
  for (auto& finding : findings)
    if (finding.saving && finding.saving->share > 0) finding.rule_saving = sums.at(key(finding));
}

}  // namespace rnnadvisor::advisor
