// What the readers of a card share: typed access to TOML with every mistake collected at its place.
// Private to advisor/rules: it brings toml++ along.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/rules/rule.h"
#include "core/base/result.h"

namespace rnnadvisor::advisor {

class CardReader {
 public:
  explicit CardReader(std::string_view file) : file_(file) {}

  // Mistakes found so far, in the order of their places.
  std::vector<Error> take_errors();
  bool clean() const { return errors_.empty(); }

  void report(const toml::source_region& at, std::string message, std::string remedy = {});
  void report(const toml::node& at, std::string message, std::string remedy = {}) {
    report(at.source(), std::move(message), std::move(remedy));
  }
  SourcePosition position(const toml::source_region& at) const;

  // Every key of `table` must be one of `keys`.
  void check_keys(const toml::table& table, std::span<const std::string_view> keys,
                  std::string_view what);
  void check_keys(const toml::table& table, std::initializer_list<std::string_view> keys,
                  std::string_view what) {
    check_keys(table, std::span(keys.begin(), keys.size()), what);
  }

  // The node of a key. A missing one that is required is reported at the table.
  const toml::node* find(const toml::table& table, std::string_view key, bool required = false);

  // Empty when missing or wrong; wrong is reported. A required text must not be blank.
  std::string text(const toml::table& table, std::string_view key, bool required = false);
  // A text that must be one of `words`.
  std::string word(const toml::table& table, std::string_view key,
                   std::span<const std::string_view> words, bool required);
  // A text with placeholders.
  std::string pattern(const toml::table& table, std::string_view key, bool required);
  std::vector<std::string> texts(const toml::table& table, std::string_view key);
  std::optional<double> number(const toml::table& table, std::string_view key);
  std::optional<std::int64_t> whole(const toml::table& table, std::string_view key);
  // The tables of [[key]]; a single [key] table is reported.
  std::vector<const toml::table*> tables(const toml::table& table, std::string_view key);
  // The index of the fact that a key names, -1 when missing or wrong.
  int fact(const toml::table& table, std::string_view key);
  int fact(const toml::node& node);

 private:
  std::string file_;
  std::vector<Error> errors_;
};

// "a string", "an array": for messages.
std::string_view kind_of(const toml::node& node);

// read_condition.cpp
ConditionSet read_conditions(CardReader& reader, const toml::node& node);
// read_suggestion.cpp
SuggestionTemplate read_suggestion(CardReader& reader, const toml::table& table);
GainSource read_gain(CardReader& reader, const toml::table& table,
                     const std::vector<SuggestionTemplate>& suggestions);
// read_validity.cpp
void read_validity(CardReader& reader, const toml::table& table, Rule& rule);
Citation read_citation(CardReader& reader, const toml::table& table);

// One card. `expected_id` is the id that its place in a folder gives it; empty: not checked. The
// prefix "user/" may be written or not.
tl::expected<Rule, std::vector<Error>> read_card(std::string_view text, std::string_view file,
                                                 std::string_view expected_id);

}  // namespace rnnadvisor::advisor
