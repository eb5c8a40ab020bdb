// A rule: what it says, when, why, and what it rests on.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/change/transform.h"
#include "advisor/change/transform_code.h"
#include "advisor/facts/experiments.h"
#include "advisor/report/content.h"
#include "advisor/report/words.h"
#include "advisor/rules/describe.h"
#include "advisor/rules/text_template.h"
#include "advisor/rules/validation_records.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::document {
namespace {

// Below what holds only then.
void add_conditions(Blocks& below, const ConditionSet& set) {
  for (const auto& line : describe(set))
    below.push_back(Paragraph{"when " + as_name(line), Look::note});
}

List list_of(const std::vector<std::string>& lines, Tone tone) {
  List list;
  for (const auto& line : lines) list.items.push_back({Text(line, tone)});
  return list;
}

Text change_of(const SuggestionTemplate& suggestion) {
  const auto changes = changes_of(suggestion);
  std::string text = "can be tried: " + change_in_words(to_json(changes));
  for (const auto& [parameter, fact] : suggestion.transform_facts)
    text += fmt::format(", {} from {}", parameter, fact_definition(fact).name);
  return text + fmt::format(" ({})", words::meaning(widest_meaning(changes)));
}

// What to write for the change: in the framework that the suggestion is for, else in each.
void add_code(Blocks& below, const SuggestionTemplate& suggestion) {
  const auto framework = parse_enum<Framework>(suggestion.framework);
  for (const auto& column : code_columns()) {
    if (framework && &code_column(*framework) != &column) continue;
    const auto code = code_for(*suggestion.transform, column);
    if (!code.can()) {
      below.push_back(Paragraph{prose(code.cannot), Look::note});
      continue;
    }
    if (framework && !suggestion.code.empty()) continue;  // the card's own stands above
    below.push_back(Paragraph{fmt::format("in {}:", column.name), Look::note});
    below.push_back(Code{code.code});
  }
}

Entries suggestions_of(const Rule& rule, Medium medium) {
  Entries entries;
  for (const auto& each : rule.suggestions) {
    Entry entry{{}, prose(each.text)};
    if (!each.framework.empty()) entry.text += " " + Text(each.framework, Tone::tag);
    add_conditions(entry.more, each.applies_when);
    if (each.transform) entry.more.push_back(Paragraph{change_of(each), Look::note});
    if (!each.code.empty()) entry.more.push_back(Code{each.code});
    if (each.transform && (medium & terminals) != 0) add_code(entry.more, each);
    entries.all.push_back(std::move(entry));
  }
  return entries;
}

Entries gains_of(const Rule& rule) {
  Entries entries;
  for (const auto& gain : rule.gains) {
    Entry entry{{}, words::with_times_sign(describe(gain))};
    add_conditions(entry.more, gain.applies_when);
    entries.all.push_back(std::move(entry));
  }
  return entries;
}

Row cells_of(std::string_view line) {
  Row row;
  for (line.remove_prefix(1); line.find('|') != std::string_view::npos;) {
    std::string_view cell = line.substr(0, line.find('|'));
    line.remove_prefix(cell.size() + 1);
    cell.remove_prefix(std::min(cell.find_first_not_of(' '), cell.size()));
    row.cells.push_back({prose(cell.substr(0, cell.find_last_not_of(' ') + 1))});
  }
  return row;
}

// Paragraphs and tables with `code`: what cards use of Markdown. Items of lists are paragraphs.
Explanation explained(const std::string& markdown) {
  Explanation made{markdown, {}};
  std::string text;
  Table table;
  const auto flush = [&] {
    if (!text.empty()) made.blocks.push_back(Paragraph{prose(std::exchange(text, {}))});
    if (!table.columns.empty()) made.blocks.push_back(std::exchange(table, {}));
  };
  std::istringstream lines(words::clean_lines(markdown));
  for (std::string line; std::getline(lines, line);) {
    const bool row = line.starts_with('|');
    if (line.empty() || line.starts_with("- ") || row == table.columns.empty()) flush();
    if (!row) {
      text += (text.empty() ? "" : " ") + line;
    } else if (table.columns.empty()) {
      for (const auto& cell : cells_of(line).cells)
        table.columns.push_back({cell.text.empty() ? "" : cell.text.runs.front().text});
    } else if (line.find_first_not_of("|-: ") != std::string::npos) {  // else it ends the head
      table.rows.push_back(cells_of(line));
      table.rows.back().cells.resize(table.columns.size());
    }
  }
  flush();
  return made;
}

Card head_of(const Rule& rule, Medium medium) {
  Card card;
  card.mark = mark_of(rule.severity);
  card.word = rule.severity == Severity::info ? "remark" : to_string(rule.severity);
  card.remark = true;
  card.title = prose(rule.title);
  card.message = prose(rule.message);
  if (!template_facts(rule.message).empty()) {
    card.entries.push_back({"{…}", prose("in a report: the value of this fact")});
    card.entries.back().look = Look::note;
  }
  if (!rule.title_passed.empty()) {
    card.entries.push_back({"All well", prose(rule.title_passed)});
    card.entries.back().look = Look::note;
  }
  card.rule = as_name(rule.id);
  if ((medium & terminals) != 0) card.rule += " · " + card.word;  // the mark alone stands there
  card.rule += fmt::format(" · {}", to_string(rule.confidence));
  if (!rule.criterion.empty()) card.rule += " · criterion " + as_name(rule.criterion);
  if (!rule.consequence.empty()) card.rule += " · consequence " + rule.consequence;
  if (!rule.builtin) card.rule += " · your rule";
  return card;
}

std::string untried(std::span<const ValidityRecord> records, std::span<const DeviceSpec> devices) {
  std::vector<std::string> names;
  for (const auto& device : devices) {
    const std::string name = words::clean(device.name.empty() ? device.id : device.name);
    const bool tried = std::any_of(records.begin(), records.end(),
                                   [&](const auto& record) { return record.device == device.id; });
    if (!tried && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  if (!text.empty()) return fmt::format("No trial on {} is recorded with the card.", text);
  return records.empty() ? "No trial is recorded with the card." : text;
}

}  // namespace

std::vector<Entry> tried_on(std::span<const ValidityRecord> records,
                            std::span<const Citation> citations,
                            std::span<const DeviceSpec> devices) {
  std::vector<Entry> entries;
  for (const auto& record : records) {
    Entry entry{{}, words::validity(record)};
    if (refuted(record)) entry.text += Text(" · refuted there", Tone::strong);
    if (std::any_of(devices.begin(), devices.end(),
                    [&](const auto& device) { return record.device == device.id; }))
      entry.text += Text(" · this device", Tone::strong);
    if (!record.evidence.empty()) entry.more.push_back(Paragraph{record.evidence, Look::note});
    entries.push_back(std::move(entry));
  }
  std::string text = untried(records, devices);
  if (text.empty()) return entries;
  if (std::any_of(citations.begin(), citations.end(),
                  [](const auto& citation) { return citation.tag == 'M'; }))
    text += " The measurements it cites are under its sources.";
  entries.push_back({{}, dim(text)});
  return entries;
}

Blocks rule_of(const Rule& rule, Medium medium, std::span<const DeviceSpec> devices) {
  Blocks blocks{head_of(rule, medium)};
  const auto put = [&](const char* title, Block block) {
    Section section{{}, title};
    section.blocks.push_back(std::move(block));
    blocks.push_back(std::move(section));
  };
  if (!rule.applies_when.empty())
    put("Applies when", list_of(describe(rule.applies_when), Tone::name));
  if (!rule.when.empty()) put("Fires when", list_of(describe(rule.when), Tone::name));
  if (!rule.explanation.empty()) put("Why", explained(rule.explanation));
  if (!rule.suggestions.empty()) put("What to do", suggestions_of(rule, medium));
  if (!rule.gains.empty()) put("Gain", gains_of(rule));
  Entries sources;
  for (const auto& citation : rule.citations) {
    sources.all.push_back(source_of(citation, text_file));
    sources.all.back().label.clear();
    if (!citation.url.empty() && (medium & terminals) != 0)  // where a link cannot be followed
      sources.all.back().more.push_back(Code{citation.url});
  }
  if (!sources.all.empty()) put("Source", std::move(sources));
  auto limits = describe_validity(rule);
  if (limits.empty()) limits.emplace_back("every device and version of cuDNN");
  put("Valid for", list_of(limits, Tone::plain));
  put("Tried on hardware", Entries{tried_on(rule.validity, rule.citations, devices)});
  put("Card",
      Paragraph{rule.builtin ? "In the source tree: card " + as_name("rules/" + rule.id + ".toml") +
                                   ", cases " + as_name("tests/rules/" + rule.id + ".toml")
                             : "Read from " + as_name(rule.file)});
  return blocks;
}

}  // namespace rnnadvisor::advisor::document
