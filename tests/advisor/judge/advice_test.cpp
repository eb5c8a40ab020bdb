// What following the first suggestion leads to, over configurations drawn at random, devices and
// frameworks; and the advice for the documents' own examples on GPUs that were not measured.
#include "advisor/judge/advice.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <set>

#include "advisor/change/compose.h"
#include "advisor/facts/framework_call.h"
#include "advisor/judge/judge.h"
#include "advisor/rules/evaluate.h"
#include "advisor/rules/validation_records.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/estimate.h"
#include "advisor/whatif/framework_fit.h"
#include "advisor/whatif/predicted_change.h"
#include "core/base/parallel.h"
#include "core/model/memory.h"
#include "core/model/time_for_device.h"
#include "tests/effort.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  int between(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  std::mt19937 random_;
};

RnnConfig draw_config(Draw& draw) {
  RnnConfig c;
  c.cell = draw.one_of({Cell::lstm, Cell::lstm, Cell::gru, Cell::rnn_tanh, Cell::rnn_relu});
  c.algo = draw.one_of({Algo::standard, Algo::standard, Algo::standard, Algo::persist_static,
                        Algo::persist_dynamic, Algo::persist_static_small_h});
  c.data_type = draw.one_of(
      {DataType::half, DataType::half, DataType::float32, DataType::float32, DataType::bfloat16});
  c.math_precision = natural_math_precision(c.data_type);
  c.math_type = c.data_type == DataType::float32
                    ? draw.one_of({MathType::default_math, MathType::default_math,
                                   MathType::tensor_op_allow_conversion, MathType::fma})
                    : draw.one_of({MathType::default_math, MathType::tensor_op});
  c.hidden_size = draw.chance(50) ? draw.one_of({64, 128, 192, 256, 512, 1000, 1024, 1088, 1500})
                                  : draw.between(8, 2200);
  c.proj_size = c.hidden_size;
  c.input_size = draw.chance(60) ? c.hidden_size : draw.between(1, 1500);
  c.batch_size = draw.chance(50) ? draw.one_of({1, 8, 16, 32, 64, 128, 256}) : draw.between(1, 300);
  c.seq_length = draw.chance(50) ? draw.one_of({16, 64, 128}) : draw.between(1, 400);
  c.num_layers = draw.one_of({1, 1, 1, 2, 4});
  c.direction = draw.chance(15) ? Direction::bidirectional : Direction::unidirectional;
  c.mode = draw.chance(70) ? Mode::training : Mode::inference;
  if (draw.chance(10)) c.dropout = 0.2;
  if (draw.chance(5)) c.bias_mode = BiasMode::no_bias;
  return c;
}

ProgramContext draw_program(Draw& draw) {
  ProgramContext program;
  switch (draw.below(6)) {
    case 0:
    case 1:
      break;
    case 2:
    case 3:
      program.name = Framework::pytorch;
      if (draw.chance(20)) program.autocast = Autocast::float16;
      break;
    case 4:
      program.name = draw.one_of({Framework::keras3, Framework::tensorflow});
      break;
    default:
      program.name = draw.one_of({Framework::jax, Framework::cudnn_api});
  }
  return program;
}

Profile profile_of(const RnnConfig& config, const ProgramContext& program,
                   const DeviceSpec& device) {
  Profile profile;
  profile.devices = {device};
  Configuration& c = profile.configurations.emplace_back();
  c.config = framework_call(config, program, &device).config;
  c.program = program;
  c.device = 0;
  c.sizes = model::space_sizes(c.config);
  return profile;
}

Judgement judged(const Profile& profile, bool predicting = true) {
  JudgeOptions options;
  options.keep_verdicts = false;
  if (predicting) options.predict_for = model::predict_time_for;
  return judge(profile, builtin_rules(), options);
}

bool offered(const Finding& finding, const Suggestion& suggestion) {
  return suggestion.transform && suggestion.cannot.empty() && !withdrawn(finding, suggestion);
}

bool runs(const RnnConfig& call, const DeviceSpec& device) {
  const auto answer = model::eligibility(call, device);
  if (call.mode == Mode::inference) return answer.at(model::Stage::forward_inference);
  return answer.at(model::Stage::forward_training) && answer.at(model::Stage::backward_data) &&
         answer.at(model::Stage::backward_weights);
}

double seconds(const std::vector<RnnConfig>& calls, const model::PredictTime& predict) {
  double sum = 0;
  for (const auto& call : calls) {
    for (const Phase phase : all_phases) {
      if ((phase == Phase::forward_inference) != (call.mode == Mode::inference)) continue;
      const auto time = predict(call, phase);
      if (!time) return 0;
      sum += time->seconds;
    }
  }
  return sum;
}

// It says how to be faster still, and not that something is wrong.
bool more_to_gain(const Finding& finding) {
  const auto& consequence = builtin_rules().find(finding.rule_id)->consequence;
  return finding.severity == Severity::opportunity ||
         (finding.severity == Severity::warning &&
          (consequence == "slower" || consequence == "path" || consequence == "fallback"));
}

std::string problem_of(const Profile& profile, const Judgement& judgement) {
  const DeviceSpec& device = profile.devices.front();
  const auto& own = profile.configurations.front();
  for (const auto& finding : judgement.findings) {
    if (!finding.gain || finding.gain->another_model) continue;
    if (std::none_of(finding.suggestions.begin(), finding.suggestions.end(),
                     [](const auto& s) { return !s.transform || s.cannot.empty(); }))
      return finding.rule_id + " claims a gain and proposes nothing";
  }
  // The first that can be applied, but for what is about memory or results: these trade time.
  for (const auto& finding : judgement.findings) {
    const auto first = std::find_if(finding.suggestions.begin(), finding.suggestions.end(),
                                    [&](const Suggestion& s) { return offered(finding, s); });
    if (first == finding.suggestions.end()) continue;
    const auto changes = changes_of(*first);
    if (widest_meaning(changes) == Meaning::model) return {};  // labelled as another model
    Candidate candidate;
    candidate.transforms = in_order(changes);
    candidate.meaning = meaning_of(candidate.transforms, own.config);
    auto variant = compose(candidate.transforms, own.config);
    if (!variant || variant->cuda_graph) return {};  // a switch of the framework, or a graph
    candidate.variant = std::move(*variant);
    if (const auto framework = framework_around(profile, 0)) {
      if (fit_to_framework(candidate, *framework, own.program, device, std::nullopt)) return {};
    }
    const auto& calls = candidate.variant.calls;
    const std::string what = finding.rule_id + ", " + describe(changes) + ": ";
    const Rule* rule = builtin_rules().find(finding.rule_id);
    bool faster = false;
    if (runs(own.config, device)) {
      for (const auto& call : calls)
        if (!runs(framework_call(call, own.program, &device).config, device))
          return what + "refused: " + summary(call);
      const bool trades = finding.severity == Severity::error || rule->consequence == "memory" ||
                          rule->consequence == "numerics";
      const auto predict = model::predict_time_for(device);
      const double before = seconds({own.config}, predict), after = seconds(calls, predict);
      faster = finding.rule_id != predicted_rule && before > 0 && after > 0 &&
               before >= after * least_told_gain;
      // Where times say nothing, what was measured on another GPU counts.
      const bool timed = before > 0 && after > 0 && !says_nothing_of(changes, before / after);
      if (!timed && !rule->validity.empty())
        faster = rule->validity.back().agree > 0 && !refuted(rule->validity.back());
      if (!trades && before > 0 && after > before * 1.000001 &&
          !says_nothing_of(changes, before / after))
        return what + fmt::format("{:.3f} ms instead of {:.3f}", after * 1e3, before * 1e3);
    }
    // Whatever the kernels of cuDNN still lack, without them a layer is slower.
    faster = faster || rule->consequence == "fallback";
    std::set<std::string> told;
    for (const auto& verdict : judge(profile, builtin_rules()).verdicts) {
      // Also what another finding tells: it is nothing new.
      if (verdict.kind == VerdictKind::fired || verdict.kind == VerdictKind::told_by_another)
        told.insert(verdict.rule_id);
    }
    for (const auto& other : judgement.findings) told.insert(other.rule_id);
    // Nor is what is wrong with a call that the framework does not make yet.
    const ProfileIndex index(profile);
    FactMemo facts(index);
    facts.begin(0);
    for (const auto& other : builtin_rules().rules)
      if (decide(other, facts, judged_cudnn_version(profile, own)) == VerdictKind::fired)
        told.insert(other.id);
    for (const auto& call : calls) {
      Profile changed = profile;
      auto& after = changed.configurations.front();
      after.config = framework_call(call, own.program, &device).config;
      after.sizes = model::space_sizes(after.config);
      for (const auto& other : judged(changed, false).findings) {
        if (another_model_only(other)) continue;  // labelled so
        if (faster && more_to_gain(other)) continue;
        if (other.severity >= finding.severity && !told.contains(other.rule_id))
          return what + "leads to " + other.rule_id;
      }
    }
    return {};
  }
  return {};
}

// Property over drawn configurations, devices and frameworks.
TEST(Advice, FollowingTheFirstSuggestionIsNeverAStepBack) {
  const auto draws = static_cast<std::size_t>(test::draws());
  const auto devices = shipped_devices();
  const auto& rules = builtin_rules();  // read once, before the threads
  ASSERT_FALSE(rules.rules.empty());
  const auto h200 = find_device("nvidia-h200");
  ASSERT_TRUE(h200);
  std::mutex mutex;
  std::vector<std::string> problems;
  std::atomic<int> followed = 0;
  for_pieces(draws, 50, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Draw draw(static_cast<unsigned>(i));
      const RnnConfig config = draw_config(draw);
      const ProgramContext program = draw_program(draw);
      const DeviceSpec& device = draw.chance(50) ? *h200 : devices[draw.below(devices.size())];
      const Profile profile = profile_of(config, program, device);
      const auto judgement = judged(profile);
      const auto problem = problem_of(profile, judgement);
      if (!judgement.findings.empty()) ++followed;
      if (problem.empty()) continue;
      const std::lock_guard lock(mutex);
      problems.push_back(fmt::format(
          "draw {}, {}, {}: {}: {}", i, device.id,
          program.name ? Spellings<Framework>::values[static_cast<std::size_t>(*program.name)]
                       : "no framework",
          summary(profile.configurations.front().config), problem));
    }
  });
  EXPECT_GT(followed, static_cast<int>(draws / 2));
  std::sort(problems.begin(), problems.end());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(problems.size(), 30); ++i)
    text += problems[i] + "\n";
  EXPECT_TRUE(problems.empty()) << problems.size() << " of " << draws << ":\n" << text;
}

RnnConfig half_layer(int units, int batch, DataType type = DataType::half) {
  RnnConfig c;
  c.cell = Cell::lstm;
  c.data_type = type;
  c.hidden_size = c.input_size = c.proj_size = units;
  c.batch_size = batch;
  c.seq_length = 128;
  return c;
}

std::vector<std::string> ids(const Judgement& judgement) {
  std::vector<std::string> list;
  for (const auto& finding : judgement.findings) list.push_back(finding.rule_id);
  return list;
}

// Kinds of change that the findings propose.
std::vector<std::string> proposed(const Judgement& judgement) {
  std::vector<std::string> kinds;
  for (const auto& finding : judgement.findings) {
    for (const auto& suggestion : finding.suggestions)
      for (const auto& change : changes_of(suggestion)) kinds.push_back(change.kind);
  }
  return kinds;
}

TEST(Advice, TheFirstSuggestionIsTheFastest) {
  const auto device = *find_device("h200");
  const Profile profile = profile_of(half_layer(1000, 64), {}, device);
  const auto judgement = judged(profile);
  ASSERT_FALSE(judgement.findings.empty());
  const auto& first = judgement.findings.front();
  ASSERT_FALSE(first.suggestions.empty());
  ASSERT_TRUE(first.suggestions.front().transform) << first.rule_id;
  ASSERT_TRUE(first.predicted_speedup);
  EXPECT_GT(*first.predicted_speedup, 1);
  for (const auto& other : judgement.findings) {
    if (other.predicted_speedup && !refuted(other)) {
      // Of those that come close the one that takes less.
      EXPECT_LE(*other.predicted_speedup, *first.predicted_speedup * least_told_gain)
          << other.rule_id;
    }
  }
}

// Held-out case 34 on an H200: 1.24 times faster with TF32
// (tests/gpu/results/h200/held-out-fourth), which predicted times take for 2 % slower.
TEST(Advice, ASmallPredictedLossDoesNotWithdrawADocumentedMathType) {
  const auto device = *find_device("h200");
  RnnConfig c = half_layer(400, 30, DataType::float32);
  c.num_layers = 3;
  c.input_size = 279;
  c.seq_length = 20;
  c.math_type = MathType::fma;
  const auto judgement = judged(profile_of(c, {}, device));
  const auto found =
      std::find_if(judgement.findings.begin(), judgement.findings.end(),
                   [](const Finding& finding) { return finding.rule_id == "math/tf32-off"; });
  ASSERT_NE(found, judgement.findings.end());
  EXPECT_EQ(found->severity, Severity::opportunity);
  ASSERT_FALSE(found->suggestions.empty());
  const auto changes = changes_of(found->suggestions.front());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes.front().kind, "math_type");
}

// The change of the first finding of a rule that a machine could make first; none: {}.
std::vector<Transform> first_change(const Judgement& judgement, std::string_view rule) {
  for (const auto& finding : judgement.findings) {
    if (finding.rule_id != rule) continue;
    for (const auto& suggestion : finding.suggestions)
      if (suggestion.transform) return changes_of(suggestion);
  }
  return {};
}

// Both were measured: 4.2 and 7.7 times faster (tests/gpu/results/h200/held-out-first.rnnprof and
// planted-second.rnnprof). After the one a kernel for small layers has more to gain, after the
// other half data has.
TEST(Advice, AStepThatLeavesMoreToGainIsNoStepBack) {
  const auto device = *find_device("h200");
  RnnConfig small = half_layer(64, 1, DataType::bfloat16);
  small.cell = Cell::rnn_tanh;
  small.algo = Algo::persist_dynamic;
  const auto half =
      first_change(judged(profile_of(small, {}, device)), "persistence/data-type-not-bfloat16");
  ASSERT_FALSE(half.empty());
  EXPECT_EQ(half.front().kind, "data_type");
  RnnConfig fma = half_layer(1024, 64, DataType::float32);
  fma.seq_length = 32;
  fma.math_type = MathType::fma;
  fma.algo = Algo::persist_static;
  const auto standard =
      first_change(judged(profile_of(fma, {}, device)), "persistence/tensor-core-math");
  ASSERT_FALSE(standard.empty());
  EXPECT_EQ(describe(standard), "algo (value standard), then math_type (value default)");
}

// Half without Tensor Cores, of 1001 units: far slower than the standard algorithm in all pairs
// that were measured. That this one then wants other sizes takes nothing back where no times are
// known.
TEST(Advice, WhatWasMeasuredElsewhereKeepsItsRemedy) {
  RnnConfig config = half_layer(1001, 30);
  config.algo = Algo::persist_static;
  const auto judgement = judged(profile_of(config, {}, *find_device("h100")));
  EXPECT_FALSE(first_change(judgement, "persistence/tensor-core-math").empty());
}

// The model of times has the same for both math types of this algorithm; 1.30 times were measured
// (planted-second.rnnprof).
TEST(Advice, TimesThatKnowNothingOfAChangeDoNotTakeItsGain) {
  RnnConfig small = half_layer(64, 64);
  small.seq_length = 32;
  small.math_type = MathType::tensor_op;
  small.algo = Algo::persist_static_small_h;
  const auto judgement = judged(profile_of(small, {}, *find_device("h200")));
  const auto found =
      std::find_if(judgement.findings.begin(), judgement.findings.end(),
                   [](const Finding& f) { return f.rule_id == "math/small-h-default-math"; });
  ASSERT_NE(found, judgement.findings.end());
  EXPECT_EQ(found->severity, Severity::opportunity);
  ASSERT_TRUE(found->gain);
  EXPECT_EQ(found->gain->basis, GainBasis::measured_elsewhere);
}

TEST(Advice, TheDocumentDecidesWhereNothingWasMeasured) {
  for (const char* name : {"a100", "v100"}) {
    const auto judgement = judged(profile_of(half_layer(500, 64), {}, *find_device(name)));
    const auto kinds = proposed(judgement);
    EXPECT_THAT(kinds, Contains("pad_hidden")) << name;
    EXPECT_THAT(kinds, Contains("pad_input")) << name;
  }
  const auto bfloat16 =
      judged(profile_of(half_layer(1001, 63, DataType::bfloat16), {}, *find_device("a100")));
  EXPECT_THAT(ids(bfloat16), Contains("alignment/hidden-multiple-of-8"));
  RnnConfig gnmt = half_layer(1024, 64);
  gnmt.math_type = MathType::tensor_op;
  gnmt.seq_length = 256;
  for (const char* name : {"a100-40gb", "a100", "h100", "v100", "t4", "a30", "a10", "b200", "l4",
                           "rtx-4090", "l40s"}) {
    const auto device = find_device(name);
    ASSERT_TRUE(device) << name;
    const auto judgement = judged(profile_of(gnmt, {}, *device));
    EXPECT_THAT(ids(judgement), Contains("algorithm/use-persist-static-documented")) << name;
  }
  // Where it was measured the measurement decides.
  const auto measured = judged(profile_of(gnmt, {}, *find_device("h200")));
  EXPECT_THAT(ids(measured), ::testing::Not(Contains("algorithm/use-persist-static-documented")));
}

TEST(Advice, AMeasurementStandsBesideTheDocumentElsewhere) {
  const auto judgement = judged(profile_of(half_layer(1001, 63), {}, *find_device("a100")));
  const auto found =
      std::find_if(judgement.findings.begin(), judgement.findings.end(),
                   [](const Finding& f) { return f.rule_id == "alignment/hidden-multiple-of-8"; });
  ASSERT_NE(found, judgement.findings.end());
  EXPECT_THAT(found->message, HasSubstr("NVIDIA H200"));
  EXPECT_FALSE(refuted(*found));
}

TEST(Advice, OneConfigurationIsPaddedOneWay) {
  for (const auto framework : {std::optional<Framework>(), std::optional(Framework::pytorch)}) {
    for (const auto& device : shipped_devices()) {
      ProgramContext program;
      program.name = framework;
      const Profile profile = profile_of(half_layer(333, 64), program, device);
      std::set<int> units;
      for (const auto& finding : judged(profile).findings) {
        if (refuted(finding)) continue;
        for (const auto& suggestion : finding.suggestions) {
          const auto changes = changes_of(suggestion);
          const bool pads = std::any_of(changes.begin(), changes.end(),
                                        [](const auto& c) { return c.kind == "pad_hidden"; });
          if (!pads) continue;
          const auto calls = compose(changes, profile.configurations.front().config);
          ASSERT_TRUE(calls);
          units.insert(calls->calls.front().hidden_size);
        }
      }
      EXPECT_LE(units.size(), 1U) << device.id << ' ' << ::testing::PrintToString(units);
    }
  }
}

TEST(Advice, SeverityFollowsTheGain) {
  const auto* rule = builtin_rules().find("alignment/hidden-multiple-of-8");
  ASSERT_NE(rule, nullptr);
  const auto severity = [&](double speedup, Meaning meaning) {
    Finding finding;
    finding.severity = Severity::opportunity;
    finding.gain = Gain{};
    finding.gain->speedup = speedup;
    Suggestion suggestion;
    suggestion.transform = Transform{"pad_hidden", "{\"multiple\":8}", meaning};
    finding.suggestions = {suggestion};
    return severity_by_gain(finding, *rule);
  };
  EXPECT_EQ(severity(18.1, Meaning::padded), Severity::warning);
  EXPECT_EQ(severity(1.5, Meaning::exact), Severity::warning);
  EXPECT_EQ(severity(18.1, Meaning::numerics), Severity::opportunity);
  EXPECT_EQ(severity(1.36, Meaning::exact), Severity::opportunity);
  EXPECT_EQ(severity(1.04, Meaning::exact), Severity::info);
}

// Measured on an H200: 7.59 ms a step, 2.98 with the other algorithm, 3.81 padded.
TEST(Advice, TheCommandComesBeforePaddingByHand) {
  ProgramContext pytorch;
  pytorch.name = Framework::pytorch;
  for (const char* name : {"h200", "a100"}) {
    const auto judgement = judged(profile_of(half_layer(1000, 32), pytorch, *find_device(name)));
    ASSERT_FALSE(judgement.findings.empty()) << name;
    const auto& all = judgement.findings.front().suggestions;
    ASSERT_FALSE(all.empty()) << name;
    EXPECT_EQ(all.front().effort, Effort::command) << name << all.front().text;
    EXPECT_THAT(all.front().text, HasSubstr("rnnadvisor accelerate")) << name;
    EXPECT_THAT(proposed(judgement), Contains("pad_hidden")) << name;
  }
}

TEST(Advice, AGraphSaysHowItGoesTogetherWithAccelerate) {
  ProgramContext pytorch;
  pytorch.name = Framework::pytorch;
  RnnConfig stack = half_layer(512, 32);
  stack.num_layers = 2;
  stack.mode = Mode::inference;
  int graphs = 0;
  for (const auto& finding : judged(profile_of(stack, pytorch, *find_device("h200"))).findings) {
    for (const auto& suggestion : finding.suggestions) {
      const auto changes = changes_of(suggestion);
      if (changes.empty() || changes.front().kind != "cuda_graph") continue;
      ++graphs;
      EXPECT_THAT(suggestion.text, HasSubstr("at least 30 steps before the capture"));
    }
  }
  EXPECT_GT(graphs, 0);
}

// torch.compile leaves nn.LSTM and its like outside its graphs.
TEST(Advice, TorchCompileIsOfferedWithItsLimit) {
  for (const auto& rule : builtin_rules().rules) {
    // No module of cuDNN's.
    if (rule.id == "launch/handwritten-cell" || rule.id == "descriptor/custom-cell") continue;
    for (const auto& suggestion : rule.suggestions) {
      if ((suggestion.text + suggestion.code).find("torch.compile(") != std::string::npos) {
        EXPECT_THAT(suggestion.text, HasSubstr("outside")) << rule.id;
      }
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
