// One card: its head, and what the other readers make of its parts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/rules/card_reader.h"
#include "advisor/rules/names.h"
#include "advisor/rules/rule_files.h"
#include "advisor/rules/text_template.h"
#include "core/base/text.h"
#include "core/config/toml/parse_toml.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::array<std::string_view, 4> severity_words = {"error", "warning", "opportunity",
                                                            "info"};
constexpr std::array<std::string_view, 3> confidence_words = {"heuristic", "documented",
                                                              "measured"};
constexpr std::array<std::string_view, 7> consequence_words = {
    "error", "fallback", "path", "slower", "memory", "numerics", "none"};
constexpr std::string_view user_prefix = "user/";

std::string_view without_user(std::string_view id) {
  return id.starts_with(user_prefix) ? id.substr(user_prefix.size()) : id;
}

// "…/alignment/batch.toml" -> "alignment/batch"
std::string_view id_of_path(std::string_view file) {
  if (!file.ends_with(".toml")) return {};
  const auto path = file.substr(0, file.size() - 5);
  const auto name = path.rfind('/');
  if (name == std::string_view::npos || name == 0) return {};
  const auto folder = path.rfind('/', name - 1);
  return folder == std::string_view::npos ? path : path.substr(folder + 1);
}

void check_id(CardReader& reader, const toml::table& card, std::string_view id,
              std::string_view expected) {
  if (id.empty()) return;
  const auto& node = *card.get("id");
  if (!is_rule_id(id)) {
    reader.report(node, fmt::format("'{}' is no rule id", to_valid_utf8(id)),
                  "topic/name in lower case letters, digits and hyphens");
  } else if (!expected.empty() && without_user(id) != expected) {
    reader.report(node, fmt::format("the id '{}' and the place of the file differ", id),
                  fmt::format("write id = \"{}\", or move the file", to_valid_utf8(expected)));
  } else if (expected.empty() && without_user(id).find('/') == std::string_view::npos) {
    reader.report(node, fmt::format("the id '{}' has no topic", id), "topic/name");
  }
}

bool tagged(const Rule& rule, std::string_view tags) {
  return std::any_of(rule.citations.begin(), rule.citations.end(), [&](const Citation& citation) {
    return tags.find(citation.tag) != std::string_view::npos;
  });
}

// A card must not claim more than its citations carry.
void check_confidence(CardReader& reader, const toml::table& card, const Rule& rule) {
  if (rule.citations.empty()) return;  // reported already
  const auto* node = card.get("confidence");
  if (!node) return;
  if (rule.confidence == Confidence::documented && !tagged(rule, "SCO")) {
    reader.report(*node, "a card that is 'documented' needs a citation tagged S, C or O",
                  "say 'heuristic', or cite the document");
  }
  if (rule.confidence == Confidence::measured && !tagged(rule, "M") && rule.validity.empty()) {
    reader.report(*node,
                  "a card that is 'measured' needs a citation tagged M or a [[valid.record]]");
  }
}

void read_head(CardReader& reader, const toml::table& card, Rule& rule,
               std::string_view expected_id) {
  rule.id = reader.text(card, "id", true);
  check_id(reader, card, rule.id, expected_id);
  rule.criterion = reader.text(card, "criterion");
  rule.title = reader.text(card, "title", true);
  rule.title_passed = reader.text(card, "title_passed");
  const auto severity = reader.word(card, "severity", severity_words, true);
  if (const auto known = parse_severity(severity)) rule.severity = *known;
  const auto confidence = reader.word(card, "confidence", confidence_words, true);
  const auto found = std::find(confidence_words.begin(), confidence_words.end(), confidence);
  if (found != confidence_words.end())
    rule.confidence = static_cast<Confidence>(found - confidence_words.begin());
  rule.consequence = reader.word(card, "consequence", consequence_words, true);
  static constexpr std::array<std::string_view, 2> passes = {"forward", "backward"};
  rule.fails_backward = reader.word(card, "fails_in", passes, false) == "backward";
  if (const auto* node = card.get("fails_in"); node && rule.consequence != "error")
    reader.report(*node, "'fails_in' belongs to a card of consequence \"error\"");
  rule.message = reader.pattern(card, "message", true);
  rule.explanation = reader.text(card, "explanation");
}

void read_body(CardReader& reader, const toml::table& card, Rule& rule) {
  if (const auto* node = card.get("applies_when"))
    rule.applies_when = read_conditions(reader, *node);
  if (const auto* node = reader.find(card, "when", true)) {
    rule.when = read_conditions(reader, *node);
    if (rule.when.empty() && reader.clean()) reader.report(*node, "'when' has no condition");
  }
  for (const auto* table : reader.tables(card, "suggestion"))
    rule.suggestions.push_back(read_suggestion(reader, *table));
  for (const auto* table : reader.tables(card, "gain"))
    rule.gains.push_back(read_gain(reader, *table, rule.suggestions));
  for (const auto* table : reader.tables(card, "citation"))
    rule.citations.push_back(read_citation(reader, *table));
  if (!card.contains("citation")) {
    reader.report(
        card, "the card has no citation",
        "add [[citation]] with a source: a rule must name a document that readers can look up");
  } else if (const auto* array = card.get_as<toml::array>("citation"); array && array->empty()) {
    reader.report(*array, "the card has no citation");
  }
  if (const auto* node = card.get("valid")) {
    if (const auto* table = node->as_table()) {
      read_validity(reader, *table, rule);
    } else {
      reader.report(*node, fmt::format("'valid' must be a table, not {}", kind_of(*node)));
    }
  }
}

}  // namespace

bool is_rule_id(std::string_view id) {
  if (id.empty() || id.size() > 200 || id.front() == '/' || id.back() == '/' ||
      id.find("//") != std::string_view::npos) {
    return false;
  }
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '/';
  });
}

tl::expected<Rule, std::vector<Error>> read_card(std::string_view text, std::string_view file,
                                                 std::string_view expected_id) {
  CardReader reader(file);
  const auto parsed = toml_text::parse_toml(text, file);
  if (!parsed) return tl::unexpected(std::vector{parsed.error()});
  const toml::table& card = *parsed;
  reader.check_keys(card,
                    {"id", "criterion", "title", "title_passed", "severity", "confidence",
                     "consequence", "fails_in", "applies_when", "when", "message", "explanation",
                     "suggestion", "gain", "citation", "valid"},
                    "a card");
  Rule rule;
  rule.file = std::string(file);
  read_head(reader, card, rule, expected_id);
  read_body(reader, card, rule);
  check_confidence(reader, card, rule);
  if (!reader.clean()) return tl::unexpected(reader.take_errors());
  return rule;
}

tl::expected<Rule, std::vector<Error>> read_rule(std::string_view text, std::string_view file) {
  return read_card(text, file, id_of_path(file));
}

}  // namespace rnnadvisor::advisor
