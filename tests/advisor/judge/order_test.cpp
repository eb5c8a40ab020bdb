// The order of findings beyond what judge_test.cpp has of it: shares of a step, what was confirmed,
// what was refuted, and what an H200 measured.
#include "advisor/judge/order.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "advisor/judge/judge.h"
#include "advisor/judge/make_finding.h"
#include "advisor/judge/trials.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

std::vector<std::string> ordered(std::vector<Finding> findings, const Profile& profile) {
  const ProfileIndex index(profile);
  StepSavings savings(index);
  savings.tell(findings);
  order_findings(findings, savings, RuleSet{});
  std::vector<std::string> ids;
  for (const auto& finding : findings) ids.push_back(finding.rule_id);
  return ids;
}

Finding finding(std::string id, int configuration, double speedup, GainBasis basis,
                std::string scope = "training step") {
  Finding made;
  made.rule_id = std::move(id);
  made.configuration = configuration;
  made.gain.emplace();
  made.gain->speedup = speedup;
  made.gain->basis = basis;
  made.gain->scope = std::move(scope);
  return made;
}

Finding confirmed(std::string id, Meaning meaning, double low, double speedup, double high) {
  Finding made = finding(std::move(id), 0, speedup, GainBasis::measured_here);
  made.trial.emplace();
  made.trial->verdict = ExperimentVerdict::confirmed;
  made.trial->meaning = meaning;
  made.trial->speedup = made.gain->speedup;
  made.trial->low = low;
  made.trial->high = high;
  return made;
}

// Two layers of a program. Of every 100 µs a call of the first has kernels from 0 to 60, with waits
// between them, a call of the second from 70 to 80; from 80 to 100 something else runs.
Profile two_layers() {
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  builder.profile().environment.tracing = true;
  Configuration layer;
  layer.origin = Origin::captured;
  const int large = builder.add_configuration(layer);
  layer.config.hidden_size = 256;
  const int small = builder.add_configuration(layer);
  const auto kernel = [&](int call, std::int64_t start_us, std::int64_t end_us) {
    KernelRecord record;
    record.name = "kernel";
    record.call = call;
    record.start_ns = 1000 * start_us;
    record.end_ns = 1000 * end_us;
    builder.add_kernel(record);
  };
  const auto call = [&](int configuration) {
    CallRecord record;
    record.call.configuration = configuration;
    record.call.phase = Phase::forward_training;
    return builder.add_call(record);
  };
  for (int step = 0; step < 100; ++step) {
    const std::int64_t at = 100 * step;
    const int first = call(large), second = call(small);
    kernel(first, at, at + 10);
    kernel(first, at + 50, at + 60);
    kernel(second, at + 70, at + 80);
    kernel(-1, at + 80, at + 100);
  }
  return builder.finish();
}

TEST(Order, AScopeNamesItsPhases) {
  Configuration timed;
  double ms = 1;
  for (const Phase phase : all_phases) {
    timed.timings.push_back({phase, {ms, ms, ms, 0.95, 20}, {}, 3, true});
    ms *= 10;
  }
  EXPECT_EQ(scope_ms(timed, "forward inference"), 1);
  EXPECT_EQ(scope_ms(timed, "forward training"), 10);
  EXPECT_EQ(scope_ms(timed, "backward data"), 100);
  EXPECT_EQ(scope_ms(timed, "backward weights"), 1000);
  EXPECT_EQ(scope_ms(timed, "training step"), 1110);
  for (const char* other : {"", "program step", "training step, per sequence"}) {
    EXPECT_TRUE(phases_of_scope(other).empty()) << other;
    EXPECT_EQ(scope_ms(timed, other), std::nullopt) << other;
  }
  timed.timings.pop_back();
  EXPECT_EQ(scope_ms(timed, "training step"), std::nullopt) << "not all of it was timed";
}

TEST(Order, AGainCountsByTheShareThatItsCallHasOfTheStep) {
  const auto profile = two_layers();
  const ProfileIndex index(profile);
  EXPECT_NEAR(share_of_step(index, 0, "training step")->share, 0.6, 1e-3);
  EXPECT_NEAR(share_of_step(index, 1, "")->share, 0.1, 1e-3);
  EXPECT_DOUBLE_EQ(share_of_step(index, 1, "program step")->share, 1);
  EXPECT_FALSE(share_of_step(index, 0, "forward inference")) << "there is no such call";
  EXPECT_FALSE(share_of_step(index, -1, ""));
  // 0.6 (1 - 1/1.5) = 0.2 of the step, 0.1 (1 - 1/10) = 0.09, 1 - 1/1.3 = 0.23 and
  // 1 - 1/1.2 = 0.17.
  EXPECT_THAT(ordered({finding("small-share", 1, 10, GainBasis::measured_elsewhere),
                       finding("smaller-estimate", 0, 1.2, GainBasis::modelled, "program step"),
                       finding("large-share", 0, 1.5, GainBasis::measured_elsewhere),
                       finding("larger-estimate", 0, 1.3, GainBasis::modelled, "program step")},
                      profile),
              ElementsAre("larger-estimate", "large-share", "smaller-estimate", "small-share"));
}

TEST(Order, WhatAStepWouldHardlyShowIsARemark) {
  const auto profile = two_layers();
  const ProfileIndex index(profile);
  StepSavings savings(index);
  // 0.1 (1 - 1 / 1.08) = 0.7 % of the step, 1.7 % and 5 %, with which it is 1.053 times as fast.
  std::vector<Finding> findings{finding("little", 1, 1.08, GainBasis::measured_elsewhere),
                                finding("little more", 1, 1.2, GainBasis::measured_elsewhere),
                                finding("enough", 1, 2, GainBasis::measured_elsewhere),
                                finding("tried", 1, 1.08, GainBasis::measured_here, "program step"),
                                finding("broken", 1, 1.08, GainBasis::measured_elsewhere)};
  findings.back().severity = Severity::error;
  savings.tell(findings);
  savings.lower_severities(findings);
  order_findings(findings, savings, RuleSet{});
  for (const auto& one : findings)
    EXPECT_EQ(is_remark(one), one.rule_id.starts_with("little")) << one.rule_id;
  EXPECT_EQ(findings.back().rule_id, "little");
}

// The first half of the kernels holds what happens once: what ran there alone still has a share.
TEST(Order, CallsOfTheBeginningHaveTheShareOfTheirKernels) {
  auto profile = two_layers();
  const auto last = static_cast<int>(profile.calls.size());
  for (int call = 0; call < last; ++call)
    if (call >= 40) profile.calls[static_cast<std::size_t>(call)].configuration = 0;
  // 20 calls of the second layer, of 10 µs each, beside 100 steps with 50 µs of kernels.
  const ProfileIndex index(profile);
  EXPECT_NEAR(share_of_step(index, 1, "")->share, 0.5 * 200 / 5000, 2e-3);
}

// One account of a step: its layers take no more of it than its recurrent parts.
TEST(Order, LayersTakeNoMoreThanTheStepGivesThem) {
  std::mt19937 random(1848);
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  for (int round = 0; round < 200; ++round) {
    ProfileBuilder builder;
    builder.add_device(*find_device("h200"));
    builder.profile().environment.tracing = true;
    Process process;
    process.pid = 1;
    builder.add_process(process);
    const int layers = static_cast<int>(draw(1, 4));
    for (int layer = 0; layer < layers; ++layer) {
      Configuration one;
      one.origin = Origin::captured;
      one.config.hidden_size = 64 * (layer + 1);
      builder.add_configuration(one);
    }
    std::int64_t now = 0;  // us
    const auto kernel = [&](int call, std::int64_t us) {
      KernelRecord record;
      record.name = "kernel";
      record.process = 0;
      record.call = call;
      record.start_ns = 1000 * now;
      record.end_ns = 1000 * (now += us);
      builder.add_kernel(record);
    };
    const auto call = [&](int layer, Phase phase, bool begins, std::int64_t untraced_us) {
      CallRecord record;
      record.call.configuration = layer;
      record.call.process = 0;
      record.call.phase = phase;
      record.call.begins_step = begins;
      record.call.untraced = untraced_us >= 0;
      record.call.step_duration_ns = untraced_us >= 0 && begins ? 1000 * untraced_us : -1;
      record.call.host_start_ns = record.call.host_end_ns = 1000 * now;
      return builder.add_call(record);
    };
    const std::int64_t step_us = draw(300, 3000);
    for (int step = 0; step < 6; ++step, now += step_us)
      for (const Phase phase : {Phase::forward_training, Phase::backward_data})
        for (int layer = 0; layer < layers; ++layer, ++now)
          call(layer, phase, layer == 0 && phase == Phase::forward_training, step_us);
    for (int step = 0; step < 40; ++step) {
      for (const Phase phase : {Phase::forward_training, Phase::backward_data}) {
        for (int layer = 0; layer < layers; ++layer) {
          const int own = call(layer, phase, layer == 0 && phase == Phase::forward_training, -1);
          for (std::int64_t n = draw(1, 5); n > 0; --n) {
            kernel(own, draw(1, 40));
            now += draw(-20, 30);  // also before the end of the one before, on another stream
          }
        }
        kernel(-1, draw(1, 200));
        now += draw(0, 50) == 0 ? 15'000 : draw(0, 100);
      }
    }
    const auto profile = builder.finish();
    const auto judgement = judge(profile, RuleSet{});
    ASSERT_EQ(judgement.steps.size(), 1U);
    const auto& account = judgement.steps.front();
    ASSERT_GT(account.untraced, 0);
    const ProfileIndex index(profile);
    double sum = 0;
    for (int layer = 0; layer < layers; ++layer) sum += share_of_step(index, layer, {})->share;
    const auto part = [&](StepPart of) { return account.share[static_cast<std::size_t>(of)]; };
    EXPECT_NEAR(
        sum, part(StepPart::rnn_forward) + part(StepPart::rnn_backward) + account.idle_in_rnn, 1e-6)
        << round;
  }
}

// 100 training steps, and calls of inference in their midst, before them or after them.
class OrderWithEvaluation : public ::testing::TestWithParam<Outside> {
 protected:
  static constexpr int trained = 0, evaluated = 1;
  static Profile recorded(Outside when);
};

Profile OrderWithEvaluation::recorded(Outside when) {
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  builder.profile().environment.tracing = true;
  Process process;
  process.pid = 1;
  builder.add_process(process);
  Configuration layer;
  layer.origin = Origin::captured;
  builder.add_configuration(layer);
  layer.config.mode = Mode::inference;
  builder.add_configuration(layer);
  std::int64_t now = 0;
  const auto call = [&](int configuration, Phase phase, bool begins, std::int64_t us) {
    CallRecord record;
    record.call.configuration = configuration;
    record.call.process = 0;
    record.call.phase = phase;
    record.call.begins_step = begins;
    record.call.host_start_ns = record.call.host_end_ns = 1000 * now;
    KernelRecord kernel;
    kernel.name = "kernel";
    kernel.process = 0;
    kernel.call = builder.add_call(record);
    kernel.start_ns = 1000 * now;
    kernel.end_ns = 1000 * (now + us);
    builder.add_kernel(kernel);
    now += us;
  };
  const auto evaluate = [&](int calls) {
    for (int n = 0; n < calls; ++n) call(evaluated, Phase::forward_inference, n == 0, 40);
  };
  if (when == Outside::before) evaluate(200);
  for (int step = 0; step < 100; ++step) {
    call(trained, Phase::forward_training, true, 10);
    call(trained, Phase::backward_data, false, 20);
    if (when == Outside::apart && step % 25 == 24) evaluate(50);
  }
  if (when == Outside::after) evaluate(200);
  return builder.finish();
}

// However long it is.
TEST_P(OrderWithEvaluation, IsNoPartOfTrainingAndComesAfterIt) {
  const auto profile = recorded(GetParam());
  const ProfileIndex index(profile);
  const auto training = share_of_step(index, trained, {});
  const auto evaluation = share_of_step(index, evaluated, {});
  ASSERT_TRUE(training && evaluation);
  EXPECT_EQ(training->outside, Outside::no);
  EXPECT_EQ(evaluation->outside, GetParam());
  EXPECT_THAT(
      ordered({finding("evaluation", evaluated, 9, GainBasis::modelled, "forward inference"),
               finding("training", trained, 1.3, GainBasis::modelled)},
              profile),
      ElementsAre("training", "evaluation"));
}

TEST_P(OrderWithEvaluation, IsNoWarning) {
  const auto profile = recorded(GetParam());
  const ProfileIndex index(profile);
  StepSavings savings(index);
  std::vector<Finding> both{
      finding("evaluation", evaluated, 9, GainBasis::modelled, "forward inference"),
      finding("training", trained, 2, GainBasis::modelled)};
  for (auto& each : both) each.severity = Severity::warning;
  savings.tell(both);
  savings.lower_severities(both);
  EXPECT_EQ(both[0].severity, Severity::opportunity);
  EXPECT_EQ(both[1].severity, Severity::warning);
}

INSTANTIATE_TEST_SUITE_P(Each, OrderWithEvaluation,
                         ::testing::Values(Outside::before, Outside::after, Outside::apart),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST(Order, WhatWasTriedInTheProgramComesBeforeWhatIsExpected) {
  const auto measured = GainBasis::measured_here;
  EXPECT_THAT(ordered({finding("estimate", 0, 5, GainBasis::modelled, "program step"),
                       finding("call", 0, 4, measured, "training step"),
                       finding("nothing", 0, 1.01, measured, "program step"),
                       finding("tried", 0, 1.2, measured, "program step")},
                      two_layers()),
              ElementsAre("tried", "estimate", "call", "nothing"));
}

TEST(Order, WithoutKernelsTheSpeedupsAlone) {
  auto profile = two_layers();
  profile.environment.tracing = false;
  EXPECT_FALSE(share_of_step(ProfileIndex(profile), 0, ""));
  EXPECT_THAT(ordered({finding("a", 0, 1.5, GainBasis::measured_elsewhere),
                       finding("b", 1, 10, GainBasis::measured_elsewhere)},
                      profile),
              ElementsAre("b", "a"));
}

TEST(Order, OfEqualSavingsTheConfirmedOneComesFirst) {
  const auto profile = two_layers();
  EXPECT_THAT(ordered({finding("elsewhere", 0, 2, GainBasis::measured_elsewhere),
                       finding("here", 0, 2, GainBasis::measured_here),
                       finding("estimate", 0, 2, GainBasis::modelled)},
                      profile),
              ElementsAre("here", "elsewhere", "estimate"));
}

TEST(Order, OfConfirmedChangesTheLargerGainUnlessNoiseDecides) {
  const auto profile = two_layers();
  EXPECT_THAT(ordered({confirmed("exact", Meaning::exact, 1.9, 2.0, 2.1),
                       confirmed("exact-more", Meaning::exact, 2.0, 2.05, 2.15)},
                      profile),
              ElementsAre("exact-more", "exact"));
  // Wholly above: it comes first although it alters more.
  EXPECT_THAT(ordered({confirmed("exact", Meaning::exact, 1.9, 2.0, 2.1),
                       confirmed("half", Meaning::numerics, 2.9, 3.0, 3.1)},
                      profile),
              ElementsAre("half", "exact"));
  // Not told apart: what alters less.
  EXPECT_THAT(ordered({confirmed("half", Meaning::numerics, 1.9, 2.2, 2.4),
                       confirmed("padded", Meaning::padded, 1.8, 2.1, 2.3),
                       confirmed("exact", Meaning::exact, 1.8, 2.0, 2.2)},
                      profile),
              ElementsAre("exact", "padded", "half"));
  // Another model's gain is none.
  auto model = confirmed("model", Meaning::model, 8, 9, 10);
  model.gain->another_model = true;
  EXPECT_THAT(ordered({model, confirmed("exact", Meaning::exact, 1.01, 1.05, 1.1)}, profile),
              ElementsAre("exact", "model"));
}

TEST(Order, WhatWasRefutedComesLast) {
  const auto profile = two_layers();
  Finding remark;
  remark.rule_id = "remark";
  remark.configuration = 0;
  remark.severity = Severity::info;
  Finding elsewhere = remark;
  elsewhere.rule_id = "a-refuted-rule";
  elsewhere.refuted_by = ValidityRecord{"nvidia-h200", "9.19.0", "", "", "", 1, 20};
  Finding here = remark;
  here.rule_id = "b-refuted-here";
  here.refuted_here = true;
  // The rule was refuted on such GPUs, and here it helps after all.
  Finding after_all = confirmed("after-all", Meaning::exact, 1.1, 1.2, 1.3);
  after_all.refuted_by = elsewhere.refuted_by;
  EXPECT_THAT(ordered({elsewhere, here, remark, after_all}, profile),
              ElementsAre("after-all", "remark", "a-refuted-rule", "b-refuted-here"));
}

// A remark asks for nothing: whatever it gains stands behind what does.
TEST(Order, RemarksComeBehindWhatAsksForSomething) {
  const auto profile = two_layers();
  Finding remark = finding("a-remark", 0, 9, GainBasis::measured_here);
  remark.severity = Severity::info;
  Finding plain;
  plain.rule_id = "plain";
  plain.configuration = 0;
  EXPECT_TRUE(is_remark(remark));
  EXPECT_FALSE(is_remark(plain));
  EXPECT_THAT(ordered({remark, plain}, profile), ElementsAre("plain", "a-remark"));
}

TEST(Order, NumbersThatAreNoneDoNotConfuseIt) {
  const auto profile = two_layers();
  std::vector<Finding> findings;
  for (int i = 0; i < 40; ++i)
    findings.push_back(finding("f" + std::to_string(i), i % 3 - 1,
                               i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0 * i,
                               GainBasis::measured_here));
  EXPECT_EQ(ordered(findings, profile).size(), 40U);
}

// ---- what an H200 measured: tests/gpu/results/h200/torch-verify.json
// ------------------------------

Experiment experiment(const Json& json) {
  Experiment made;
  made.configuration = json.at("configuration");
  made.device = 0;  // the same kind of GPU
  made.where = json.at("where");
  if (json.at("rule").is_string()) made.rule = json.at("rule");
  made.transforms = json.at("transforms").dump();
  made.meaning = json.at("meaning");
  made.verdict = json.at("verdict") == "confirmed" ? ExperimentVerdict::confirmed
                                                   : ExperimentVerdict::inconclusive;
  for (const auto& each : json.at("timings")) {
    ExperimentTiming timing;
    timing.scope = each.at("scope") == "inference"          ? ExperimentScope::inference
                   : each.at("scope") == "forward_training" ? ExperimentScope::forward_training
                                                            : ExperimentScope::training_step;
    timing.speedup = each.at("speedup");
    timing.speedup_low = each.at("speedup_low");
    timing.speedup_high = each.at("speedup_high");
    timing.control_low = each.at("control_low");
    timing.control_high = each.at("control_high");
    made.timings.push_back(timing);
  }
  return made;
}

TEST(Order, OfWhatAnH200ConfirmedTheLargerGainComesFirst) {
  std::ifstream file(RNNADVISOR_SOURCE_DIR "/tests/gpu/results/h200/torch-verify.json");
  const auto measured = Json::parse(file);
  const struct {
    std::string result, sample, cause;
    double graph, of_cause;  // graph: 0 where the layer is not most of the step
  } cases[] = {{"two layers", "pytorch-two-layers", "pytorch/split-stack", 4.98, 4.06},
               {"batch 33", "pytorch-language-model", "pytorch/batch-multiple-of-8", 0, 2.47}};
  for (const auto& one : cases) {
    auto profile =
        read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/" + one.sample + ".rnnprof");
    ASSERT_TRUE(profile) << to_text(profile.error());
    for (const auto& result : measured.at("results")) {
      if (result.at("name") != one.result) continue;
      for (const auto& each : result.at("experiments"))
        profile->experiments.push_back(experiment(each));
    }
    ASSERT_GE(profile->experiments.size(), 6U);
    const auto judgement = judge(*profile, builtin_rules());
    std::vector<const Finding*> told;  // by the order, those of single changes
    for (const auto& each : judgement.findings)
      if (!each.rule_id.starts_with("experiments/") && each.gain &&
          each.gain->basis == GainBasis::measured_here)
        told.push_back(&each);
    ASSERT_GE(told.size(), one.graph > 0 ? 2U : 1U) << one.sample;
    EXPECT_NEAR(told.front()->gain->speedup, one.graph > 0 ? one.graph : one.of_cause, 0.01)
        << told.front()->rule_id;
    const auto cause = std::find_if(told.begin(), told.end(),
                                    [&](const auto* f) { return f->rule_id == one.cause; });
    ASSERT_NE(cause, told.end()) << one.sample;
    EXPECT_NEAR((*cause)->gain->speedup, one.of_cause, 0.01);
    for (std::size_t i = 1; i < told.size(); ++i)
      EXPECT_GE(told[i - 1]->gain->speedup, told[i]->gain->speedup) << told[i]->rule_id;
  }
}

// A graph of the layer alone gained 2.90; the layer is a tenth of the step.
TEST(Order, AGraphOfALayerIsNoGraphOfTheWholeStep) {
  const auto profile =
      read_profile(RNNADVISOR_SOURCE_DIR "/tests/gpu/results/h200/lstm-dropout-verified.rnnprof");
  ASSERT_TRUE(profile) << to_text(profile.error());
  const auto judgement = judge(*profile, builtin_rules());
  const auto graph =
      std::find_if(judgement.findings.begin(), judgement.findings.end(),
                   [](const Finding& each) { return each.rule_id == "launch/host-bound"; });
  ASSERT_NE(graph, judgement.findings.end());
  ASSERT_TRUE(graph->gain);
  EXPECT_EQ(graph->gain->basis, GainBasis::modelled);
  EXPECT_GT(graph->gain->speedup, 5);
}

// What following the finding changes, and what that takes.
Finding takes(Finding made, std::string_view kind, Effort effort) {
  Suggestion suggestion;
  suggestion.transform = Transform{std::string(kind), "{}", Meaning::exact};
  suggestion.effort = effort;
  made.gain->changes = changes_of(suggestion);
  made.suggestions = {suggestion};
  return made;
}

Finding predicted(Finding made) {
  made.gain->low = made.gain->speedup / 1.5;
  made.gain->high = made.gain->speedup * 1.5;
  return made;
}

TEST(Order, ACommandComesBeforeAnEstimateThatNeedsCodeAndIsNotClearlyMore) {
  const auto profile = two_layers();
  const auto step = GainBasis::modelled;
  const auto graph = [&](double speedup) {
    return takes(finding("graph", 0, speedup, step, "program step"), "cuda_graph", Effort::module);
  };
  // Of 0.6 of the step: 0.6 (1 - 1 / (0.8 * 2.5)) = 0.3; the graph 1 - 1 / (0.8 * 2.5) = 0.5.
  const auto command =
      takes(predicted(finding("command", 0, 2.5, GainBasis::modelled)), "algo", Effort::command);
  EXPECT_THAT(ordered({graph(2.5), command}, profile), ElementsAre("command", "graph"));
  EXPECT_THAT(ordered({command, graph(2.5)}, profile), ElementsAre("command", "graph"));
  // 1 - 1 / (0.8 * 5) = 0.75 is more than twice as much.
  EXPECT_THAT(ordered({command, graph(5)}, profile), ElementsAre("graph", "command"));
  // What the command gains here is not known, but it measures it.
  auto unknown = command;
  unknown.gain.reset();
  EXPECT_THAT(ordered({graph(5), unknown}, profile), ElementsAre("command", "graph"));
  // What was measured stands.
  auto measured = graph(2.5);
  measured.gain->basis = GainBasis::measured_here;
  EXPECT_THAT(ordered({command, measured}, profile), ElementsAre("graph", "command"));
  EXPECT_THAT(ordered({unknown, measured}, profile), ElementsAre("graph", "command"));
}

// A large speedup of little is less than a small one of much, whatever takes less to do.
TEST(Order, CloseAreGainsOfTheWholeStep) {
  const auto profile = two_layers();
  const auto command = takes(predicted(finding("command", 1, 10, GainBasis::measured_elsewhere)),
                             "algo", Effort::command);
  const auto line = takes(predicted(finding("line", 0, 4, GainBasis::measured_elsewhere)), "layout",
                          Effort::line);
  EXPECT_THAT(ordered({command, line}, profile), ElementsAre("line", "command"));
}

TEST(Order, OfAlikeGainsWhatTakesLessComesFirst) {
  Profile profile;
  profile.devices.push_back(*find_device("h200"));
  profile.configurations.resize(1);
  profile.configurations[0].device = 0;
  const auto of = [](std::string id, double speedup, std::string_view kind, Effort effort) {
    return takes(predicted(finding(std::move(id), 0, speedup, GainBasis::modelled)), kind, effort);
  };
  const auto padding = of("padding", 2.06, "pad_hidden", Effort::module);
  const auto command = of("command", 2.0, "algo", Effort::command);
  const auto line = of("line", 2.02, "layout", Effort::line);
  EXPECT_THAT(ordered({padding, line, command}, profile),
              ElementsAre("command", "line", "padding"));
  EXPECT_THAT(ordered({of("padding", 2.2, "pad_hidden", Effort::module), line}, profile),
              ElementsAre("padding", "line"));
  // Predictions cannot tell 2.3 from 2.0, and a command measures.
  EXPECT_THAT(ordered({of("padding", 2.3, "pad_hidden", Effort::module), command}, profile),
              ElementsAre("command", "padding"));
  EXPECT_THAT(ordered({of("padding", 2.6, "pad_hidden", Effort::module), command}, profile),
              ElementsAre("padding", "command"))
      << "more than predictions leave open";
}

TEST(Order, WhatAnotherGpuRefutedComesLastOfWhatHasNoNumber) {
  Profile profile;
  profile.configurations.resize(1);
  const auto of = [](std::string id, int agree, int refute, Severity severity) {
    Finding made;
    made.rule_id = std::move(id);
    made.configuration = 0;
    made.severity = severity;
    ValidityRecord record;
    record.agree = agree;
    record.refute = refute;
    made.validity = {record};
    return made;
  };
  EXPECT_THAT(ordered({of("refuted", 0, 11, Severity::warning),
                       of("confirmed", 12, 0, Severity::opportunity)},
                      profile),
              ElementsAre("confirmed", "refuted"));
}

}  // namespace
}  // namespace rnnadvisor::advisor
