// What people see of the rules and facts as such: the texts and JSON of `rnnadvisor rules …`, and
// the generated pages.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/rules/rule.h"
#include "core/base/result.h"

namespace rnnadvisor::advisor {

// `rules list`: one line a rule, in the order of the set.
std::string list_rules_text(const RuleSet& rules);
std::string list_rules_json(const RuleSet& rules);

// `rules explain ID --json`: the whole card. An unknown id is an error that names the nearest.
Result<std::string> explain_rule_json(const RuleSet& rules, std::string_view id);

// `rules facts`: the catalogue with type, unit and meaning, and the kinds of transform after it.
std::string list_facts_text();
std::string list_facts_json();

// `rules check DIR`: how many cards are right, or every mistake.
struct CheckResult {
  int cards = 0;              // files seen
  std::vector<Error> errors;  // empty: all right
};
CheckResult check_rules(const std::string& directory);
std::string check_rules_text(const CheckResult& result);
std::string check_rules_json(const CheckResult& result);

// `rules new TOPIC/NAME`: a card and a case file to start from, both valid as they are. The id must
// be well formed.
struct Skeleton {
  std::string card_file;  // "topic/name.toml", below the folder of cards
  std::string card;
  std::string case_file;  // "topic/name.toml", below the folder of cases
  std::string cases;
};
Result<Skeleton> new_rule(std::string_view id);

}  // namespace rnnadvisor::advisor
