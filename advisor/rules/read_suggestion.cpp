// [[suggestion]] with its transform, and [[gain]].
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "advisor/change/compose.h"
#include "advisor/change/transform.h"
#include "advisor/rules/card_reader.h"
#include "advisor/rules/names.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::array<std::string_view, 8> scopes = {
    "forward inference", "forward training", "backward data",
    "backward weights",  "training step",    "training step, per sequence",
    "program step",      "device memory"};
constexpr std::array<std::string_view, 5> changes_to_find = {
    "predicted", "predicted_half", "found_exact", "found_padded", "found_numerics"};
constexpr std::string_view bytes_scope = "device memory";

std::optional<ParameterValue> parameter_value(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return ParameterValue(flag->get());
  if (const auto* whole = node.as_integer()) return ParameterValue(whole->get());
  if (const auto* real = node.as_floating_point()) return ParameterValue(real->get());
  if (const auto* text = node.as_string()) return ParameterValue(text->get());
  return std::nullopt;
}

// pad_batch = { multiple = 8 }
void read_change(CardReader& reader, const toml::key& key, const toml::node& inner,
                 SuggestionTemplate& suggestion, std::vector<Transform>& changes) {
  const auto* kind = find_transform_kind(key.str());
  if (!kind) {
    std::vector<std::string_view> names;
    for (const auto& known : transform_kinds()) names.push_back(known.name);
    reader.report(key.source(),
                  fmt::format("no transform is called '{}'", to_valid_utf8(key.str())),
                  suggest_word(key.str(), names));
    return;
  }
  const auto* parameters = inner.as_table();
  if (!parameters) {
    reader.report(inner, fmt::format("the parameters of '{}' are a table, not {}", kind->name,
                                     kind_of(inner)));
    return;
  }
  std::vector<std::string_view> names;
  for (const auto& parameter : kind->parameters) names.push_back(parameter.name);
  if (names.empty()) {
    for (const auto& [name, value] : *parameters) {
      reader.report(name.source(), fmt::format("transform '{}' has no parameters", kind->name));
    }
  } else {
    reader.check_keys(*parameters, names, fmt::format("transform '{}'", kind->name));
  }
  std::vector<Parameter> constants;
  bool clean = true;
  for (const auto& parameter : kind->parameters) {
    const auto* value = parameters->get(parameter.name);
    if (!value) {
      reader.report(
          inner, fmt::format("transform '{}' needs the parameter '{}'", kind->name, parameter.name),
          std::string(parameter.description));
      clean = false;
      continue;
    }
    if (const auto* by_fact = value->as_table()) {
      reader.check_keys(*by_fact, {"fact"}, "a parameter");
      const auto* name = reader.find(*by_fact, "fact", true);
      const int fact = name ? reader.fact(*name) : -1;
      if (fact < 0) {
        clean = false;
      } else if (parameter.type != ParameterType::integer ||
                 fact_definition(fact).type != FactType::integer) {
        reader.report(*value, fmt::format("only a whole-number parameter can come from a fact, and "
                                          "only from an integer one"));
        clean = false;
      } else {
        suggestion.transform_facts.push_back({std::string(parameter.name), fact});
      }
      continue;
    }
    const auto constant = parameter_value(*value);
    if (!constant) {
      reader.report(*value, fmt::format("'{}' cannot be {}", parameter.name, kind_of(*value)));
      clean = false;
      continue;
    }
    if (auto checked = check_parameter(parameter, *constant); !checked) {
      reader.report(*value, checked.error().message, checked.error().remedy);
      clean = false;
      continue;
    }
    constants.push_back({std::string(parameter.name), *constant});
  }
  if (!clean) return;
  std::vector<std::string_view> deferred;
  for (const auto& by_fact : suggestion.transform_facts) deferred.push_back(by_fact.parameter);
  auto transform = make_transform(kind->name, constants, deferred);
  if (transform) {
    changes.push_back(std::move(*transform));
  } else {
    reader.report(inner, transform.error().message, transform.error().remedy);
  }
}

// { pad_batch = { multiple = 8 } }, or several that only help together
void read_transform(CardReader& reader, const toml::node& node, SuggestionTemplate& suggestion) {
  if (const auto* word = node.as_string();
      word && std::find(changes_to_find.begin(), changes_to_find.end(), word->get()) !=
                  changes_to_find.end()) {
    suggestion.found = word->get();
    return;
  }
  const auto* table = node.as_table();
  if (!table || table->empty()) {
    reader.report(node,
                  fmt::format("a transform is a table of kinds, or one of {}",
                              fmt::join(changes_to_find, ", ")),
                  "{ pad_batch = { multiple = 8 } }");
    return;
  }
  std::vector<Transform> changes;
  for (const auto& [key, inner] : *table) read_change(reader, key, inner, suggestion, changes);
  if (table->size() > 1 && !suggestion.transform_facts.empty()) {
    reader.report(node, "a parameter can come from a fact only where there is one kind of change");
    return;
  }
  if (changes.size() != table->size()) return;
  changes = in_order(changes);
  suggestion.transform = std::move(changes.front());
  suggestion.with.assign(std::make_move_iterator(changes.begin() + 1),
                         std::make_move_iterator(changes.end()));
}

// Whether all that a suggestion changes is of this kind.
bool changes_only(const SuggestionTemplate& suggestion, std::string_view kind) {
  if (!suggestion.found.empty()) return suggestion.found == kind;
  return suggestion.transform && suggestion.with.empty() && suggestion.transform->kind == kind;
}

// The suggestions whose change a gain is of. What a fact is the gain of is part of the fact; what
// was measured elsewhere is of `change`, which needs no word where the card proposes one change.
std::vector<std::size_t> change_of_gain(CardReader& reader, const toml::table& table,
                                        const std::vector<SuggestionTemplate>& suggestions) {
  std::vector<std::size_t> all, of;
  for (std::size_t i = 0; i < suggestions.size(); ++i)
    if (suggestions[i].transform || !suggestions[i].found.empty()) all.push_back(i);
  const auto* fact_name = table.get_as<std::string>("fact");
  const int fact = fact_name != nullptr ? find_fact(fact_name->get()) : -1;
  if (fact >= 0 && !fact_definition(fact).gain_of.empty()) {
    const auto& kind = fact_definition(fact).gain_of;
    for (const auto i : all)
      if (changes_only(suggestions[i], kind)) of.push_back(i);
    if (of.empty()) {
      reader.report(*table.get("fact"),
                    fmt::format("{} is the gain of '{}', which no suggestion of the card proposes",
                                fact_definition(fact).name, kind),
                    fmt::format("give the suggestion transform = {{ {} = {{}} }}", kind));
    }
    return of;
  }
  if (const auto* node = table.get("change"); node != nullptr && !node->is_string()) {
    SuggestionTemplate change;
    read_transform(reader, *node, change);
    for (const auto i : all)
      if (suggestions[i].found == change.found && changes_of(suggestions[i]) == changes_of(change))
        of.push_back(i);
    if (of.empty()) reader.report(*node, "no suggestion of the card proposes this change");
    return of;
  }
  for (const auto i : all) {
    const auto& first = suggestions[all.front()];
    if (suggestions[i].found == first.found && changes_of(suggestions[i]) == changes_of(first)) {
      of.push_back(i);
      continue;
    }
    reader.report(table, "the card proposes several changes, and it is not said which gains this",
                  "change = { … }, as the transform of the suggestion that was measured");
    break;
  }
  return of;
}

}  // namespace

SuggestionTemplate read_suggestion(CardReader& reader, const toml::table& table) {
  reader.check_keys(table, {"text", "code", "framework", "transform", "applies_when"},
                    "a suggestion");
  SuggestionTemplate suggestion;
  suggestion.text = reader.pattern(table, "text", true);
  suggestion.code = reader.pattern(table, "code", false);
  suggestion.framework = reader.word(table, "framework", Spellings<Framework>::values, false);
  if (const auto* node = table.get("transform")) read_transform(reader, *node, suggestion);
  if (const auto* node = table.get("applies_when"))
    suggestion.applies_when = read_conditions(reader, *node);
  return suggestion;
}

GainSource read_gain(CardReader& reader, const toml::table& table,
                     const std::vector<SuggestionTemplate>& suggestions) {
  reader.check_keys(
      table,
      {"fact", "low", "high", "speedup", "scope", "source", "change", "once", "applies_when"},
      "a gain");
  GainSource gain;
  gain.once = reader.text(table, "once");
  // What is possible once the program is another one is the gain of no suggestion alone.
  if (gain.once.empty()) gain.of = change_of_gain(reader, table, suggestions);
  const bool by_hand = std::none_of(suggestions.begin(), suggestions.end(), [](const auto& each) {
    return each.transform || !each.found.empty();
  });
  if (const auto* node = table.get("change"); node != nullptr && node->is_string()) {
    gain.change = reader.text(table, "change");
    if (!by_hand)
      reader.report(*node, "a change in words is for a card that proposes nothing for a machine",
                    "change = { … }, as the transform of the suggestion that was measured");
  } else if (by_hand && node == nullptr && gain.once.empty()) {
    reader.report(table, "it is not said which change gains this", "change = \"…\", in words");
  }
  gain.scope = reader.word(table, "scope", scopes, true);
  gain.source = reader.text(table, "source");
  if (const auto* node = table.get("applies_when"))
    gain.applies_when = read_conditions(reader, *node);
  const bool by_fact = table.contains("fact");
  if (by_fact == table.contains("speedup")) {
    reader.report(table, by_fact ? "a gain has a 'fact' or a 'speedup', not both"
                                 : "a gain needs a 'fact' or a 'speedup'");
    return gain;
  }
  if (!by_fact) {
    const auto speedup = reader.number(table, "speedup");
    if (speedup && *speedup <= 1) reader.report(*table.get("speedup"), "a speedup must be above 1");
    gain.speedup = speedup.value_or(0);
    if (gain.source.empty()) {
      reader.report(table,
                    "'source' is missing: a speedup that was measured elsewhere must say where");
    }
    for (const std::string_view key : {"low", "high"}) {
      if (const auto* node = table.get(key))
        reader.report(*node, fmt::format("'{}' belongs to a gain by 'fact'", key));
    }
    return gain;
  }
  const auto read_fact = [&](std::string_view key, std::string& name,
                             std::string_view unit) -> std::string {
    const auto* node = table.get(key);
    const int fact = node ? reader.fact(*node) : -1;
    if (fact < 0) return {};
    const auto& about = fact_definition(fact);
    name = about.name;
    const bool number = about.type == FactType::real || about.type == FactType::integer;
    if (number && about.unit == "1" && about.gain_of.empty() && gain.once.empty()) {
      reader.report(
          *node, fmt::format("{} is no gain: it is not known of which change", about.name),
          "a gain needs no fact where this profile measured the suggestion: that is found "
          "by its change");
      return {};
    }
    if (!number || (unit.empty() ? about.unit != "1" && about.unit != "B" : about.unit != unit)) {
      reader.report(*node, fmt::format("{} is no gain: its unit is '{}'", about.name, about.unit),
                    "time now divided by time after (unit 1), or bytes saved (unit B)");
    }
    return about.unit;
  };
  const auto unit = read_fact("fact", gain.fact, {});
  if (!unit.empty()) {
    read_fact("low", gain.low, unit);
    read_fact("high", gain.high, unit);
    if (!gain.scope.empty() && (unit == "B") != (gain.scope == bytes_scope)) {
      reader.report(
          *table.get("scope"),
          fmt::format("the scope of a gain in unit '{}' cannot be '{}'", unit, gain.scope));
    }
  }
  return gain;
}

}  // namespace rnnadvisor::advisor
