// Recordings of programs that an exception ended on an H200 (raised-errors.tar.xz): an error in
// every format and for --fail-on, whatever the findings are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/report/csv_rows.h"
#include "tests/effort.h"
#include "tests/json_schema.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// `report`: the JSON of the profile, of a program that an exception ended.
void expect_an_error(const std::string& profile, const Json& report) {
  const auto written = [&](const std::string& format) {
    const auto made = call({"report", profile, "--format", format});
    EXPECT_EQ(made.status, 0) << made.err;  // without --fail-on
    return made.out;
  };
  EXPECT_EQ(violations("docs/schema/report.schema.json", report), "");
  int findings = 0;
  for (const auto& finding : report["findings"]) findings += finding["severity"] == "error";
  EXPECT_EQ(report["counts"]["errors"], findings + 1);

  // The headline is about the exception; what could be faster is told behind it.
  const std::string headline = report["headline"];
  EXPECT_THAT(headline, ::testing::StartsWith("The program ended with an exception: "));
  EXPECT_THAT(headline, Not(HasSubstr("to gain")));
  const std::string exception = headline.substr(0, headline.find('.', headline.find(": ")));
  for (const char* format : {"text", "markdown", "html"}) {
    const std::string text = written(format);
    EXPECT_THAT(text, Not(HasSubstr("0 errors")));
    const auto failure = text.find("How the program ended");
    const auto speed = text.find("rnnadvisor accelerate");
    ASSERT_NE(failure, std::string::npos);
    EXPECT_TRUE(speed == std::string::npos || failure < speed);
    EXPECT_THAT(text, Not(HasSubstr("What to do first")));
  }

  const std::string junit = written("junit");
  EXPECT_THAT(junit, HasSubstr("<error type=\"program-exception\" message=\"The program ended"));
  const auto suites = junit.substr(junit.find("<testsuites"),
                                   junit.find("<testsuite ") - junit.find("<testsuites"));
  EXPECT_THAT(suites, Not(HasSubstr(" errors=\"0\"")));

  const Json sarif = Json::parse(written("sarif"));
  EXPECT_EQ(sarif_violations(sarif), "");
  const Json& run = sarif["runs"][0];
  ASSERT_EQ(run["results"].size(), report["findings"].size() + 1);
  const Json& result = run["results"][0];
  EXPECT_EQ(result["level"], "error");
  EXPECT_THAT(result["message"]["text"], HasSubstr(exception));
  EXPECT_EQ(result["properties"]["exceptions"][0], report["program_end"]["exceptions"][0]["text"]);
  const auto index = result["ruleIndex"].get<std::size_t>();
  EXPECT_EQ(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);

  for (const auto& row : test::csv_rows(written("csv")))
    EXPECT_THAT(headline, HasSubstr(row.at("program_end")));
}

TEST(FailedPrograms, AreAnErrorInEveryFormatAndForTheExitStatus) {
  int failed = 0, others = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(RNNADVISOR_FAILED_PROGRAMS)) {
    if (file.path().extension() != ".rnnprof") continue;
    const std::string profile = file.path();
    SCOPED_TRACE(profile);
    const Json report = Json::parse(call({"report", profile, "--format", "json"}).out);
    const bool ended = !report["program_end"].is_null();
    ++(ended ? failed : others);
    const bool fails = report["counts"]["errors"] > 0;
    EXPECT_TRUE(fails || !ended);
    for (const char* command : {"report", "advise"}) {
      EXPECT_EQ(call({command, profile, "--fail-on", "error"}).status, fails ? 1 : 0);
      EXPECT_EQ(call({command, profile, "--fail-on", "never"}).status, 0);
    }
    if (!ended || (test::sanitized() && failed > 3)) continue;
    expect_an_error(profile, report);
  }
  EXPECT_GT(failed, 15);
  EXPECT_GT(others, 0);
}

}  // namespace
}  // namespace rnnadvisor::cli
