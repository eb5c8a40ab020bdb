// The pages that `rules docs` writes: one per card, and an index by topic. They link to one another
// alone, so that they can lie anywhere. Nothing here depends on time or place, so that the same
// cards give the same bytes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "advisor/change/compose.h"
#include "advisor/change/transform.h"
#include "advisor/rules/catalog.h"
#include "advisor/rules/describe.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::string_view generated =
    "<!-- Generated from the rule cards by 'rnnadvisor rules docs'; do not edit. -->\n";

// Text that stands between Markdown: what would start markup is escaped. Explanations are Markdown
// themselves and are not.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      result += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// A fence longer than any run of backticks in the code.
std::string code_block(std::string_view code) {
  std::size_t longest = 0, run = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{}\n{}{}{}\n", fence, code, code.ends_with('\n') ? "" : "\n", fence);
}

std::string code_span(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), '`', '\'');
  return "`" + result + "`";
}

void add_list(std::string& page, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  page += fmt::format("\n## {}\n\n", title);
  for (const auto& line : lines) page += fmt::format("- {}\n", line);
}

std::vector<std::string> spans(const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  for (const auto& line : lines) result.push_back(code_span(line));
  return result;
}

std::string suggestion_block(const SuggestionTemplate& suggestion) {
  std::string text = "- ";
  if (!suggestion.framework.empty()) text += fmt::format("({}) ", suggestion.framework);
  text += escaped(suggestion.text) + "\n";
  for (const auto& condition : describe(suggestion.applies_when))
    text += fmt::format("  - when {}\n", code_span(condition));
  if (suggestion.transform) {
    std::string transform = describe(changes_of(suggestion));
    for (const auto& by_fact : suggestion.transform_facts) {
      transform += fmt::format(", {} from {}", by_fact.parameter,
                               fact_catalogue()[static_cast<std::size_t>(by_fact.fact)].name);
    }
    text += fmt::format("  - can be tried: {}, meaning *{}*\n", code_span(transform),
                        to_string(widest_meaning(changes_of(suggestion))));
  }
  if (!suggestion.code.empty()) text += "\n" + code_block(suggestion.code) + "\n";
  return text;
}

std::string citation_line(const Citation& citation) {
  std::string text = escaped(describe(citation));
  if (!citation.url.empty()) text += fmt::format(" <{}>", citation.url);
  text += fmt::format(" – {}", describe_tag(citation.tag));
  if (!citation.quote.empty()) text += fmt::format("\n  > {}", escaped(citation.quote));
  return text;
}

std::string topic_of(const Rule& rule) {
  const auto slash = rule.id.rfind('/');
  return slash == std::string::npos ? std::string() : rule.id.substr(0, slash);
}

}  // namespace

std::string write_rule_page(const Rule& rule) {
  std::string page = std::string(generated) + fmt::format("\n# {}\n\n", escaped(rule.title));
  page += "| | |\n| --- | --- |\n";
  page += fmt::format("| Rule | {} |\n", code_span(rule.id));
  if (!rule.criterion.empty()) page += fmt::format("| Criterion | {} |\n", escaped(rule.criterion));
  if (rule.builtin) {
    page +=
        fmt::format("| Card | `rules/{0}.toml` |\n| Cases | `tests/rules/{0}.toml` |\n", rule.id);
  }
  page += fmt::format("| Severity | {} |\n| Confidence | {} |\n| Consequence | {} |\n",
                      to_string(rule.severity), to_string(rule.confidence), rule.consequence);
  page += fmt::format("\n{}\n", escaped(rule.message));
  add_list(page, "Applies when", spans(describe(rule.applies_when)));
  add_list(page, "Fires when", spans(describe(rule.when)));
  if (!rule.explanation.empty()) {
    page += fmt::format("\n## Why\n\n{}{}", rule.explanation,
                        rule.explanation.ends_with('\n') ? "" : "\n");
  }
  if (!rule.suggestions.empty()) {
    page += "\n## What to do\n\n";
    for (const auto& suggestion : rule.suggestions) page += suggestion_block(suggestion);
  }
  std::vector<std::string> gains, sources, validity;
  for (const auto& gain : rule.gains) {
    std::string line = escaped(describe(gain));
    for (const auto& condition : describe(gain.applies_when))
      line += fmt::format("\n  - when {}", code_span(condition));
    gains.push_back(std::move(line));
  }
  for (const auto& citation : rule.citations) sources.push_back(citation_line(citation));
  for (const auto& line : describe_validity(rule)) validity.push_back(escaped(line));
  add_list(page, "Gain", gains);
  add_list(page, "Sources", sources);
  add_list(page, "Valid for", validity);
  std::vector<std::string> measured;
  for (const auto& line : describe_measurements(rule)) measured.push_back(escaped(line));
  add_list(page, "Measured on", measured);
  std::string up;
  for (const char c : rule.id) up += c == '/' ? "../" : "";
  page += fmt::format("\n[All rules]({}README.md)\n", up);
  return page;
}

std::string write_rule_index(const RuleSet& rules) {
  std::map<std::string, std::vector<const Rule*>> topics;
  for (const auto& rule : rules.rules) topics[topic_of(rule)].push_back(&rule);
  std::string page = std::string(generated) + "\n# Rules\n\n";
  page += fmt::format(
      "{} rules in {} topics. Paths are those of the source tree: its `rules` are installed as "
      "`share/rnnadvisor/rules`,\nand `docs/writing-rules.md` says how to write one.\n",
      rules.rules.size(), topics.size());
  for (const auto& [topic, members] : topics) {
    page += fmt::format(
        "\n## {}\n\n| Rule | Severity | Confidence | Finding |\n| --- | --- | --- | --- |\n",
        topic);
    for (const auto* rule : members) {
      page +=
          fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} |\n", rule->id, to_string(rule->severity),
                      to_string(rule->confidence), escaped(rule->title));
    }
  }
  return page;
}

std::vector<std::pair<std::string, std::string>> rule_pages(const RuleSet& rules) {
  std::vector<std::pair<std::string, std::string>> pages = {{"README.md", write_rule_index(rules)}};
  for (const auto& rule : rules.rules) pages.emplace_back(rule.id + ".md", write_rule_page(rule));
  return pages;
}

}  // namespace rnnadvisor::advisor
