// The texts of `rnnadvisor rules list | explain | facts | check`.
#include "advisor/rules/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/change/compose.h"
#include "advisor/change/transform.h"
#include "advisor/change/transform_code.h"
#include "advisor/rules/describe.h"
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

void add_block(std::string& text, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  text += fmt::format("\n{}\n", title);
  for (const auto& line : lines) text += fmt::format("  {}\n", line);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// A paragraph a line, as it is wrapped to the terminal later; lists and tables keep their lines.
std::vector<std::string> paragraphs_of(std::string_view text) {
  std::vector<std::string> paragraphs;
  bool open = false;
  for (auto& line : lines_of(text)) {
    const bool prose =
        !line.empty() && std::string_view(" -*|`#>").find(line[0]) == std::string_view::npos;
    if (open && prose) {
      paragraphs.back() += " " + line;
    } else {
      paragraphs.push_back(std::move(line));
    }
    open = prose;
  }
  return paragraphs;
}

// What to write for the change: in the framework that the suggestion is for, else in each.
void add_code(std::vector<std::string>& lines, const SuggestionTemplate& suggestion) {
  const auto framework = parse_enum<Framework>(suggestion.framework);
  for (const auto& column : code_columns()) {
    if (framework && &code_column(*framework) != &column) continue;
    const auto code = code_for(*suggestion.transform, column);
    if (!code.can()) {
      lines.push_back("  " + code.cannot);
      continue;
    }
    if (framework && !suggestion.code.empty()) continue;  // the card's own stands above
    lines.push_back(fmt::format("  in {}:", column.name));
    for (const auto& line : lines_of(code.code)) lines.push_back("    " + line);
  }
}

void add_suggestions(std::string& text, const Rule& rule) {
  std::vector<std::string> lines;
  for (const auto& suggestion : rule.suggestions) {
    lines.push_back((suggestion.framework.empty() ? "" : suggestion.framework + ": ") +
                    suggestion.text);
    for (const auto& condition : describe(suggestion.applies_when))
      lines.push_back("  when " + condition);
    for (const auto& line : lines_of(suggestion.code)) lines.push_back("    " + line);
    if (suggestion.transform) {
      std::string transform = describe(changes_of(suggestion));
      for (const auto& by_fact : suggestion.transform_facts) {
        transform += fmt::format(", {} from {}", by_fact.parameter,
                                 fact_catalogue()[static_cast<std::size_t>(by_fact.fact)].name);
      }
      lines.push_back(fmt::format("  can be tried: {}; meaning: {}", transform,
                                  to_string(widest_meaning(changes_of(suggestion)))));
      add_code(lines, suggestion);
    }
  }
  add_block(text, "Suggestions", lines);
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

Result<std::string> explain_rule_text(const RuleSet& rules, std::string_view id) {
  const Rule* rule = rules.find(id);
  if (!rule) return fail(unknown_rule(rules, id));
  std::string text = fmt::format("{}\n{}\n\n", rule->id, rule->title);
  text += fmt::format("severity {}, confidence {}, consequence {}{}\n", to_string(rule->severity),
                      to_string(rule->confidence), rule->consequence,
                      rule->criterion.empty() ? "" : ", criterion " + rule->criterion);
  add_block(text, "Applies when", describe(rule->applies_when));
  add_block(text, "Fires when", describe(rule->when));
  add_block(text, "Message", lines_of(rule->message));
  add_block(text, "Why", paragraphs_of(rule->explanation));
  add_suggestions(text, *rule);
  std::vector<std::string> gains;
  for (const auto& gain : rule->gains) {
    gains.push_back(describe(gain));
    for (const auto& condition : describe(gain.applies_when))
      gains.push_back("  when " + condition);
  }
  add_block(text, "Gain", gains);
  std::vector<std::string> sources;
  for (const auto& citation : rule->citations) {
    sources.push_back(fmt::format("{} [{}]", describe(citation), describe_tag(citation.tag)));
    if (!citation.url.empty()) sources.push_back("  " + citation.url);
    if (!citation.quote.empty()) sources.push_back(fmt::format("  \"{}\"", citation.quote));
  }
  add_block(text, "Sources", sources);
  add_block(text, "Valid for", describe_validity(*rule));
  add_block(text, "Measured on", describe_measurements(*rule));
  text += fmt::format("\nCard: {}\n", rule->file);
  return text;
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
