// What cuDNN is expected to refuse is an error in every format and exit status 1.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/cli/batch.h"
#include "advisor/cli/configurations.h"
#include "advisor/facts/framework_call.h"
#include "advisor/report/report.h"
#include "advisor/report/words.h"
#include "tests/advisor/properties/drawn_configurations.h"
#include "tests/effort.h"

namespace rnnadvisor {
namespace {

using advisor::Severity;
using nlohmann::json;

// A twentieth as many as the properties that write no reports.
std::vector<test::Drawn> refused_draws() {
  const auto count = static_cast<std::size_t>(test::draws() / 20);
  std::vector<test::Drawn> refused;
  for (std::uint64_t first = 5000000; refused.size() < count; first += 100) {
    for (auto& drawn : test::draw_configurations(first, 100)) {
      const auto call =
          advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device);
      if (call.happens() && model::refusal(call.config, *drawn.device))
        refused.push_back(std::move(drawn));
    }
  }
  refused.resize(count);
  return refused;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(RefusalInEveryFormat, IsAnErrorThatSaysWhy) {
  for (const auto& drawn : refused_draws()) {
    SCOPED_TRACE(to_json_line(drawn.input) + " on " + drawn.device->id);
    const Profile profile = cli::static_profile({drawn.input}, *drawn.device, "test");
    const auto judgement = advisor::judge(profile, advisor::builtin_rules());
    EXPECT_EQ(cli::exit_status(judgement.findings, cli::FailOn{Severity::error}), 1);
    const auto report = advisor::make_report(profile, judgement, advisor::builtin_rules());
    const auto error =
        std::find_if(judgement.findings.begin(), judgement.findings.end(),
                     [](const auto& finding) { return finding.severity == Severity::error; });
    ASSERT_NE(error, judgement.findings.end());
    advisor::TextOptions wide;
    wide.width = 400;
    EXPECT_TRUE(contains(advisor::write_text(report, wide), error->rule_id));
    EXPECT_FALSE(contains(advisor::write_text(report, wide), "nothing to do"));
    EXPECT_TRUE(contains(advisor::write_markdown(report), "❌"));
    EXPECT_TRUE(contains(advisor::write_markdown(report), error->rule_id));
    EXPECT_TRUE(contains(advisor::write_html(report), "class=\"hero error\""));
    const auto as_json = json::parse(advisor::write_json(report));
    EXPECT_GE(as_json.at("counts").at("errors"), 1);
    EXPECT_EQ(as_json.at("configurations").at(0).at("standing"), "error");
    const auto sarif = json::parse(advisor::write_sarif(report));
    bool level = false;
    for (const auto& result : sarif.at("runs").at(0).at("results"))
      level = level || (result.at("ruleId") == error->rule_id && result.at("level") == "error");
    EXPECT_TRUE(level);
    const std::string junit = advisor::write_junit(report);
    EXPECT_TRUE(contains(junit, "<failure type=\"error\""));
    EXPECT_TRUE(contains(advisor::write_csv(report), ",error,not_run,"));
  }
}

TEST(RefusalInEveryFormat, IsExitStatusOneOfABatch) {
  for (const auto& drawn : refused_draws()) {
    cli::BatchOptions options;
    options.device = drawn.device;
    options.rules = &advisor::builtin_rules();
    options.fail_on = cli::FailOn{Severity::error};
    std::istringstream in(to_json_line(drawn.input) + "\n");
    std::ostringstream out;
    const cli::AnswerSink write = [&](std::string_view answers, bool) {
      out << answers;
      return true;
    };
    EXPECT_EQ(cli::answer_batch(in, "lines", write, options), 1) << to_json_line(drawn.input);
    const auto answer = json::parse(out.str());
    bool error = false;
    for (const auto& finding : answer.at("findings"))
      error = error || finding.at("severity") == "error";
    EXPECT_TRUE(error) << out.str();
  }
}

}  // namespace
}  // namespace rnnadvisor
