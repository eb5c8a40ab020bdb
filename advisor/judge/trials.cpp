#include "advisor/judge/trials.h"

#include <algorithm>
#include <tuple>

#include "advisor/change/compose.h"
#include "advisor/facts/experiments.h"

namespace rnnadvisor::advisor {
namespace {

// The kind of GPU of the trial, where it is not that of the configuration.
std::string other_device(const Profile& profile, const Experiment& experiment) {
  const auto at = [&](int index) -> const DeviceSpec* {
    const auto i = static_cast<std::size_t>(index);
    return index >= 0 && i < profile.devices.size() ? &profile.devices[i] : nullptr;
  };
  const auto& original = profile.configurations[static_cast<std::size_t>(experiment.configuration)];
  const auto* own = at(original.device);
  const auto* its = at(experiment.device);
  if (own == nullptr || its == nullptr || own->name == its->name) return {};
  return its->name;
}

TrialOutcome outcome_of(const Profile& profile, int index) {
  const auto& experiment = profile.experiments[static_cast<std::size_t>(index)];
  TrialOutcome made;
  made.experiment = index;
  made.verdict = experiment.verdict;
  made.meaning = parse_meaning(experiment.meaning).value_or(Meaning::exact);
  made.message = experiment.message;
  made.in_program = experiment.where == "program";
  if (const auto throttle = throttle_change(experiment); !throttle.empty())
    made.message += (made.message.empty() ? "" : "; ") + throttle;
  made.device = other_device(profile, experiment);
  if (const auto* timing = deciding_timing(profile, experiment)) {
    made.scope = scope_words(timing->scope);
    made.speedup = timing->speedup;
    made.low = timing->speedup_low;
    made.high = timing->speedup_high;
    const auto transforms = parse_transforms(experiment.transforms);
    if (transforms && compared_per_sequence(*transforms)) made.scope += ", per sequence";
    made.control_low = timing->control_low;
    made.control_high = timing->control_high;
  }
  for (const auto& timing : experiment.timings) {
    if (timing.scope != ExperimentScope::program_step) continue;
    made.step_speedup = timing.speedup;
    made.step_low = timing.speedup_low;
    made.step_high = timing.speedup_high;
  }
  return made;
}

bool changes_are(const Experiment& experiment, const Suggestion& suggestion) {
  const auto transforms = parse_transforms(experiment.transforms);
  return transforms && in_order(*transforms) == changes_of(suggestion);
}

// Cards that say something is slow claim speed; those that explain a path do where they name a
// gain.
bool claims_speed(const Rule& rule, const Finding& finding) {
  return rule.consequence == "slower" || (finding.gain && finding.gain->speedup > 1);
}

// What is wrong or does not run is mended by what runs and is right, at whatever speed.
bool about_results(const Rule& rule, const Finding& finding) {
  if (finding.severity == Severity::error) return true;
  return (rule.consequence == "numerics" || rule.consequence == "error") &&
         !claims_speed(rule, finding);
}

// The trial judged by its results alone.
void judge_results(TrialOutcome& outcome, const Profile& profile) {
  const auto& experiment = profile.experiments[static_cast<std::size_t>(outcome.experiment)];
  const bool by_time = outcome.verdict == ExperimentVerdict::refuted ||
                       outcome.verdict == ExperimentVerdict::inconclusive;
  if (outcome.verdict == ExperimentVerdict::not_run || outcome.speedup <= 0) return;
  if (by_time && moved_too_far(profile, experiment)) return;  // refuted by its results
  const bool compared =
      std::any_of(experiment.shifts.begin(), experiment.shifts.end(),
                  [](const TensorShift& shift) { return shift.from_before >= 0; });
  outcome.of_results = true;
  outcome.verdict = compared ? ExperimentVerdict::confirmed : ExperimentVerdict::inconclusive;
}

}  // namespace

std::vector<LeftOut> leave_to_rules(std::vector<Finding>& findings, const ProfileIndex& index) {
  constexpr std::string_view found = "experiments/faster-";
  const auto teller = [&](const Experiment& experiment) {
    return std::find_if(findings.begin(), findings.end(), [&](const Finding& other) {
      return !other.rule_id.starts_with(found) &&
             std::any_of(other.suggestions.begin(), other.suggestions.end(),
                         [&](const Suggestion& s) {
                           return s.transform && s.trial &&
                                  s.trial->verdict == ExperimentVerdict::confirmed &&
                                  changes_are(experiment, s);
                         });
    });
  };
  std::vector<LeftOut> left;
  for (const auto& finding : findings) {
    if (!finding.rule_id.starts_with(found)) continue;
    const auto at = found_by_search(index, finding.configuration,
                                    std::string_view(finding.rule_id).substr(found.size()));
    if (!at) continue;
    const auto by = teller(index.profile().experiments[static_cast<std::size_t>(*at)]);
    if (by != findings.end()) left.push_back({finding.rule_id, finding.configuration, by->rule_id});
  }
  std::erase_if(findings, [&](const Finding& finding) {
    return std::any_of(left.begin(), left.end(),
                       [&](const LeftOut& one) { return one.rule == finding.rule_id; });
  });
  return left;
}

void apply_trials(Finding& finding, const Rule& rule, const ProfileIndex& index) {
  const Profile& profile = index.profile();
  std::vector<int> about;  // newest last, behind those made farther from the program
  for (const int i : index.experiments(finding.configuration)) about.push_back(i);
  std::stable_sort(about.begin(), about.end(), [&](int a, int b) {
    const auto place = [&](int i) {
      const auto& experiment = profile.experiments[static_cast<std::size_t>(i)];
      // What could not be tried in the program leaves the word to what was tried elsewhere.
      const bool none =
          experiment.where == "program" && experiment.verdict == ExperimentVerdict::not_run;
      return none ? -1 : closeness(experiment);
    };
    return place(a) < place(b);
  });
  std::optional<TrialOutcome> best;
  // Another model's speedup is not that of a change that can be taken as it is.
  const auto worth = [](const TrialOutcome& one) {
    return std::tuple(rank(one.verdict), one.meaning == Meaning::model, -one.speedup);
  };
  const bool results = about_results(rule, finding);
  const auto outcome = [&](int experiment) {
    auto made = outcome_of(profile, experiment);
    if (results) judge_results(made, profile);
    return made;
  };
  bool suggested = false;  // the best is of a change that the finding suggests
  const auto consider = [&](const TrialOutcome& other, bool named) {
    if (best && worth(other) >= worth(*best)) return;
    best = other;
    suggested = named;
  };
  // A graph of the bare call says nothing of a graph of the whole step.
  const bool of_program = finding.gain && finding.gain->scope == "program step";
  for (const int i : about) {
    const auto& experiment = profile.experiments[static_cast<std::size_t>(i)];
    if (of_program && experiment.where == "cudnn") continue;
    bool named = false;
    for (auto& suggestion : finding.suggestions) {
      if (!suggestion.transform || !changes_are(experiment, suggestion)) continue;
      suggestion.trial = outcome(i);
      named = true;
    }
    if (!named && experiment.rule == finding.rule_id) consider(outcome(i), false);
  }
  for (const auto& suggestion : finding.suggestions)
    if (suggestion.trial) consider(*suggestion.trial, true);
  finding.trial = best;
  if (!best || best->verdict == ExperimentVerdict::not_run || !best->device.empty()) return;
  if (results) return;
  // A confirmed change gains, whatever the card claims of it.
  const bool gains = best->verdict == ExperimentVerdict::confirmed && suggested;
  if (!gains && !claims_speed(rule, finding)) return;
  if (best->verdict == ExperimentVerdict::confirmed) {
    if (best->speedup <= 0) return;  // it runs at all: no ratio
    if (!suggested) {
      // Another change gained it than any that the finding suggests.
      finding.gain.reset();
      return;
    }
    const auto& experiment = profile.experiments[static_cast<std::size_t>(best->experiment)];
    Gain gain;
    if (const auto changes = parse_transforms(experiment.transforms))
      gain.changes = in_order(*changes);
    gain.speedup = best->speedup;
    gain.low = best->low;
    gain.high = best->high;
    gain.basis = GainBasis::measured_here;
    gain.scope = best->scope;
    gain.source = "tried and measured";
    gain.another_model = best->meaning == Meaning::model;
    finding.gain = gain;
    return;
  }
  finding.gain.reset();
  if (best->verdict == ExperimentVerdict::refuted) {
    finding.severity = Severity::info;
    finding.refuted_here = true;
  }
}

}  // namespace rnnadvisor::advisor
