// What formats for machines write of a finding, each field once. JSON has all fields, SARIF picks
// some, and docs/schema/report.schema.json has its definitions from here: finding_fields_test
// compares them and, with RNNADVISOR_UPDATE_GOLDEN=1, writes them.
#pragma once

#include <algorithm>
#include <cmath>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/report/fields.h"
#include "advisor/report/words.h"
#include "advisor/rules/finding.h"

namespace rnnadvisor::advisor::fields {

inline std::optional<double> positive(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}
inline std::optional<double> given(bool is_given, double value) {
  return is_given ? std::optional(value) : std::nullopt;
}
inline std::optional<std::string> not_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

template <>
struct Fields<Comparison> {
  static constexpr std::string_view name = "comparison", meaning = "one comparison of a rule";
  static constexpr std::tuple list{
      Field{"fact", &Comparison::fact, "its name in rule cards"},
      Field{"op", &Comparison::op},
      Field{"threshold", &Comparison::threshold},
      Field{"observed", &Comparison::observed},
      Field{"unit", &Comparison::unit},
      Field{"provenance", &Comparison::provenance, "how the value is known"},
      Field{"holds", &Comparison::holds}};
};

template <>
struct Fields<Transform> {
  static constexpr std::string_view name = "transform",
                                    meaning = "a change of a configuration, for programs";
  static constexpr std::tuple list{
      Field{"kind", &Transform::kind},
      Field{"parameters",
            [](const Transform& t) {
              Json parameters = Json::parse(t.json, nullptr, false);
              return parameters.is_object() ? parameters : Json::object();
            }},
      Field{"meaning", &Transform::meaning, "what it does to the function that is computed"}};
};

template <>
struct Fields<Gain> {
  static constexpr std::string_view name = "gain", meaning = "what following a finding would gain";
  static constexpr std::tuple list{
      Field{"speedup", [](const Gain& g) { return given(std::isfinite(g.speedup), g.speedup); },
            "time now / time after"},
      Field{"low", [](const Gain& g) { return given(g.high > 0, g.low); },
            "interval of the speedup; null: there is none"},
      Field{"high", [](const Gain& g) { return given(g.high > 0, g.high); }},
      Field{"saved_bytes", &Gain::saved_bytes, "of rules about memory", "byte"},
      Field{"basis", &Gain::basis},
      Field{"estimate", [](const Gain& g) { return g.basis != GainBasis::measured_here; },
            "not measured of this configuration: from a measurement of a similar layer, predicted "
            "times, the recording or the cost model"},
      Field{"scope", &Gain::scope, "what becomes faster: training step, forward inference"},
      Field{"source", &Gain::source, "where the number is from"},
      Field{"another_model", &Gain::another_model,
            "only another model reaches it: it counts nowhere as what there is to gain"},
      Field{"change", &Gain::change, "of which change, in words"},
      Field{"changes", &Gain::changes,
            "the same for machines: all that one suggestion changes; empty where the finding "
            "proposes nothing that a machine can do"},
      Field{"once", [](const Gain& g) { return not_empty(g.once); },
            "of a possible gain: what the program has to be changed to first"}};
};

template <>
struct Fields<StepSaving> {
  static constexpr std::string_view
      name = "saving",
      meaning =
          "shares of a step, 0 to 1; the interval is that of the gain, equal to share where "
          "it has none";
  static constexpr std::tuple list{
      Field{"share", &StepSaving::share}, Field{"low", &StepSaving::low},
      Field{"high", &StepSaving::high},
      Field{"step_ms", [](const StepSaving& s) { return positive(s.step_ms); },
            "of a step without tracing; null: none was timed", "ms"},
      Field{"outside", &StepSaving::outside,
            "unless `no`, shares of the recorded time instead: the calls lie before the first "
            "training step, after the last one or otherwise apart, as those of an evaluation do"}};
};

template <>
struct Fields<TrialOutcome> {
  using T = TrialOutcome;
  static constexpr std::string_view
      name = "trial",
      meaning = "what came of trying a suggestion: the newest experiment that is about it";
  static constexpr std::tuple list{
      Field{"experiment", &T::experiment, "index into experiments"},
      Field{"verdict", &T::verdict},
      Field{"meaning", &T::meaning, "of the change that was tried"},
      Field{"scope",
            [](const T& t) { return t.speedup > 0 ? std::optional(t.scope) : std::nullopt; },
            "training step, forward inference, forward training, program step; null: no time was "
            "taken"},
      Field{"speedup", [](const T& t) { return positive(t.speedup); }, "time before / time after"},
      Field{"low", [](const T& t) { return given(t.speedup > 0, t.low); }, "95 % interval"},
      Field{"high", [](const T& t) { return given(t.speedup > 0, t.high); }},
      Field{"control_low", [](const T& t) { return positive(t.control_low); },
            "the same of the original against itself"},
      Field{"control_high", [](const T& t) { return positive(t.control_high); }},
      Field{"message", &T::message},
      Field{"device", [](const T& t) { return not_empty(t.device); },
            "where it was tried, if on another kind of GPU"}};
};

template <>
struct Fields<ExperimentCode> {
  static constexpr std::tuple list{Field{"name", &ExperimentCode::name},
                                   Field{"language", &ExperimentCode::language},
                                   Field{"text", &ExperimentCode::text}};
};

// A suggestion in its finding, which decides whether it is still one.
struct SuggestionOf {
  const Finding& finding;
  const Suggestion& made;
  bool withdrawn() const { return advisor::withdrawn(finding, made); }
};

template <>
struct Fields<SuggestionOf> {
  using S = SuggestionOf;
  static constexpr std::string_view name = "suggestion", meaning = "what to change";
  static constexpr std::tuple list{
      Field{"text", [](const S& s) { return s.made.text; }},
      Field{"refuted", &S::withdrawn,
            "measuring refuted it on this kind of GPU: it is no advice, and its code is left out"},
      Field{"code", [](const S& s) { return s.withdrawn() ? std::string() : s.made.code; },
            "what to write"},
      Field{"framework", [](const S& s) { return s.made.framework; }, "for whom; empty: for all"},
      Field{"cannot", [](const S& s) { return not_empty(s.made.cannot); },
            "why the program's framework cannot express the change"},
      Field{"change",
            [](const S& s) {
              return s.made.transform ? std::optional(change_in_words(to_json(changes_of(s.made))))
                                      : std::nullopt;
            },
            "what it changes, in words"},
      Field{"transform", [](const S& s) { return s.made.transform; }},
      Field{"with", [](const S& s) { return s.made.with; },
            "what goes with the transform and would not help alone"},
      Field{
          "effort",
          [](const S& s) { return s.made.transform ? std::optional(s.made.effort) : std::nullopt; },
          "what it takes: a command and no code, a line of code, code around the layer, another "
          "precision, another model; null: it is no change that a machine knows"},
      Field{"trial", [](const S& s) { return s.made.trial; }}};
};

template <>
struct Fields<Citation> {
  static constexpr std::string_view name = "citation", meaning = "a source";
  static constexpr std::tuple list{
      Field{"source", &Citation::source, "title"},
      Field{"section", &Citation::section},
      Field{"version", &Citation::version, "of the document or library"},
      Field{"url", &Citation::url},
      Field{"quote", &Citation::quote},
      Field{"known_by", [](const Citation& c) { return words::citation_tag(c.tag); }}};
};

template <>
struct Fields<ValidityRecord> {
  using R = ValidityRecord;
  static constexpr std::string_view name = "validity",
                                    meaning = "where measurements confirmed or refuted the rule";
  static constexpr std::tuple list{
      Field{"device", &R::device},
      Field{"cudnn", &R::cudnn},
      Field{"date", &R::date},
      Field{"effect", &R::effect},
      Field{"evidence", &R::evidence},
      Field{"agree", &R::agree, "pairs of configurations for which the rule was right"},
      Field{"refute", &R::refute, "pairs for which it was wrong"}};
};

struct Evidence {
  const Finding& of;
};
template <>
struct Fields<Evidence> {
  using E = Evidence;
  static constexpr std::string_view name = "evidence", meaning = "indices into the profile";
  static constexpr auto at_least = [](std::int64_t all, const std::vector<int>& listed) {
    return std::max(all, static_cast<std::int64_t>(listed.size()));
  };
  static constexpr std::tuple list{
      Field{"calls", [](const E& e) { return e.of.calls; }},
      Field{"kernels", [](const E& e) { return e.of.kernels; }},
      Field{"all_calls", [](const E& e) { return at_least(e.of.all_calls, e.of.calls); },
            "calls of the configuration, of which calls are the first 1000"},
      Field{"all_kernels", [](const E& e) { return at_least(e.of.all_kernels, e.of.kernels); },
            "kernels of those, of which kernels are the 100 longest"}};
};

enum class Section { action, remark };
inline std::string_view to_string(Section value) {
  return value == Section::action ? "action" : value == Section::remark ? "remark" : "?";
}

template <>
struct Fields<Finding> {
  using F = Finding;
  static constexpr std::string_view name = "finding", meaning = "a rule that fired";
  static constexpr std::tuple list{
      Field{"rule", &F::rule_id},
      Field{"criterion", &F::criterion, "row of docs/criteria.md; may be empty"},
      Field{"title", &F::title},
      Field{"severity", &F::severity},
      Field{"section", [](const F& f) { return is_remark(f) ? Section::remark : Section::action; },
            "where reports for people show it: What to do first, or Remarks, which ask for "
            "nothing"},
      Field{"confidence", &F::confidence},
      Field{"message", &F::message},
      Field{"configuration", &F::configuration, "index into configurations"},
      Field{"of_program", &F::of_program,
            "it is about a step of the whole program, and `configuration` the one whose calls take "
            "most of it"},
      Field{"in_baseline", &F::in_baseline,
            "the project's baseline has it, so that it fails no run"},
      Field{"gain", &F::gain},
      Field{"possible_gain", &F::possible,
            "where there is no gain: what a step of the program would gain once it is changed in "
            "ways that the message names"},
      Field{"saving", &F::saving,
            "what following it is expected to save of a step of the recorded program; null: it "
            "claims no speed, or the share of its calls is not known"},
      Field{"rule_saving", &F::rule_saving,
            "the same of following the rule for every configuration of the step in which it fired; "
            "it decides the order of findings"},
      Field{"trial", &F::trial, "the best of what came of trying its suggestions"},
      Field{"refuted",
            [](const F& f) { return refuted(f) ? std::optional(words::refuted(f)) : std::nullopt; },
            "measuring refuted it on this kind of GPU: where and by how much"},
      Field{"comparisons", &F::comparisons, "why it fired"},
      Field{"context", &F::context, "why it applied"},
      Field{"evidence", [](const F& f) { return Evidence{f}; }},
      Field{"suggestions",
            [](const F& f) {
              std::vector<SuggestionOf> all;
              for (const auto& each : f.suggestions) all.push_back({f, each});
              return all;
            }},
      Field{"citations", &F::citations},
      Field{"validity", &F::validity}};
};

}  // namespace rnnadvisor::advisor::fields
