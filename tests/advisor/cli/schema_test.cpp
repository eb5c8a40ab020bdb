// Every --json has a schema in docs/schema, and is valid by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/rules/rule.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/effort.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using Json = nlohmann::json;

std::string schema(const std::string& name) { return "docs/schema/" + name + ".schema.json"; }

Json answer(const std::vector<std::string>& arguments, const Services& services) {
  return Json::parse(call(arguments, services).out);
}
Json answer(const std::vector<std::string>& arguments) {
  FakeMachine machine;
  return answer(arguments, machine.services());
}

TEST(Schemas, OfTheRules) {
  const Json list = answer({"rules", "list", "--json"});
  EXPECT_EQ(violations(schema("rules-list"), list), "");
  EXPECT_EQ(list["rules"].size(), advisor::builtin_rules().rules.size());
  for (std::size_t index = 0; const auto& rule : advisor::builtin_rules().rules) {
    if (index++ % (test::sanitized() ? 10 : 3) != 0) continue;
    EXPECT_EQ(violations(schema("rules-explain"), answer({"rules", "explain", rule.id, "--json"})),
              "")
        << rule.id;
  }
  EXPECT_EQ(violations(schema("rules-facts"), answer({"rules", "facts", "--json"})), "");
}

TEST(Schemas, OfTheCheckOfCards) {
  TemporaryFolder folder;
  ASSERT_EQ(
      call({"rules", "new", "a/b", "-o", folder / "cards", "--cases", folder / "cases"}).status, 0);
  const Json good = answer({"rules", "check", folder / "cards", "--json"});
  EXPECT_EQ(violations(schema("rules-check"), good), "");
  EXPECT_EQ(good["errors"].size(), 0U);
  write_text_file(folder / "cards/a/c.toml", "id = \"a/c\"\ntitl = 1\n");
  const Json bad = answer({"rules", "check", folder / "cards", "--json"});
  EXPECT_EQ(violations(schema("rules-check"), bad), "");
  EXPECT_GT(bad["errors"].size(), 0U);
  EXPECT_EQ(
      violations(schema("rules-check"), answer({"rules", "check", folder / "nothing", "--json"})),
      "");
}

TEST(Schemas, OfCompare) {
  FakeMachine machine;
  const std::string slow = "sample:programs/pytorch-slow-loader";
  const std::string copies = "sample:programs/pytorch-input-copies";
  for (const auto& [before, after, status] :
       {std::tuple{slow, copies, 0},
        {copies, slow, 1},
        {slow, slow, 0},
        {std::string("sample:programs/pytorch-two-layers"),
         std::string("sample:programs/pytorch-two-layers-split"), 0},
        {std::string("sample:deepbench"), slow, 1}}) {
    const auto called =
        call({"compare", before, after, "--json", "--fail-if", "step > 1.05"}, machine.services());
    EXPECT_EQ(called.status, status) << before << ' ' << after << called.err;
    const auto document = Json::parse(called.out);
    EXPECT_EQ(violations(schema("compare"), document), "");
    EXPECT_EQ(document["limits"].size(), 1U);
  }
  for (const std::string format : {"text", "markdown", "junit"}) {
    const auto other = call({"compare", slow, copies, "-f", format}, machine.services());
    EXPECT_EQ(other.status, 0) << other.err;
    EXPECT_NE(other.out.find(format == "junit" ? "<testsuite" : "RNN calls"), std::string::npos)
        << other.out;
  }
}

TEST(Schemas, OfExplainError) {
  const std::filesystem::path texts = RNNADVISOR_SOURCE_DIR "/tests/advisor/errors/texts";
  int met = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(texts)) {
    if (entry.path().extension() != ".txt") continue;
    const auto found = answer({"explain-error", entry.path().string(), "--json"});
    EXPECT_EQ(violations(schema("explain-error"), found), "") << entry.path();
    EXPECT_GT(found["errors"].size(), 0U) << entry.path();
    ++met;
  }
  EXPECT_GE(met, 40);
  const auto none = answer({"explain-error", RNNADVISOR_SOURCE_DIR "/README.md", "--json"});
  EXPECT_EQ(violations(schema("explain-error"), none), "");
  EXPECT_EQ(none["errors"].size(), 0U);
}

TEST(Schemas, OfDoctorAndVersion) {
  FakeMachine machine;
  EXPECT_EQ(violations(schema("doctor"), answer({"doctor", "--json"}, machine.services())), "");
  machine.gpu = true;
  auto services = machine.services();
  services.inspect_machine = [&] {
    auto report = machine.services().inspect_machine();
    LibraryState cupti;
    cupti.name = "CUPTI";
    cupti.found = true;
    cupti.version = "13.0";
    cupti.api_version = 130001;
    LibraryState missing;
    missing.name = "cuDNN";
    missing.searched = {"/usr/lib"};
    report.libraries = {cupti, missing};
    return report;
  };
  EXPECT_EQ(violations(schema("doctor"), answer({"doctor", "--json"}, services)), "");
  EXPECT_EQ(violations(schema("version"), answer({"version", "--json"})), "");
}

TEST(Schemas, OfTheAnswersOfABatch) {
  TemporaryFolder folder;
  write_text_file(
      folder / "many.jsonl",
      "{\"id\": \"good\", \"cell\": \"lstm\", \"hidden_size\": 1000}\n"
      "{\"hidden_size\": 1000, \"seq_length\": 65536}\n"
      "{\"id\": 7, \"hidden_size\": \"wide\"}\n"
      "no JSON\n"
      "{\"id\": \"refused\", \"data_type\": \"double\", \"algo\": \"persist_static\"}\n"
      "{\"id\": \"none\", \"framework\": {\"name\": \"keras3\", \"layer_norm\": true}}\n");
  for (const char* findings : {"", "--no-findings"}) {
    std::vector<std::string> arguments = {"check", "--batch", folder / "many.jsonl", "--device",
                                          "h200"};
    if (*findings != '\0') arguments.emplace_back(findings);
    std::istringstream lines(call(arguments).out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      EXPECT_EQ(violations(schema("batch-answer"), Json::parse(line)), "") << line;
    EXPECT_EQ(count, 6);
  }
}

TEST(Schemas, FindWhatIsWrong) {
  Json document = answer({"version", "--json"});
  document["more"] = 1;
  EXPECT_NE(violations(schema("version"), document), "");
  document = answer({"rules", "list", "--json"});
  document["rules"][0]["severity"] = "fatal";
  EXPECT_NE(violations(schema("rules-list"), document), "");
}

}  // namespace
}  // namespace rnnadvisor::cli
