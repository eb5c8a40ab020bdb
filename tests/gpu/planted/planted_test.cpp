// The scoring, on a GPU that is made up and whose best changes are known.
#include "tests/gpu/planted/planted.h"

#include <gmock/gmock.h>

#include <map>

#include "core/device/device_spec.h"
#include "core/model/eligibility.h"
#include "core/model/time_for_device.h"
#include "profiler/profile/file.h"
#include "tests/advisor/whatif/stand_in.h"
#include "tests/effort.h"

namespace rnnadvisor::planted {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Environment environment() {
  Environment made;
  made.cudnn_version = "9.19.0";
  return made;
}

std::vector<ConfigInput> suite(const std::string& name = "suite.toml") {
  const auto read = read_config_file(RNNADVISOR_SOURCE_DIR "/tests/gpu/planted/" + name);
  EXPECT_TRUE(read);
  return read ? *read : std::vector<ConfigInput>{};
}

ConfigInput of(std::string_view id) {
  for (const auto& input : suite())
    if (input.config.id == id) return input;
  ADD_FAILURE() << id;
  return {};
}

TEST(PlantedSuite, IsLargeEnoughAndEveryCaseCanBeSearched) {
  const auto all = suite();
  EXPECT_GE(all.size(), 60U);
  for (std::size_t index = 0; const auto& input : all) {
    if (test::left_to_all_draws(index++, 4)) continue;
    const auto candidates = brute_force(input, *find_device("h200"), environment());
    EXPECT_GE(candidates.size(), 3U) << input.config.id;
    EXPECT_LE(candidates.size(), 400U) << input.config.id;
  }
}

// What was drawn runs on an H200, so that there is something to measure.
TEST(HeldOutSuite, EveryCaseRunsAndCanBeSearched) {
  const auto all = suite("held-out.toml");
  EXPECT_GE(all.size(), 40U);
  int runs = 0;
  for (std::size_t index = 0; const auto& input : all) {
    const auto accepted = model::eligibility(input.config, *find_device("h200")).accepted;
    runs += std::all_of(accepted.begin(), accepted.end(), [](bool each) { return each; }) ? 1 : 0;
    if (test::left_to_all_draws(index++, 4)) continue;
    const auto candidates = brute_force(input, *find_device("h200"), environment());
    EXPECT_GE(candidates.size(), 3U) << input.config.id;
  }
  EXPECT_GE(runs, 40);
}

CaseScore score_of(const ConfigInput& input, const std::function<double(const RnnConfig&)>& ms) {
  advisor::stand_in::StandIn gpu;
  gpu.cost = [&](const ExperimentVariant& variant, ExperimentScope) {
    double sum = 0;
    for (const auto& call : variant.calls) sum += ms(call);
    return sum;
  };
  const std::vector inputs = {input};
  const auto measured =
      measure(inputs, *find_device("h200"), environment(), gpu.experimenter(), {}, {});
  EXPECT_FALSE(measured.error);
  const auto made = score(measured.profile);
  EXPECT_THAT(made.cases, SizeIs(1));
  // Judged again by the same rules, it is the same.
  const auto again = score(measured.profile, true);
  EXPECT_EQ(again.right, made.right);
  EXPECT_EQ(again.wrong, made.wrong);
  EXPECT_EQ(again.missed, made.missed);
  return made.cases.empty() ? CaseScore{} : made.cases.front();
}

TEST(PlantedScores, RightWhereTheFirstSuggestionIsTheBest) {
  const auto made = score_of(of("batch-33"),
                             [](const RnnConfig& c) { return c.batch_size % 8 == 0 ? 1.0 : 3.0; });
  EXPECT_EQ(made.rule, "algorithm/use-persist-static-padded");
  EXPECT_EQ(made.answer, Answer::right);
  EXPECT_TRUE(made.faulty);
  EXPECT_DOUBLE_EQ(made.suggested, 3.0);
  EXPECT_DOUBLE_EQ(made.best_speedup, 3.0);
}

TEST(PlantedScores, WrongWhereAnotherIsMuchBetterOrItDoesNotHelp) {
  const auto better = score_of(of("batch-33"), [](const RnnConfig& c) {
    return c.math_type == MathType::default_math ? 1.0 : c.batch_size % 8 == 0 ? 2.0 : 3.0;
  });
  EXPECT_EQ(better.answer, Answer::wrong);
  EXPECT_TRUE(better.helps);
  EXPECT_THAT(better.best, HasSubstr("math_type default"));
  const auto useless = score_of(of("batch-33"), [](const RnnConfig&) { return 1.0; });
  EXPECT_EQ(useless.answer, Answer::wrong);
  EXPECT_FALSE(useless.helps);
  EXPECT_FALSE(useless.faulty);
}

TEST(PlantedScores, WhatWasInterruptedIsNotScored) {
  Profile profile;
  profile.configurations.resize(1);
  profile.configurations[0].outcome = Outcome::interrupted;
  EXPECT_TRUE(score(profile).cases.empty());
}

TEST(PlantedScores, MissedWithoutASuggestion) {
  const auto input = of("good-persistent-1024");
  EXPECT_EQ(score_of(input, [](const RnnConfig& c) { return c.algo == Algo::standard ? 1.0 : 2.0; })
                .answer,
            Answer::missed);
  EXPECT_EQ(
      score_of(input, [](const RnnConfig& c) { return c.algo == Algo::standard ? 1.0 : 1.05; })
          .answer,
      Answer::silent);
}

struct Sum {
  int right = 0, wrong = 0, missed = 0, faulty = 0, helps = 0, cases = 0;
};

// What an H200 measured, judged by today's rules. What a later file measured again, because
// something else is suggested now, stands in the place of what was measured before.
Sum judged_today(const std::vector<std::string>& names) {
  std::map<std::string, CaseScore> cases;
  for (const std::string& name : names) {
    const auto profile =
        read_profile(RNNADVISOR_SOURCE_DIR "/tests/gpu/results/h200/" + name + ".rnnprof");
    if (!profile) {
      ADD_FAILURE() << to_text(profile.error());
      continue;
    }
    for (auto& one : score(*profile, true, model::predict_time_for).cases)
      cases[one.id] = std::move(one);
  }
  Sum sum;
  for (const auto& [id, one] : cases) {
    ++sum.cases;
    sum.right += one.answer == Answer::right ? 1 : 0;
    sum.wrong += one.answer == Answer::wrong ? 1 : 0;
    sum.missed += one.answer == Answer::missed ? 1 : 0;
    sum.faulty += one.faulty ? 1 : 0;
    sum.helps += one.helps ? 1 : 0;
  }
  return sum;
}

// The first file was seen when the rules were changed, the second after it had been scored once;
// nothing was changed for the third; the fourth has one of the third again (docs/validation.md).
TEST(PlantedScores, TodaysRulesOnWhatAnH200Measured) {
  const Sum sum =
      judged_today({"planted-first", "planted-second", "planted-third", "planted-fourth"});
  EXPECT_EQ(sum.cases, 64);
  EXPECT_GE(sum.right, 49);
  EXPECT_GE(sum.right, 0.94 * (sum.right + sum.wrong)) << sum.wrong << " wrong";
  EXPECT_GE(sum.right, 0.94 * sum.faulty) << sum.missed << " missed";
}

// Layers as people have them: what the document says must not become less.
TEST(PlantedScores, TodaysRulesOnDrawnConfigurations) {
  const Sum sum =
      judged_today({"held-out-first", "held-out-second", "held-out-third", "held-out-fourth"});
  EXPECT_EQ(sum.cases, 48);
  EXPECT_GE(sum.right, 22);
  EXPECT_LE(sum.wrong, 5);
  EXPECT_GE(sum.helps, sum.right + sum.wrong);
  const Sum again = judged_today({"held-out-again-first", "held-out-again-second"});
  EXPECT_EQ(again.cases, 22);
  EXPECT_GE(again.right, 12);
  EXPECT_LE(again.wrong, 4);
  EXPECT_GE(again.helps, again.right + again.wrong);
  const Sum third = judged_today(
      {"held-out-third-set-first", "held-out-third-set-second", "held-out-third-set-third"});
  EXPECT_EQ(third.cases, 51);
  EXPECT_GE(third.right, 30);
  EXPECT_LE(third.wrong, 9);
  EXPECT_LE(third.missed, 3);
  EXPECT_GE(third.right, 0.73 * third.faulty);
  EXPECT_GE(third.helps, third.right + third.wrong - 1);
  const Sum fourth = judged_today({"held-out-fourth-set"});
  EXPECT_EQ(fourth.cases, 59);
  EXPECT_GE(fourth.right, 40);
  EXPECT_LE(fourth.wrong, 5);
  EXPECT_LE(fourth.missed, 4);
  EXPECT_GE(fourth.helps, fourth.right + fourth.wrong - 1);
}

TEST(PlantedScores, PrecisionAndRecallAreShares) {
  Score made;
  made.right = 3;
  made.wrong = 1;
  for (int i = 0; i < 5; ++i) {
    CaseScore one;
    one.faulty = true;
    one.answer = i < 3 ? Answer::right : i == 3 ? Answer::wrong : Answer::missed;
    made.cases.push_back(one);
  }
  EXPECT_DOUBLE_EQ(made.precision(), 0.75);
  EXPECT_DOUBLE_EQ(made.recall(), 0.6);
}

}  // namespace
}  // namespace rnnadvisor::planted
