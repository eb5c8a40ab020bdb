#include "advisor/validate/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "advisor/change/compose.h"
#include "advisor/facts/experiments.h"
#include "advisor/judge/make_finding.h"
#include "advisor/rules/evaluate.h"
#include "core/base/statistics.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

// Half of the memory rules are about copies of inputs: what saves less than this saves nothing.
constexpr double lighter_by = 0.01;
// Rounding differs from call to call; twice as far from the reference is another precision.
constexpr double nearer_by = 2;

struct Seen {
  Agreement agreement = Agreement::undecided;
  std::string message;
};

Seen judge_speed(const ExperimentTiming& timing, bool fires) {
  const auto verdict = verdict_of(timing);
  const auto words = fmt::format("{:.2f}x ({:.2f}x to {:.2f}x)", timing.speedup, timing.speedup_low,
                                 timing.speedup_high);
  if (fires) {
    if (verdict == ExperimentVerdict::confirmed && timing.speedup_high >= no_gain)
      return {Agreement::agrees, words};
    if (timing.speedup_high < no_gain) return {Agreement::refutes, words};
    return {Agreement::undecided, words};
  }
  if (verdict == ExperimentVerdict::confirmed && timing.speedup_low > no_gain)
    return {Agreement::refutes, words};
  if (timing.speedup_low > no_gain) return {Agreement::undecided, words};
  return {Agreement::agrees, words};
}

Seen judge_memory(const Experiment& experiment, bool fires) {
  if (experiment.memory_before < 0 || experiment.memory_after < 0)
    return {Agreement::not_run, "no size is known"};
  const auto words =
      fmt::format("{} bytes, then {}", experiment.memory_before, experiment.memory_after);
  const bool lighter = static_cast<double>(experiment.memory_after) <
                       static_cast<double>(experiment.memory_before) * (1 - lighter_by);
  return {lighter == fires ? Agreement::agrees : Agreement::refutes, words};
}

Seen judge_numerics(const Experiment& experiment, bool fires) {
  const TensorShift* largest = nullptr;
  double most = 0;
  bool compared = false;
  for (const auto& shift : experiment.shifts) {
    if (shift.before_error < 0 || shift.after_error < 0) continue;
    compared = true;
    // Exact results have no error to divide by.
    const double ratio = shift.before_error / std::max(shift.after_error, 1e-12);
    if (shift.before_error > 1e-12 && ratio > most) {
      most = ratio;
      largest = &shift;
    }
  }
  if (!compared) return {Agreement::not_run, "no results were compared with the float64 reference"};
  const bool nearer = largest != nullptr && most > nearer_by;
  const auto words = largest == nullptr
                         ? std::string("no error on either side")
                         : fmt::format("{}: relative error {:.2g}, then {:.2g}", largest->tensor,
                                       largest->before_error, largest->after_error);
  return {nearer == fires ? Agreement::agrees : Agreement::refutes, words};
}

bool stopped_by_cudnn(Outcome outcome) {
  return outcome == Outcome::refused || outcome == Outcome::failed;
}

// A card about a limit of memory says nothing of configurations far below it, whatever a change
// saves there: it would have helped where the limit is met, and the change lets it run.
bool about_a_limit(const Rule& rule) {
  const auto memory = [](const Condition& condition) {
    return fact_catalogue()[static_cast<std::size_t>(condition.fact)].name.starts_with("memory.");
  };
  return std::any_of(rule.when.all.begin(), rule.when.all.end(), memory);
}

Seen judge_limit(const Configuration& before, const Experiment& experiment) {
  const bool full = before.outcome == Outcome::out_of_memory ||
                    before.outcome == Outcome::out_of_memory_predicted;
  if (full && experiment.verdict == ExperimentVerdict::confirmed)
    return {Agreement::refutes, "does not fit, and does after the change: " + before.message};
  return {Agreement::undecided, "the limit that the card is about is not met"};
}

// `other`: another card that says why the original does not run; empty: none does.
Seen judge_running(const Configuration& before, const Experiment& experiment, bool fires,
                   std::string_view other) {
  if (before.outcome == Outcome::not_run) return {Agreement::not_run, "the original was not tried"};
  const bool stopped = stopped_by_cudnn(before.outcome);
  if (!fires) {
    if (!stopped) return {Agreement::agrees, "runs"};
    // What another card tells, or what the change does not mend, is not what this card missed.
    if (!other.empty())
      return {Agreement::undecided,
              fmt::format("does not run for what {} says: {}", other, before.message)};
    if (experiment.verdict != ExperimentVerdict::confirmed)
      return {Agreement::undecided, "does not run with the change either: " + before.message};
    return {Agreement::refutes, "does not run: " + before.message};
  }
  if (!stopped) return {Agreement::refutes, "runs as it is"};
  if (experiment.verdict == ExperimentVerdict::confirmed)
    return {Agreement::agrees, before.message};
  return {Agreement::undecided, "neither runs: " + experiment.message};
}

// Where the claim is not about running, a pair counts only when both ran.
PairOutcome judge_pair(const Profile& profile, int index, const Rule& rule, Claim claim, bool fires,
                       std::string_view other, std::string& scope) {
  const Experiment& experiment = profile.experiments[static_cast<std::size_t>(index)];
  const auto& before = profile.configurations[static_cast<std::size_t>(experiment.configuration)];
  PairOutcome pair;
  pair.experiment = index;
  pair.fires = fires;
  Seen seen{Agreement::not_run, experiment.message};
  if (claim == Claim::runs) {
    seen = judge_running(before, experiment, fires, other);
  } else if (claim == Claim::lighter) {
    seen = !fires && about_a_limit(rule) ? judge_limit(before, experiment)
                                         : judge_memory(experiment, fires);
  } else if (claim == Claim::nearer) {
    seen = judge_numerics(experiment, fires);
  } else if (const auto* timing = deciding_timing(experiment.timings, before.config.mode);
             timing != nullptr) {
    seen = judge_speed(*timing, fires);
    pair.speedup = timing->speedup;
    pair.low = timing->speedup_low;
    pair.high = timing->speedup_high;
    scope = scope_words(timing->scope);
  }
  pair.agreement = seen.agreement;
  pair.message = std::move(seen.message);
  return pair;
}

void count(RuleAgreement& agreement, const PairOutcome& pair) {
  switch (pair.agreement) {
    case Agreement::agrees:
      ++(pair.fires ? agreement.agree : agreement.silent);
      break;
    case Agreement::refutes:
      ++(pair.fires ? agreement.refute : agreement.missed);
      break;
    case Agreement::undecided:
      if (pair.fires) ++agreement.undecided;
      break;
    case Agreement::not_run:
      if (pair.fires) ++agreement.not_run;
      break;
  }
}

void finish(RuleAgreement& agreement) {
  std::vector<double> speedups;
  for (const auto& pair : agreement.pairs)
    if (pair.fires && pair.speedup > 0 && std::isfinite(pair.speedup))
      speedups.push_back(pair.speedup);
  const auto interval = median_interval(speedups);
  agreement.timed = interval.count;
  agreement.speedup = interval.median;
  agreement.low = interval.low;
  agreement.high = interval.high;
}

// What was written down, without anything that was measured.
Profile bare(const Profile& profile) {
  Profile made;
  made.environment = profile.environment;
  made.devices = profile.devices;
  for (const auto& each : profile.configurations) {
    Configuration configuration;
    configuration.config = each.config;
    configuration.program = each.program;
    configuration.device = each.device;
    configuration.origin = each.origin;
    made.configurations.push_back(std::move(configuration));
  }
  return made;
}

}  // namespace

std::optional<Claim> claim_of(const Rule& rule) {
  if (rule.consequence == "slower" || rule.consequence == "path") return Claim::faster;
  if (rule.consequence == "error") return Claim::runs;
  if (rule.consequence == "memory") return Claim::lighter;
  if (rule.consequence == "numerics") return Claim::nearer;
  return std::nullopt;
}

std::string_view to_string(Claim claim) {
  switch (claim) {
    case Claim::faster:
      return "the change makes it faster";
    case Claim::runs:
      return "only the change makes it run";
    case Claim::lighter:
      return "the change saves memory";
    case Claim::nearer:
      return "the change brings results nearer to float64";
  }
  return "unknown";
}

std::string_view to_string(Agreement agreement) {
  switch (agreement) {
    case Agreement::agrees:
      return "agrees";
    case Agreement::refutes:
      return "refutes";
    case Agreement::undecided:
      return "undecided";
    case Agreement::not_run:
      return "not run";
  }
  return "unknown";
}

namespace {

// Whether the card, as it is now, asks for what was tried: it may have been changed since.
bool suggests(const Rule& rule, FactMemo& facts, const Experiment& experiment) {
  const auto tried = parse_transforms(experiment.transforms);
  if (!tried) return false;
  const auto wanted = in_order(*tried);
  const Finding finding = make_finding(rule, facts, {});
  return std::any_of(finding.suggestions.begin(), finding.suggestions.end(),
                     [&](const Suggestion& each) { return changes_of(each) == wanted; });
}

}  // namespace

namespace {

// Another card that fires for the configuration at hand and says that it does not run.
std::string refused_by(const RuleSet& rules, const Rule& silent, FactMemo& facts,
                       const std::optional<Version>& version) {
  for (const auto& rule : rules.rules) {
    if (rule.id == silent.id || claim_of(rule) != Claim::runs) continue;
    if (decide(rule, facts, version) == VerdictKind::fired) return rule.id;
  }
  return {};
}

}  // namespace

std::vector<RuleAgreement> agreement_of(const Profile& profile, const RuleSet& rules) {
  const Profile stripped = bare(profile);
  const ProfileIndex index(stripped);
  FactMemo facts(index);
  std::map<std::string_view, RuleAgreement> by_rule;
  for (std::size_t i = 0; i < profile.experiments.size(); ++i) {
    const Experiment& experiment = profile.experiments[i];
    const Rule* rule = experiment.rule.empty() ? nullptr : rules.find(experiment.rule);
    const auto claim = rule == nullptr ? std::nullopt : claim_of(*rule);
    if (!claim) continue;
    facts.begin(experiment.configuration);
    const auto& before =
        stripped.configurations[static_cast<std::size_t>(experiment.configuration)];
    const auto verdict = decide(*rule, facts, judged_cudnn_version(stripped, before));
    if (verdict != VerdictKind::fired && verdict != VerdictKind::passed) continue;
    if (verdict == VerdictKind::fired && !suggests(*rule, facts, experiment)) continue;
    auto& agreement = by_rule[rule->id];
    agreement.rule = rule->id;
    agreement.claim = *claim;
    std::string scope, other;
    const bool fires = verdict == VerdictKind::fired;
    const auto& measured =
        profile.configurations[static_cast<std::size_t>(experiment.configuration)];
    if (!fires && *claim == Claim::runs && stopped_by_cudnn(measured.outcome))
      other = refused_by(rules, *rule, facts, judged_cudnn_version(stripped, before));
    agreement.pairs.push_back(
        judge_pair(profile, static_cast<int>(i), *rule, *claim, fires, other, scope));
    count(agreement, agreement.pairs.back());
    if (agreement.pairs.back().fires && !scope.empty())
      agreement.scope = agreement.scope.empty() || agreement.scope == scope
                            ? scope
                            : "training steps and inferences";
  }
  std::vector<RuleAgreement> list;
  for (auto& [id, agreement] : by_rule) {
    finish(agreement);
    list.push_back(std::move(agreement));
  }
  return list;
}

std::string effect_words(const RuleAgreement& a) {
  std::string words;
  if (a.claim == Claim::faster && a.timed > 0) {
    words = fmt::format("median {:.2f}x ({:.2f}x to {:.2f}x) of {} {}, {}", a.speedup, a.low,
                        a.high, a.timed, a.timed == 1 ? "pair" : "pairs", a.scope);
  } else {
    words = to_string(a.claim);
  }
  if (a.undecided > 0) words += fmt::format("; {} undecided", a.undecided);
  if (a.silent + a.missed > 0)
    words += fmt::format("; silent on {}, of which the change would have helped {}",
                         plural(a.silent + a.missed, "other"), a.missed);
  return words;
}

}  // namespace rnnadvisor::advisor
