// docs/criteria.md and the cards name the same things.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {
namespace {

std::string document(const std::string& name) {
  std::ifstream file(std::string(RNNADVISOR_SOURCE_DIR "/docs/") + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> cards_in(const std::string& text) {
  static const std::regex id("`([a-z0-9]+/[a-z0-9-]+)`");
  std::set<std::string> ids;
  for (std::sregex_iterator at(text.begin(), text.end(), id), end; at != end; ++at)
    ids.insert((*at)[1]);
  return ids;
}

// Rows of the tables that list cards: | CRITERION | good state | `card`, `card` |
std::map<std::string, std::set<std::string>> rows(const std::string& text) {
  static const std::regex row(R"(\| ([A-Z][A-Z0-9-]+) \|[^|\n]*\| (`[^|\n]*) \|)");
  std::map<std::string, std::set<std::string>> found;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
    const auto cards = cards_in((*at)[2]);
    found[(*at)[1]].insert(cards.begin(), cards.end());
  }
  return found;
}

TEST(Criteria, EveryCardNamedInTheDocumentsExists) {
  for (const char* name : {"criteria.md", "corrections.md"}) {
    const auto ids = cards_in(document(name));
    EXPECT_GT(ids.size(), 20U) << name;
    for (const auto& id : ids) EXPECT_NE(builtin_rules().find(id), nullptr) << id << " in " << name;
  }
}

TEST(Criteria, EveryCardStandsInTheRowOfItsCriterion) {
  const auto table = rows(document("criteria.md"));
  for (const auto& rule : builtin_rules().rules) {
    EXPECT_FALSE(rule.criterion.empty()) << rule.id;
    const auto row = table.find(rule.criterion);
    ASSERT_NE(row, table.end()) << rule.criterion << " of " << rule.id << " has no row";
    EXPECT_TRUE(row->second.contains(rule.id))
        << rule.id << " is missing in the row " << rule.criterion;
  }
}

TEST(Criteria, EveryRowHoldsOnlyCardsOfItsCriterion) {
  const auto table = rows(document("criteria.md"));
  EXPECT_GE(table.size(), 74U + 10U);
  for (const auto& [criterion, ids] : table) {
    for (const auto& id : ids) {
      const Rule* rule = builtin_rules().find(id);
      ASSERT_NE(rule, nullptr) << id;
      EXPECT_EQ(rule->criterion, criterion) << id;
    }
  }
}

// Each clause of "why not persistent?" leads to a card of its name.
TEST(Criteria, EveryPersistenceClauseHasACard) {
  for (const char* id :
       {"compute-capability-6", "data-type-not-double", "data-type-not-bfloat16",
        "math-precision-float", "no-projection", "double-bias", "equal-lengths", "hidden-limit",
        "small-h-hidden-limit", "small-h-backward-limit", "tensor-core-math",
        "hidden-multiple-of-32", "input-multiple-of-32", "batch-multiple-of-8",
        "hidden-backward-limit", "batch-crossover", "linux-nvrtc"}) {
    EXPECT_NE(builtin_rules().find(std::string("persistence/") + id), nullptr) << id;
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
