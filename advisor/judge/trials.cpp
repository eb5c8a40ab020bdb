#include "advisor/judge/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
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

bool times_whole_steps(const Experiment& experiment) {
  return std::any_of(experiment.timings.begin(), experiment.timings.end(), [](const auto& timing) {
    return timing.scope == ExperimentScope::program_step;
  });
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
  // A graph of the layer alone says little of a graph of the whole step, unless the layer is most
  // of it: two thirds, our choice.
  const bool of_program =
      finding.gain && finding.gain->scope == scope_words(ExperimentScope::program_step);
  const auto part = share_of_step(index, finding.configuration, {});
  const bool most_of_it = !part || (part->outside == Outside::no && part->share >= 2.0 / 3);
  for (const int i : about) {
    const auto& experiment = profile.experiments[static_cast<std::size_t>(i)];
    if (of_program && !times_whole_steps(experiment) &&
        (experiment.where == "cudnn" || !most_of_it))
      continue;
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

namespace {

bool of_whole_steps(const TrialOutcome& trial) {
  return trial.scope == scope_words(ExperimentScope::program_step);
}

// A change that whole steps of the program are faster with.
struct InProgram {
  int configuration = -1;
  Effort effort{};
  TrialOutcome trial;
  std::vector<Transform> changes;
};

// `better` takes the place of a change that was tried in the program as well.
bool outdoes(const InProgram& better, int configuration, Effort effort, const TrialOutcome& trial,
             const std::vector<Transform>& changes) {
  if (better.effort > effort) return false;
  // The program chose between calls of one layer by their times.
  if (!of_whole_steps(trial))
    return better.configuration == configuration && better.changes != changes;
  const bool surely = better.trial.low > trial.high;
  if (better.effort < effort)
    return better.trial.speedup * least_told_gain > trial.speedup &&
           (better.trial.meaning <= trial.meaning || surely);
  return better.trial.speedup > trial.speedup && (better.trial.meaning <= trial.meaning || surely);
}

std::vector<InProgram> gained_in_program(const std::vector<Finding>& findings) {
  std::vector<InProgram> gained;
  for (const auto& finding : findings) {
    for (const auto& s : finding.suggestions) {
      if (!s.transform || !s.trial || !s.trial->in_program || !s.trial->device.empty() ||
          s.trial->verdict != ExperimentVerdict::confirmed || !of_whole_steps(*s.trial) ||
          s.trial->meaning == Meaning::model)
        continue;
      gained.push_back({finding.configuration, s.effort, *s.trial, changes_of(s)});
    }
  }
  return gained;
}

}  // namespace

void withdraw_by_whole_steps(std::vector<Finding>& findings, const Profile& profile) {
  const auto gained = gained_in_program(findings);
  for (auto& finding : findings) {
    if (finding.severity == Severity::error) continue;
    std::string why;
    bool confirmed = false;
    for (auto& s : finding.suggestions) {
      if (!s.transform || !s.trial || !s.trial->device.empty() || s.trial->speedup <= 0) continue;
      const bool gains = s.trial->verdict == ExperimentVerdict::confirmed;
      if (s.trial->in_program && gains) {
        const auto better = std::find_if(gained.begin(), gained.end(), [&](const InProgram& other) {
          return outdoes(other, finding.configuration, s.effort, *s.trial, changes_of(s));
        });
        if (better != gained.end()) {
          const auto at = static_cast<std::size_t>(better->configuration);
          s.not_offered = fmt::format(
              "Tried in the program, {} gained more and takes no more to apply: {:.2f} times in a "
              "whole step.",
              in_plain_words(better->changes, profile.configurations[at].config),
              better->trial.speedup);
        }
      } else if (of_whole_steps(*s.trial) && s.trial->verdict == ExperimentVerdict::inconclusive) {
        s.not_offered = "Tried in the program, it gained nothing in whole steps.";
      }
      confirmed = confirmed || (gains && s.not_offered.empty());
      if (why.empty()) why = s.not_offered;
    }
    if (why.empty() || confirmed) continue;
    finding.message += " " + why;
    finding.severity = Severity::info;
    finding.gain.reset();
  }
}

}  // namespace rnnadvisor::advisor
