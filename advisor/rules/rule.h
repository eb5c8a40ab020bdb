// Rule cards: TOML, loaded and checked here. A card compares facts from the catalogue with
// constants or other facts; it has no code and no arithmetic. docs/writing-rules.md is the
// reference for authors.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/facts/fact.h"
#include "advisor/facts/predicted_change.h"
#include "advisor/rules/finding.h"
#include "core/base/result.h"

namespace rnnadvisor::advisor {

enum class Operator {
  is,
  is_not,
  in,
  not_in,
  at_least,
  at_most,
  above,
  below,
  multiple_of,
  not_multiple_of
};
std::string_view to_string(Operator op);

struct Condition {
  int fact = -1;  // index into fact_catalogue()
  Operator op = Operator::is;
  std::vector<FactValue> values;  // one, or several for in / not_in
  int other_fact = -1;  // compare with another fact instead of a constant: { fact = "a", at_most =
                        // { fact = "b" } }
  std::string threshold;  // the constant as people read it: "8", "1.00 GiB", "half, float"
  SourcePosition position;

  bool operator==(const Condition&) const = default;
};

// All of `all`, and of each group in `any` at least one.
struct ConditionSet {
  std::vector<Condition> all;
  std::vector<std::vector<Condition>> any;
  bool empty() const { return all.empty() && any.empty(); }

  bool operator==(const ConditionSet&) const = default;
};

// A whole-number parameter of a transform that a fact provides: { lower_batch = { value = { fact =
// "…" } } }.
struct TransformFact {
  std::string parameter;
  int fact = -1;

  bool operator==(const TransformFact&) const = default;
};

struct SuggestionTemplate {
  std::string text, code, framework;   // framework: a spelling of Framework, or empty
  std::optional<Transform> transform;  // without the parameters in transform_facts
  std::vector<TransformFact> transform_facts;
  std::vector<Transform> with;  // as in Suggestion; none with transform_facts
  // Its changes are found when judging: "predicted", those of ProfileIndex::predicted_change();
  // "predicted_half", those in half data;
  // "found_exact", "found_padded" or "found_numerics", those of found_by_search(). Empty: they are
  // `transform` and `with`.
  std::string found = {};
  ConditionSet applies_when;  // shown only when known to hold
};

std::vector<Transform> changes_of(const SuggestionTemplate& suggestion);

// Where the size of the gain comes from: a fact that provides it, or a cited measurement. What the
// profile itself measured of a change needs no source: it is found by the change.
struct GainSource {
  std::string fact;    // "program.graph_speedup": used when it is known
  double speedup = 0;  // else: a measured value from the citation, 0: none
  std::string scope;   // "training step"
  std::string source;
  std::string low, high;  // facts: ends of the interval; may be empty
  // The suggestions of the card whose change gains it: indices into Rule::suggestions. Empty only
  // where the card proposes nothing that a machine can do.
  std::vector<std::size_t> of = {};
  std::string change;  // what gains it, in words, where `of` is empty
  // What the program has to be changed to first, in ways that the card names: "the step can be
  // captured". The finding then claims no gain, but shows it as a possible one (Finding::possible),
  // which decides its place in the order. Empty: nothing.
  std::string once = {};
  ConditionSet applies_when;  // used only when known to hold
};

// One bound of a version range; a range is a list of them, all of which must hold.
struct VersionBound {
  Operator op = Operator::at_least;  // at_least, at_most, above, below, is
  Version version;

  bool operator==(const VersionBound&) const = default;
};

struct Rule {
  std::string id;         // "alignment/hidden-multiple-of-8"
  std::string criterion;  // row of the criteria table in the facts
  std::string title;
  std::string title_passed;  // how the good state reads
  Severity severity = Severity::warning;
  Confidence confidence = Confidence::documented;
  std::string consequence;  // error | fallback | slower | memory | numerics | none
  // Of consequence "error": only the backward pass does not work. A recording in which it ran, or
  // else the forward pass, contradicts the card.
  bool fails_backward = false;
  ConditionSet applies_when;  // else: not applicable
  ConditionSet when;          // fires when it holds
  std::string message;
  std::string explanation;  // Markdown: why, before and after, limits of the rule
  std::vector<SuggestionTemplate> suggestions;
  std::vector<Citation> citations;
  std::vector<GainSource> gains;
  std::string cudnn_range;                 // ">=7.1", empty: all
  std::vector<VersionBound> cudnn_bounds;  // cudnn_range, parsed
  std::vector<std::string> architectures;  // as DeviceSpec::architecture, empty: all
  std::vector<std::string> devices;        // device ids, empty: all
  std::vector<ValidityRecord> validity;
  std::string file;  // where it was read
  bool builtin = false;
};

struct RuleSet {
  std::vector<Rule> rules;  // sorted by id
  const Rule* find(std::string_view id) const;
};

// The cards that travel in the program. A defect in one is a defect of ours: tests load them all.
const RuleSet& builtin_rules();

// Reads one card; every mistake is reported with file, line, column and, for a mistyped key or
// fact, the nearest valid one.
tl::expected<Rule, std::vector<Error>> read_rule(std::string_view text, std::string_view file);

// Reads every *.toml below `directory` as user rules: ids get the namespace "user/" in front if
// they do not have it.
tl::expected<std::vector<Rule>, std::vector<Error>> read_rule_directory(
    const std::string& directory);

// The shipped rule that a user's card has the id of; empty where there is none. Both together would
// say everything twice, which is an error; of another id, or with the shipped one left out, it is
// none.
std::string shipped_id(const Rule& rule);
Error shipped_twice(const Rule& rule);

}  // namespace rnnadvisor::advisor
