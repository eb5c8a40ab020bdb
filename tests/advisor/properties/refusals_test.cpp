// What cuDNN is expected to refuse is an error in every format and exit status 1, unless a
// recording shows it running.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "advisor/cli/batch.h"
#include "advisor/cli/configurations.h"
#include "advisor/facts/framework_call.h"
#include "advisor/judge/judge.h"
#include "advisor/report/report.h"
#include "advisor/report/words.h"
#include "profiler/profile/builder.h"
#include "tests/advisor/properties/drawn_configurations.h"
#include "tests/advisor/report/csv_rows.h"
#include "tests/effort.h"

namespace rnnadvisor {
namespace {

using advisor::Severity;
using nlohmann::json;

// What is drawn: test::draws() configurations that do not run, with and without a framework, in
// reports of `together` on one GPU each.
constexpr std::size_t together = 50;

enum class Which { refused, also_without_a_call };

std::vector<std::vector<test::Drawn>> refused_draws(Which which = Which::refused) {
  const auto devices = shipped_devices();
  const auto reports = static_cast<std::size_t>(test::draws()) / together;
  std::vector<std::vector<test::Drawn>> refused;
  std::uint64_t first = 5000000;
  for (std::size_t i = 0; i < reports; ++i) {
    const DeviceSpec& device = devices[i % devices.size()];
    auto& own = refused.emplace_back();
    while (own.size() < together) {
      for (auto& drawn : test::draw_configurations(first++, 1)) {
        const auto call = advisor::framework_call(drawn.input.config, drawn.input.program, &device);
        const bool keep = call.happens() ? model::refusal(call.config, device).has_value()
                                         : which == Which::also_without_a_call;
        if (!keep) continue;
        drawn.device = &device;
        own.push_back(std::move(drawn));
      }
    }
  }
  return refused;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

TEST(RefusalInEveryFormat, IsAnErrorThatSaysWhy) {
  for (const auto& all : refused_draws()) {
    SCOPED_TRACE("draw " + std::to_string(all.front().number) + " and more on " +
                 all.front().device->id);
    std::vector<ConfigInput> inputs;
    for (const auto& drawn : all) inputs.push_back(drawn.input);
    const Profile profile = cli::static_profile(inputs, *all.front().device, "test");
    advisor::JudgeOptions options;
    options.keep_verdicts = false;  // nine tenths of what the writers would write
    const auto judgement = advisor::judge(profile, advisor::builtin_rules(), options);
    EXPECT_EQ(cli::exit_status(judgement.findings, cli::FailOn{Severity::error}), 1);
    const auto report = advisor::make_report(profile, judgement, advisor::builtin_rules());
    std::vector<const advisor::Finding*> errors(all.size(), nullptr);
    for (const auto& finding : judgement.findings)
      if (finding.severity == Severity::error)
        errors[static_cast<std::size_t>(finding.configuration)] = &finding;
    for (const auto* error : errors) ASSERT_NE(error, nullptr);
    for (const auto& finding : judgement.findings) {
      EXPECT_FALSE(finding.gain && finding.gain->saved_bytes == 0)
          << "a gain of what does not run: " << finding.rule_id;
    }
    advisor::TextOptions wide;
    wide.width = 400;
    wide.verbose = true;
    wide.max_configurations = together;
    const std::string text = advisor::write_text(report, wide);
    EXPECT_FALSE(contains(text, "nothing to do"));
    const std::string markdown = advisor::write_markdown(report);
    EXPECT_GE(count_of(markdown, "❌"), all.size());
    EXPECT_TRUE(contains(advisor::write_html(report), "class=\"hero error\""));
    const auto as_json = json::parse(advisor::write_json(report));
    EXPECT_GE(as_json.at("counts").at("errors"), all.size());
    const auto as_sarif = json::parse(advisor::write_sarif(report));
    const auto& results = as_sarif.at("runs").at(0).at("results");
    ASSERT_EQ(results.size(), judgement.findings.size());
    EXPECT_GE(count_of(advisor::write_junit(report), "<failure type=\"error\""), all.size());
    const auto rows = test::csv_rows(advisor::write_csv(report));
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(to_json_line(all[i].input));
      const auto& refusal = report.configurations[i].refusal;
      ASSERT_TRUE(refusal);
      EXPECT_EQ(as_json.at("configurations").at(i).at("standing"), "error");
      EXPECT_TRUE(contains(text, refusal->reason)) << refusal->reason;
      const auto row = std::ranges::find(rows, std::to_string(i),
                                         [](const auto& each) { return each.at("configuration"); });
      ASSERT_NE(row, rows.end());
      EXPECT_EQ(row->at("standing"), "error");
      EXPECT_TRUE(contains(row->at("verdict"), refusal->reason)) << row->at("verdict");
      EXPECT_TRUE(contains(text, errors[i]->rule_id));
      EXPECT_TRUE(contains(markdown, errors[i]->rule_id));
      const auto& result =
          results.at(static_cast<std::size_t>(errors[i] - judgement.findings.data()));
      EXPECT_EQ(result.at("ruleId"), errors[i]->rule_id);
      EXPECT_EQ(result.at("level"), "error");
    }
    if (testing::Test::HasFailure()) break;
  }
}

// The calls that the frameworks make of them, recorded with success. Without `backward` the pass
// never came.
Profile recorded(const std::vector<test::Drawn>& all, bool backward) {
  ProfileBuilder builder;
  const int device = builder.add_device(*all.front().device);
  Process process;
  process.pid = 1;
  const int own = builder.add_process(process);
  std::int64_t time_ns = 0;
  for (const auto& drawn : all) {
    Configuration made;
    made.config =
        advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device).config;
    made.config.id = std::to_string(drawn.number);  // else equal ones were one
    made.program = drawn.input.program;
    made.origin = Origin::captured;
    made.outcome = Outcome::completed;
    made.device = device;
    const bool training = made.config.mode == Mode::training;
    const int configuration = builder.add_configuration(std::move(made));
    for (const Phase phase : advisor::phases_of_scope("training step")) {
      if (phase != Phase::forward_training && !(training && backward)) continue;
      RnnCall call;
      call.configuration = configuration;
      call.phase = training ? phase : Phase::forward_inference;
      call.process = own;
      call.device = device;
      call.source = CallSource::hook;
      call.host_start_ns = time_ns += 1000;
      call.host_end_ns = time_ns += 1000;
      builder.add_call(call);
    }
  }
  return builder.finish();
}

// The model can be wrong about a GPU or a version that was not measured. A recording cannot.
TEST(RecordedRun, IsNeverCalledImpossible) {
  int runs = 0, backward_alone = 0;
  for (const auto& all : refused_draws(Which::also_without_a_call)) {
    for (const bool backward : {true, false}) {
      const Profile profile = recorded(all, backward);
      ASSERT_EQ(profile.configurations.size(), all.size());
      const auto judgement = advisor::judge(profile, advisor::builtin_rules());
      for (const auto& finding : judgement.findings) {
        if (finding.severity != Severity::error) continue;
        const auto* rule = advisor::builtin_rules().find(finding.rule_id);
        if (rule->consequence != "error") continue;
        const auto& own = profile.configurations[static_cast<std::size_t>(finding.configuration)];
        const bool half = !backward && own.config.mode == Mode::training;
        EXPECT_TRUE(half && rule->fails_backward)
            << finding.rule_id << ": " << finding.message << " " << summary(own.config);
        ++backward_alone;
      }
      const auto report = advisor::make_report(profile, judgement, advisor::builtin_rules());
      for (const auto& each : report.configurations) {
        ++runs;
        EXPECT_FALSE(each.refusal || each.stops || each.no_call) << each.verdict;
        EXPECT_FALSE(contains(each.verdict, "expected to refuse")) << each.verdict;
      }
    }
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GE(runs, test::draws());
  EXPECT_GT(backward_alone, 0);
}

TEST(RefusalInEveryFormat, IsExitStatusOneOfABatch) {
  std::vector<test::Drawn> all;
  for (auto& group : refused_draws())
    std::move(group.begin(), group.end(), std::back_inserter(all));
  for (const auto& drawn : all) {
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
