#include "advisor/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "advisor/change/in_words.h"
#include "advisor/judge/advice.h"
#include "advisor/judge/make_finding.h"
#include "advisor/judge/merge.h"
#include "advisor/judge/order.h"
#include "advisor/judge/predictions.h"
#include "advisor/judge/step_saving.h"
#include "advisor/judge/trials.h"
#include "advisor/rules/evaluate.h"

namespace rnnadvisor::advisor {
namespace {

bool ignored(const Rule& rule, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return rule.id == pattern || (pattern.ends_with('/') && rule.id.starts_with(pattern));
  });
}

Verdict make_verdict(const Rule& rule, VerdictKind kind, FactMemo& facts) {
  Verdict verdict;
  verdict.rule_id = rule.id;
  verdict.configuration = facts.configuration();
  verdict.kind = kind;
  if (kind == VerdictKind::unknown) {
    std::vector<int> missing;
    add_missing(rule.applies_when, facts, missing);
    add_missing(rule.when, facts, missing);
    for (const int fact : missing)
      verdict.missing.push_back(fact_catalogue()[static_cast<std::size_t>(fact)].name);
  } else if (kind == VerdictKind::error) {
    auto names = failed_facts(rule.applies_when, facts);
    for (const auto name : failed_facts(rule.when, facts)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    verdict.message = "these facts could not be computed, which is a defect of rnnadvisor:";
    for (const auto name : names) verdict.message += " " + std::string(name);
  }
  return verdict;
}

bool rests_on(const ConditionSet& set, std::string_view group) {
  const auto is = [&](const Condition& condition) {
    return fact_definition(condition.fact).name.starts_with(group);
  };
  return std::any_of(set.all.begin(), set.all.end(), is) ||
         std::any_of(set.any.begin(), set.any.end(),
                     [&](const auto& any) { return std::any_of(any.begin(), any.end(), is); });
}

// What the profile shows running is not impossible, whatever a document or the model says. A card
// about what was itself measured stays, and so does one about a framework where rnnadvisor made the
// calls and not that framework.
bool contradicted(const Rule& rule, const ProfileIndex& index, int configuration) {
  if (rule.consequence != "error" || rests_on(rule.when, "measured.")) return false;
  const auto& own = index.profile().configurations[static_cast<std::size_t>(configuration)];
  const auto of_framework = [&](const ConditionSet& set) {
    return rests_on(set, "program.") || rests_on(set, "framework.");
  };
  if (own.origin == Origin::run && (of_framework(rule.when) || of_framework(rule.applies_when)))
    return false;
  return ran(index, configuration, true) ||
         (!rule.fails_backward && ran(index, configuration, false));
}

// The card that tells a refusal of which no other card tells.
constexpr std::string_view refusal_rule = "descriptor/refusal-expected";

std::string text_of(FactMemo& facts, std::string_view name) {
  const int at = find_fact(name);
  const Fact* fact = at >= 0 ? facts.get(at) : nullptr;
  const auto* text = fact != nullptr ? std::get_if<std::string>(&fact->value) : nullptr;
  return text != nullptr ? *text : std::string();
}

// Where the card about the very condition has fired as an error, it says more than the general one.
void explain_refusal(std::vector<Finding>& findings, std::vector<Verdict>& verdicts,
                     FactMemo& facts) {
  const auto general = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.rule_id == refusal_rule;
  });
  if (general == findings.end()) return;
  const std::string own = text_of(facts, "framework.refusal_rule");
  const bool explained = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.rule_id == own && finding.severity == Severity::error;
  });
  if (!explained) return;
  findings.erase(general);
  for (auto& verdict : verdicts) {
    if (verdict.configuration != facts.configuration() || verdict.rule_id != refusal_rule) continue;
    verdict.kind = VerdictKind::told_by_another;
    verdict.message = fmt::format("`{}` says why", own);
  }
}

// At the end: until then a gain may still become that of another change.
void name_changes(std::vector<Finding>& findings, const Profile& profile) {
  for (auto& finding : findings) {
    if (!finding.gain || finding.gain->changes.empty()) continue;
    const auto at = static_cast<std::size_t>(finding.configuration);
    finding.gain->change = in_plain_words(finding.gain->changes, profile.configurations[at].config);
  }
}

// One judgement while it is made.
class Judging {
 public:
  Judging(const Profile& profile, const RuleSet& rules, const JudgeOptions& options)
      : profile_(profile),
        rules_(rules),
        options_(options),
        wanted_(wanted_rules()),
        index_(profile),
        predictions_(profile, options.predict_for),
        facts_(index_),
        advice_(index_, wanted_, predictions_) {
    if (options.predict_for)
      index_.set_predict_change(
          [this](int configuration) { return predictions_.change(configuration); });
  }

  Judgement judge() {
    const std::size_t count = profile_.configurations.size();
    if (options_.keep_verdicts) judgement_.verdicts.reserve(wanted_.size() * count);
    for (std::size_t i = 0; i < count; ++i) {
      // What an experiment added is no part of a program: it is an answer, not a question.
      if (index_.tried(static_cast<int>(i))) continue;
      if (options_.keep_going &&
          !options_.keep_going(static_cast<double>(i) / static_cast<double>(count)))
        break;
      facts_.begin(static_cast<int>(i));
      findings_ = evaluate();
      for (const auto pass : of_a_configuration) (this->*pass)();
      add_best_prediction(static_cast<int>(i));
      std::move(findings_.begin(), findings_.end(), std::back_inserter(judgement_.findings));
    }
    findings_ = std::move(judgement_.findings);
    for (const auto pass : of_all) (this->*pass)();
    judgement_.findings = std::move(findings_);
    account_for_steps();
    return std::move(judgement_);
  }

 private:
  std::vector<const Rule*> wanted_rules() {
    std::vector<const Rule*> wanted;
    for (const auto& rule : rules_.rules) {
      if (ignored(rule, options_.ignore))
        judgement_.ignored.push_back(rule.id);
      else
        wanted.push_back(&rule);
    }
    return wanted;
  }

  // The verdict of every rule for the configuration, and a finding of each that fired.
  std::vector<Finding> evaluate() {
    const int configuration = facts_.configuration();
    const auto cudnn = judged_cudnn_version(
        profile_, profile_.configurations[static_cast<std::size_t>(configuration)]);
    const bool calls = call_is_made(index_, configuration);
    std::optional<Evidence> evidence;
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const Rule& rule = *wanted_[i];
      VerdictKind kind =
          !calls && about_a_call(rule) ? VerdictKind::not_applicable : decide(rule, facts_, cudnn);
      if (kind == VerdictKind::fired && contradicted(rule, index_, configuration))
        kind = VerdictKind::passed;
      if (kind == VerdictKind::fired) {
        if (!evidence) evidence = gather_evidence(index_, configuration);
        findings.push_back(make_finding(rule, facts_, *evidence));
      }
      if (options_.keep_verdicts) judgement_.verdicts.push_back(make_verdict(rule, kind, facts_));
    }
    return findings;
  }

  void add_best_prediction(int configuration) {
    const auto& own = profile_.configurations[static_cast<std::size_t>(configuration)];
    if (!own.from_program() || !own.described()) return;
    if (const auto* best = index_.predicted_change(configuration))
      judgement_.best_predictions.push_back({configuration, best->speedup, best->words});
  }

  // The passes, in order. First those over the findings of one configuration:
  void explain_the_refusal() { explain_refusal(findings_, judgement_.verdicts, facts_); }
  void leave_searched_changes_to_rules() { left_out(leave_to_rules(findings_, index_)); }
  // What was to be tried in a comparison of algorithms that goes on without it is no defect.
  void excuse_refused_alternatives() {
    if (!refused_as_alternative(index_, facts_.configuration())) return;
    for (auto& finding : findings_)
      if (finding.severity == Severity::error) finding.severity = Severity::info;
  }
  void leave_predicted_changes_to_rules() {
    left_out(compare_predicted(findings_, index_, predictions_));
  }
  void check_advice() { advice_.apply(findings_); }
  // Then over those of all:
  void offer_what_gains_in_the_program() { withdraw_by_whole_steps(findings_, profile_); }
  // Once before the order, for which it counts, and once when all gains are settled.
  void tell_savings() { savings_.tell(findings_); }
  // A program that was recorded is the one that its author wants to be faster: what only another
  // one reaches is no more than a remark, unless it is a warning.
  void make_remarks_of_other_models() {
    for (auto& finding : findings_)
      if (finding.severity == Severity::opportunity && another_model_only(finding) &&
          profile_.configurations[static_cast<std::size_t>(finding.configuration)].from_program())
        finding.severity = Severity::info;
  }
  void lower_severities_by_savings() { savings_.lower_severities(findings_); }
  void order() { order_findings(findings_, savings_, rules_); }
  void propose_each_change_once() { left_out(merge_suggestions(findings_, index_)); }
  // At the end: until then a gain may still become that of another change.
  void name_changes_of_gains() { name_changes(findings_, profile_); }

  void account_for_steps() {
    for (std::size_t i = 0; i < profile_.configurations.size(); ++i) {
      if (!profile_.configurations[i].from_program()) continue;
      const auto& step = index_.program_step(static_cast<int>(i));
      if (!step.busy || step.main_configuration != static_cast<int>(i)) continue;
      const int device = profile_.configurations[i].device;
      judgement_.steps.push_back(step_account(
          device, *step.busy, step.steps ? &*step.steps : nullptr, traced_steps(profile_, device)));
    }
  }

  using Pass = void (Judging::*)();
  static constexpr Pass of_a_configuration[] = {
      &Judging::explain_the_refusal, &Judging::leave_searched_changes_to_rules,
      &Judging::excuse_refused_alternatives, &Judging::leave_predicted_changes_to_rules,
      &Judging::check_advice};
  static constexpr Pass of_all[] = {&Judging::offer_what_gains_in_the_program,
                                    &Judging::tell_savings,
                                    &Judging::make_remarks_of_other_models,
                                    &Judging::lower_severities_by_savings,
                                    &Judging::order,
                                    &Judging::propose_each_change_once,
                                    &Judging::name_changes_of_gains,
                                    &Judging::tell_savings};

  void left_out(const std::vector<LeftOut>& left) {
    for (const auto& one : left) {
      for (auto& verdict : judgement_.verdicts) {
        if (verdict.configuration != one.configuration || verdict.rule_id != one.rule) continue;
        verdict.kind = VerdictKind::told_by_another;
        verdict.message = fmt::format("`{}` proposes the same", one.told_by);
      }
    }
  }

  const Profile& profile_;
  const RuleSet& rules_;
  const JudgeOptions& options_;
  Judgement judgement_;
  std::vector<const Rule*> wanted_;
  ProfileIndex index_;
  StepSavings savings_{index_};
  Predictions predictions_;
  FactMemo facts_;
  AdviceCheck advice_;
  std::vector<Finding> findings_;  // that the passes work on
};

}  // namespace

Judgement judge(const Profile& profile, const RuleSet& rules, const JudgeOptions& options) {
  return Judging(profile, rules, options).judge();
}

}  // namespace rnnadvisor::advisor
