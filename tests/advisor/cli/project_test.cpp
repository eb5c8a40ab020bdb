// What a project decides for everybody: rnnadvisor.toml, its baseline, and annotations for its code
// host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "advisor/cli/project_file.h"
#include "advisor/judge/judge.h"
#include "advisor/report/baseline.h"
#include "advisor/report/source_places.h"
#include "advisor/samples/samples.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
namespace fs = std::filesystem;

// Fires several rules of several severities.
constexpr const char* network = R"([[configuration]]
id = "encoder"
cell = "lstm"
hidden_size = 1000
batch_size = 33
data_type = "half"
seq_length = 100

[[configuration]]
id = "decoder"
cell = "gru"
hidden_size = 500
batch_size = 20
data_type = "half"
seq_length = 64
framework = { name = "pytorch" }
)";

class Project : public ::testing::Test {
 protected:
  // Of a project file with this text; "": there is none.
  Called check(const std::string& project, std::vector<std::string> more = {}) {
    write_text_file(folder_ / "net.toml", network);
    if (!project.empty()) write_text_file(folder_ / "rnnadvisor.toml", project);
    Services services = machine_.services();
    services.find_project_file = [&] { return find_project_file(folder_ / "deeper/still"); };
    std::vector<std::string> arguments = {"check", folder_ / "net.toml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto called = call(arguments, services);
    fs::remove(folder_ / "rnnadvisor.toml");
    return called;
  }
  Json json(const std::string& project, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--json", "--fail-on", "never"});
    const auto called = check(project, std::move(more));
    EXPECT_EQ(called.status, 0) << called.err;
    return Json::parse(called.out);
  }
  std::string file(const char* name) const { return folder_ / name; }

  TemporaryFolder folder_;
  FakeMachine machine_;
};

std::set<std::string> rules_of(const Json& report) {
  std::set<std::string> rules;
  for (const auto& finding : report["findings"]) rules.insert(finding["rule"]);
  return rules;
}

TEST_F(Project, ItsFileGivesTheDefaultsOfEveryCommandThatJudges) {
  const auto plain = json("");
  EXPECT_EQ(json("device = \"a100\"")["devices"][0]["id"], "nvidia-a100-sxm4-80gb");
  EXPECT_EQ(json("device = \"a100\"", {"--device", "v100"})["devices"][0],
            json("", {"--device", "v100"})["devices"][0]);
  const std::string some = *rules_of(plain).begin();
  EXPECT_FALSE(rules_of(json("ignore = [\"" + some + "\"]")).contains(some));
  EXPECT_EQ(check("fail_on = \"info\"").status, exit_findings);
  EXPECT_EQ(check("fail_on = \"info\"", {"--fail-on", "never"}).status, exit_ok);
  EXPECT_THAT(check("fail_on = \"never\"").err, HasSubstr(file("rnnadvisor.toml")));
}

TEST_F(Project, WhatIsWrongInItsFileIsNamedWithItsPlace) {
  for (const auto& [text, place, about] : {std::tuple{"\ndevise = \"a100\"", ":2:", "did you mean"},
                                           {"device = 100", ":1:", "text"},
                                           {"ignore = \"launch/\"", ":1:", "list"},
                                           {"ignore = [1]", ":1:", "list"},
                                           {"fail_on = \"warn\"", ":1:", "warning"},
                                           {"fail_on = \"warn\"\ndevise = 1", ":2:1", "warning"},
                                           {"device = ", ":1:", ""}}) {
    const auto called = check(text);
    EXPECT_EQ(called.status, exit_bad_input) << text;
    EXPECT_THAT(called.err, HasSubstr(file("rnnadvisor.toml") + place));
    EXPECT_THAT(called.err, HasSubstr(about));
    EXPECT_EQ(called.out, "");
  }
  // Commands that judge nothing have no use for it.
  write_text_file(folder_ / "rnnadvisor.toml", "devise = 1");
  Services services = machine_.services();
  services.find_project_file = [&] { return find_project_file(folder_ / "deeper"); };
  EXPECT_EQ(call({"version"}, services).status, 0);
}

TEST_F(Project, PathsOfItsFileAreRelativeToIt) {
  write_text_file(folder_ / "accepted.txt", "# none\n");
  EXPECT_EQ(check("baseline = \"accepted.txt\"").status, exit_ok);
  const auto missing = check("baseline = \"no.txt\"");
  EXPECT_EQ(missing.status, exit_bad_input);
  EXPECT_THAT(missing.err, HasSubstr(file("no.txt")));
}

TEST_F(Project, OnlyFindingsThatAreNotInTheBaselineFailARun) {
  const std::string baseline = file("accepted.txt");
  ASSERT_EQ(check("", {"--fail-on", "info"}).status, exit_findings);
  EXPECT_EQ(check("", {"--fail-on", "info", "--write-baseline", baseline}).status, exit_ok);
  const std::vector<std::string> with = {"--baseline", baseline};
  const auto all = json("", with);
  ASSERT_GT(all["findings"].size(), 2U);
  for (const auto& finding : all["findings"]) EXPECT_TRUE(finding["in_baseline"]);
  EXPECT_EQ(check("", {"--fail-on", "info", "--baseline", baseline}).status, exit_ok);
  EXPECT_EQ(check("fail_on = \"info\"\nbaseline = \"accepted.txt\"").status, exit_ok);

  // Without one of its entries that finding is new, and it alone.
  std::string text = read_text(baseline);
  const auto last = text.rfind('\n', text.size() - 2) + 1;
  const std::string left_out = text.substr(last, text.size() - last - 1);
  write_text_file(baseline, text.substr(0, last) + "launch/gpu-idle gone\n");
  const auto one = check("", {"--fail-on", "info", "--baseline", baseline});
  EXPECT_EQ(one.status, exit_findings);
  EXPECT_THAT(one.err, HasSubstr("new: " + left_out));
  EXPECT_THAT(one.err, HasSubstr("no longer found, its line can go: launch/gpu-idle gone"));
  for (const auto& finding : json("", with)["findings"]) {
    const std::string name =
        all["configurations"][finding["configuration"].get<std::size_t>()]["name"];
    EXPECT_EQ(finding["in_baseline"] == false,
              finding["rule"].get<std::string>() + " " + name == left_out);
  }

  // Every format for machines can tell them apart, and what fails says so.
  const auto sarif = Json::parse(check("", {"-f", "sarif", "--baseline", baseline}).out);
  EXPECT_EQ(sarif_violations(sarif), "");
  std::size_t known = 0;
  for (const auto& result : sarif["runs"][0]["results"])
    known += result.value("baselineState", "") == "unchanged";
  EXPECT_EQ(known, all["findings"].size() - 1);
}

TEST_F(Project, ABaselineTakesThePlaceOfAFileOnlyByForce) {
  write_text_file(folder_ / "notes.txt", "keep me\n");
  const auto called = check("", {"--write-baseline", file("notes.txt")});
  EXPECT_EQ(called.status, exit_bad_input);
  EXPECT_THAT(called.err, HasSubstr("--force"));
  EXPECT_EQ(read_text(file("notes.txt")), "keep me\n");
  const auto read = check("", {"--baseline", file("notes.txt")});
  EXPECT_EQ(read.status, exit_bad_input);
  EXPECT_THAT(read.err, HasSubstr("notes.txt:1:1"));
  EXPECT_EQ(check("", {"--write-baseline", file("notes.txt"), "--force"}).status, exit_ok);
  EXPECT_EQ(check("", {"--baseline", file("notes.txt"), "--fail-on", "info"}).status, exit_ok);
  EXPECT_EQ(call({"check", "--batch", file("x.jsonl"), "--baseline", file("a")}).status,
            exit_bad_input);
}

// Any names: what is written is read again, line by line.
TEST(Baseline, OfDrawnNamesIsReadAsItWasWritten) {
  std::mt19937 random(20261129);
  const auto drawn = [&](std::size_t most) {
    std::string text;
    for (auto left = random() % most; left > 0; --left)
      text += static_cast<char>(random() % 4 == 0 ? random() % 256 : 'a' + random() % 26);
    return text;
  };
  for (int i = 0; i < 2000; ++i) {
    ConfigInput input;
    input.config.cell = Cell::lstm;
    input.config.hidden_size = 1000;
    input.config.batch_size = 33;
    input.config.data_type = DataType::half;
    input.config.id = drawn(20);
    const auto profile = static_profile({input}, *find_device("nvidia-h200"), "test");
    static const auto rules = advisor::builtin_rules();
    auto judgement = advisor::judge(profile, rules, {});
    const auto report = advisor::make_report(profile, judgement, rules);
    const auto read = advisor::read_baseline(advisor::write_baseline(report), "drawn");
    ASSERT_TRUE(read) << input.config.id;
    EXPECT_TRUE(advisor::mark_baseline(*read, report, judgement.findings).empty());
    for (const auto& finding : judgement.findings) ASSERT_TRUE(finding.in_baseline);
  }
}

// A workflow command is one line: GitHub decodes %25, %0A, %0D, and in properties %3A and %2C.
TEST(GitHub, AnnotationsStandAtTheLinesOfAProgram) {
  auto profile = advisor::load_profile("sample:programs/pytorch-gru");
  ASSERT_TRUE(profile);
  auto report_of = [&](advisor::Judgement& judgement) {
    judgement = advisor::judge(*profile, advisor::builtin_rules(), {});
    return advisor::make_report(*profile, judgement, advisor::builtin_rules());
  };
  advisor::Judgement judgement;
  auto report = report_of(judgement);
  ASSERT_FALSE(report.actions.empty());
  const auto site = std::find_if(report.configurations.begin(), report.configurations.end(),
                                 [](const auto& each) { return !each.call_sites.empty(); });
  ASSERT_NE(site, report.configurations.end());
  const std::string program = site->call_sites.front().file;
  ASSERT_EQ(program, "samples/programs/pytorch/gru.py");
  const auto inside = advisor::write_github(report, {"run.rnnprof", RNNADVISOR_SOURCE_DIR, {}});
  EXPECT_THAT(inside, HasSubstr("file=" + program + ",line="));
  const auto outside = advisor::write_github(report, {"run.rnnprof", "/nowhere", {}});
  EXPECT_THAT(outside, Not(HasSubstr("file=" + program)));
  EXPECT_THAT(outside, HasSubstr("file=run.rnnprof,title="));
  for (auto& each : report.configurations)
    for (auto& row : each.call_sites) row.file = "/home/me/project/src/train, twice.py";
  const auto absolute = advisor::write_github(report, {"run.rnnprof", "/home/me/project", {}});
  EXPECT_THAT(absolute, HasSubstr("file=src/train%2C twice.py,line="));

  std::size_t annotations = 0;
  std::istringstream lines(inside);
  for (std::string line; std::getline(lines, line);) annotations += line.starts_with("::");
  std::size_t actions = 0;
  for (const auto& group : report.actions) actions += group.findings.size();
  EXPECT_EQ(annotations, actions);
  for (auto& finding : judgement.findings) finding.in_baseline = true;
  EXPECT_THAT(advisor::write_github(report, {}), Not(HasSubstr("::")));
}

}  // namespace
}  // namespace rnnadvisor::cli
