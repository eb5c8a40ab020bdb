// What `rules explain` prints, and the pages that `rules docs` writes: one per card, and an index
// by topic. They link to one another alone, so that they can lie anywhere. Nothing here depends on
// time or place, so that the same cards give the same bytes.
#include "advisor/report/rule_pages.h"

#include <fmt/format.h>

#include <map>

#include "advisor/report/content.h"
#include "advisor/report/render.h"
#include "advisor/rules/rule_files.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::string_view generated =
    "<!-- Generated from the rule cards by 'rnnadvisor rules docs'; do not edit. -->\n\n";

std::string topic_of(const Rule& rule) {
  const auto slash = rule.id.rfind('/');
  return slash == std::string::npos ? std::string() : rule.id.substr(0, slash);
}

std::string in_line(const std::string& title) {
  std::string text = document::markdown({document::Paragraph{document::prose(title)}});
  return text.erase(text.find_last_not_of('\n') + 1);
}

}  // namespace

Result<std::string> explain_rule_text(const RuleSet& rules, std::string_view id,
                                      const TextOptions& options) {
  const Rule* rule = rules.find(id);
  if (rule == nullptr) return fail(unknown_rule(rules, id));
  Terminal terminal(options);
  document::draw(terminal, document::rule_of(*rule, document::verbose));
  return terminal.take();
}

std::string write_rule_page(const Rule& rule) {
  const auto blocks = document::rule_of(rule, document::text_file);
  std::string up;
  for (const char c : rule.id) up += c == '/' ? "../" : "";
  return std::string(generated) + document::markdown({blocks.front()}, 0) +
         document::markdown({blocks.begin() + 1, blocks.end()}, 2) +
         fmt::format("[All rules]({}README.md)\n", up);
}

std::string write_rule_index(const RuleSet& rules) {
  std::map<std::string, std::vector<const Rule*>> topics;
  for (const auto& rule : rules.rules) topics[topic_of(rule)].push_back(&rule);
  std::string page = std::string(generated) + "# Rules\n\n";
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
                      to_string(rule->confidence), in_line(rule->title));
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
