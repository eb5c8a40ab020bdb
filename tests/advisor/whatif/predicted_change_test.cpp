// The change of which predicted times expect the most: the search with made-up times, and how its
// answer meets the rules that propose the same.
#include "advisor/whatif/predicted_change.h"

#include <gmock/gmock.h>

#include <functional>

#include "advisor/judge/judge.h"
#include "advisor/judge/predictions.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::IsEmpty;

using Milliseconds = std::function<double(const RnnConfig&)>;

// Each phase takes as long; the interval is a tenth to either side.
model::PredictTime times(Milliseconds ms) {
  return [ms = std::move(ms)](const RnnConfig& config,
                              Phase) -> std::optional<model::TimePrediction> {
    const double seconds = ms(config) * 1e-3;
    if (seconds <= 0) return std::nullopt;
    return model::TimePrediction{seconds, 0.9 * seconds, 1.1 * seconds, false, "made up", "9.19.0"};
  };
}

Profile profile_of(int hidden, int batch) {
  Profile profile;
  profile.devices = {*find_device("h200")};
  auto& configuration = profile.configurations.emplace_back();
  auto& config = configuration.config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.hidden_size = config.input_size = config.proj_size = hidden;
  config.batch_size = batch;
  config.seq_length = 32;
  return profile;
}

std::optional<PredictedChange> change_of(const Profile& profile, const Milliseconds& ms) {
  return predict_change(profile, 0, profile.devices.front(), times(ms));
}

TEST(PredictChange, TakesTheFastest) {
  const auto change = change_of(profile_of(1024, 32), [](const RnnConfig& c) {
    return c.algo == Algo::persist_static ? 1.0 : 4.0;
  });
  ASSERT_TRUE(change);
  EXPECT_EQ(change->words, "the persist_static algorithm");
  EXPECT_EQ(change->meaning, Meaning::exact);
  EXPECT_NEAR(change->speedup, 4, 1e-9);
  EXPECT_NEAR(change->before.seconds, 12e-3, 1e-9) << "forward, backward data, backward weights";
  EXPECT_LT(change->low, 4);
  EXPECT_GT(change->low, 3);
  EXPECT_GT(change->high, 4);
}

TEST(PredictChange, PutsTogetherWhatHelpsTogether) {
  // Neither the algorithm nor the padding alone is faster.
  const auto change = change_of(profile_of(1024, 33), [](const RnnConfig& c) {
    return c.algo == Algo::persist_static && c.batch_size % 8 == 0 ? 1.0 : 4.0;
  });
  ASSERT_TRUE(change);
  EXPECT_EQ(change->words, "40 sequences instead of 33 (padded) and the persist_static algorithm");
  EXPECT_EQ(change->meaning, Meaning::padded);
}

// None of the paddings alone gains anything, and each is more than is padded to without a kernel
// that wants it.
TEST(PredictChange, PadsForAPersistentKernelOnTensorCores) {
  auto profile = profile_of(400, 10);
  auto& config = profile.configurations.front().config;
  config.cell = Cell::gru;
  const auto change = change_of(profile, [](const RnnConfig& c) {
    return c.algo == Algo::persist_static && c.batch_size == 16 && c.hidden_size == 512 &&
                   c.input_size % 32 == 0
               ? 1.0
               : 4.0;
  });
  ASSERT_TRUE(change);
  EXPECT_EQ(change->words,
            "512 units instead of 400 (padded), 416 inputs instead of 400 (padded), 16 sequences "
            "instead of 10 (padded) and the persist_static algorithm");
  // Half as many units again at most.
  config.hidden_size = config.input_size = config.proj_size = 80;
  const auto small = change_of(profile, [](const RnnConfig& c) {
    return c.algo == Algo::persist_static && c.batch_size == 16 && c.hidden_size == 128 ? 1.0 : 4.0;
  });
  ASSERT_TRUE(small);
  EXPECT_THAT(small->changes, IsEmpty());
}

TEST(PredictChange, LeavesOutWhatDoesNothing) {
  const auto change = change_of(
      profile_of(1001, 33), [](const RnnConfig& c) { return c.batch_size % 8 == 0 ? 1.0 : 4.0; });
  ASSERT_TRUE(change);
  EXPECT_EQ(change->words, "40 sequences instead of 33 (padded)");
}

// Tensor Cores want multiples of 8, persistent kernels of 32: no document asks for 16 or 64.
TEST(PredictChange, PadsToWhatADocumentAsksFor) {
  const auto only = [](int RnnConfig::* size, int fast) {
    return [=](const RnnConfig& c) { return c.*size == fast ? 1.0 : 4.0; };
  };
  const auto words = [](int hidden, const Milliseconds& ms) {
    const auto change = change_of(profile_of(hidden, 32), ms);
    return change ? change->words : "not predicted";
  };
  EXPECT_EQ(words(1000, only(&RnnConfig::hidden_size, 1008)), "");
  EXPECT_EQ(words(1000, only(&RnnConfig::input_size, 1008)), "");
  EXPECT_EQ(words(992, only(&RnnConfig::hidden_size, 1024)), "1024 units instead of 992 (padded)");
  EXPECT_EQ(words(1000, only(&RnnConfig::hidden_size, 1024)),
            "1024 units instead of 1000 (padded)");
  EXPECT_EQ(words(1000, only(&RnnConfig::input_size, 1024)),
            "1024 inputs instead of 1000 (padded)");
  // Inputs of a multiple of 128 are a condition of PyTorch's.
  auto profile = profile_of(992, 32);
  const auto wide_input = only(&RnnConfig::input_size, 1024);
  EXPECT_EQ(change_of(profile, wide_input).value().words, "");
  profile.configurations.front().program.name = Framework::pytorch;
  EXPECT_EQ(change_of(profile, wide_input).value().words, "1024 inputs instead of 992 (padded)");
}

TEST(PredictChange, NothingFasterIsAnAnswerAndUnknownTimesAreNone) {
  const auto none = change_of(profile_of(1024, 32), [](const RnnConfig&) { return 1.0; });
  ASSERT_TRUE(none);
  EXPECT_THAT(none->changes, IsEmpty());
  EXPECT_EQ(none->speedup, 1);
  EXPECT_FALSE(change_of(profile_of(1024, 32), [](const RnnConfig&) { return 0.0; }));
  const auto profile = profile_of(1024, 32);
  EXPECT_FALSE(predict_change(profile, 0, profile.devices.front(), {}));
}

TEST(PredictChange, TimesOfAnotherCudnnSayNothing) {
  auto profile = profile_of(1024, 32);
  const auto fast = [](const RnnConfig& c) { return c.algo == Algo::standard ? 4.0 : 1.0; };
  profile.environment.cudnn_version = "9.19.2";
  EXPECT_TRUE(change_of(profile, fast));
  profile.environment.cudnn_version = "8.9.7";
  EXPECT_FALSE(change_of(profile, fast));
}

TEST(PredictWith, AnswersOfAnotherCudnnAreLeftOut) {
  const auto predict = times([](const RnnConfig&) { return 1.0; });  // of 9.19.0
  const auto answers = [&](const char* cudnn) {
    const auto judged = predict_with(predict, parse_version(cudnn));
    return judged(RnnConfig{}, Phase::forward_training).has_value();
  };
  EXPECT_TRUE(answers("9.19.0"));
  EXPECT_TRUE(answers("9.19.2")) << "the patch does not count";
  EXPECT_TRUE(answers("")) << "not known";
  EXPECT_FALSE(answers("9.20.0"));
  EXPECT_FALSE(answers("9.1"));
  EXPECT_FALSE(answers("8.19.0"));
  EXPECT_FALSE(predict_with({}, parse_version("9.19.0")));
  model::TimePrediction unknown;
  EXPECT_TRUE(measured_with(unknown, parse_version("9.19.0")));
}

TEST(PredictChange, PrecisionIsGivenUpForMoreThanPredictionsCanTell) {
  auto profile = profile_of(1024, 32);
  auto& config = profile.configurations.front().config;
  config.data_type = DataType::float32;
  config.math_type = MathType::fma;
  const auto with_tf32 = [](double ms) {
    return [ms](const RnnConfig& c) { return c.math_type == MathType::fma ? 4.0 : ms; };
  };
  const auto little = change_of(profile, with_tf32(3.5));
  ASSERT_TRUE(little);
  EXPECT_THAT(little->changes, IsEmpty());
  const auto much = change_of(profile, with_tf32(1));
  ASSERT_TRUE(much);
  EXPECT_EQ(much->meaning, Meaning::numerics);
  profile.configurations.front().program.allow_tf32 = false;
  const auto forbidden = change_of(profile, with_tf32(1));
  ASSERT_TRUE(forbidden);
  EXPECT_THAT(forbidden->changes, IsEmpty());
}

TEST(PredictChange, HalfTakesAlongWhatBelongsToIt) {
  Profile profile = profile_of(1000, 33);
  auto& config = profile.configurations.front().config;
  config.data_type = DataType::float32;
  config.math_type = MathType::default_math;
  const auto in_half = [](double padded) {
    return [padded](const RnnConfig& c) {
      if (c.data_type != DataType::half) return 4.0;
      return c.hidden_size % 32 == 0 && c.batch_size % 8 == 0 ? padded : 3.9;
    };
  };
  const auto change = change_of(profile, in_half(1));
  ASSERT_TRUE(change && change->in_half);
  EXPECT_NEAR(change->in_half->speedup, 4, 1e-9);
  EXPECT_EQ(change->in_half->changes.front().kind, "data_type");
  EXPECT_GE(change->in_half->changes.size(), 3U) << change->in_half->words;
  EXPECT_THAT(change->changes, IsEmpty()) << "with the same data nothing is faster";
  const auto alone = change_of(profile, in_half(3.9));
  ASSERT_TRUE(alone && alone->in_half);
  EXPECT_EQ(alone->in_half->words, "half precision");
  config.data_type = DataType::half;
  EXPECT_FALSE(change_of(profile, in_half(1))->in_half);
}

JudgeOptions predicting(const Milliseconds& ms) {
  JudgeOptions options;
  options.predict_for = [ms](const DeviceSpec&) { return times(ms); };
  return options;
}

const Finding* of_rule(const Judgement& judgement, std::string_view id) {
  for (const auto& finding : judgement.findings)
    if (finding.rule_id == id) return &finding;
  return nullptr;
}

TEST(JudgePredicted, ARuleThatProposesTheSameTellsIt) {
  const auto fast =
      predicting([](const RnnConfig& c) { return c.algo == Algo::persist_static ? 1.0 : 5.0; });
  const auto judgement = judge(profile_of(1024, 32), builtin_rules(), fast);
  EXPECT_EQ(of_rule(judgement, predicted_rule), nullptr);
  const auto* told = of_rule(judgement, "algorithm/use-persist-static");
  ASSERT_NE(told, nullptr);
  ASSERT_TRUE(told->gain);
  EXPECT_NEAR(told->gain->speedup, 5, 1e-9);
  EXPECT_EQ(told->gain->basis, GainBasis::modelled);
  for (const auto& verdict : judgement.verdicts)
    EXPECT_TRUE(verdict.rule_id != predicted_rule || verdict.kind == VerdictKind::told_by_another);
}

TEST(JudgePredicted, WhatNoRuleProposesIsAFindingOfItsOwn) {
  const auto wider =
      predicting([](const RnnConfig& c) { return c.hidden_size == 1024 ? 1.0 : 5.0; });
  const auto judgement = judge(profile_of(992, 32), builtin_rules(), wider);
  const auto* told = of_rule(judgement, predicted_rule);
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(&judgement.findings.front(), told) << "the others are predicted to gain less";
  ASSERT_EQ(told->suggestions.size(), 1U);
  EXPECT_EQ(told->suggestions.front().transform->kind, "pad_hidden");
}

// A rule says from measurements that persist_dynamic is slow here.
TEST(JudgePredicted, WhatLeadsToAnotherFindingIsNotProposed) {
  const auto dynamic =
      predicting([](const RnnConfig& c) { return c.algo == Algo::persist_dynamic ? 1.0 : 5.0; });
  const auto judgement = judge(profile_of(1024, 32), builtin_rules(), dynamic);
  EXPECT_EQ(of_rule(judgement, predicted_rule), nullptr);
}

TEST(JudgePredicted, WithoutPredictionsNothingIsKnown) {
  const auto judgement = judge(profile_of(1024, 32), builtin_rules());
  for (const auto& verdict : judgement.verdicts)
    EXPECT_TRUE(verdict.rule_id != predicted_rule || verdict.kind == VerdictKind::unknown);
}

}  // namespace
}  // namespace rnnadvisor::advisor
