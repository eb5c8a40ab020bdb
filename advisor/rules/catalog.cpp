// The texts of `rnnadvisor rules list | facts | check`.
#include "advisor/rules/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/change/transform.h"
#include "advisor/rules/names.h"
#include "advisor/rules/rule_files.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using Row = std::vector<std::string>;

// Columns as wide as their widest cell; the last is not padded.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string list_rules_text(const RuleSet& rules) {
  std::vector<Row> rows = {{"RULE", "SEVERITY", "CONFIDENCE", "TITLE"}};
  for (const auto& rule : rules.rules) {
    rows.push_back({rule.id, std::string(to_string(rule.severity)),
                    std::string(to_string(rule.confidence)), rule.title});
  }
  return table(rows) + fmt::format("\n{} rules. 'rnnadvisor rules explain RULE' shows one.\n",
                                   rules.rules.size());
}

std::string list_facts_text() {
  std::vector<Row> rows = {{"FACT", "TYPE", "UNIT", "MEANING"}};
  for (const auto& fact : fact_catalogue()) {
    std::string meaning = fact.description;
    if (!fact.values.empty()) {
      const std::vector<std::string_view> values(fact.values.begin(), fact.values.end());
      meaning += fmt::format(" ({})", quoted_list(values));
    }
    rows.push_back({fact.name, std::string(to_string(fact.type)),
                    fact.unit.empty() ? "-" : fact.unit, meaning});
  }
  std::vector<Row> transforms = {{"TRANSFORM", "PARAMETERS", "MEANING", "WHAT IT DOES"}};
  for (const auto& kind : transform_kinds()) {
    std::string parameters;
    for (const auto& parameter : kind.parameters) {
      parameters += fmt::format("{}{} ({})", parameters.empty() ? "" : ", ", parameter.name,
                                to_string(parameter.type));
    }
    transforms.push_back({std::string(kind.name), parameters.empty() ? "-" : parameters,
                          std::string(to_string(kind.meaning)), std::string(kind.description)});
  }
  return table(rows) + "\n" + table(transforms);
}

CheckResult check_rules(const std::string& directory) {
  CheckResult result;
  if (const auto files = list_cards(directory)) result.cards = static_cast<int>(files->size());
  auto rules = read_rule_directory(directory);
  if (!rules) {
    result.errors = std::move(rules.error());
    return result;
  }
  std::vector<Error> twice;
  for (const auto& rule : *rules)
    if (!shipped_id(rule).empty()) twice.push_back(shipped_twice(rule));
  // A folder with all of them is where the shipped cards come from.
  if (twice.size() < builtin_rules().rules.size()) result.errors = std::move(twice);
  return result;
}

std::string check_rules_text(const CheckResult& result) {
  const auto cards = plural(result.cards, "card");
  if (result.errors.empty()) return cards + ", no mistakes\n";
  std::string text;
  for (const auto& error : result.errors) {
    text += to_text(error);
    if (!text.ends_with('\n')) text += '\n';
  }
  return text + fmt::format("{}, {}\n", cards,
                            plural(static_cast<long long>(result.errors.size()), "mistake"));
}

Error unknown_rule(const RuleSet& rules, std::string_view id) {
  std::vector<std::string_view> ids;
  for (const auto& rule : rules.rules) ids.push_back(rule.id);
  auto hint = did_you_mean(id, ids);
  return {ErrorCode::not_found,
          fmt::format("no rule is called '{}'", to_valid_utf8(id)),
          hint.empty() ? "'rnnadvisor rules list' shows all rules" : std::move(hint),
          std::nullopt,
          {}};
}

}  // namespace rnnadvisor::advisor
