// What rules claim against a GPU that is made up: its truth is known, so the verdicts are.
#include "advisor/validate/agreement.h"

#include <gmock/gmock.h>

#include "advisor/judge/judge.h"
#include "advisor/validate/agreement_report.h"
#include "advisor/validate/measure.h"
#include "core/device/device_spec.h"
#include "tests/advisor/whatif/stand_in.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::string_view batch_rule = "alignment/batch-multiple-of-8";

Environment environment() {
  Environment made;
  made.cudnn_version = "9.19.0";
  made.driver_version = "580.159.04";
  made.created = "2026-11-22T08:00:00Z";
  made.command_line = "rnnadvisor rules validate";
  return made;
}

RuleSample sample_of(std::string_view id, int firing, int silent) {
  SampleOptions options;
  options.firing = firing;
  options.silent = silent;
  return sample_pairs(*builtin_rules().find(id), *find_device("h200"), environment(), options);
}

// Time by the batch alone.
stand_in::StandIn gpu(std::function<double(const RnnConfig&)> ms) {
  stand_in::StandIn made;
  made.cost = [ms = std::move(ms)](const ExperimentVariant& variant, ExperimentScope) {
    double sum = 0;
    for (const auto& call : variant.calls) sum += ms(call);
    return sum;
  };
  return made;
}

std::vector<RuleAgreement> measured(stand_in::StandIn machine, const RuleSample& sample,
                                    MeasureResult* result = nullptr, MeasureOptions options = {}) {
  const std::vector samples = {sample};
  const auto experimenter = [&](const ExperimentRequest& request) {
    return machine.answer(request);
  };
  if (!options.clock) options.clock = [&] { return machine.now; };
  auto made = measure_pairs(samples, *find_device("h200"), environment(), experimenter, options);
  auto agreements = agreement_of(made.profile, builtin_rules());
  if (result != nullptr) *result = std::move(made);
  return agreements;
}

TEST(Agreement, OfARuleThatIsTrue) {
  const auto agreements =
      measured(gpu([](const RnnConfig& c) { return c.batch_size % 8 == 0 ? 1.0 : 2.0; }),
               sample_of(batch_rule, 6, 0));
  ASSERT_THAT(agreements, SizeIs(1));
  const auto& a = agreements.front();
  EXPECT_EQ(a.rule, batch_rule);
  EXPECT_EQ(a.claim, Claim::faster);
  EXPECT_EQ(a.agree, 6);
  EXPECT_EQ(a.refute + a.undecided + a.not_run + a.missed, 0);
  EXPECT_DOUBLE_EQ(a.speedup, 2.0);
  EXPECT_EQ(a.timed, 6);
  EXPECT_FALSE(a.refuted());
  EXPECT_THAT(effect_words(a), HasSubstr("median 2.00x (2.00x to 2.00x) of 6 pairs"));
}

TEST(Agreement, OfARuleThatIsNot) {
  for (const double ratio : {1.0, 1.3}) {  // padding changes nothing, or costs
    const auto agreements =
        measured(gpu([&](const RnnConfig& c) { return c.batch_size % 8 == 0 ? ratio : 1.0; }),
                 sample_of(batch_rule, 6, 0));
    ASSERT_THAT(agreements, SizeIs(1));
    EXPECT_EQ(agreements.front().refute, 6) << ratio;
    EXPECT_TRUE(agreements.front().refuted());
  }
}

TEST(Agreement, IsUndecidedInNoise) {
  auto machine = gpu([](const RnnConfig& c) { return c.batch_size % 8 == 0 ? 1.0 : 1.05; });
  machine.spread = 0.2;
  const auto agreements = measured(machine, sample_of(batch_rule, 4, 0));
  ASSERT_THAT(agreements, SizeIs(1));
  EXPECT_EQ(agreements.front().undecided, 4);
  EXPECT_FALSE(agreements.front().refuted());
}

TEST(Agreement, OfTheSilentSideCountsWhatWasMissed) {
  // persist_dynamic is always ten times slower here, also where the rule is silent.
  const auto agreements =
      measured(gpu([](const RnnConfig& c) { return c.algo == Algo::persist_dynamic ? 10.0 : 1.0; }),
               sample_of("algorithm/persist-dynamic-slow", 4, 4));
  ASSERT_THAT(agreements, SizeIs(1));
  EXPECT_EQ(agreements.front().agree, 4);
  EXPECT_EQ(agreements.front().missed, 4);
  EXPECT_EQ(agreements.front().silent, 0);
  EXPECT_EQ(agreements.front().timed, 4) << "the effect is that of pairs where it fires";
}

TEST(Agreement, OfErrorsIsAboutRunning) {
  const auto sample = sample_of("persistence/no-projection", 4, 4);
  auto machine = gpu([](const RnnConfig&) { return 1.0; });
  std::vector samples = {sample};
  const auto experimenter = [&](const ExperimentRequest& request) -> Result<ExperimentResult> {
    auto answer = machine.answer(request);
    if (answer && request.before.has_projection() && request.before.persistent_algo()) {
      answer->outcome = Outcome::refused;
      answer->message = "CUDNN_STATUS_NOT_SUPPORTED";
      for (auto& variant : answer->variants) variant.timings.clear();
    }
    return answer;
  };
  auto made = measure_pairs(samples, *find_device("h200"), environment(), experimenter, {});
  auto agreements = agreement_of(made.profile, builtin_rules());
  ASSERT_THAT(agreements, SizeIs(1));
  EXPECT_EQ(agreements.front().claim, Claim::runs);
  EXPECT_EQ(agreements.front().agree, 4);
  EXPECT_EQ(agreements.front().silent, 4);
  // A cuDNN that takes them refutes the card.
  agreements = measured(gpu([](const RnnConfig&) { return 1.0; }), sample);
  ASSERT_THAT(agreements, SizeIs(1));
  EXPECT_EQ(agreements.front().refute, 4);
}

// A refusal that another card explains, or that the change does not mend, was not missed.
TEST(Agreement, OfErrorsOnTheSilentSideCountsWhatTheCardIsAbout) {
  const std::vector samples = {sample_of("descriptor/projection-size", 0, 8)};
  ASSERT_THAT(samples.front().pairs, SizeIs(8));
  auto machine = gpu([](const RnnConfig&) { return 1.0; });
  bool mends = true;
  const auto experimenter = [&](const ExperimentRequest& request) -> Result<ExperimentResult> {
    auto answer = machine.answer(request);
    answer->outcome = Outcome::refused;
    answer->message = "CUDNN_STATUS_NOT_SUPPORTED";
    for (auto& variant : answer->variants) {
      variant.timings.clear();
      if (!mends) variant.outcome = Outcome::refused;
    }
    return answer;
  };
  const auto agreement = [&] {
    const auto made = measure_pairs(samples, *find_device("h200"), environment(), experimenter, {});
    int of_another = 0;
    for (const auto& pair : samples.front().pairs)
      of_another += pair.before.config.cell != Cell::lstm ? 1 : 0;
    auto agreements = agreement_of(made.profile, builtin_rules());
    EXPECT_THAT(agreements, SizeIs(1));
    return std::pair(agreements.at(0), of_another);
  };
  auto [found, of_another] = agreement();
  EXPECT_GE(of_another, 1) << "GRU and RNN with a projection: descriptor/projection-lstm-only";
  for (const auto& pair : found.pairs) {
    if (pair.agreement == Agreement::refutes) continue;
    EXPECT_EQ(pair.agreement, Agreement::undecided);
    EXPECT_THAT(pair.message, HasSubstr("does not run for what "));
  }
  EXPECT_LE(found.missed, 8 - of_another);
  EXPECT_EQ(found.silent, 0);
  mends = false;
  std::tie(found, of_another) = agreement();
  EXPECT_EQ(found.missed + found.silent, 0);
}

// Less memory far from the limit that a card is about is nothing that it missed.
TEST(Agreement, OfALimitOfMemoryCountsOnlyAtTheLimit) {
  const std::vector samples = {sample_of("memory/weight-query-wraps", 0, 4)};
  ASSERT_THAT(samples.front().pairs, SizeIs(4));
  auto machine = gpu([](const RnnConfig&) { return 1.0; });
  bool full = false;
  const auto experimenter = [&](const ExperimentRequest& request) -> Result<ExperimentResult> {
    auto answer = machine.answer(request);
    answer->memory_bytes = 1000;
    answer->variants.at(0).memory_bytes = 500;
    answer->variants.at(0).shifts.clear();
    if (full) {
      answer->outcome = Outcome::out_of_memory_predicted;
      answer->variants.at(0).timings.clear();
    }
    return answer;
  };
  const auto missed = [&] {
    const auto made = measure_pairs(samples, *find_device("h200"), environment(), experimenter, {});
    const auto agreements = agreement_of(made.profile, builtin_rules());
    EXPECT_THAT(agreements, SizeIs(1));
    return std::pair(agreements.at(0).missed, agreements.at(0).silent);
  };
  EXPECT_EQ(missed(), std::pair(0, 0));
  full = true;
  EXPECT_EQ(missed(), std::pair(4, 0));
}

TEST(Measuring, ABudgetLeavesNoRuleOut) {
  const std::vector samples = {sample_of(batch_rule, 6, 0),
                               sample_of("persistence/hidden-multiple-of-32", 6, 2)};
  auto machine = gpu([](const RnnConfig&) { return 1.0; });
  const auto experimenter = [&](const ExperimentRequest& request) {
    return machine.answer(request);
  };
  MeasureOptions options;
  options.clock = [&] { return machine.now; };
  options.budget_seconds = 1.9;  // of half a second each
  const auto result =
      measure_pairs(samples, *find_device("h200"), environment(), experimenter, options);
  EXPECT_EQ(result.profile.experiments.size(), 4U);
  EXPECT_EQ(result.left_out, 10U);
  const auto agreements = agreement_of(result.profile, builtin_rules());
  ASSERT_THAT(agreements, SizeIs(2));
  EXPECT_THAT(agreements[0].pairs, SizeIs(2));
  EXPECT_THAT(agreements[1].pairs, SizeIs(2));
}

TEST(Measuring, AnInterruptOrErrorKeepsWhatWasMeasured) {
  const std::vector samples = {sample_of(batch_rule, 6, 0)};
  auto machine = gpu([](const RnnConfig&) { return 1.0; });
  std::atomic<bool> stop = false;
  int asked = 0;
  MeasureOptions options;
  options.stop = &stop;
  auto result = measure_pairs(
      samples, *find_device("h200"), environment(),
      [&](const ExperimentRequest& request) {
        stop = ++asked == 2;
        return machine.answer(request);
      },
      options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_THAT(result.profile.experiments, SizeIs(2));
  stop = false;
  asked = 0;
  result = measure_pairs(
      samples, *find_device("h200"), environment(),
      [&](const ExperimentRequest& request) -> Result<ExperimentResult> {
        if (++asked == 4) return fail(ErrorCode::cuda, "the GPU is gone");
        return machine.answer(request);
      },
      options);
  ASSERT_TRUE(result.error);
  EXPECT_THAT(result.profile.experiments, SizeIs(3));
  EXPECT_EQ(result.left_out, 3U);
}

TEST(Measuring, WhatIsMeasuredIsHandedOverOnTheWay) {
  const std::vector samples = {sample_of(batch_rule, 6, 0)};
  auto machine = gpu([](const RnnConfig&) { return 1.0; });
  MeasureOptions options;
  options.clock = [&] { return machine.now; };  // half a second a pair
  options.partial_seconds = 1;
  std::vector<std::size_t> sizes;
  options.on_partial = [&](const Profile& profile) { sizes.push_back(profile.experiments.size()); };
  const auto result = measure_pairs(
      samples, *find_device("h200"), environment(),
      [&](const ExperimentRequest& request) { return machine.answer(request); }, options);
  EXPECT_THAT(sizes, ::testing::ElementsAre(2, 4, 6));
  EXPECT_THAT(result.profile.experiments, SizeIs(6));
}

TEST(AgreementReports, NameMachineRuleAndWhatRefutes) {
  MeasureResult result;
  const auto agreements =
      measured(gpu([](const RnnConfig&) { return 1.0; }), sample_of(batch_rule, 4, 0), &result);
  const std::vector<std::pair<std::string, std::string>> not_sampled = {
      {"a/b", "no change to try"}};
  const AgreementReport report{result.profile, builtin_rules(), agreements, "h200.rnnprof",
                               not_sampled};
  for (const auto& text : {agreement_text(report), agreement_markdown(report)}) {
    EXPECT_THAT(text, AllOf(HasSubstr("NVIDIA H200"), HasSubstr("cuDNN 9.19.0"),
                            HasSubstr("driver 580.159.04")));
    EXPECT_THAT(text, AllOf(HasSubstr(std::string(batch_rule)), HasSubstr("refuted"),
                            HasSubstr("batch padded to a multiple of 8"), HasSubstr("a/b")));
  }
  const auto validation = validation_of(report);
  ASSERT_TRUE(validation);
  EXPECT_EQ(validation->device, "nvidia-h200");
  EXPECT_EQ(validation->date, "2026-11-22");
  const auto again = read_validation(write_validation(*validation), "h200.json");
  ASSERT_TRUE(again) << to_text(again.error());
  ASSERT_THAT(again->records, SizeIs(1));
  EXPECT_EQ(again->records[0].first, batch_rule);
  EXPECT_EQ(again->records[0].second.refute, 4);
  EXPECT_EQ(again->records[0].second.evidence, "h200.rnnprof");
}

TEST(ValidationFiles, SayWhatIsWrong) {
  for (
      const auto* text :
      {"", "[]", "{}", R"({"device":"x","cudnn":"9.19.0","evidence":"f"})",
       R"({"device":"x","cudnn":"new","evidence":"f","rules":{}})",
       R"({"device":"x","cudnn":"9.19.0","evidence":"f","rules":{"a/b":{"agree":-1,"refute":0}}})",
       R"({"device":"x","cudnn":"9.19.0","evidence":"f","rules":{"a/b":{"agree":99999999999,"refute":0}}})",
       R"({"device":"x","cudnn":"9.19.0","evidence":"f","rules":{"a/b":3}})"}) {
    const auto read = read_validation(text, "h200.json");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("h200.json")) << text;
  }
}

// A rule that was refuted on a device is a remark there, and the old advice elsewhere.
TEST(ValidityRecords, DowngradeWhereTheyRefute) {
  RuleSet rules;
  rules.rules = {*builtin_rules().find(batch_rule)};
  rules.rules.front().validity.clear();  // what travels with the program
  ValidationFile file{"nvidia-h200", "9.19.0", "2026-11-22", "h200.rnnprof", {}};
  file.records.emplace_back(
      std::string(batch_rule),
      ValidityRecord{"nvidia-h200", "9.19.0", "2026-11-22", "median 1.00x", "h200.rnnprof", 1, 8});
  file.records.emplace_back("gone/rule", ValidityRecord{});
  EXPECT_THAT(add_validation(rules.rules, file), ::testing::ElementsAre("gone/rule"));
  Profile profile;
  profile.environment = environment();
  profile.devices = {*find_device("h200"), *find_device("a100-sxm4-80gb")};
  profile.configurations = {sample_of(batch_rule, 1, 0).pairs.at(0).before};
  auto finding = judge(profile, rules).findings.at(0);
  EXPECT_EQ(finding.severity, Severity::info);
  EXPECT_THAT(finding.message,
              HasSubstr("Measuring refuted that on this kind of GPU: 8 of 9 pairs"));
  ASSERT_TRUE(finding.refuted_by);
  EXPECT_EQ(finding.refuted_by->refute, 8);
  EXPECT_TRUE(refuted(finding));
  for (const auto& suggestion : finding.suggestions) EXPECT_TRUE(withdrawn(finding, suggestion));
  EXPECT_FALSE(finding.gain);
  EXPECT_FALSE(finding.citations.empty()) << "the document's statement stays";
  profile.environment.cudnn_version = "9.20.0";
  EXPECT_NE(judge(profile, rules).findings.at(0).severity, Severity::info);
  profile.environment.cudnn_version = "9.19.1";
  EXPECT_EQ(judge(profile, rules).findings.at(0).severity, Severity::info);
  profile.environment.cudnn_version.clear();  // a configuration alone: as the newest measured
  EXPECT_EQ(judge(profile, rules).findings.at(0).severity, Severity::info);
  profile.environment.cudnn_version = "9.19.0";
  profile.configurations[0].device = 1;
  EXPECT_NE(judge(profile, rules).findings.at(0).severity, Severity::info);
}

}  // namespace
}  // namespace rnnadvisor::advisor
