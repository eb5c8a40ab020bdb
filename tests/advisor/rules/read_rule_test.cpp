#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "advisor/rules/rule_files.h"
#include "tests/advisor/rules/card.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Each broken card beside the exact text of its errors (RNNADVISOR_UPDATE_GOLDEN=1 rewrites it, for
// review). Names are relative, so that the text is the same everywhere.
class BrokenCards : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenCards, SayWhatIsWrongAndWhere) {
  const fs::path folder = RNNADVISOR_SOURCE_DIR "/tests/advisor/rules/broken";
  const auto text = read_file(folder / (GetParam() + ".toml"));
  ASSERT_FALSE(text.empty());
  const auto rule = read_rule(text, "broken/" + GetParam() + ".toml");
  std::string errors;
  if (!rule) {
    for (const auto& error : rule.error())
      errors += to_text(error) + (to_text(error).ends_with('\n') ? "" : "\n");
  }
  const auto golden = folder / (GetParam() + ".txt");
  if (std::getenv("RNNADVISOR_UPDATE_GOLDEN")) std::ofstream(golden, std::ios::binary) << errors;
  EXPECT_EQ(errors, read_file(golden));
  EXPECT_FALSE(rule) << "the card loads";
}

std::vector<std::string> broken_cards() {
  std::vector<std::string> names;
  const auto files = list_cards(RNNADVISOR_SOURCE_DIR "/tests/advisor/rules/broken");
  if (files) {
    for (const auto& file : *files) names.push_back(fs::path(file).stem().string());
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, BrokenCards, ::testing::ValuesIn(broken_cards()), [](const auto& of) {
  std::string name = of.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ReadRule, EveryKeyArrives) {
  const auto rule = card(R"(
criterion = "ALIGN"
title_passed = "Good"
explanation = "Because."
message = "Size {call.hidden_size}"
applies_when = [
  { fact = "call.data_type", in = ["half", "float"] },
  { any_of = [ { fact = "call.algo", is = "standard" }, { fact = "call.cell", is = "lstm" } ] },
]
when = { fact = "call.hidden_size", above = 32, at_most = 96 }
[[suggestion]]
text = "Use {call.hidden_size}"
code = "x"
framework = "pytorch"
transform = { pad_hidden = { multiple = 8 } }
applies_when = { fact = "call.batch_size", at_least = 2 }
[[gain]]
speedup = 2.5
scope = "training step"
source = "a row"
[valid]
cudnn = ">=7.1, <9.25"
architectures = ["Hopper"]
devices = ["nvidia-h200"]
[[valid.record]]
device = "nvidia-h200"
evidence = "a file"
agree = 3
)");
  EXPECT_EQ(rule.criterion, "ALIGN");
  EXPECT_EQ(rule.title_passed, "Good");
  EXPECT_EQ(rule.severity, Severity::warning);
  EXPECT_EQ(rule.confidence, Confidence::documented);
  EXPECT_EQ(rule.consequence, "slower");
  ASSERT_EQ(rule.applies_when.all.size(), 1U);
  ASSERT_EQ(rule.applies_when.any.size(), 1U);
  EXPECT_EQ(rule.applies_when.any.front().size(), 2U);
  EXPECT_EQ(rule.applies_when.all.front().threshold, "half, float");
  ASSERT_EQ(rule.when.all.size(), 2U) << "two operators are two conditions";
  ASSERT_EQ(rule.suggestions.size(), 1U);
  EXPECT_EQ(rule.suggestions[0].transform->kind, "pad_hidden");
  EXPECT_EQ(rule.suggestions[0].transform->meaning, Meaning::padded);
  EXPECT_EQ(rule.suggestions[0].applies_when.all.size(), 1U);
  ASSERT_EQ(rule.gains.size(), 1U);
  EXPECT_DOUBLE_EQ(rule.gains[0].speedup, 2.5);
  ASSERT_EQ(rule.cudnn_bounds.size(), 2U);
  EXPECT_EQ(rule.cudnn_bounds[0], (VersionBound{Operator::at_least, {7, 1, 0}}));
  EXPECT_EQ(rule.cudnn_bounds[1], (VersionBound{Operator::below, {9, 25, 0}}));
  EXPECT_THAT(rule.architectures, ElementsAre("Hopper"));
  EXPECT_THAT(rule.devices, ElementsAre("nvidia-h200"));
  ASSERT_EQ(rule.validity.size(), 1U);
  EXPECT_EQ(rule.validity[0].agree, 3);
  EXPECT_EQ(rule.citations[0].tag, 'S');
}

TEST(ReadRule, UnitsAreConverted) {
  const auto bytes =
      card("message = \"m\"\nwhen = { fact = \"memory.need\", above = \"1.5 GiB\" }");
  EXPECT_EQ(bytes.when.all.at(0).values.at(0), FactValue(std::int64_t{1610612736}));
  EXPECT_EQ(bytes.when.all.at(0).threshold, "1.50 GiB");
  const auto table = card(
      "message = \"m\"\nwhen = { fact = \"memory.need\", above = { value = 2, unit = \"kB\" } }");
  EXPECT_EQ(table.when.all.at(0).values.at(0), FactValue(std::int64_t{2000}));
  const auto time =
      card("message = \"m\"\nwhen = { fact = \"measured.step_ms\", above = \"20 us\" }");
  EXPECT_DOUBLE_EQ(std::get<double>(time.when.all.at(0).values.at(0)), 0.02);
}

TEST(ReadRule, LargeIntegersStayExact) {
  const auto rule =
      card("message = \"m\"\nwhen = { fact = \"memory.need\", above = 9007199254740993 }");
  EXPECT_EQ(rule.when.all.at(0).values.at(0), FactValue(std::int64_t{9007199254740993}));
}

// Any cut of a correct card gives an answer, and every error a place.
TEST(ReadRule, CutCardsNeverCrash) {
  const auto text = card_text(
      "message = \"Size {call.hidden_size}\"\nwhen = { fact = \"call.hidden_size\", above = 1 }");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto rule = read_rule(text.substr(0, length), "topic/name.toml");
    if (rule) continue;  // cut between lines after the citation began
    for (const auto& error : rule.error()) {
      ASSERT_TRUE(error.where) << length;
      EXPECT_FALSE(error.message.empty());
    }
  }
}

class UserRules : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "topic"); }
  void write(const std::string& name, std::string_view id) {
    auto text = card_text("message = \"m\"\nwhen = { fact = \"call.hidden_size\", above = 1 }");
    text.replace(text.find("topic/name"), 10, id);
    std::ofstream(folder_ / name) << text;
  }
  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(UserRules, GetTheirNamespace) {
  write("topic/one.toml", "topic/one");
  write("topic/two.toml", "user/topic/two");
  write("three.toml", "three");
  const auto rules = read_rule_directory(folder_.string());
  ASSERT_TRUE(rules) << to_text(rules.error().front());
  std::vector<std::string> ids;
  for (const auto& rule : *rules) {
    ids.push_back(rule.id);
    EXPECT_FALSE(rule.builtin);
  }
  EXPECT_THAT(ids, ElementsAre("user/three", "user/topic/one", "user/topic/two"));
}

TEST_F(UserRules, EveryFileIsReadBeforeErrorsAreReported) {
  write("topic/one.toml", "topic/other");
  write("topic/two.toml", "Topic/Two");
  write("topic/right.toml", "topic/right");
  const auto rules = read_rule_directory(folder_.string());
  ASSERT_FALSE(rules);
  ASSERT_EQ(rules.error().size(), 2U);
  EXPECT_THAT(to_text(rules.error()[0]),
              HasSubstr("one.toml:2:6: the id 'topic/other' and the place of the file differ"));
  EXPECT_THAT(to_text(rules.error()[1]), HasSubstr("'Topic/Two' is no rule id"));
}

TEST_F(UserRules, AnEmptyOrAbsentFolderIsAnError) {
  EXPECT_THAT(read_rule_directory(folder_.string()).error().front().message,
              HasSubstr("there is no card"));
  EXPECT_THAT(read_rule_directory((folder_ / "none").string()).error().front().message,
              HasSubstr("is not a folder"));
}

}  // namespace
}  // namespace rnnadvisor::advisor
