// A correct card, and ways to change it: what the tests of the engine start from.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {

inline constexpr std::string_view card_head = R"(
id = "topic/name"
title = "A title"
severity = "warning"
confidence = "documented"
consequence = "slower"
)";
inline constexpr std::string_view card_citation = R"(
[[citation]]
source = "A document"
)";

// A card of the given conditions and tables; `body` stands before the citation.
inline std::string card_text(std::string_view body) {
  return std::string(card_head) + std::string(body) + std::string(card_citation);
}

// The rule of such a card; fails the test when it does not load.
inline Rule card(std::string_view body, std::string_view id = "topic/name") {
  auto rule = read_rule(card_text(body), "topic/name.toml");
  if (!rule) {
    for (const auto& error : rule.error()) ADD_FAILURE() << to_text(error);
    return {};
  }
  rule->id = id;
  return *rule;
}

}  // namespace rnnadvisor::advisor
