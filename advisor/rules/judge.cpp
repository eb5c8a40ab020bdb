// judge(): every rule against every configuration.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "advisor/rules/advice.h"
#include "advisor/rules/evaluate.h"
#include "advisor/rules/make_finding.h"
#include "advisor/rules/merge.h"
#include "advisor/rules/order.h"
#include "advisor/rules/predictions.h"
#include "advisor/rules/trials.h"
#include "advisor/whatif/plain_words.h"

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

void leave_to_another(std::vector<Verdict>& verdicts, const std::vector<LeftOut>& left) {
  for (const auto& one : left) {
    for (auto& verdict : verdicts) {
      if (verdict.configuration != one.configuration || verdict.rule_id != one.rule) continue;
      verdict.kind = VerdictKind::told_by_another;
      verdict.message = fmt::format("`{}` proposes the same", one.told_by);
    }
  }
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

}  // namespace

Judgement judge(const Profile& profile, const RuleSet& rules, const JudgeOptions& options) {
  Judgement judgement;
  std::vector<const Rule*> wanted;
  for (const auto& rule : rules.rules) {
    if (ignored(rule, options.ignore)) {
      judgement.ignored.push_back(rule.id);
    } else {
      wanted.push_back(&rule);
    }
  }
  std::vector<bool> of_calls;
  for (const Rule* rule : wanted) of_calls.push_back(about_a_call(*rule));
  ProfileIndex index(profile);
  Predictions predictions(profile, options.predict_for);
  if (options.predict_for)
    index.set_predict_change([&](int configuration) { return predictions.change(configuration); });
  FactMemo facts(index);
  AdviceCheck advice(index, wanted, predictions);
  if (options.keep_verdicts)
    judgement.verdicts.reserve(wanted.size() * profile.configurations.size());
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    const int configuration = static_cast<int>(i);
    // What an experiment added is no part of a program: it is an answer, not a question.
    if (index.tried(configuration)) continue;
    if (options.keep_going &&
        !options.keep_going(static_cast<double>(i) /
                            static_cast<double>(profile.configurations.size())))
      break;
    facts.begin(configuration);
    const auto cudnn = judged_cudnn_version(profile, profile.configurations[i]);
    std::optional<Evidence> evidence;
    std::vector<Finding> findings;
    const bool calls = call_is_made(index, configuration);
    for (std::size_t r = 0; r < wanted.size(); ++r) {
      const Rule* rule = wanted[r];
      VerdictKind kind =
          !calls && of_calls[r] ? VerdictKind::not_applicable : decide(*rule, facts, cudnn);
      if (kind == VerdictKind::fired && contradicted(*rule, index, configuration))
        kind = VerdictKind::passed;
      if (kind == VerdictKind::fired) {
        if (!evidence) evidence = gather_evidence(index, configuration);
        findings.push_back(make_finding(*rule, facts, *evidence));
      }
      if (options.keep_verdicts) judgement.verdicts.push_back(make_verdict(*rule, kind, facts));
    }
    explain_refusal(findings, judgement.verdicts, facts);
    leave_to_another(judgement.verdicts, leave_to_rules(findings, index));
    // What was to be tried in a comparison of algorithms that goes on without it is no defect.
    if (refused_as_alternative(index, configuration))
      for (auto& finding : findings)
        if (finding.severity == Severity::error) finding.severity = Severity::info;
    leave_to_another(judgement.verdicts, compare_predicted(findings, index, predictions));
    advice.apply(findings);
    std::move(findings.begin(), findings.end(), std::back_inserter(judgement.findings));
  }
  order_findings(judgement.findings, index, rules);
  leave_to_another(judgement.verdicts, merge_suggestions(judgement.findings, index));
  name_changes(judgement.findings, profile);
  return judgement;
}

}  // namespace rnnadvisor::advisor
