// Findings and the experiments of their profile.
#include "advisor/judge/trials.h"

#include <gmock/gmock.h>

#include "advisor/change/transform.h"
#include "advisor/facts/experiments.h"
#include "advisor/judge/judge.h"
#include "advisor/judge/merge.h"
#include "advisor/report/trials.h"

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

TEST(Trials, AConfirmedChangeGainsWhateverItsCardClaims) {
  Finding silent = finding();
  silent.gain.reset();
  const auto made = after(silent, rule("path"),
                          profile_with({experiment(split, ExperimentVerdict::confirmed, 1.4)}));
  ASSERT_TRUE(made.gain);
  EXPECT_EQ(made.gain->basis, GainBasis::measured_here);
  EXPECT_DOUBLE_EQ(made.gain->speedup, 1.4);
  // That it was slower refutes no card that claims nothing of speed.
  const auto slower = after(silent, rule("path"),
                            profile_with({experiment(split, ExperimentVerdict::refuted, 0.7)}));
  EXPECT_FALSE(refuted(slower));
}

TEST(Trials, ARefutedGainIsNone) {
  const auto profile = profile_with({experiment(split, ExperimentVerdict::refuted, 0.5)});
  const auto made = after(finding(), rule(), profile);
  EXPECT_FALSE(made.gain);
  EXPECT_EQ(made.severity, Severity::info);
  EXPECT_EQ(made.trial->verdict, ExperimentVerdict::refuted);
  EXPECT_TRUE(refuted(made));
  EXPECT_TRUE(withdrawn(made, made.suggestions[0]));
  EXPECT_FALSE(withdrawn(made, made.suggestions[1])) << "that was not tried";
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

TEST(Trials, TheProgramItselfCountsBeforeTheFramework) {
  auto torch = experiment(split, ExperimentVerdict::confirmed, 1.4);
  torch.where = "pytorch";
  auto program = experiment(split, ExperimentVerdict::refuted, 0.9);
  program.where = "program";
  const auto made = after(finding(), rule(), profile_with({program, torch}));
  EXPECT_EQ(made.suggestions[0].trial->experiment, 0);
  EXPECT_TRUE(made.suggestions[0].trial->in_program);
  EXPECT_FALSE(found_by_search(ProfileIndex(profile_with({program, torch})), 0, "exact"));
  // What could not be tried there decides nothing.
  program.verdict = ExperimentVerdict::not_run;
  const auto other = after(finding(), rule(), profile_with({torch, program}));
  EXPECT_EQ(other.suggestions[0].trial->experiment, 0);
}

TEST(Trials, ATrialOfTheRuleItselfCountsWithOtherChanges) {
  auto both = experiment(
      R"([{"kind":"pad_batch","parameters":{"multiple":8}},{"kind":"split_layers","parameters":{}}])",
      ExperimentVerdict::confirmed, 1.7);
  both.rule = "some/rule";
  const auto made = after(finding(), rule(), profile_with({both}));
  ASSERT_TRUE(made.trial);
  EXPECT_FALSE(made.suggestions[0].trial);
  EXPECT_FALSE(made.gain) << "what was gained is of a change that the finding does not suggest";
}

TEST(Trials, AGainIsOfTheChangeThatWasTried) {
  const auto made = after(finding(), rule(),
                          profile_with({experiment(pad, ExperimentVerdict::inconclusive, 1.0),
                                        experiment(split, ExperimentVerdict::confirmed, 1.4)}));
  ASSERT_TRUE(made.gain);
  ASSERT_EQ(made.gain->changes.size(), 1U);
  EXPECT_EQ(made.gain->changes.front().kind, "split_layers");
}

TEST(Trials, WhatASearchFoundMustBeatWhatAltersLess) {
  auto graph =
      experiment(R"([{"kind":"cuda_graph","parameters":{}}])", ExperimentVerdict::confirmed, 2.63);
  auto both = experiment(
      R"([{"kind":"cuda_graph","parameters":{}},{"kind":"pad_input","parameters":{"multiple":8}}])",
      ExperimentVerdict::confirmed, 2.41);
  both.meaning = "padded";
  const auto slower = profile_with({graph, both});
  EXPECT_EQ(found_by_search(ProfileIndex(slower), 0, "exact"), 0);
  EXPECT_FALSE(found_by_search(ProfileIndex(slower), 0, "padded"));
  both.timings.front().speedup = 2.8;
  const auto faster = profile_with({graph, both});
  EXPECT_EQ(found_by_search(ProfileIndex(faster), 0, "padded"), 1);
}

TEST(Trials, OneChangeIsShownOnce) {
  // A search found what the rule suggests: earlier, or because the rule was not asked for then.
  const auto profile = profile_with({experiment(split, ExperimentVerdict::confirmed, 1.4)});
  const ProfileIndex index(profile);
  Finding found;
  found.rule_id = "experiments/faster-exact";
  found.configuration = 0;
  std::vector<Finding> findings = {found, after(finding(), rule(), profile)};
  EXPECT_THAT(leave_to_rules(findings, index),
              ::testing::ElementsAre(LeftOut{"experiments/faster-exact", 0, "some/rule"}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule_id, "some/rule");
  // The trial of a change other than the suggested one is shown.
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

TEST(Trials, SpeedDoesNotRefuteWhatMendsResults) {
  const auto judged = [](std::vector<TensorShift> shifts, Severity severity,
                         std::string consequence) {
    auto tried = experiment(split, ExperimentVerdict::refuted, 0.28);
    tried.shifts = std::move(shifts);
    auto about = finding(severity);
    about.gain.reset();
    Rule rule;
    rule.id = "some/rule";
    rule.consequence = std::move(consequence);
    const auto profile = profile_with({tried});
    apply_trials(about, rule, ProfileIndex(profile));
    return about;
  };
  TensorShift right;
  right.tensor = "dx";
  right.from_before = 0.09;  // from wrong gradients
  right.before_error = 0.09;
  right.after_error = 1e-4;
  auto found = judged({right}, Severity::error, "numerics");
  ASSERT_TRUE(found.trial);
  EXPECT_EQ(found.trial->verdict, ExperimentVerdict::confirmed);
  EXPECT_TRUE(found.trial->of_results);
  EXPECT_EQ(found.severity, Severity::error);
  EXPECT_FALSE(found.gain);  // 0.28 is none
  EXPECT_EQ(words::trial(*found.trial),
            "confirmed, it runs and its results are right; 0.28× as fast (0.25 to 0.31), training "
            "step of the layer; the original against itself 0.99 to 1.01");
  // Wrong results are wrong, and what was not compared is not known.
  TensorShift wrong = right;
  wrong.after_error = 0.2;
  EXPECT_EQ(judged({wrong}, Severity::error, "numerics").trial->verdict,
            ExperimentVerdict::refuted);
  EXPECT_EQ(judged({}, Severity::error, "numerics").trial->verdict,
            ExperimentVerdict::inconclusive);
  // A finding of speed stays one.
  EXPECT_EQ(judged({right}, Severity::warning, "slower").trial->verdict,
            ExperimentVerdict::refuted);
}

TEST(Trials, AnotherBatchIsTimedPerSequence) {
  const auto profile = profile_with({experiment(
      R"([{"kind":"set_batch","parameters":{"value":64}}])", ExperimentVerdict::confirmed, 1.6)});
  auto about = finding();
  about.suggestions[0].transform = *parse_transform("set_batch", R"({"value":64})");
  Rule rule;
  rule.id = "some/rule";
  rule.consequence = "slower";
  apply_trials(about, rule, ProfileIndex(profile));
  ASSERT_TRUE(about.gain);
  EXPECT_EQ(about.gain->scope, "training step, per sequence");
}

TEST(Merge, OneChangeIsProposedOnce) {
  const auto profile = profile_with({});
  const ProfileIndex index(profile);
  const auto proposing = [](std::string rule, Severity severity,
                            std::vector<std::pair<const char*, const char*>> changes) {
    Finding made;
    made.rule_id = std::move(rule);
    made.configuration = 0;
    made.severity = severity;
    for (const auto& [kind, json] : changes) {
      Suggestion suggestion;
      suggestion.text = kind;
      suggestion.transform = *parse_transform(kind, json);
      made.suggestions.push_back(suggestion);
    }
    return made;
  };
  std::vector<Finding> findings = {
      proposing(
          "a/first", Severity::warning,
          {{"split_layers", "{}"}, {"cuda_graph", "{}"}, {"pad_hidden", R"({"multiple":64})"}}),
      proposing("b/error", Severity::error, {{"cuda_graph", "{}"}}),
      proposing("b/warning", Severity::warning, {{"cuda_graph", "{}"}}),
      proposing("c/remark", Severity::info, {{"split_layers", "{}"}}),
      proposing("d/new", Severity::opportunity,
                {{"split_layers", "{}"}, {"math_type", R"({"value":"fma"})"}})};
  auto other = proposing("c/remark", Severity::info, {{"split_layers", "{}"}});
  other.configuration = -1;  // about nothing: stays
  findings.push_back(other);
  const auto left = merge_suggestions(findings, index);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0], (LeftOut{"b/warning", 0, "a/first"}));
  EXPECT_EQ(left[1], (LeftOut{"c/remark", 0, "a/first"}));
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[0].suggestions.size(), 3U);
  EXPECT_FALSE(findings[1].suggestions[0].transform);
  EXPECT_EQ(findings[1].suggestions[0].text,
            "The same change as `a/first` proposes: a CUDA graph.");
  EXPECT_FALSE(findings[2].suggestions[0].transform);
  EXPECT_TRUE(findings[2].suggestions[1].transform);
  // A less severe finding does not replace a warning; advice in words counts as a proposal, too.
  findings = {proposing("a/first", Severity::opportunity, {{"cuda_graph", "{}"}}),
              proposing("b/warning", Severity::warning, {{"cuda_graph", "{}"}}),
              proposing("c/words", Severity::opportunity, {{"cuda_graph", "{}"}}),
              proposing("d/other-words", Severity::opportunity, {{"cuda_graph", "{}"}})};
  for (const std::size_t i : {0U, 2U})
    findings[i].suggestions.push_back({"Raise the batch.", std::nullopt, {}, "", ""});
  findings[3].suggestions.push_back({"Something else.", std::nullopt, {}, "", ""});
  EXPECT_EQ(merge_suggestions(findings, index), (std::vector{LeftOut{"c/words", 0, "a/first"}}));
}

TEST(Merge, SizesThatComeToTheSameAreTheSameChange) {
  auto profile = profile_with({});
  profile.configurations[0].config.batch_size = 60;
  const ProfileIndex index(profile);
  std::vector<Finding> findings(2, finding(Severity::opportunity));
  findings[1].rule_id = "other/rule";
  findings[0].suggestions = {
      {"8", parse_transform("pad_batch", R"({"multiple":8})").value(), {}, "", ""}};
  findings[1].suggestions = {
      {"64", parse_transform("pad_batch", R"({"multiple":64})").value(), {}, "", ""}};
  EXPECT_EQ(merge_suggestions(findings, index).size(), 1U);  // 64 rows both
  profile.configurations[0].config.batch_size = 70;          // 72 and 128
  std::vector<Finding> others(2, finding(Severity::opportunity));
  others[0].suggestions = {
      {"8", parse_transform("pad_batch", R"({"multiple":8})").value(), {}, "", ""}};
  others[1].suggestions = {
      {"64", parse_transform("pad_batch", R"({"multiple":64})").value(), {}, "", ""}};
  EXPECT_TRUE(merge_suggestions(others, index).empty());
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

// Tried in the program itself: calls `calls` times as fast, whole steps `steps` times.
Experiment in_program(const char* transforms, ExperimentVerdict verdict, double calls,
                      double steps) {
  auto made = experiment(transforms, verdict, calls);
  made.where = "program";
  auto timing = experiment(transforms, verdict, steps).timings.front();
  timing.scope = ExperimentScope::program_step;
  made.timings.push_back(timing);
  return made;
}

TEST(Trials, AWholeStepOfTheProgramDecides) {
  const auto made = after(finding(), rule(),
                          profile_with({in_program(split, ExperimentVerdict::confirmed, 4, 1.6)}));
  ASSERT_TRUE(made.gain);
  EXPECT_EQ(made.gain->basis, GainBasis::measured_here);
  EXPECT_EQ(made.gain->scope, "program step");
  EXPECT_DOUBLE_EQ(made.gain->speedup, 1.6);
  EXPECT_DOUBLE_EQ(made.gain->high, 1.6 * 1.1);
  EXPECT_THAT(words::trial(*made.trial), HasSubstr("whole step of the program"));
}

// Two findings, each with one of the changes.
std::vector<Finding> tried_both(const Experiment& a, const Experiment& b, Effort of_b) {
  const auto profile = profile_with({a, b});
  Finding first = finding(), second = finding();
  first.suggestions.resize(1);
  first.suggestions.front().effort = Effort::module;
  second.suggestions.erase(second.suggestions.begin());
  second.suggestions.front().effort = of_b;
  std::vector<Finding> both = {after(first, rule(), profile), after(second, rule(), profile)};
  withdraw_by_whole_steps(both, profile);
  return both;
}

TEST(Trials, WhatGainedLessInTheProgramAtTheSameCostIsNotOffered) {
  const auto confirmed = ExperimentVerdict::confirmed;
  auto both = tried_both(in_program(split, confirmed, 4, 2), in_program(pad, confirmed, 5, 1.5),
                         Effort::module);
  EXPECT_FALSE(is_remark(both[0]));
  EXPECT_DOUBLE_EQ(both[0].gain->speedup, 2);
  EXPECT_TRUE(is_remark(both[1]));
  EXPECT_FALSE(both[1].gain);
  EXPECT_TRUE(withdrawn(both[1], both[1].suggestions[0]));
  EXPECT_THAT(both[1].message, HasSubstr("gained more and takes no more to apply: 2.00 times"));
  // It takes less to apply: both are offered.
  both = tried_both(in_program(split, confirmed, 4, 2), in_program(pad, confirmed, 5, 1.5),
                    Effort::command);
  EXPECT_FALSE(is_remark(both[0]));
  EXPECT_FALSE(is_remark(both[1]));
  // A command gains as much as code, but for 5 %.
  both = tried_both(in_program(split, confirmed, 4, 2), in_program(pad, confirmed, 5, 1.95),
                    Effort::command);
  EXPECT_TRUE(is_remark(both[0]));
  EXPECT_FALSE(is_remark(both[1]));
  // Measured alike: neither takes the place of the other.
  both = tried_both(in_program(split, confirmed, 4, 2), in_program(pad, confirmed, 4, 2),
                    Effort::module);
  EXPECT_FALSE(is_remark(both[0]));
  EXPECT_FALSE(is_remark(both[1]));
}

TEST(Trials, WhatGainedNothingInTheProgramIsNotOffered) {
  const auto both =
      tried_both(in_program(split, ExperimentVerdict::inconclusive, 4, 1),
                 in_program(pad, ExperimentVerdict::confirmed, 5, 1.5), Effort::precision);
  EXPECT_TRUE(is_remark(both[0]));
  EXPECT_FALSE(both[0].gain);
  EXPECT_THAT(both[0].message, HasSubstr("gained nothing in whole steps"));
  EXPECT_FALSE(is_remark(both[1]));
  // What only bare calls were tried of stays what it is.
  const auto calls = tried_both(experiment(split, ExperimentVerdict::inconclusive, 1),
                                experiment(pad, ExperimentVerdict::confirmed, 1.5), Effort::module);
  EXPECT_FALSE(is_remark(calls[0]));
}

// `accelerate` makes the algorithm below PyTorch, which cannot ask for it.
TEST(Trials, AChangeOfCodeUnderAccelerateCanBeFollowed) {
  constexpr const char* both =
      R"([{"kind":"algo","parameters":{"value":"persist_static"}},{"kind":"split_layers","parameters":{}}])";
  auto profile = profile_with({in_program(both, ExperimentVerdict::confirmed, 4, 3)});
  auto& own = profile.configurations.front();
  own.device = 0;
  own.config.data_type = DataType::half;
  own.config.math_type = MathType::tensor_op;
  own.program.name = Framework::pytorch;
  own.origin = Origin::captured;
  const auto& rules = builtin_rules();
  const auto judgement = judge(profile, rules);
  ASSERT_FALSE(judgement.findings.empty());
  const auto& first = judgement.findings.front();
  ASSERT_TRUE(first.gain) << first.rule_id;
  EXPECT_DOUBLE_EQ(first.gain->speedup, 3) << first.rule_id;
  EXPECT_EQ(first.suggestions.at(0).cannot, "");
  EXPECT_THAT(first.suggestions.at(0).text, HasSubstr("rnnadvisor accelerate"));
  EXPECT_THAT(first.suggestions.at(0).code, HasSubstr("class "));
}

}  // namespace
}  // namespace rnnadvisor::advisor
