// Conditions: { fact = "call.batch_size", not_multiple_of = 8 }, lists of them, and groups { any_of
// = […] }. Everything that could go wrong when a rule is evaluated is found here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "advisor/rules/card_reader.h"
#include "advisor/rules/names.h"
#include "advisor/rules/units.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::array all_operators = {
    Operator::is,          Operator::is_not,         Operator::in,    Operator::not_in,
    Operator::at_least,    Operator::at_most,        Operator::above, Operator::below,
    Operator::multiple_of, Operator::not_multiple_of};

std::vector<std::string_view> condition_keys() {
  std::vector<std::string_view> keys = {"fact"};
  for (const auto op : all_operators) keys.push_back(to_string(op));
  return keys;
}

std::optional<Operator> operator_of(std::string_view key) {
  const auto* found = std::find_if(all_operators.begin(), all_operators.end(),
                                   [&](Operator op) { return to_string(op) == key; });
  return found == all_operators.end() ? std::nullopt : std::optional(*found);
}

bool is_list(Operator op) { return op == Operator::in || op == Operator::not_in; }
bool is_divisor(Operator op) {
  return op == Operator::multiple_of || op == Operator::not_multiple_of;
}
bool is_order(Operator op) {
  return op == Operator::at_least || op == Operator::at_most || op == Operator::above ||
         op == Operator::below;
}

bool fits(Operator op, FactType type) {
  if (is_divisor(op)) return type == FactType::integer;
  if (is_order(op)) return type != FactType::boolean && type != FactType::text;
  if (is_list(op)) return type != FactType::boolean;
  return true;
}

std::string_view operand_words(FactType type) {
  switch (type) {
    case FactType::boolean:
      return "true or false";
    case FactType::integer:
      return "a whole number";
    case FactType::real:
      return "a number";
    case FactType::text:
      return "a string";
    case FactType::version:
      return "a version as a string, \"9.13\"";
  }
  return "a value";
}

// Stricter than parse_version(), which must read what libraries call themselves: digits and at most
// two dots.
std::optional<Version> strict_version(std::string_view text) {
  const bool digits = text.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!digits || std::count(text.begin(), text.end(), '.') > 2 || text.empty() ||
      text.back() == '.')
    return std::nullopt;
  return parse_version(text);
}

class ConditionReader {
 public:
  ConditionReader(CardReader& reader, const FactDefinition& fact, Operator op)
      : reader_(reader), fact_(fact), op_(op) {}

  // A constant of the fact's type and unit, or nothing after a report.
  std::optional<FactValue> constant(const toml::node& node) {
    switch (fact_.type) {
      case FactType::boolean:
        if (const auto* flag = node.as_boolean()) return FactValue(flag->get());
        return wrong_type(node);
      case FactType::text:
        return text(node);
      case FactType::version:
        return version(node);
      case FactType::integer:
      case FactType::real:
        return numeric(node);
    }
    return wrong_type(node);
  }

 private:
  std::nullopt_t wrong_type(const toml::node& node) {
    reader_.report(node, fmt::format("{} is of type {}: '{}' needs {}, not {}", fact_.name,
                                     to_string(fact_.type), to_string(op_),
                                     operand_words(fact_.type), kind_of(node)));
    return std::nullopt;
  }

  std::optional<FactValue> text(const toml::node& node) {
    const auto* value = node.as_string();
    if (!value) return wrong_type(node);
    const auto& words = fact_.values;
    if (words.empty() || std::find(words.begin(), words.end(), value->get()) != words.end()) {
      return FactValue(value->get());
    }
    const std::vector<std::string_view> views(words.begin(), words.end());
    reader_.report(node, fmt::format("{} is never '{}'", fact_.name, to_valid_utf8(value->get())),
                   suggest_word(value->get(), views));
    return std::nullopt;
  }

  std::optional<FactValue> version(const toml::node& node) {
    const auto* value = node.as_string();
    if (!value) return wrong_type(node);
    if (const auto version = strict_version(value->get())) return FactValue(*version);
    reader_.report(node, fmt::format("'{}' is no version", to_valid_utf8(value->get())),
                   "one to three numbers joined by dots: \"9.13\"");
    return std::nullopt;
  }

  std::optional<FactValue> numeric(const toml::node& node) {
    if (const auto* whole = node.as_integer()) {
      return number(node, static_cast<double>(whole->get()), fact_.unit, whole->get());
    }
    if (const auto* real = node.as_floating_point()) return number(node, real->get(), fact_.unit);
    if (const auto* text = node.as_string()) {
      const auto quantity = parse_quantity(text->get());
      if (!quantity || quantity->unit.empty()) {
        reader_.report(
            node,
            fmt::format("{} is of type {}: '{}' needs {}", fact_.name, to_string(fact_.type),
                        to_string(op_), operand_words(fact_.type)),
            quantity ? "write the number without quotes" : "");
        return std::nullopt;
      }
      return number(node, quantity->number, quantity->unit);
    }
    if (const auto* table = node.as_table()) {
      reader_.check_keys(*table, {"value", "unit", "fact"}, "a constant");
      const auto value = reader_.number(*table, "value");
      if (!table->contains("value")) reader_.report(node, "'value' is missing");
      const auto unit = reader_.text(*table, "unit");
      if (!value) return std::nullopt;
      return number(node, *value, table->contains("unit") ? unit : fact_.unit);
    }
    return wrong_type(node);
  }

  // `exact` is the value where it was written as a whole number: a double could not hold all of
  // them.
  std::optional<FactValue> number(const toml::node& node, double value, std::string_view unit,
                                  std::optional<std::int64_t> exact = std::nullopt) {
    const auto factor = unit_factor(unit, fact_.unit);
    if (!factor) {
      reader_.report(node,
                     fmt::format("{} is given in {}, which '{}' is not", fact_.name,
                                 fact_.unit.empty() ? "plain numbers" : "'" + fact_.unit + "'",
                                 to_valid_utf8(unit)));
      return std::nullopt;
    }
    value *= *factor;
    if (!std::isfinite(value)) {
      reader_.report(node, "the number is not finite");
      return std::nullopt;
    }
    if (is_divisor(op_) && value < 1) {
      reader_.report(node, fmt::format("'{}' needs a positive whole number", to_string(op_)));
      return std::nullopt;
    }
    if (fact_.type == FactType::real) return FactValue(value);
    if (exact && *factor == 1) return FactValue(*exact);
    // 2^53: up to here every whole double is one integer.
    if (value != std::trunc(value) || std::fabs(value) > 9007199254740992.0) {
      reader_.report(node, fmt::format("{} is of type integer: '{}' needs a whole number",
                                       fact_.name, to_string(op_)));
      return std::nullopt;
    }
    return FactValue(static_cast<std::int64_t>(value));
  }

  CardReader& reader_;
  const FactDefinition& fact_;
  Operator op_;
};

bool is_number(FactType type) { return type == FactType::integer || type == FactType::real; }

// { fact = "b" } as the other side.
void read_other_fact(CardReader& reader, const toml::node& node, const toml::table& table,
                     Condition& condition) {
  reader.check_keys(table, {"fact"}, "the other side of a condition");
  const auto& fact = fact_definition(condition.fact);
  condition.other_fact = reader.fact(table, "fact");
  if (condition.other_fact < 0) return;
  const auto& other = fact_definition(condition.other_fact);
  condition.threshold = other.name;
  if (is_list(condition.op) || is_divisor(condition.op)) {
    reader.report(node, fmt::format("'{}' compares with constants only", to_string(condition.op)));
  } else if (fact.type != other.type && !(is_number(fact.type) && is_number(other.type))) {
    reader.report(
        node, fmt::format("{} is of type {} and cannot be compared with {} of type {}", fact.name,
                          to_string(fact.type), other.name, to_string(other.type)));
  } else if (fact.unit != other.unit) {
    reader.report(node, fmt::format("{} is given in '{}' and cannot be compared with {} in '{}'",
                                    fact.name, fact.unit, other.name, other.unit));
  } else if (condition.other_fact == condition.fact) {
    reader.report(node, fmt::format("{} is compared with itself", fact.name));
  }
}

Condition read_comparison(CardReader& reader, int fact, Operator op, const toml::node& node) {
  Condition condition;
  condition.fact = fact;
  condition.op = op;
  condition.position = reader.position(node.source());
  const auto& about = fact_definition(fact);
  if (!fits(op, about.type)) {
    reader.report(node, fmt::format("'{}' does not apply to {}, which is of type {}", to_string(op),
                                    about.name, to_string(about.type)));
    return condition;
  }
  if (const auto* table = node.as_table(); table && table->contains("fact")) {
    read_other_fact(reader, node, *table, condition);
    return condition;
  }
  ConditionReader constants(reader, about, op);
  if (is_list(op)) {
    const auto* array = node.as_array();
    if (!array || array->empty()) {
      reader.report(node, fmt::format("'{}' needs a list of at least one value", to_string(op)));
      return condition;
    }
    for (const auto& item : *array) {
      if (auto value = constants.constant(item)) condition.values.push_back(std::move(*value));
    }
  } else if (auto value = constants.constant(node)) {
    condition.values.push_back(std::move(*value));
  }
  for (const auto& value : condition.values) {
    condition.threshold +=
        (condition.threshold.empty() ? "" : ", ") + format_fact(value, about.unit);
  }
  return condition;
}

std::vector<Condition> read_table(CardReader& reader, const toml::table& table) {
  static const auto keys = condition_keys();
  reader.check_keys(table, keys, "a condition");
  std::vector<Condition> conditions;
  if (!table.contains("fact")) {
    reader.report(table, "'fact' is missing", "a condition is { fact = \"…\", OPERATOR = … }");
    return conditions;
  }
  const int fact = reader.fact(table, "fact");
  bool compared = false;
  for (const auto& [key, node] : table) {
    const auto op = operator_of(key.str());
    if (!op) continue;
    compared = true;
    if (fact >= 0) conditions.push_back(read_comparison(reader, fact, *op, node));
  }
  if (!compared && table.size() == 1) {  // else an unknown key was meant to be one
    reader.report(table, "the condition has no operator",
                  "one of " + quoted_list(std::span(keys).subspan(1)));
  }
  return conditions;
}

void read_group(CardReader& reader, const toml::table& table, ConditionSet& set) {
  reader.check_keys(table, {"any_of"}, "a group");
  const auto* array = table.get("any_of")->as_array();
  if (!array || array->empty()) {
    reader.report(*table.get("any_of"), "'any_of' needs a list of conditions");
    return;
  }
  std::vector<Condition> group;
  for (const auto& item : *array) {
    const auto* inner = item.as_table();
    if (!inner) {
      reader.report(item, fmt::format("'any_of' must contain conditions, not {}", kind_of(item)));
      continue;
    }
    if (inner->contains("any_of")) {
      reader.report(item, "groups cannot stand inside groups");
      continue;
    }
    auto conditions = read_table(reader, *inner);
    if (conditions.size() > 1) {
      reader.report(item, "inside 'any_of' a condition has one operator",
                    "write one condition for each");
      continue;
    }
    group.insert(group.end(), conditions.begin(), conditions.end());
  }
  set.any.push_back(std::move(group));
}

}  // namespace

ConditionSet read_conditions(CardReader& reader, const toml::node& node) {
  ConditionSet set;
  const auto read_one = [&](const toml::node& item) {
    const auto* table = item.as_table();
    if (!table) {
      reader.report(item, fmt::format("a condition is a table, not {}", kind_of(item)),
                    "{ fact = \"…\", OPERATOR = … }");
    } else if (table->contains("any_of")) {
      read_group(reader, *table, set);
    } else {
      for (auto& condition : read_table(reader, *table)) set.all.push_back(std::move(condition));
    }
  };
  if (const auto* array = node.as_array()) {
    for (const auto& item : *array) read_one(item);
  } else {
    read_one(node);
  }
  return set;
}

}  // namespace rnnadvisor::advisor
