// Whatever is drawn: the explorer says what check says of the same input, and shows no numbers of a
// call that is not made.
#include <gtest/gtest.h>

#include <filesystem>

#include "advisor/cli/configurations.h"
#include "advisor/facts/framework_call.h"
#include "advisor/judge/judge.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/report.h"
#include "core/model/time_for_device.h"
#include "core/model/time_model.h"
#include "gui/models/exploration_pages.h"
#include "profiler/profile/file.h"
#include "tests/advisor/properties/drawn_configurations.h"
#include "tests/effort.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

using Told = std::vector<std::pair<std::string, std::string>>;

Told told_by(const advisor::Judgement& judgement) {
  Told told;
  for (const auto& finding : judgement.findings)
    told.emplace_back(finding.rule_id, finding.message);
  return told;
}

TEST(Explored, AsChecked) {
  const auto rules = test_rules();
  int without_call = 0, refused = 0, predicted = 0;
  const int draws = test::draws();
  for (const auto& drawn :
       test::draw_configurations(9'000'000, static_cast<std::uint64_t>(draws))) {
    SCOPED_TRACE("draw " + std::to_string(drawn.number) + " on " + drawn.device->id + ": " +
                 to_json_line(drawn.input));
    const auto predict = model::predict_time_for(*drawn.device);
    const auto explored = explore(drawn.input, *drawn.device, rules, predict);
    const Profile profile = cli::static_profile({drawn.input}, *drawn.device, "test");
    advisor::JudgeOptions options;
    options.predict_for = [&](const DeviceSpec&) { return predict; };
    const auto judgement = advisor::judge(profile, *rules, options);
    const auto report = advisor::make_report(profile, judgement, *rules);
    const auto& check = report.configurations.front();
    const auto& window = explored.report();
    EXPECT_EQ(explored.config(), check.configuration->config);
    EXPECT_EQ(window.verdict, check.verdict);
    EXPECT_EQ(window.standing, check.standing);
    EXPECT_EQ(told_by(explored.document->judgement()), told_by(judgement));
    EXPECT_EQ(explored.memory.total, check.memory.total);
    if (HasFailure()) break;
    refused += check.refusal ? 1 : 0;
    if (check.no_call) {
      ++without_call;
      EXPECT_FALSE(explored.predicted);
      const QString page = exploration_verdict(explored, nullptr, light_theme());
      EXPECT_TRUE(page.contains(QString::fromStdString(check.verdict).toHtmlEscaped()));
      EXPECT_FALSE(page.contains(QStringLiteral("refuses it"))) << page.toStdString();
    }
    // The times of check's table: of what is asked for, where it is not refused.
    const auto model = model::find_time_model(drawn.device->id, *drawn.device);
    if (!model || !*model || check.refusal) continue;
    const auto times = advisor::predict_times(profile, *drawn.device, model->get());
    const auto* of = times.of(0);
    const auto* asked = of != nullptr ? of->asked_for() : nullptr;
    if (asked == nullptr || !asked->total) continue;
    ++predicted;
    ASSERT_TRUE(explored.predicted);
    EXPECT_NEAR(explored.predicted->seconds, asked->total->seconds, 1e-12);
  }
  EXPECT_GT(refused, draws / 10);
  EXPECT_GT(without_call, draws / 40);
  EXPECT_GT(predicted, draws / 200);
}

// The explorer opens what a profile holds. It lists ignored keys only of configurations that a
// person described, as the report on them does, and none of a recording.
TEST(Explored, AsTheProfileItCameFrom) {
  const auto rules = test_rules();
  int recorded = 0, described = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RNNADVISOR_SOURCE_DIR "/samples/recorded")) {
    if (entry.path().extension() != ".rnnprof") continue;
    const auto profile = read_profile(entry.path().string());
    ASSERT_TRUE(profile) << entry.path();
    for (const auto& each : profile->configurations) {
      if (!each.from_program() || !each.described() || each.device < 0) continue;
      ++recorded;
      const auto explored = explore(advisor::input_of(each),
                                    profile->devices[static_cast<std::size_t>(each.device)], rules);
      for (const auto& finding : explored.document->judgement().findings)
        EXPECT_NE(finding.rule_id, "descriptor/ignored-keys")
            << entry.path() << ": " << finding.message;
    }
  }
  EXPECT_GT(recorded, 5);
  const int draws = test::draws() / 4;
  for (const auto& drawn :
       test::draw_configurations(9'500'000, static_cast<std::uint64_t>(draws))) {
    const Profile profile = cli::static_profile({drawn.input}, *drawn.device, "test");
    const auto& own = profile.configurations.front();
    const auto explored = explore(advisor::input_of(own), *drawn.device, rules);
    const auto judgement = advisor::judge(profile, *rules, {});
    EXPECT_EQ(told_by(explored.document->judgement()), told_by(judgement))
        << to_json_line(drawn.input);
    described += own.written ? 1 : 0;
    if (HasFailure()) break;
  }
  EXPECT_GT(described, draws / 100);
}

}  // namespace
}  // namespace rnnadvisor::gui
