// Findings and the experiments of their profile.
#include "advisor/rules/trials.h"

#include <gmock/gmock.h>

#include "advisor/facts/experiments.h"
#include "advisor/whatif/transform.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::HasSubstr;

constexpr const char* split = R"([{"kind":"split_layers","parameters":{}}])";
constexpr const char* pad = R"([{"kind":"pad_batch","parameters":{"multiple":8}}])";

Profile profile_with(std::vector<Experiment> experiments) {
  Profile profile;
  profile.devices = {*find_device("h200"), *find_device("a100")};
  Configuration configuration;
  configuration.config.num_layers = 4;
  configuration.origin = Origin::run;
  profile.configurations = {configuration};
  profile.experiments = std::move(experiments);
  return profile;
}

Experiment experiment(const char* transforms, ExperimentVerdict verdict, double speedup) {
  Experiment made;
  made.configuration = 0;
  made.device = 0;
  made.where = "cudnn";
  made.meaning = "exact";
  made.transforms = transforms;
  made.verdict = verdict;
  if (speedup > 0) {
    ExperimentTiming timing;
    timing.scope = ExperimentScope::training_step;
    timing.speedup = speedup;
    timing.speedup_low = speedup * 0.9;
    timing.speedup_high = speedup * 1.1;
    timing.control_low = 0.99;
    timing.control_high = 1.01;
    made.timings = {timing};
  }
  return made;
}

Finding finding(Severity severity = Severity::warning) {
  Finding made;
  made.rule_id = "some/rule";
  made.configuration = 0;
  made.severity = severity;
  made.gain = Gain{2.5, 0, 0, 0, GainBasis::modelled, "training step", "model"};
  Suggestion suggestion;
  suggestion.transform = *parse_transform("split_layers", "{}");
  made.suggestions = {suggestion};
  suggestion.transform = *parse_transform("pad_batch", R"({"multiple":8})");
  made.suggestions.push_back(suggestion);
  return made;
}

Rule rule(std::string consequence = "slower") {
  Rule made;
  made.id = "some/rule";
  made.consequence = std::move(consequence);
  return made;
}

Finding after(Finding made, const Rule& card, const Profile& profile) {
  const ProfileIndex index(profile);
  apply_trials(made, card, index);
  return made;
}

TEST(Trials, AConfirmedGainIsMeasuredHere) {
  const auto made = after(finding(), rule(),
                          profile_with({experiment(split, ExperimentVerdict::confirmed, 1.4)}));
  ASSERT_TRUE(made.trial);
  EXPECT_EQ(made.trial->verdict, ExperimentVerdict::confirmed);
  EXPECT_EQ(made.trial->experiment, 0);
  ASSERT_TRUE(made.gain);
  EXPECT_EQ(made.gain->basis, GainBasis::measured_here);
  EXPECT_DOUBLE_EQ(made.gain->speedup, 1.4);
  EXPECT_DOUBLE_EQ(made.gain->low, 1.4 * 0.9);
  EXPECT_EQ(made.gain->scope, "training step");
  EXPECT_EQ(made.severity, Severity::warning);
  EXPECT_TRUE(made.suggestions[0].trial);
  EXPECT_FALSE(made.suggestions[1].trial);
}

TEST(Trials, ARefutedGainIsNone) {
  const auto profile = profile_with({experiment(split, ExperimentVerdict::refuted, 0.5)});
  const auto made = after(finding(), rule(), profile);
  EXPECT_FALSE(made.gain);
  EXPECT_EQ(made.severity, Severity::info);
  EXPECT_EQ(made.trial->verdict, ExperimentVerdict::refuted);
  EXPECT_TRUE(refuted(made));
  EXPECT_TRUE(withdrawn(made, made.suggestions[0]));
  EXPECT_FALSE(withdrawn(made, made.suggestions[1])) << "nobody tried that";
  // What does not work at all is not refuted by a time.
  EXPECT_EQ(after(finding(Severity::error), rule("error"), profile).severity, Severity::error);
  EXPECT_FALSE(refuted(after(finding(Severity::error), rule("error"), profile)));
}

TEST(Trials, AnotherModelsSpeedupIsNotThatOfAChangeThatKeepsIt) {
  auto model = experiment(pad, ExperimentVerdict::confirmed, 9);
  model.meaning = "model";
  const auto both =
      after(finding(), rule(),
            profile_with({experiment(split, ExperimentVerdict::confirmed, 1.4), model}));
  EXPECT_DOUBLE_EQ(both.gain->speedup, 1.4);
  EXPECT_FALSE(both.gain->another_model);
  const auto alone = after(finding(), rule(), profile_with({model}));
  EXPECT_DOUBLE_EQ(alone.gain->speedup, 9);
  EXPECT_TRUE(alone.gain->another_model);
}

TEST(Trials, ARefutedRuleWithdrawsWhatNothingHereConfirms) {
  auto record = finding(Severity::info);
  record.refuted_by = ValidityRecord{"nvidia-h200", "9.19.0", "", "", "", 1, 20};
  EXPECT_TRUE(refuted(record));
  EXPECT_TRUE(withdrawn(record, record.suggestions[1]));
  const auto helps =
      after(record, rule(), profile_with({experiment(split, ExperimentVerdict::confirmed, 1.4)}));
  EXPECT_FALSE(refuted(helps));
  EXPECT_FALSE(withdrawn(helps, helps.suggestions[0]));
  EXPECT_TRUE(withdrawn(helps, helps.suggestions[1]));
}

TEST(Trials, AnInconclusiveOneKeepsItsSeverityAndClaimsNothing) {
  const auto made = after(finding(), rule(),
                          profile_with({experiment(split, ExperimentVerdict::inconclusive, 1.01)}));
  EXPECT_FALSE(made.gain);
  EXPECT_EQ(made.severity, Severity::warning);
}

TEST(Trials, TheBestOfItsSuggestionsCounts) {
  const auto made = after(finding(), rule(),
                          profile_with({experiment(pad, ExperimentVerdict::refuted, 0.8),
                                        experiment(split, ExperimentVerdict::confirmed, 1.4)}));
  EXPECT_EQ(made.trial->verdict, ExperimentVerdict::confirmed);
  EXPECT_EQ(made.suggestions[1].trial->verdict, ExperimentVerdict::refuted);
  EXPECT_EQ(made.severity, Severity::warning);
}

TEST(Trials, TheNewestAndTheFrameworksOwnCount) {
  auto torch = experiment(split, ExperimentVerdict::refuted, 0.9);
  torch.where = "pytorch";
  const auto made =
      after(finding(), rule(),
            profile_with({experiment(split, ExperimentVerdict::inconclusive, 1.0), torch,
                          experiment(split, ExperimentVerdict::confirmed, 1.4)}));
  EXPECT_EQ(made.suggestions[0].trial->experiment, 1) << "inside PyTorch before bare calls";
  const auto newest = after(finding(), rule(),
                            profile_with({experiment(split, ExperimentVerdict::refuted, 0.5),
                                          experiment(split, ExperimentVerdict::confirmed, 1.4)}));
  EXPECT_EQ(newest.suggestions[0].trial->experiment, 1);
}

TEST(Trials, ATrialOfTheRuleItselfCountsWithOtherChanges) {
  auto both = experiment(
      R"([{"kind":"pad_batch","parameters":{"multiple":8}},{"kind":"split_layers","parameters":{}}])",
      ExperimentVerdict::confirmed, 1.7);
  both.rule = "some/rule";
  const auto made = after(finding(), rule(), profile_with({both}));
  ASSERT_TRUE(made.trial);
  EXPECT_FALSE(made.suggestions[0].trial);
  EXPECT_DOUBLE_EQ(made.gain->speedup, 1.7);
}

TEST(Trials, OneChangeIsToldOnce) {
  // A search found what the rule suggests: earlier, or because the rule was not asked for then.
  const auto profile = profile_with({experiment(split, ExperimentVerdict::confirmed, 1.4)});
  const ProfileIndex index(profile);
  Finding found;
  found.rule_id = "experiments/faster-exact";
  found.configuration = 0;
  std::vector<Finding> findings = {found, after(finding(), rule(), profile)};
  EXPECT_THAT(leave_to_rules(findings, index), ::testing::ElementsAre("experiments/faster-exact"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule_id, "some/rule");
  // Another change than the one that is suggested is told.
  const auto other = profile_with(
      {experiment(R"([{"kind":"cuda_graph","parameters":{}}])", ExperimentVerdict::confirmed, 1.9),
       experiment(split, ExperimentVerdict::confirmed, 1.4)});
  const ProfileIndex of_other(other);
  findings = {found, after(finding(), rule(), other)};
  EXPECT_TRUE(leave_to_rules(findings, of_other).empty());
  EXPECT_EQ(findings.size(), 2u);
}

TEST(Trials, BareCallsGiveWayToTheFramework) {
  auto torch = experiment(split, ExperimentVerdict::refuted, 0.9);
  torch.where = "pytorch";
  const auto bare = experiment(split, ExperimentVerdict::confirmed, 1.4);
  const auto alone = profile_with({bare});
  EXPECT_EQ(found_by_search(ProfileIndex(alone), 0, "exact"), 0);
  const auto both = profile_with({bare, torch});
  EXPECT_FALSE(found_by_search(ProfileIndex(both), 0, "exact"));
  torch.verdict = ExperimentVerdict::not_run;
  const auto failed = profile_with({bare, torch});
  EXPECT_EQ(found_by_search(ProfileIndex(failed), 0, "exact"), 0);
}

TEST(Trials, MemoryIsNotRefutedByTime) {
  auto memory = finding();
  memory.gain = Gain{1, 0, 0, 1 << 30, GainBasis::modelled, "", ""};
  const auto made = after(memory, rule("memory"),
                          profile_with({experiment(split, ExperimentVerdict::refuted, 0.5)}));
  ASSERT_TRUE(made.gain);
  EXPECT_EQ(made.gain->saved_bytes, 1 << 30);
  EXPECT_EQ(made.severity, Severity::warning);
}

TEST(Trials, AnotherGpuDecidesNothing) {
  auto elsewhere = experiment(split, ExperimentVerdict::refuted, 0.5);
  elsewhere.device = 1;
  const auto made = after(finding(), rule(), profile_with({elsewhere}));
  ASSERT_TRUE(made.trial);
  EXPECT_THAT(made.trial->device, HasSubstr("A100"));
  EXPECT_TRUE(made.gain);
  EXPECT_EQ(made.severity, Severity::warning);
}

TEST(Trials, NotRunAndOfOthersSayNothing) {
  const auto not_run =
      after(finding(), rule(), profile_with({experiment(split, ExperimentVerdict::not_run, 0)}));
  EXPECT_TRUE(not_run.gain);
  EXPECT_EQ(not_run.trial->verdict, ExperimentVerdict::not_run);
  auto other =
      experiment(R"([{"kind":"cuda_graph","parameters":{}}])", ExperimentVerdict::confirmed, 3);
  EXPECT_FALSE(after(finding(), rule(), profile_with({other})).trial);
  other.transforms = "nonsense";
  EXPECT_FALSE(after(finding(), rule(), profile_with({other})).trial);
}

// What an experiment added is neither judged nor compared with.
TEST(Trials, TriedConfigurationsAreNotJudged) {
  auto profile = profile_with({experiment(split, ExperimentVerdict::confirmed, 1.4)});
  profile.configurations.push_back(profile.configurations[0]);
  profile.configurations[1].config.num_layers = 1;
  for (auto& configuration : profile.configurations) {
    configuration.outcome = Outcome::completed;
    PhaseTiming timing;
    timing.ms = {1, 1, 1, 0.95, 7};
    configuration.timings = {timing};
  }
  {
    const ProfileIndex index(profile);
    EXPECT_FALSE(index.tried(1));
    EXPECT_EQ(index.siblings(0).size(), 1u);
  }
  profile.experiments[0].changed = {1, 1, 1, 1};
  const ProfileIndex index(profile);
  EXPECT_TRUE(index.tried(1));
  EXPECT_TRUE(index.siblings(0).empty());
  const auto judgement = judge(profile, builtin_rules());
  for (const auto& verdict : judgement.verdicts) EXPECT_EQ(verdict.configuration, 0);
  EXPECT_FALSE(judgement.verdicts.empty());
}

// A refuted finding comes after everything else that is no error.
TEST(Trials, RefutedFindingsComeLast) {
  auto profile = profile_with({});
  auto& config = profile.configurations[0].config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.algo = Algo::standard;
  config.num_layers = 1;
  config.seq_length = 32;
  config.batch_size = 33;
  config.input_size = config.hidden_size = config.proj_size = 64;
  profile.configurations[0].program.name = Framework::cudnn_api;
  const auto before = judge(profile, builtin_rules());
  ASSERT_GT(before.findings.size(), 1u);
  const auto found =
      std::find_if(before.findings.begin(), before.findings.end(), [](const Finding& each) {
        return each.severity < Severity::error && each.gain && each.gain->speedup > 1 &&
               std::any_of(each.suggestions.begin(), each.suggestions.end(),
                           [](const Suggestion& s) { return s.transform.has_value(); });
      });
  ASSERT_NE(found, before.findings.end());
  for (const auto& suggestion : found->suggestions) {
    if (!suggestion.transform) continue;
    const auto json = R"([{"kind":")" + suggestion.transform->kind + R"(","parameters":)" +
                      suggestion.transform->json + "}]";
    profile.experiments.push_back(experiment(json.c_str(), ExperimentVerdict::refuted, 0.5));
  }
  const auto now = judge(profile, builtin_rules());
  const auto place = std::find_if(now.findings.begin(), now.findings.end(),
                                  [&](const Finding& f) { return f.rule_id == found->rule_id; });
  ASSERT_NE(place, now.findings.end());
  EXPECT_EQ(place->severity, Severity::info);
  for (auto later = place; later != now.findings.end(); ++later)
    EXPECT_TRUE(refuted(*later)) << later->rule_id;
}

}  // namespace
}  // namespace rnnadvisor::advisor
