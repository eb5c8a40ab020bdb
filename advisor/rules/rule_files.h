// Helpers around sets of cards that the engine's own parts and tests share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {

// The shipped cards and those of the given folders, by id.
tl::expected<RuleSet, std::vector<Error>> load_rules(const std::vector<std::string>& directories);

void sort_rules(std::vector<Rule>& rules);  // by id, as RuleSet wants it

// What is wrong with the cards in the program: must be empty, a test sees to it.
const std::vector<Error>& builtin_rule_errors();

// "no rule is called …", with the nearest.
Error unknown_rule(const RuleSet& rules, std::string_view id);

// Lower case letters, digits and hyphens in segments joined by '/'.
bool is_rule_id(std::string_view id);

// Every *.toml below a folder, sorted. Symbolic links to folders are not followed.
tl::expected<std::vector<std::string>, Error> list_cards(const std::string& directory);

}  // namespace rnnadvisor::advisor
