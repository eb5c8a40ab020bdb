#include "advisor/judge/judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "advisor/judge/make_finding.h"
#include "advisor/judge/order.h"
#include "core/config/read_config.h"
#include "profiler/profile/builder.h"
#include "tests/advisor/rules/card.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RuleSet set_of(std::vector<Rule> rules) {
  std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.id < b.id; });
  return {std::move(rules)};
}

Profile profile_of(std::initializer_list<int> hidden_sizes) {
  Profile profile;
  for (const int size : hidden_sizes) {
    auto& configuration = profile.configurations.emplace_back();
    configuration.config.hidden_size = configuration.config.input_size =
        configuration.config.proj_size = size;
    configuration.device = -1;
  }
  return profile;
}

void add_timing(Configuration& configuration, Phase phase, double ms) {
  configuration.outcome = Outcome::completed;
  configuration.timings.push_back({phase, {ms, ms, ms, 0.95, 20}, {}, 3, true});
}

std::vector<std::string> rule_ids(const Judgement& judgement) {
  std::vector<std::string> list;
  for (const auto& finding : judgement.findings) list.push_back(finding.rule_id);
  return list;
}

constexpr std::string_view size_rule = R"(
message = "Size {call.hidden_size} of {device.memory}"
when = { fact = "call.hidden_size", not_multiple_of = 8 }
)";
// What claims a gain has something to do.
constexpr std::string_view to_do = "[[suggestion]]\ntext = \"Do it.\"\n";

TEST(Judge, EveryRuleGivesAVerdictForEveryConfiguration) {
  const auto rules =
      set_of({card(size_rule, "a/size"),
              card("message = \"m\"\nwhen = { fact = \"device.memory\", above = 1 }", "b/device"),
              card("message = \"m\"\napplies_when = { fact = \"call.cell\", is = \"gru\" }\n"
                   "when = { fact = \"call.hidden_size\", above = 1 }",
                   "c/gru")});
  const auto judgement = judge(profile_of({1000, 1001}), rules);
  ASSERT_EQ(judgement.verdicts.size(), 6U);
  std::vector<std::string> kinds;
  for (const auto& verdict : judgement.verdicts) {
    kinds.push_back(verdict.rule_id + " " + std::to_string(verdict.configuration) + " " +
                    std::string(to_string(verdict.kind)));
  }
  EXPECT_THAT(kinds, ElementsAre("a/size 0 passed", "b/device 0 unknown", "c/gru 0 not_applicable",
                                 "a/size 1 fired", "b/device 1 unknown", "c/gru 1 not_applicable"));
  EXPECT_THAT(judgement.verdicts[1].missing, ElementsAre("device.memory"));
  ASSERT_EQ(judgement.findings.size(), 1U);
  const auto& finding = judgement.findings.front();
  EXPECT_EQ(finding.configuration, 1);
  EXPECT_EQ(finding.message, "Size 1001 of unknown");
  ASSERT_EQ(finding.comparisons.size(), 1U);
  EXPECT_EQ(finding.comparisons[0].fact, "call.hidden_size");
  EXPECT_EQ(finding.comparisons[0].op, "not_multiple_of");
  EXPECT_EQ(finding.comparisons[0].threshold, "8");
  EXPECT_EQ(finding.comparisons[0].observed, "1001");
  EXPECT_TRUE(finding.comparisons[0].holds);
  EXPECT_TRUE(
      judge(profile_of({1001}), rules, {.ignore = {}, .keep_verdicts = false}).verdicts.empty());
}

TEST(Judge, AnEmptyProfileAndNoRulesAreFine) {
  EXPECT_THAT(judge(Profile{}, set_of({card(size_rule)})).verdicts, IsEmpty());
  EXPECT_THAT(judge(profile_of({1001}), RuleSet{}).verdicts, IsEmpty());
}

TEST(Judge, ReportsProgressAndCanBeCancelled) {
  const auto rules = set_of({card(size_rule, "a/size")});
  std::vector<double> shares;
  JudgeOptions options;
  options.keep_going = [&](double share) {
    shares.push_back(share);
    return shares.size() < 3;
  };
  const auto judgement = judge(profile_of({1, 2, 3, 4}), rules, options);
  EXPECT_THAT(shares, ElementsAre(0, 0.25, 0.5));
  EXPECT_EQ(judgement.verdicts.size(), 2U);
}

TEST(Judge, IgnoresRulesAndTopics) {
  const auto rules =
      set_of({card(size_rule, "a/one"), card(size_rule, "a/two"), card(size_rule, "ab/three")});
  const auto by_id = judge(profile_of({1001}), rules, {.ignore = {"a/one"}, .keep_verdicts = true});
  EXPECT_THAT(by_id.ignored, ElementsAre("a/one"));
  EXPECT_THAT(rule_ids(by_id), ElementsAre("a/two", "ab/three"));
  const auto by_topic = judge(profile_of({1001}), rules, {.ignore = {"a/"}, .keep_verdicts = true});
  EXPECT_THAT(by_topic.ignored, ElementsAre("a/one", "a/two"));
  EXPECT_EQ(by_topic.verdicts.size(), 1U);
  EXPECT_THAT(judge(profile_of({1001}), rules, {.ignore = {"a"}, .keep_verdicts = true}).ignored,
              IsEmpty())
      << "only whole topics";
}

TEST(Judge, SuggestionsFitTheProgram) {
  const auto rules = set_of({card(std::string(size_rule) + R"(
[[suggestion]]
text = "for all, {call.hidden_size}"
transform = { pad_hidden = { multiple = 8 } }
[[suggestion]]
text = "for PyTorch"
framework = "pytorch"
[[suggestion]]
text = "for Keras"
framework = "keras2"
[[suggestion]]
text = "with a hole: {device.memory}"
[[suggestion]]
text = "for large batches"
applies_when = { fact = "call.batch_size", above = 1000000 }
[[suggestion]]
text = "unknown device"
applies_when = { fact = "device.memory", above = 1 }
[[suggestion]]
text = "a batch of {call.hidden_size}"
transform = { lower_batch = { value = { fact = "call.hidden_size" } } }
)")});
  auto profile = profile_of({1001});
  const auto texts = [&] {
    std::vector<std::string> list;
    const auto judgement = judge(profile, rules);
    for (const auto& suggestion : judgement.findings.at(0).suggestions)
      list.push_back(suggestion.text);
    return list;
  };
  EXPECT_THAT(texts(), ElementsAre("for all, 1001", "for PyTorch", "for Keras", "a batch of 1001"));
  profile.configurations[0].program.name = Framework::pytorch;
  EXPECT_THAT(texts(), ElementsAre("for all, 1001", "for PyTorch", "a batch of 1001"));
  const auto finding = judge(profile, rules).findings.at(0);
  EXPECT_EQ(finding.suggestions[0].transform->json, R"({"multiple":8})");
  EXPECT_EQ(finding.suggestions[0].transform->meaning, Meaning::padded);
  EXPECT_EQ(finding.suggestions[2].transform->json, R"({"value":1001})")
      << "the fact's value stands in it";
}

// The order of the issue's words: what is measured before what is modelled, more time before less,
// and errors before all.
TEST(Judge, FindingsAreOrderedByGain) {
  Profile profile = profile_of({1001, 1002});
  for (const Phase phase :
       {Phase::forward_training, Phase::backward_data, Phase::backward_weights}) {
    add_timing(profile.configurations[0], phase, 1);
    add_timing(profile.configurations[1], phase, 10);
  }
  const auto finding = [](std::string id, int configuration, Severity severity,
                          std::optional<Gain> gain) {
    Finding made;
    made.rule_id = std::move(id);
    made.configuration = configuration;
    made.severity = severity;
    made.gain = std::move(gain);
    return made;
  };
  const auto gain = [](double speedup, GainBasis basis, std::string scope = "training step") {
    Gain made;
    made.speedup = speedup;
    made.basis = basis;
    made.scope = std::move(scope);
    return made;
  };
  std::vector<Finding> findings = {
      finding("info", 0, Severity::info, {}),
      finding("warning", 0, Severity::warning, {}),
      finding("modelled", 1, Severity::warning, gain(9, GainBasis::modelled)),
      finding("small", 0, Severity::warning,
              gain(4, GainBasis::measured_elsewhere)),  // saves 2.25 of 3 ms
      finding("large", 1, Severity::opportunity,
              gain(1.5, GainBasis::measured_here)),  // saves 10 of 30 ms
      finding("slower", 1, Severity::opportunity,
              gain(0.5, GainBasis::measured_here)),  // costs 30 ms
      finding("untimed", 0, Severity::warning,
              gain(2, GainBasis::measured_elsewhere, "forward inference")),
      finding("refused", 0, Severity::error, {}),
  };
  std::reverse(findings.begin(), findings.end());
  const ProfileIndex index(profile);
  StepSavings savings(index);
  order_findings(findings, savings, RuleSet{});
  std::vector<std::string> order;
  for (const auto& one : findings) order.push_back(one.rule_id);
  EXPECT_THAT(order, ElementsAre("refused", "large", "small", "untimed", "slower", "modelled",
                                 "warning", "info"));
}

// In a comparison of algorithms a refusal is a result like others. It goes behind what there is to
// gain, unless nothing else ran at that point.
// Of a recorded program the largest expected speedup comes first, whatever it is known from; an
// estimate counts 0.8 of itself, and a cause without a number 1.2.
TEST(Judge, OfAProgramTheLargestExpectedSpeedupComesFirst) {
  const auto measured = [](std::string_view id, double speedup, bool path) {
    auto rule = card(std::string(size_rule) + std::string(to_do) +
                         "[[gain]]\nchange = \"it\"\nspeedup = " + std::to_string(speedup) +
                         "\nscope = \"training step\"\nsource = \"row\"",
                     id);
    if (path) rule.consequence = "path";
    return rule;
  };
  auto cause = card(size_rule, "c/cause");
  cause.consequence = "path";
  const auto rules = set_of({measured("a/small", 1.1, false), measured("b/large", 2, false), cause,
                             measured("d/path", 1.5, true), card(size_rule, "f/nothing")});
  auto profile = profile_of({1001});
  EXPECT_THAT(rule_ids(judge(profile, rules)),
              ElementsAre("b/large", "d/path", "a/small", "c/cause", "f/nothing"))
      << "described only";
  profile.configurations.front().origin = Origin::captured;
  EXPECT_THAT(rule_ids(judge(profile, rules)),
              ElementsAre("b/large", "d/path", "c/cause", "a/small", "f/nothing"));
}

TEST(Judge, AnEstimateCountsLessThanAMeasurement) {
  // 400 kernels that run for 4 of every 10 µs: 2.5 times as fast at best, 2.0 expected.
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  builder.profile().environment.tracing = true;
  Configuration made;
  made.origin = Origin::captured;
  made.config.hidden_size = made.config.proj_size = 1001;
  CallRecord call;
  call.call.configuration = builder.add_configuration(made);
  const int index = builder.add_call(call);
  for (int i = 0; i < 400; ++i) {
    KernelRecord kernel;
    kernel.name = "kernel";
    kernel.call = index;
    kernel.start_ns = 10'000 * i;
    kernel.end_ns = kernel.start_ns + 4'000;
    builder.add_kernel(kernel);
  }
  const auto profile = builder.finish();
  const auto estimate = card(std::string(size_rule) +
                                 "[[suggestion]]\ntext = \"A graph.\"\n"
                                 "transform = { cuda_graph = {} }\n"
                                 "[[gain]]\nfact = \"program.graph_speedup\"\n"
                                 "scope = \"program step\"",
                             "e/estimate");
  for (const double speedup : {1.9, 2.1}) {
    const auto measured =
        card(std::string(size_rule) + std::string(to_do) + "[[gain]]\nchange = \"it\"\nspeedup = " +
                 std::to_string(speedup) + "\nscope = \"training step\"\nsource = \"row\"",
             "m/measured");
    const auto judgement = judge(profile, set_of({estimate, measured}));
    ASSERT_EQ(judgement.findings.size(), 2U);
    EXPECT_EQ(judgement.findings.front().rule_id, speedup > 2 ? "m/measured" : "e/estimate");
    for (const auto& finding : judgement.findings) {
      ASSERT_TRUE(finding.gain);
      EXPECT_EQ(finding.gain->basis, finding.rule_id == "e/estimate"
                                         ? GainBasis::modelled
                                         : GainBasis::measured_elsewhere);
    }
  }
}

// The second of three is refused where another algorithm runs, the third has no other.
TEST(Judge, AnErrorAboutARefusedAlternativeIsARemark) {
  Profile profile = profile_of({512, 512, 1024});
  auto& all = profile.configurations;
  add_timing(all[0], Phase::forward_training, 10);
  all[1].config.algo = all[2].config.algo = Algo::persist_static_small_h;
  all[1].outcome = all[2].outcome = Outcome::refused;
  auto rules =
      set_of({card("message = \"m\"\n"
                   "when = { fact = \"call.algo\", is = \"persist_static_small_h\" }",
                   "a/refused"),
              card("message = \"m\"\n"
                   "when = { fact = \"call.algo\", is = \"standard\" }\n"
                   "[[gain]]\nchange = \"it\"\nspeedup = 1.2\nscope = \"forward training\"\n"
                   "source = \"a row\"\n",
                   "b/gain")});
  rules.rules[0].severity = Severity::error;
  const auto judgement = judge(profile, rules);
  std::vector<std::string> order;
  for (const auto& one : judgement.findings)
    order.push_back(
        fmt::format("{} {} {}", one.rule_id, one.configuration, to_string(one.severity)));
  EXPECT_THAT(order, ElementsAre("a/refused 2 error", "b/gain 0 warning", "a/refused 1 info"));
}

TEST(Judge, AChangeBelongsToOneFinding) {
  const std::string proposes =
      "message = \"m\"\n"
      "when = { fact = \"call.hidden_size\", above = 1 }\n"
      "[[suggestion]]\ntext = \"Split.\"\n"
      "transform = { split_layers = {} }\n";
  Profile profile = profile_of({512});
  profile.configurations[0].config.num_layers = 2;
  auto rules = set_of({card(proposes, "a/first"), card(proposes, "b/second")});
  rules.rules[1].severity = Severity::opportunity;  // a warning would stay
  const auto judgement = judge(profile, rules);
  EXPECT_THAT(rule_ids(judgement), ElementsAre("a/first"));
  ASSERT_EQ(judgement.verdicts.size(), 2U);
  EXPECT_EQ(judgement.verdicts[0].kind, VerdictKind::fired);
  EXPECT_EQ(judgement.verdicts[1].kind, VerdictKind::told_by_another) << "it does apply";
  EXPECT_EQ(judgement.verdicts[1].message, "`a/first` proposes the same");
}

TEST(Judge, AdviceInWordsBelongsToOneFinding) {
  const auto proposes = [](std::string_view words) {
    return fmt::format(
        "message = \"m\"\nwhen = {{ fact = \"call.hidden_size\", above = 1 }}\n"
        "[[suggestion]]\ntext = \"{}\"\n",
        words);
  };
  const Profile profile = profile_of({512});
  const std::string same = proposes("Raise the batch.");
  const auto fired = [&](const RuleSet& rules) { return rule_ids(judge(profile, rules)); };
  EXPECT_THAT(fired(set_of({card(same, "a/first"), card(same, "b/second")})),
              ElementsAre("a/first"));
  // Not where it says more or gains something by itself; the worse one has it.
  const auto more = same + "[[suggestion]]\ntext = \"Shorten the sequences.\"\n";
  EXPECT_EQ(fired(set_of({card(same, "a/first"), card(more, "b/second")})).size(), 2U);
  auto rules = set_of({card(same, "a/first"), card(same, "b/second")});
  rules.rules[1].severity = Severity::error;
  EXPECT_THAT(fired(rules), ElementsAre("b/second"));
  const auto gains = same +
                     "[[gain]]\nchange = \"it\"\nspeedup = 1.1\n"
                     "scope = \"training step\"\nsource = \"row\"";
  EXPECT_EQ(fired(set_of({card(same, "a/first"), card(gains, "b/second")})).size(), 2U);
}

TEST(Judge, GainsSayWhereTheyComeFromAndOfWhichChange) {
  const auto rules = set_of({card(std::string(size_rule) + R"(
[[suggestion]]
text = "Another algorithm."
transform = { algo = { value = "persist_static" } }
[[suggestion]]
text = "A graph."
transform = { cuda_graph = {} }
[[gain]]
change = { cuda_graph = {} }
speedup = 2.8
scope = "forward training"
source = "a row"
applies_when = { fact = "call.hidden_size", below = 1002 }
)")});
  auto profile = profile_of({1001, 1001});
  const auto first = [&] {
    auto judgement = judge(profile, rules);
    return *std::find_if(judgement.findings.begin(), judgement.findings.end(),
                         [](const Finding& finding) { return finding.configuration == 0; });
  };
  EXPECT_EQ(first().gain->basis, GainBasis::measured_elsewhere);
  EXPECT_DOUBLE_EQ(first().gain->speedup, 2.8);
  EXPECT_EQ(first().gain->changes, changes_of(first().suggestions[1]));
  EXPECT_EQ(judge(profile_of({1003}), rules).findings[0].gain, std::nullopt) << "not near enough";

  // The same configuration with the other algorithm, three times as fast, was measured in this
  // profile: that is the gain of the algorithm, and of no graph.
  profile.configurations[1].config.algo = Algo::persist_static;
  for (const Phase phase :
       {Phase::forward_training, Phase::backward_data, Phase::backward_weights}) {
    add_timing(profile.configurations[0], phase, 3);
    add_timing(profile.configurations[1], phase, 1);
  }
  EXPECT_EQ(first().gain->basis, GainBasis::measured_here);
  EXPECT_DOUBLE_EQ(first().gain->speedup, 3);
  EXPECT_EQ(first().gain->scope, "training step");
  EXPECT_EQ(first().gain->changes, changes_of(first().suggestions[0]));

  // No faster here: what was measured elsewhere of the graph stays, of the algorithm nothing.
  for (auto& timing : profile.configurations[1].timings)
    timing.ms.median = timing.ms.low = timing.ms.high = 3.3;
  EXPECT_DOUBLE_EQ(first().gain->speedup, 2.8);
  EXPECT_TRUE(first().suggestions[0].no_faster_here);
  EXPECT_FALSE(first().suggestions[1].no_faster_here);
}

TEST(Judge, WhatThisProfileMeasuredToBeNoFasterIsNoAdvice) {
  const auto rules = set_of({card(std::string(size_rule) + R"(
[[suggestion]]
text = "Another algorithm."
transform = { algo = { value = "persist_static" } }
[[gain]]
speedup = 2.8
scope = "forward training"
source = "a row"
)")});
  auto profile = profile_of({1001, 1001});
  profile.configurations[1].config.algo = Algo::persist_static;
  for (auto& configuration : profile.configurations)
    add_timing(configuration, Phase::forward_training, 3);
  for (const auto& finding : judge(profile, rules).findings) {
    if (finding.configuration != 0) continue;
    EXPECT_FALSE(finding.gain);
    EXPECT_EQ(finding.severity, Severity::info);
    EXPECT_TRUE(withdrawn(finding, finding.suggestions.front()));
  }
}

TEST(Judge, EvidenceIsTheCallsAndTheLongestKernels) {
  ProfileBuilder builder;
  Configuration configuration;
  configuration.config.hidden_size = 1001;
  configuration.device = -1;
  builder.add_configuration(configuration);
  builder.add_configuration(configuration);
  RnnCall call;
  call.configuration = 0;
  call.phase = Phase::forward_training;
  builder.add_call(call);
  call.configuration = 1;
  builder.add_call(call);
  for (int i = 0; i < 150; ++i) {
    KernelRecord kernel;
    kernel.call = 0;
    kernel.start_ns = 1000 * i;
    kernel.end_ns = kernel.start_ns + (i % 3 == 0 ? 10 : 500);  // 50 short ones
    kernel.correlation = i + 1;
    kernel.name = "kernel";
    builder.add_kernel(kernel);
  }
  const Profile profile = builder.finish();
  const auto judgement = judge(profile, set_of({card(size_rule)}));
  ASSERT_EQ(judgement.findings.size(), 2U);
  EXPECT_THAT(judgement.findings[0].calls, ElementsAre(0));
  ASSERT_EQ(judgement.findings[0].kernels.size(), 100U);
  EXPECT_TRUE(
      std::is_sorted(judgement.findings[0].kernels.begin(), judgement.findings[0].kernels.end()));
  for (const int kernel : judgement.findings[0].kernels) {
    const auto index = static_cast<std::size_t>(kernel);
    EXPECT_EQ(profile.kernels.end_ns[index] - profile.kernels.start_ns[index], 500);
  }
  EXPECT_THAT(judgement.findings[1].calls, ElementsAre(1));
  EXPECT_THAT(judgement.findings[1].kernels, IsEmpty());
}

// Every shipped rule against every measured row of the H200: no error, no unfilled brace, the same
// answer twice.
TEST(Judge, MeasuredConfigurationsWithAllRules) {
  Profile profile;
  profile.devices.push_back(*find_device("nvidia-h200"));
  profile.environment.cudnn_version = "9.19.0";
  const std::string file = RNNADVISOR_SOURCE_DIR "/tests/data/h200/eligibility.jsonl";
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const auto inputs = read_jsonl(text, file);
  ASSERT_TRUE(inputs);
  for (const auto& input : *inputs) profile.configurations.emplace_back().config = input.config;
  ASSERT_GT(profile.configurations.size(), 100U);
  const auto judgement = judge(profile, builtin_rules());
  EXPECT_EQ(judgement.verdicts.size(),
            builtin_rules().rules.size() * profile.configurations.size());
  for (const auto& verdict : judgement.verdicts) {
    EXPECT_NE(to_string(verdict.kind), "error") << verdict.rule_id << ": " << verdict.message;
    EXPECT_EQ(verdict.kind == VerdictKind::unknown, !verdict.missing.empty()) << verdict.rule_id;
  }
  for (const auto& finding : judgement.findings) {
    EXPECT_THAT(finding.message, ::testing::Not(HasSubstr("{"))) << finding.rule_id;
    EXPECT_FALSE(finding.citations.empty());
  }
  const auto again = judge(profile, builtin_rules(), {.ignore = {}, .keep_verdicts = false});
  EXPECT_EQ(rule_ids(again), rule_ids(judgement));
}

}  // namespace
}  // namespace rnnadvisor::advisor
