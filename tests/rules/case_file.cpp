// Reads case files: merges the defaults into each case and hands the tables to case_profile.cpp.
#include "tests/rules/case_file.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include "core/config/toml/parse_toml.h"
#include "tests/rules/case_profile.h"

namespace rnnadvisor::advisor::testing {
namespace {

constexpr std::array<std::string_view, 4> expectations = {"fires", "silent", "not_applicable",
                                                          "unknown"};
constexpr std::array kinds = {VerdictKind::fired, VerdictKind::passed, VerdictKind::not_applicable,
                              VerdictKind::unknown};

// Keys that only say what is expected of one case; the rest describes a profile.
const std::vector<std::string_view>& case_keys() {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> list = {"name",    "expect",  "facts",       "unknown_facts",
                                          "message", "missing", "suggestions", "still_fires"};
    const auto profile = profile_keys();
    list.insert(list.end(), profile.begin(), profile.end());
    return list;
  }();
  return keys;
}

FactValue parse_value(CardReader& reader, const toml::node& node, const FactDefinition& fact) {
  const auto wrong = [&] {
    reader.report(node, fmt::format("{} is of type {}, not {}", fact.name, to_string(fact.type),
                                    kind_of(node)));
    return FactValue(false);
  };
  switch (fact.type) {
    case FactType::boolean:
      return node.is_boolean() ? FactValue(node.as_boolean()->get()) : wrong();
    case FactType::integer:
      return node.is_integer() ? FactValue(node.as_integer()->get()) : wrong();
    case FactType::real:
      if (node.is_integer()) return FactValue(static_cast<double>(node.as_integer()->get()));
      return node.is_floating_point() ? FactValue(node.as_floating_point()->get()) : wrong();
    case FactType::text:
      return node.is_string() ? FactValue(node.as_string()->get()) : wrong();
    case FactType::version: {
      const auto version = node.is_string() ? parse_version(node.as_string()->get()) : std::nullopt;
      return version ? FactValue(*version) : wrong();
    }
  }
  return wrong();
}

void read_overrides(CardReader& reader, const toml::table& table, RuleCase& made) {
  if (const auto* facts = table.get_as<toml::table>("facts")) {
    for (const auto& [key, node] : *facts) {
      const int fact = find_fact(key.str());
      if (fact < 0) {
        reader.report(key.source(), fmt::format("no fact is called '{}'", key.str()));
        continue;
      }
      const auto& definition = fact_catalogue()[static_cast<std::size_t>(fact)];
      made.overrides.emplace_back(
          fact, Fact{parse_value(reader, node, definition), Provenance::measured});
    }
  } else if (const auto* node = table.get("facts")) {
    reader.report(*node, "'facts' must be a table");
  }
  for (const auto& name : reader.texts(table, "unknown_facts")) {
    const int fact = find_fact(name);
    if (fact < 0) {
      reader.report(*table.get("unknown_facts"), fmt::format("no fact is called '{}'", name));
    } else {
      made.overrides.emplace_back(fact, std::nullopt);
    }
  }
}

RuleCase read_case(CardReader& reader, const toml::table& table, const std::string& path) {
  RuleCase made;
  made.position = reader.position(table.source());
  made.name = reader.text(table, "name", true);
  const auto expect = reader.word(table, "expect", expectations, true);
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    if (expectations[i] == expect) made.expect = kinds[i];
  }
  made.message = reader.text(table, "message");
  made.missing = reader.texts(table, "missing");
  if (const auto count = reader.whole(table, "suggestions"))
    made.suggestions = static_cast<int>(*count);
  if (const auto* node = table.get("still_fires")) {
    if (const auto* flag = node->as_boolean()) {
      made.still_fires = flag->get();
    } else {
      reader.report(*node, "'still_fires' must be true or false");
    }
  }
  read_overrides(reader, table, made);
  made.profile = make_profile(reader, table, path);
  return made;
}

}  // namespace

toml::table merged(const toml::table& defaults, const toml::table& given) {
  toml::table result = given;
  for (const auto& [key, node] : defaults) {
    auto* present = result.get(key.str());
    if (!present) {
      result.insert(key, node);
    } else if (present->is_table() && node.is_table()) {
      *present->as_table() = merged(*node.as_table(), *present->as_table());
    }
  }
  return result;
}

tl::expected<std::vector<RuleCase>, std::vector<Error>> read_case_file(const std::string& path) {
  CardReader reader(path);
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream)
    return tl::unexpected(
        std::vector{Error{ErrorCode::io, "cannot read '" + path + "'", {}, {}, {}}});
  const auto parsed = toml_text::parse_toml(text.str(), path);
  if (!parsed) return tl::unexpected(std::vector{parsed.error()});
  const toml::table& file = *parsed;
  const auto cases = reader.tables(file, "case");
  toml::table defaults = file;
  defaults.erase("case");
  reader.check_keys(defaults, case_keys(), "a case file");
  std::vector<RuleCase> made;
  std::set<std::string> names;
  for (const auto* table : cases) {
    reader.check_keys(*table, case_keys(), "a case");
    made.push_back(read_case(reader, merged(defaults, *table), path));
    made.back().position = reader.position(table->source());
    if (!names.insert(made.back().name).second)
      reader.report(*table, fmt::format("two cases are called '{}'", made.back().name));
  }
  if (!reader.clean()) return tl::unexpected(reader.take_errors());
  return made;
}

}  // namespace rnnadvisor::advisor::testing
