#include "advisor/judge/step_saving.h"

#include <algorithm>
#include <tuple>

#include "advisor/change/accelerating.h"
#include "advisor/facts/framework_around.h"

namespace rnnadvisor::advisor {
namespace {

constexpr double least_saving = 0.01;  // of a step, at the upper end; our choice
// What asks for more than a command is expected to save as much as predictions tell of a step;
// another precision, whose casts elsewhere in the program are not known, even at the lower end.
constexpr double least_worth_work = 1 - 1 / least_told_gain;

bool too_small(const Finding& finding, const Profile& profile) {
  const auto& own = profile.configurations[static_cast<std::size_t>(finding.configuration)];
  const StepSaving& saving = *finding.rule_saving;
  if (saving.high < least_saving) return true;
  if (finding.gain->basis == GainBasis::measured_here) return false;
  const auto gains = std::find_if(
      finding.suggestions.begin(), finding.suggestions.end(),
      [&](const Suggestion& s) { return s.transform && changes_of(s) == finding.gain->changes; });
  // A command tries it in the program and keeps what it was where nothing is gained.
  if (gains == finding.suggestions.end() ||
      accelerate_does(finding.gain->changes, framework_around(profile, finding.configuration),
                      own.config, own.program))
    return saving.high < least_worth_work;
  return (gains->effort < Effort::precision ? saving.share : saving.low) < least_worth_work;
}

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

bool measured_in_whole_steps(const Finding& finding) {
  return finding.gain && finding.gain->basis == GainBasis::measured_here &&
         finding.gain->scope == "program step" && !finding.gain->another_model &&
         finding.gain->speedup >= least_told_gain;
}

void StepSavings::lower_severities(std::vector<Finding>& findings) const {
  for (auto& finding : findings) {
    if (finding.severity == Severity::error || !finding.rule_saving ||
        measured_in_whole_steps(finding))
      continue;
    if (too_small(finding, index_->profile()))
      finding.severity = Severity::info;
    else if (finding.rule_saving->outside != Outside::no)
      finding.severity = std::min(finding.severity, Severity::opportunity);
  }
}

std::optional<StepShare> StepSavings::share(int configuration, const std::string& scope) {
  const auto [found, fresh] = known_.try_emplace({configuration, scope});
  if (fresh) found->second = share_of_step(*index_, configuration, scope);
  return found->second;
}

bool StepSavings::outside(const Finding& finding) {
  if (finding.of_program) return false;
  const auto part = share(finding.configuration, {});
  return part && part->outside != Outside::no;
}

std::optional<StepSaving> StepSavings::of(const Finding& finding) {
  if (!saves_time(finding) || !(finding.gain->speedup > 0)) return std::nullopt;
  const auto part = share(finding.configuration, finding.gain->scope);
  if (!part) return std::nullopt;
  const Gain& gain = *finding.gain;
  const auto saved = [&](double speedup) { return part->share * (1 - 1 / speedup); };
  StepSaving saving;
  saving.share = saving.low = saving.high = saved(gain.speedup);
  if (gain.low > 0) saving.low = saved(gain.low);
  if (gain.high > 0) saving.high = saved(gain.high);
  const auto& steps = index_->program_step(finding.configuration).steps;
  saving.outside = part->outside;
  if (steps && saving.outside == Outside::no) saving.step_ms = steps->untraced_ns / 1e6;
  return saving;
}

void StepSavings::tell(std::vector<Finding>& findings) {
  // Shares of one step: of the calls of a scope they add up, a whole step is there once.
  const auto key = [&](const Finding& finding) {
    return std::tuple(finding.rule_id, finding.saving->outside != Outside::no,
                      finding.gain->scope == "program step"
                          ? finding.configuration
                          : index_->program_step(finding.configuration).main_configuration);
  };
  std::map<std::tuple<std::string, bool, int>, StepSaving> sums;
  for (auto& finding : findings) {
    finding.rule_saving = finding.saving = of(finding);
    if (!finding.saving || finding.saving->share <= 0) continue;
    const auto [sum, fresh] = sums.try_emplace(key(finding), *finding.saving);
    if (fresh) continue;
    // Calls of several streams may overlap.
    const auto add = [](double& all, double one) { all = std::min(all + one, 1.0); };
    if (sum->second.outside != finding.saving->outside) sum->second.outside = Outside::apart;
    add(sum->second.share, finding.saving->share);
    add(sum->second.low, finding.saving->low);
    add(sum->second.high, finding.saving->high);
  }
  for (auto& finding : findings)
    if (finding.saving && finding.saving->share > 0) finding.rule_saving = sums.at(key(finding));
}

}  // namespace rnnadvisor::advisor
