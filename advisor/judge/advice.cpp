#include "advisor/judge/advice.h"

#include <algorithm>
#include <utility>

#include "advisor/facts/framework_call.h"
#include "advisor/rules/evaluate.h"
#include "advisor/rules/validation_records.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/framework_fit.h"
#include "core/model/eligibility.h"
#include "core/model/memory.h"

namespace rnnadvisor::advisor {
namespace {

// From here on a change that keeps what is computed is worth a warning.
constexpr double worth_a_warning = 1.5;

bool about_speed(const Rule& rule) {
  return rule.consequence == "slower" || rule.consequence == "path" ||
         rule.consequence == "fallback";
}

// Pairs that were measured, on whatever GPU, agree with it.
bool confirmed(const Rule& rule) {
  return !rule.validity.empty() && rule.validity.back().agree > 0 && !refuted(rule.validity.back());
}

bool tried_and_confirmed(const Suggestion& suggestion) {
  return suggestion.trial && suggestion.trial->device.empty() &&
         suggestion.trial->verdict == ExperimentVerdict::confirmed;
}

bool measured_here(const Finding& finding) {
  return finding.gain && finding.gain->basis == GainBasis::measured_here;
}

// A gain of no change, of advice in words alone, is always its own.
bool suggests(const Finding& finding, const std::vector<Transform>& changes) {
  return changes.empty() ||
         std::any_of(finding.suggestions.begin(), finding.suggestions.end(),
                     [&](const Suggestion& s) { return changes_of(s) == changes; });
}

// It cannot be followed: nothing is proposed, or nothing that the program's framework can express.
bool nothing_to_do(const Finding& finding) {
  return std::all_of(finding.suggestions.begin(), finding.suggestions.end(),
                     [](const Suggestion& s) { return s.transform && !s.cannot.empty(); });
}

const DeviceSpec* device_at(const Profile& profile, const Configuration& configuration) {
  const auto at = static_cast<std::size_t>(configuration.device);
  return configuration.device >= 0 && at < profile.devices.size() ? &profile.devices[at] : nullptr;
}

// cuDNN refuses a call, or it does not fit; nothing where all run.
std::optional<std::string> refusal(const std::vector<RnnConfig>& calls, const DeviceSpec& device) {
  for (const auto& call : calls) {
    const auto answer = model::eligibility(call, device);
    const bool trains = call.mode == Mode::training;
    const bool taken = trains ? answer.at(model::Stage::forward_training) &&
                                    answer.at(model::Stage::backward_data) &&
                                    answer.at(model::Stage::backward_weights)
                              : answer.at(model::Stage::forward_inference);
    if (!taken) return "cuDNN would refuse it";
    if (device.memory_bytes > 0 && model::memory_need(call, call.mode).total > device.memory_bytes)
      return "it does not fit the device's memory";
  }
  return std::nullopt;
}

// What it proposes is another model: no defect of this one.
bool another_model(const Rule& rule) {
  return !rule.suggestions.empty() &&
         std::all_of(rule.suggestions.begin(), rule.suggestions.end(), [](const auto& suggestion) {
           return suggestion.transform && widest_meaning(changes_of(suggestion)) == Meaning::model;
         });
}

}  // namespace

Severity severity_by_gain(const Finding& finding, const Rule& rule) {
  if (finding.severity == Severity::error || refuted(finding)) return finding.severity;
  const bool speed = about_speed(rule) || (rule.consequence == "numerics" && finding.gain);
  if (!speed) return finding.severity;
  const auto first =
      std::find_if(finding.suggestions.begin(), finding.suggestions.end(),
                   [](const Suggestion& s) { return s.transform && s.cannot.empty(); });
  const Meaning meaning =
      first == finding.suggestions.end() ? Meaning::exact : widest_meaning(changes_of(*first));
  if (finding.gain && finding.gain->saved_bytes == 0 && !finding.gain->another_model) {
    if (finding.gain->speedup < least_told_gain) return Severity::info;
    return finding.gain->speedup >= worth_a_warning && meaning <= Meaning::padded
               ? Severity::warning
               : Severity::opportunity;
  }
  // What its change is predicted to bring is known, and is nothing.
  if (finding.predicted_speedup && *finding.predicted_speedup < least_told_gain)
    return Severity::info;
  return finding.severity;
}

AdviceCheck::AdviceCheck(const ProfileIndex& index, std::vector<const Rule*> rules,
                         Predictions& predictions)
    : index_(index), rules_(std::move(rules)), predictions_(predictions) {}

const Rule* AdviceCheck::rule_of(const Finding& finding) const {
  const auto found = std::find_if(rules_.begin(), rules_.end(),
                                  [&](const Rule* rule) { return rule->id == finding.rule_id; });
  return found == rules_.end() ? nullptr : *found;
}

const AdviceCheck::Fired& AdviceCheck::rules_that_fire(const RnnConfig& config, int configuration) {
  for (const auto& [known, fired] : known_)
    if (known == config) return fired;
  const Profile& profile = index_.profile();
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  Profile asked;
  asked.environment = profile.environment;
  asked.environment.tracing = false;
  if (const auto* device = device_at(profile, own)) asked.devices = {*device};
  Configuration call;
  call.program = own.program;
  if (!call.program.name) call.program.name = framework_around(profile, configuration);
  call.device = asked.devices.empty() ? -1 : 0;
  call.config = config;
  // Where the framework made no call before the change, it chooses now.
  if (!(config == own.config))
    call.config = framework_call(config, call.program, device_at(profile, own)).config;
  call.sizes = model::space_sizes(call.config);
  asked.configurations.push_back(std::move(call));
  ProfileIndex index(asked);
  FactMemo facts(index);
  facts.begin(0);
  const auto cudnn = judged_cudnn_version(asked, asked.configurations.front());
  // What is wrong with a call that is not made yet is nothing new once it is made.
  const bool calls = config == own.config || call_is_made(index, 0);
  Fired fired;
  for (const Rule* rule : rules_) {
    if (another_model(*rule) || (!calls && about_a_call(*rule)) ||
        decide(*rule, facts, cudnn) != VerdictKind::fired)
      continue;
    const auto* record =
        record_for(*rule, asked.devices.empty() ? nullptr : &asked.devices.front(), cudnn);
    fired[rule->id] = record != nullptr && refuted(*record) ? Severity::info : rule->severity;
  }
  known_.emplace_back(config, std::move(fired));
  return known_.back().second;
}

std::optional<AdviceCheck::Objection> AdviceCheck::objection(const Finding& finding,
                                                             const Suggestion& suggestion,
                                                             const std::vector<Finding>& all,
                                                             bool runs) {
  if (!suggestion.transform || !suggestion.cannot.empty() || tried_and_confirmed(suggestion))
    return std::nullopt;
  const auto changes = changes_of(suggestion);
  if (measured_here(finding) && finding.gain->changes == changes) return std::nullopt;
  const Profile& profile = index_.profile();
  const auto& own = profile.configurations[static_cast<std::size_t>(finding.configuration)];
  const DeviceSpec* device = device_at(profile, own);
  if (device == nullptr) return std::nullopt;
  const auto variant = calls_after(changes, profile, finding.configuration, *device);
  if (!variant) return std::nullopt;
  if (runs) {
    if (auto problem = refusal(variant->calls, *device)) return Objection{*problem, true};
  }
  const Rule* rule = rule_of(finding);
  bool faster = false;
  if (runs && rule != nullptr && (about_speed(*rule) || finding.gain)) {
    const auto predicted = predictions_.speedup(finding.configuration, changes);
    if (predicted && predicted->speedup < 1)
      return Objection{"predicted times expect it to be slower"};
    // A number alone does not stand against a named cause. Where no times are known, pairs that
    // were measured on another kind of GPU say that it is faster.
    faster = predicted ? !is_of_predictions(rule->id) && predicted->speedup >= least_told_gain
                       : about_speed(*rule) && confirmed(*rule);
  }
  // It keeps only what measures faster in the program: that is no step back.
  if (suggestion.effort == Effort::command) return std::nullopt;
  // One call of another model answers another question: what the rules say of it is no reply.
  if (widest_meaning(changes) == Meaning::model) return std::nullopt;
  std::vector<RnnConfig> calls;
  for (const auto& call : variant->calls)
    if (std::find(calls.begin(), calls.end(), call) == calls.end()) calls.push_back(call);
  const auto before = rules_that_fire(own.config, finding.configuration);  // a copy: more follow
  // What is faster by itself may leave more to gain: that is no step back.
  const auto more_to_gain = [&](const std::string& id, Severity severity) {
    return severity == Severity::opportunity ||
           (severity == Severity::warning &&
            std::any_of(rules_.begin(), rules_.end(),
                        [&](const Rule* other) { return other->id == id && about_speed(*other); }));
  };
  for (const auto& call : calls) {
    for (const auto& [id, severity] : rules_that_fire(call, finding.configuration)) {
      if (severity < finding.severity || before.contains(id)) continue;
      if (faster && more_to_gain(id, severity)) continue;
      const bool told = std::any_of(all.begin(), all.end(),
                                    [&](const Finding& other) { return other.rule_id == id; });
      if (!told) return Objection{"it would lead to " + id, severity == Severity::error};
    }
  }
  return std::nullopt;
}

// Of what does not run, what makes it run comes first, and of changes of one meaning that which is
// predicted to be faster.
void AdviceCheck::what_runs_first(Finding& finding, const DeviceSpec& device) {
  const auto mended = std::stable_partition(
      finding.suggestions.begin(), finding.suggestions.end(), [&](const Suggestion& suggestion) {
        if (!suggestion.transform) return false;
        const auto after =
            calls_after(changes_of(suggestion), index_.profile(), finding.configuration, device);
        return after && !refusal(after->calls, device);
      });
  std::vector<std::pair<double, Suggestion>> timed;
  for (auto at = finding.suggestions.begin(); at != mended; ++at) {
    const auto changes = changes_of(*at);
    const auto seconds = predictions_.seconds(finding.configuration, changes);
    // The order of the card stands where a time or the meaning says nothing.
    if (!seconds || (!timed.empty() &&
                     widest_meaning(changes) != widest_meaning(changes_of(timed.front().second))))
      return;
    timed.emplace_back(*seconds, *at);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(timed.begin(), timed.end(), finding.suggestions.begin(),
                 [](auto& one) { return std::move(one.second); });
}

void AdviceCheck::apply(std::vector<Finding>& findings) {
  known_.clear();
  if (findings.empty()) return;
  const Profile& profile = index_.profile();
  const int configuration = findings.front().configuration;
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  const DeviceSpec* device = device_at(profile, own);
  const bool runs = device != nullptr && !refusal({own.config}, *device);
  for (auto& finding : findings) {
    const Rule* rule = rule_of(finding);
    if (rule == nullptr) continue;
    if (!runs && device != nullptr) what_runs_first(finding, *device);
    const Severity card = finding.severity;
    const bool own_remedy = card == Severity::error || rule->consequence == "fallback";
    const auto gain = finding.gain;
    // What is taken out may have been what the gain and with it the severity were of.
    for (bool again = true; again;) {
      finding.severity = card;
      finding.gain = gain;
      if (gain && !suggests(finding, gain->changes)) finding.gain.reset();
      finding.predicted_speedup.reset();
      const bool speed = about_speed(*rule) || (gain && gain->saved_bytes == 0);
      if (speed && !refuted(finding) && !measured_here(finding)) predictions_.apply(finding);
      if (finding.gain && !measured_here(finding) && nothing_to_do(finding)) finding.gain.reset();
      finding.severity = severity_by_gain(finding, *rule);
      // What keeps a layer from cuDNN, or from running, has its own remedy, which may show the next
      // such thing, but no error.
      std::vector<Suggestion> kept, last;
      for (const auto& suggestion : finding.suggestions) {
        const auto against = objection(finding, suggestion, findings, runs);
        if (!against) kept.push_back(suggestion);
        if (!against || !against->error) last.push_back(suggestion);
      }
      if (kept.empty() && own_remedy) kept = std::move(last);
      again = kept.size() < finding.suggestions.size();
      finding.suggestions = std::move(kept);
    }
    // Where nothing that it proposes would help it asks for nothing, but still says what is wrong.
    if (!rule->suggestions.empty() && finding.suggestions.empty() && !own_remedy)
      finding.severity = Severity::info;
  }
  // What does not run gains nothing.
  const bool refused =
      own.outcome == Outcome::refused || (own.outcome == Outcome::not_run && device != nullptr &&
                                          !runs && index_.framework_call(configuration).happens());
  for (auto& finding : findings) {
    if (!refused) break;
    if (finding.gain && finding.gain->saved_bytes == 0) finding.gain.reset();
    finding.predicted_speedup.reset();
  }
  // Of a call that the named framework does not make nothing is slow in that framework.
  if (framework_disregarded(profile, configuration)) {
    for (auto& finding : findings) {
      const Rule* rule = rule_of(finding);
      if (finding.severity != Severity::error && rule != nullptr &&
          (about_speed(*rule) || finding.gain))
        finding.severity = Severity::info;
    }
  }
  // Says nothing but that its change is faster.
  std::erase_if(findings, [](const Finding& finding) {
    return is_of_predictions(finding.rule_id) && finding.suggestions.empty();
  });
}

}  // namespace rnnadvisor::advisor
