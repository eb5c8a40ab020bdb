// [valid] with its records, and [[citation]].
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/rules/card_reader.h"
#include "advisor/rules/names.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr int most_quoted_words = 25;

int count_words(std::string_view text) {
  int words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space && !inside) ++words;
    inside = !space;
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct BoundSign {
  std::string_view sign;
  Operator op;
};
// Longer signs first, so that ">=" is not read as ">".
constexpr std::array signs = {BoundSign{">=", Operator::at_least},
                              BoundSign{"<=", Operator::at_most}, BoundSign{"==", Operator::is},
                              BoundSign{">", Operator::above}, BoundSign{"<", Operator::below}};

std::optional<VersionBound> parse_bound(std::string_view text) {
  for (const auto& [sign, op] : signs) {
    if (!text.starts_with(sign)) continue;
    const auto number = trimmed(text.substr(sign.size()));
    if (number.empty() || number.find_first_not_of("0123456789.") != std::string_view::npos)
      return std::nullopt;
    const auto version = parse_version(number);
    return version ? std::optional(VersionBound{op, *version}) : std::nullopt;
  }
  return std::nullopt;
}

void read_range(CardReader& reader, const toml::table& table, Rule& rule) {
  rule.cudnn_range = reader.text(table, "cudnn");
  if (rule.cudnn_range.empty()) return;
  std::string_view rest = rule.cudnn_range;
  while (true) {
    const auto comma = rest.find(',');
    const auto part = trimmed(rest.substr(0, comma));
    if (const auto bound = parse_bound(part)) {
      rule.cudnn_bounds.push_back(*bound);
    } else {
      reader.report(*table.get("cudnn"),
                    fmt::format("'{}' is no bound of a version", to_valid_utf8(part)),
                    "write \">=8.1, <9.0\" with >=, >, <=, < or ==");
    }
    if (comma == std::string_view::npos) break;
    rest = rest.substr(comma + 1);
  }
}

// Names that are nearly those of a shipped device are taken for typing errors; others may be the
// user's own devices.
void check_names(CardReader& reader, const toml::table& table, std::string_view key,
                 const std::vector<std::string>& names,
                 const std::vector<std::string_view>& known) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(known.begin(), known.end(), names[i]) != known.end()) continue;
    const auto hint = did_you_mean(names[i], known);
    const auto* array = table.get_as<toml::array>(key);
    if (!hint.empty() && array && i < array->size()) {
      reader.report(
          *array->get(i),
          fmt::format("'{}' is none of the shipped devices' {}", to_valid_utf8(names[i]), key),
          hint);
    }
  }
}

ValidityRecord read_record(CardReader& reader, const toml::table& table) {
  reader.check_keys(table, {"device", "cudnn", "date", "effect", "evidence", "agree", "refute"},
                    "a record");
  ValidityRecord record;
  record.device = reader.text(table, "device", true);
  record.cudnn = reader.text(table, "cudnn");
  record.date = reader.text(table, "date");
  record.effect = reader.text(table, "effect");
  record.evidence = reader.text(table, "evidence", true);
  const auto count = [&](std::string_view key) {
    const auto value = reader.whole(table, key).value_or(0);
    if (value < 0 || value > 1'000'000'000)
      reader.report(*table.get(key), fmt::format("'{}' cannot be {}", key, value));
    return static_cast<int>(std::clamp<std::int64_t>(value, 0, 1'000'000'000));
  };
  record.agree = count("agree");
  record.refute = count("refute");
  return record;
}

}  // namespace

void read_validity(CardReader& reader, const toml::table& table, Rule& rule) {
  reader.check_keys(table, {"cudnn", "architectures", "devices", "record"}, "[valid]");
  read_range(reader, table, rule);
  rule.architectures = reader.texts(table, "architectures");
  rule.devices = reader.texts(table, "devices");
  std::vector<std::string_view> architectures, devices;
  for (const auto& device : shipped_devices()) {
    architectures.push_back(device.architecture);
    devices.push_back(device.id);
  }
  check_names(reader, table, "architectures", rule.architectures, architectures);
  check_names(reader, table, "devices", rule.devices, devices);
  for (const auto* record : reader.tables(table, "record"))
    rule.validity.push_back(read_record(reader, *record));
}

Citation read_citation(CardReader& reader, const toml::table& table) {
  reader.check_keys(table, {"source", "section", "version", "url", "quote", "tag"}, "a citation");
  static constexpr std::array<std::string_view, 5> tags = {"S", "C", "O", "M", "I"};
  Citation citation;
  citation.source = reader.text(table, "source", true);
  citation.section = reader.text(table, "section");
  citation.version = reader.text(table, "version");
  citation.url = reader.text(table, "url");
  citation.quote = reader.text(table, "quote");
  const auto tag = reader.word(table, "tag", tags, false);
  if (!tag.empty()) citation.tag = tag.front();
  const int words = count_words(citation.quote);
  if (words > most_quoted_words) {
    reader.report(*table.get("quote"),
                  fmt::format("the quotation has {} words, at most {} are allowed", words,
                              most_quoted_words));
  }
  if (!citation.url.empty() && !citation.url.starts_with("https://") &&
      !citation.url.starts_with("http://")) {
    reader.report(*table.get("url"), "'url' must begin with https:// or http://");
  }
  return citation;
}

}  // namespace rnnadvisor::advisor
