#include "advisor/rules/catalog.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "advisor/change/transform.h"
#include "advisor/report/rule_pages.h"
#include "tests/advisor/rules/card.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

RuleSet sample() {
  auto rule = card(R"card(
criterion = "ALIGN"
message = "Size {call.hidden_size} | <b>"
explanation = "Some *Markdown*."
applies_when = { any_of = [ { fact = "call.data_type", is = "half" }, { fact = "call.algo", is = "standard" } ] }
when = { fact = "call.hidden_size", not_multiple_of = 8 }
[[suggestion]]
text = "Pad"
code = "torch.nn.LSTM(1, 1008)"
transform = { lower_batch = { value = { fact = "call.batch_size" } } }
[[gain]]
speedup = 2.8
scope = "forward training"
source = "a row"
[valid]
cudnn = ">=7.1"
)card");
  RuleSet rules;
  rules.rules.push_back(std::move(rule));
  return rules;
}

TEST(Catalog, ListShowsEveryRule) {
  const auto text = list_rules_text(sample());
  EXPECT_THAT(text, HasSubstr("topic/name  warning   documented  A title"));
  EXPECT_THAT(text, HasSubstr("1 rules"));
  const auto json = Json::parse(list_rules_json(sample()));
  ASSERT_EQ(json["rules"].size(), 1U);
  EXPECT_EQ(json["rules"][0]["severity"], "warning");
}

TEST(Catalog, ExplainTellsAll) {
  const auto text = explain_rule_text(sample(), "topic/name", {.width = 1000, .ascii = true});
  ASSERT_TRUE(text);
  for (const auto part :
       {"!", "topic/name", "documented", "criterion ALIGN", "consequence slower",
        "one of: call.data_type is half; or call.algo is standard",
        "call.hidden_size is not a multiple of 8", "Size {call.hidden_size}", "Some *Markdown*.",
        "torch.nn.LSTM(1, 1008)", "value from call.batch_size",
        "the same function with the same weights", "2.8x in forward training", "A document",
        "stated in the document", "cuDNN >=7.1"}) {
    EXPECT_THAT(*text, HasSubstr(part));
  }
  const auto json = Json::parse(*explain_rule_json(sample(), "topic/name"));
  EXPECT_EQ(json["rule"]["when"]["all"][0]["threshold"], "8");
  EXPECT_EQ(json["rule"]["applies_when"]["any_of"][0].size(), 2U);
  EXPECT_EQ(json["rule"]["suggestions"][0]["transform"]["parameters"]["value"]["fact"],
            "call.batch_size");
  // What to write for the change, as the text has it: the rule's suggestion is for one framework.
  const auto& write = json["rule"]["suggestions"][0]["transform"]["write"];
  ASSERT_FALSE(write.empty());
  for (const auto& [column, entry] : write.items())
    EXPECT_NE(entry.contains("code"), entry.contains("cannot")) << column;
  const auto shipped =
      Json::parse(*explain_rule_json(builtin_rules(), "algorithm/faster-algorithm-measured"));
  const auto& all = shipped["rule"]["suggestions"][0]["transform"]["write"];
  EXPECT_EQ(all.size(), 5U)
      << "a suggestion for everybody: cudnn, pytorch, keras, jax, onnxruntime";
  EXPECT_THAT(all["cudnn"]["code"].get<std::string>(), HasSubstr("cudnnSetRNNDescriptor_v8"));
  EXPECT_THAT(all["pytorch"]["cannot"].get<std::string>(), HasSubstr("picks the algorithm"));
}

TEST(Catalog, UnknownRulesNameTheNearest) {
  const auto text = explain_rule_text(sample(), "topic/nome");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::not_found);
  EXPECT_THAT(text.error().remedy, HasSubstr("topic/name"));
  EXPECT_FALSE(explain_rule_json(sample(), "x"));
}

TEST(Catalog, FactsAndTransformsAreListed) {
  const auto text = list_facts_text();
  const auto json = Json::parse(list_facts_json());
  EXPECT_EQ(json["facts"].size(), fact_catalogue().size());
  EXPECT_EQ(json["transforms"].size(), transform_kinds().size());
  for (const auto& fact : fact_catalogue()) EXPECT_THAT(text, HasSubstr(fact.name));
  for (const auto& kind : transform_kinds()) EXPECT_THAT(text, HasSubstr(std::string(kind.name)));
}

// What `rules new` writes loads, and `rules check` finds nothing in it.
TEST(Catalog, ANewRuleIsARule) {
  namespace fs = std::filesystem;
  const auto made = new_rule("topic/my-rule");
  ASSERT_TRUE(made);
  const auto rule = read_rule(made->card, "rules/" + made->card_file);
  ASSERT_TRUE(rule) << to_text(rule.error().front());
  EXPECT_EQ(rule->id, "topic/my-rule");
  EXPECT_THAT(made->cases, HasSubstr("expect        = \"not_applicable\""));

  const TemporaryFolder temporary;
  const fs::path& folder = temporary.path();
  fs::create_directories(folder / "topic");
  std::ofstream(folder / made->card_file) << made->card;
  auto checked = check_rules(folder.string());
  EXPECT_EQ(checked.cards, 1);
  EXPECT_EQ(check_rules_text(checked), "1 card, no mistakes\n");
  std::ofstream(folder / "topic/bad.toml") << "id = \"topic/bad\"\ntitl = \"x\"\n";
  checked = check_rules(folder.string());
  EXPECT_THAT(check_rules_text(checked), HasSubstr("bad.toml:2:1: a card has no key 'titl'"));
  EXPECT_THAT(check_rules_text(checked), HasSubstr("did you mean 'title'?"));
  const auto json = Json::parse(check_rules_json(checked));
  EXPECT_EQ(json["cards"], 2);
  EXPECT_EQ(json["errors"].size(), checked.errors.size());

  for (const auto wrong : {"", "name", "Topic/Name", "../etc/passwd", "a//b", "/a/b", "a b/c"}) {
    EXPECT_FALSE(new_rule(wrong)) << wrong;
  }
}

// Judged beside the shipped one, a copy of it would say everything twice.
TEST(Catalog, ACardWithTheIdOfAShippedOneIsAMistake) {
  namespace fs = std::filesystem;
  const fs::path shipped = RNNADVISOR_SOURCE_DIR "/rules";
  const TemporaryFolder temporary;
  for (const fs::path below : {"persistence", "user/persistence"}) {
    const auto folder = temporary.path() / below;
    fs::create_directories(folder);
    fs::copy_file(shipped / "persistence/tensor-core-math.toml", folder / "tensor-core-math.toml");
    const auto checked = check_rules(temporary.path().string());
    ASSERT_EQ(checked.errors.size(), 1U);
    EXPECT_THAT(checked.errors.front().message,
                HasSubstr("a rule 'persistence/tensor-core-math' is shipped"));
    fs::remove_all(folder);
  }
  EXPECT_TRUE(check_rules(shipped.string()).errors.empty());
}

// The card that the reference shows first is one that loads.
TEST(Catalog, TheExampleOfTheReferenceLoads) {
  std::ifstream stream(RNNADVISOR_SOURCE_DIR "/docs/writing-rules.md");
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const auto begin = text.find("```toml\n") + 8;
  const auto end = text.find("```", begin);
  ASSERT_LT(end, text.size());
  const auto rule =
      read_rule(text.substr(begin, end - begin), "rules/alignment/hidden-multiple-of-8.toml");
  ASSERT_TRUE(rule) << to_text(rule.error().front());
  EXPECT_EQ(rule->suggestions.size(), 2U);
  EXPECT_EQ(rule->gains.size(), 1U);
}

// A page for each card, and each leads to the others.
TEST(Catalog, LinksOfThePagesLeadSomewhere) {
  namespace fs = std::filesystem;
  const auto pages = rule_pages(builtin_rules());
  std::set<std::string> paths, linked;
  for (const auto& [path, page] : pages) paths.insert(path);
  EXPECT_EQ(paths.size(), builtin_rules().rules.size() + 1);
  const std::regex link("\\]\\(([^)#:]+)\\)");
  for (const auto& [path, page] : pages) {
    for (auto i = std::sregex_iterator(page.begin(), page.end(), link); i != std::sregex_iterator();
         ++i) {
      const auto target =
          (fs::path(path).parent_path() / (*i)[1].str()).lexically_normal().generic_string();
      EXPECT_TRUE(paths.contains(target)) << path << ": " << (*i)[1];
      linked.insert(target);
    }
  }
  EXPECT_EQ(linked, paths);
  for (const auto& rule : builtin_rules().rules) {
    EXPECT_TRUE(paths.contains(rule.id + ".md")) << rule.id;
    const auto page = write_rule_page(rule);
    for (const char* place : {"rules/", "tests/rules/"}) {
      const auto file = place + rule.id + ".toml";
      EXPECT_THAT(page, HasSubstr("`" + file + "`"));
      EXPECT_TRUE(fs::exists(fs::path(RNNADVISOR_SOURCE_DIR) / file)) << file;
    }
  }
}

TEST(Catalog, PagesEscapeWhatIsNotMarkdown) {
  const auto page = write_rule_page(sample().rules.front());
  EXPECT_THAT(page, HasSubstr("# A title"));
  EXPECT_THAT(page, HasSubstr("\\| &lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("Some *Markdown*."));
  EXPECT_THAT(page, HasSubstr("```\ntorch.nn.LSTM(1, 1008)\n```"));
  EXPECT_THAT(page, HasSubstr("- `call.hidden_size is not a multiple of 8`"));
  const auto pages = rule_pages(sample());
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages[0].first, "README.md");
  EXPECT_THAT(pages[0].second, HasSubstr("[topic/name](topic/name.md)"));
  EXPECT_EQ(pages[1].first, "topic/name.md");
  EXPECT_EQ(pages[1].second, page);
}

}  // namespace
}  // namespace rnnadvisor::advisor
