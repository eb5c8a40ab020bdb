// Where sets of cards come from: the program itself, and folders of the user's.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "advisor/rules/card_reader.h"
#include "advisor/rules/rule_files.h"
#include "advisor/rules/validation_records.h"
#include "core/base/embedded.h"

namespace rnnadvisor::embedded {
std::span<const EmbeddedFile> rules();
std::span<const EmbeddedFile> rule_validation();
}  // namespace rnnadvisor::embedded

namespace rnnadvisor::advisor {
namespace {

namespace fs = std::filesystem;

// A card is a page of text; what is larger is not one.
constexpr std::uintmax_t largest_card = 1 << 20;

struct Builtin {
  RuleSet set;
  std::vector<Error> errors;
};

const Builtin& builtin() {
  static const Builtin loaded = [] {
    Builtin result;
    for (const auto& file : embedded::rules()) {
      auto rule = read_rule(file.text, "rules/" + std::string(file.name));
      if (rule) {
        rule->builtin = true;
        result.set.rules.push_back(std::move(*rule));
      } else {
        result.errors.insert(result.errors.end(), rule.error().begin(), rule.error().end());
      }
    }
    sort_rules(result.set.rules);
    for (const auto& file : embedded::rule_validation()) {
      const std::string name = "rules/validation/" + std::string(file.name);
      const auto validation = read_validation(file.text, name);
      if (!validation) {
        result.errors.push_back(validation.error());
        continue;
      }
      for (const auto& id : add_validation(result.set.rules, *validation)) {
        result.errors.push_back(Error{ErrorCode::not_found,
                                      fmt::format("{}: no rule is called '{}'", name, id),
                                      "measure again, or take the record out",
                                      std::nullopt,
                                      {}});
      }
    }
    return result;
  }();
  return loaded;
}

Result<std::string> read_text(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (!error && size > largest_card) {
    return fail(Error{ErrorCode::parse,
                      "the file is too large for a rule card",
                      {},
                      SourcePosition{path.string(), 0, 0},
                      {}});
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (error || !stream) {
    return fail(Error{ErrorCode::io,
                      fmt::format("cannot read '{}'", path.string()),
                      "check that it may be read",
                      std::nullopt,
                      {}});
  }
  return text.str();
}

}  // namespace

void sort_rules(std::vector<Rule>& rules) {
  std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.id < b.id; });
}

const Rule* RuleSet::find(std::string_view id) const {
  const auto found =
      std::lower_bound(rules.begin(), rules.end(), id,
                       [](const Rule& rule, std::string_view wanted) { return rule.id < wanted; });
  return found != rules.end() && found->id == id ? &*found : nullptr;
}

const RuleSet& builtin_rules() { return builtin().set; }
const std::vector<Error>& builtin_rule_errors() { return builtin().errors; }

tl::expected<std::vector<std::string>, Error> list_cards(const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return fail(ErrorCode::not_found, fmt::format("'{}' is not a folder", directory),
                "give the folder that holds the cards");
  }
  std::vector<std::string> files;
  fs::recursive_directory_iterator at(directory, fs::directory_options::none, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() == ".toml" && at->is_regular_file(ignored))
      files.push_back(at->path().string());
  }
  if (error)
    return fail(ErrorCode::io,
                fmt::format("cannot read the folder '{}': {}", directory, error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

tl::expected<std::vector<Rule>, std::vector<Error>> read_rule_directory(
    const std::string& directory) {
  const auto files = list_cards(directory);
  if (!files) return tl::unexpected(std::vector{files.error()});
  std::vector<Rule> rules;
  std::vector<Error> errors;
  if (files->empty()) {
    errors.push_back({ErrorCode::not_found,
                      fmt::format("there is no card (*.toml) in '{}'", directory),
                      "'rnnadvisor rules new TOPIC/NAME' writes one to start from",
                      std::nullopt,
                      {}});
  }
  for (const auto& file : *files) {
    const auto text = read_text(file);
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    auto place = fs::path(file).lexically_relative(directory);
    auto id = place.replace_extension().generic_string();
    if (id.starts_with("user/")) id = id.substr(5);
    auto rule = read_card(*text, file, id);
    if (!rule) {
      errors.insert(errors.end(), rule.error().begin(), rule.error().end());
      continue;
    }
    if (!rule->id.starts_with("user/")) rule->id = "user/" + rule->id;
    rules.push_back(std::move(*rule));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  sort_rules(rules);
  for (std::size_t i = 1; i < rules.size(); ++i) {
    if (rules[i].id != rules[i - 1].id) continue;
    errors.push_back({ErrorCode::invalid_argument,
                      fmt::format("the id '{}' stands in two files", rules[i].id),
                      {},
                      SourcePosition{rules[i].file, 1, 1},
                      {"also in " + rules[i - 1].file}});
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return rules;
}

tl::expected<RuleSet, std::vector<Error>> load_rules(const std::vector<std::string>& directories) {
  RuleSet rules = builtin_rules();
  std::vector<Error> errors;
  for (const auto& directory : directories) {
    auto read = read_rule_directory(directory);
    if (!read) {
      errors.insert(errors.end(), read.error().begin(), read.error().end());
      continue;
    }
    for (auto& rule : *read) {
      if (const auto* present = rules.find(rule.id)) {
        errors.push_back(Error{ErrorCode::invalid_argument,
                               fmt::format("two rules have the id '{}'", rule.id),
                               "rename one",
                               SourcePosition{rule.file, 0, 0},
                               {fmt::format("the other is in {}", present->file)}});
        continue;
      }
      const auto place =
          std::lower_bound(rules.rules.begin(), rules.rules.end(), rule,
                           [](const auto& left, const auto& right) { return left.id < right.id; });
      rules.rules.insert(place, std::move(rule));
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return rules;
}

std::string shipped_id(const Rule& rule) {
  constexpr std::string_view user = "user/";
  if (rule.builtin || !rule.id.starts_with(user)) return {};
  auto id = rule.id.substr(user.size());
  return builtin_rules().find(id) != nullptr ? id : std::string();
}

Error shipped_twice(const Rule& rule) {
  const auto id = shipped_id(rule);
  return {ErrorCode::invalid_argument,
          fmt::format("a rule '{}' is shipped, and this one would say the same again", id),
          fmt::format("rename it, or judge with --ignore {}, which leaves the shipped one out", id),
          SourcePosition{rule.file, 0, 0},
          {}};
}

}  // namespace rnnadvisor::advisor
