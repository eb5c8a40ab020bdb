#include "advisor/whatif/candidates.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "advisor/change/in_words.h"
#include "advisor/facts/experiments.h"
#include "advisor/whatif/estimate.h"
#include "core/model/eligibility.h"
#include "core/model/memory.h"
#include "tests/advisor/whatif/changes.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

Profile profile_of(const RnnConfig& config, const ProgramContext& program = {}) {
  Profile profile;
  profile.devices = {*find_device("h200")};
  profile.environment.cudnn_version = "9.19.0";
  Configuration configuration;
  configuration.config = config;
  configuration.program = program;
  configuration.origin = Origin::run;
  profile.configurations.push_back(configuration);
  return profile;
}

ProgramContext around(Framework framework) {
  ProgramContext program;
  program.name = framework;
  return program;
}

Proposal propose_for(const Profile& profile, const ProposeOptions& options = {},
                     std::vector<Finding> findings = {}) {
  return propose(profile, 0, findings, profile.devices.front(), options);
}

std::vector<std::string> described(const Proposal& proposal) {
  std::vector<std::string> list;
  for (const auto& candidate : proposal.candidates) list.push_back(describe(candidate.transforms));
  return list;
}

std::string reason(const Proposal& proposal, std::string_view what) {
  for (const auto& dropped : proposal.dropped)
    if (describe(dropped.transforms) == what) return dropped.reason;
  return "not dropped";
}

TEST(AnotherBatch, IsComparedPerSequence) {
  const auto more = make("set_batch", R"({"value":128})");
  const auto parts = make("lower_batch", R"({"value":48})");
  EXPECT_TRUE(compared_per_sequence(std::vector{parts, more}));
  EXPECT_FALSE(compared_per_sequence(std::vector{parts, make("pad_batch", R"({"multiple":8})")}));
  // In however many calls: 48, 48 and 32 sequences are 128.
  EXPECT_EQ(batch_of(*compose(std::vector{more}, lstm())), 128);
  EXPECT_EQ(batch_of(*compose(std::vector{more, parts}, lstm())), 128);
  EXPECT_EQ(batch_of(*compose(std::vector{make("chunk_sequence", R"({"length":8})")}, lstm())), 32);
  EXPECT_EQ(batch_of({}), 0);
  // Every call takes a millisecond: four times the sequences in three times the time.
  ProposeOptions options;
  options.model = true;
  options.only = {more, parts};
  options.predict = [](const RnnConfig&, Phase) -> std::optional<model::TimePrediction> {
    return model::TimePrediction{1e-3, 0.9e-3, 1.1e-3, false, "made up"};
  };
  const auto proposal = propose_for(profile_of(lstm()), options);
  ASSERT_EQ(proposal.candidates.size(), 1U);
  EXPECT_NEAR(proposal.candidates.front().expected, 4.0 / 3, 1e-9);
}

TEST(Meanings, TheWorstCounts) {
  const auto exact = make("algo", R"({"value":"standard"})");
  const auto padded = make("pad_batch", R"({"multiple":8})");
  const auto numerics = make("data_type", R"({"value":"half"})");
  const auto model = make("set_batch", R"({"value":8})");
  const auto of = [](std::vector<Transform> list) { return meaning_of(list, lstm()); };
  EXPECT_EQ(of({exact}), Meaning::exact);
  EXPECT_EQ(of({padded, exact}), Meaning::padded);
  EXPECT_EQ(of({exact, numerics, padded}), Meaning::numerics);
  EXPECT_EQ(of({model, exact}), Meaning::model);
  // Chunks end gradients; without any, and forward in time, they change nothing.
  const std::vector chunks = {make("chunk_sequence", R"({"length":8})")};
  auto config = lstm();
  EXPECT_EQ(meaning_of(chunks, config), Meaning::model);
  config.mode = Mode::inference;
  EXPECT_EQ(meaning_of(chunks, config), Meaning::exact);
}

TEST(Meanings, TransformsSurviveJson) {
  const std::vector transforms = {make("pad_hidden", R"({"multiple":32})"), make("split_layers"),
                                  make("padded_io", R"({"value":false})")};
  const auto json = to_json(transforms);
  EXPECT_EQ(json, R"([{"kind":"pad_hidden","parameters":{"multiple":32}},)"
                  R"({"kind":"split_layers","parameters":{}},)"
                  R"({"kind":"padded_io","parameters":{"value":false}}])");
  EXPECT_EQ(parse_transforms(json), transforms);
  for (const auto* broken : {"", "{}", "[1]", R"([{"kind":1}])", R"([{"kind":"x"}])",
                             R"([{"kind":"pad_batch","parameters":{}}])"})
    EXPECT_FALSE(parse_transforms(broken)) << broken;
}

TEST(Propose, OnlyWhatCudnnTakes) {
  const auto profile = profile_of(lstm(2048));
  const auto proposal = propose_for(profile);
  EXPECT_THAT(reason(proposal, "algo (value persist_static)"),
              HasSubstr("cuDNN would refuse it at temp_space"));
  for (const auto& candidate : proposal.candidates) {
    for (const auto& call : candidate.variant.calls) {
      const auto answer = model::eligibility(call, profile.devices.front());
      EXPECT_TRUE(answer.at(model::Stage::forward_training)) << describe(candidate.transforms);
      EXPECT_EQ(answer.implementation, model::implementation_of(call.algo))
          << describe(candidate.transforms);
    }
  }
}

TEST(Propose, NothingThatNeedsConsentUnasked) {
  auto config = lstm();
  config.proj_size = 512;
  const auto profile = profile_of(config);
  for (const auto& candidate : propose_for(profile).candidates)
    EXPECT_NE(candidate.meaning, Meaning::model) << describe(candidate.transforms);
  EXPECT_THAT(reason(propose_for(profile), "drop_projection"), HasSubstr("consent"));
  ProposeOptions options;
  options.model = true;
  options.most = 1000;
  EXPECT_THAT(described(propose_for(profile, options)), Contains("drop_projection"));
  options.model = options.padded = options.numerics = false;
  for (const auto& candidate : propose_for(profile, options).candidates)
    EXPECT_EQ(candidate.meaning, Meaning::exact) << describe(candidate.transforms);
}

TEST(Propose, ReachesAPersistentKernelByPaddingAndSplitting) {
  auto config = lstm(1001, 30);
  config.num_layers = 2;
  ProposeOptions options;
  options.most = 1000;
  const auto list = described(propose_for(profile_of(config), options));
  EXPECT_THAT(list,
              Contains(AllOf(HasSubstr("pad_hidden"), HasSubstr("pad_batch (multiple 8)"),
                             HasSubstr("algo (value persist_static)"), HasSubstr("split_layers"))));
}

TEST(Propose, SuggestionsComeFirstAndKeepTheirRule) {
  Finding finding;
  finding.rule_id = "some/rule";
  finding.configuration = 0;
  finding.gain = Gain{};
  finding.gain->speedup = 1.3;
  Suggestion suggestion;
  suggestion.transform = make("pad_batch", R"({"multiple":64})");
  finding.suggestions = {suggestion, Suggestion{}};
  finding.gain->changes = changes_of(suggestion);
  ProposeOptions options;
  const auto proposal = propose_for(profile_of(lstm()), options, {finding});
  ASSERT_FALSE(proposal.candidates.empty());
  EXPECT_EQ(proposal.candidates[0].rule, "some/rule");
  EXPECT_DOUBLE_EQ(proposal.candidates[0].expected, 1.3);
  EXPECT_THAT(proposal.candidates[0].expected_by, HasSubstr("some/rule"));
  // Of another configuration, or with another rule asked for: not here.
  finding.configuration = 1;
  for (const auto& candidate : propose_for(profile_of(lstm()), options, {finding}).candidates)
    EXPECT_TRUE(candidate.rule.empty());
  finding.configuration = 0;
  options.rule = "other/rule";
  EXPECT_TRUE(propose_for(profile_of(lstm()), options, {finding}).candidates.empty());
  options.rule = "some/rule";
  EXPECT_EQ(propose_for(profile_of(lstm()), options, {finding}).candidates.size(), 1u);
  // A change that is named is tried where the rule fires, also when another finding proposes it.
  options.only = {make("cuda_graph")};
  const auto named = propose_for(profile_of(lstm()), options, {finding});
  ASSERT_EQ(named.candidates.size(), 1u);
  EXPECT_EQ(named.candidates[0].rule, "") << "what comes of it says nothing of the rule";
  EXPECT_TRUE(named.candidates[0].variant.cuda_graph);
  options.rule = "other/rule";
  EXPECT_TRUE(propose_for(profile_of(lstm()), options, {finding}).candidates.empty());
}

TEST(Propose, IsBoundedAndOrdered) {
  ProposeOptions options;
  options.most = 3;
  const auto proposal = propose_for(profile_of(lstm(1001, 30)), options);
  ASSERT_EQ(proposal.candidates.size(), 3u);
  for (std::size_t i = 1; i < proposal.candidates.size(); ++i) {
    const auto hope = [](const Candidate& c) { return c.expected > 0 ? c.expected : 1; };
    EXPECT_GE(hope(proposal.candidates[i - 1]), hope(proposal.candidates[i]));
  }
  EXPECT_THAT(proposal.dropped, Contains(Field(&Dropped::reason, HasSubstr("more promising"))));
}

TEST(Propose, KnownDefectsAreNotTried) {
  // cuDNN 9.19, SMALL_H, plain RNN, half, two directions, batch a multiple of 8: wrong gradients.
  auto config = lstm(64, 32);
  config.cell = Cell::rnn_tanh;
  config.direction = Direction::bidirectional;
  const auto proposal = propose_for(profile_of(config));
  EXPECT_THAT(reason(proposal, "algo (value persist_static_small_h)"),
              HasSubstr("wrong gradients"));
  // LSTM, half, more than 32 units and no multiple of 32: wrong outputs.
  EXPECT_THAT(reason(propose_for(profile_of(lstm(40, 32))), "algo (value persist_static_small_h)"),
              HasSubstr("wrong outputs"));
}

TEST(Propose, PersistentWithoutTensorCoresIsKnownToBeSlow) {
  auto config = lstm();
  config.data_type = DataType::float32;
  config.math_type = MathType::default_math;
  const auto proposal = propose_for(profile_of(config));
  EXPECT_THAT(reason(proposal, "algo (value persist_static)"),
              HasSubstr("persistence/tensor-core-math"));
}

// PyTorch source, get_algo(): half, one layer, B a multiple of 8 and at most 128, H and input
// multiples of 128 take PERSIST_STATIC; confirmed on an H200 for B 30, 32 and 33.
TEST(Propose, PytorchPicksTheAlgorithmItself) {
  auto config = lstm(1024, 33);
  ProposeOptions options;
  options.most = 1000;
  const auto profile = profile_of(config, around(Framework::pytorch));
  const auto proposal = propose_for(profile, options);
  EXPECT_THAT(reason(proposal, "algo (value persist_static)"), HasSubstr("PyTorch picks"));
  bool found = false;
  for (const auto& candidate : proposal.candidates) {
    if (describe(candidate.transforms) != "pad_batch (multiple 8)") continue;
    found = true;
    EXPECT_EQ(candidate.variant.calls[0].algo, Algo::persist_static);
    EXPECT_EQ(candidate.note, "PyTorch then picks persist_static");
  }
  EXPECT_TRUE(found);
}

TEST(Propose, PytorchStackIsSplitAndPadded) {
  auto config = lstm(1000, 30);
  config.num_layers = 2;
  ProposeOptions options;
  options.most = 1000;
  const auto proposal = propose_for(profile_of(config, around(Framework::pytorch)), options);
  bool found = false;
  for (const auto& candidate : proposal.candidates) {
    if (candidate.variant.composition != Composition::layers) continue;
    const auto persistent = [](const RnnConfig& c) { return c.algo == Algo::persist_static; };
    const auto& calls = candidate.variant.calls;
    found = found || std::all_of(calls.begin(), calls.end(), persistent);
  }
  EXPECT_TRUE(found) << "split_layers, pad_hidden 128, pad_input 128 and pad_batch 8 reach it";
}

TEST(Propose, JaxHasOneAlgorithmAndOneType) {
  auto config = lstm();
  config.data_type = DataType::float32;
  config.math_type = MathType::default_math;
  config.layout = Layout::batch_major_unpacked;
  const auto proposal = propose_for(profile_of(config, around(Framework::jax)));
  EXPECT_THAT(reason(proposal, "algo (value persist_static_small_h)"), HasSubstr("JAX"));
  EXPECT_THAT(reason(proposal, "data_type (value bfloat16)"), HasSubstr("JAX"));
  for (const auto& candidate : proposal.candidates)
    for (const auto& call : candidate.variant.calls) EXPECT_EQ(call.algo, Algo::standard);
}

TEST(Propose, WhatDoesNotFitIsDivided) {
  auto config = lstm(4096, 4096);
  config.num_layers = 8;
  config.seq_length = 2048;
  ProposeOptions options;
  options.most = 1000;
  const auto list = described(propose_for(profile_of(config), options));
  EXPECT_THAT(list, Contains(HasSubstr("lower_batch")));
}

// Times that a calibration predicts say more than bounds: in which order, and what is hopeless.
TEST(Propose, PredictedTimesGuideTheSearch) {
  ProposeOptions options;
  options.most = 1000;
  const auto times = [](double standard, double persistent) {
    return [=](const RnnConfig& config, Phase) -> std::optional<model::TimePrediction> {
      const double seconds = config.algo == Algo::standard ? standard : persistent;
      return model::TimePrediction{seconds, 0.9 * seconds, 1.1 * seconds, false, "made up"};
    };
  };
  options.predict = times(4e-3, 1e-3);
  const auto find = [](const Proposal& proposal, std::string_view what) {
    const auto& all = proposal.candidates;
    const auto at = std::find_if(all.begin(), all.end(), [&](const Candidate& each) {
      return describe(each.transforms) == what;
    });
    return at == all.end() ? nullptr : &*at;
  };
  const auto profile = profile_of(lstm(1024, 64));
  const auto fast = propose_for(profile, options);
  const auto* persistent = find(fast, "algo (value persist_static)");
  ASSERT_NE(persistent, nullptr);
  if (persistent->rule.empty()) {
    EXPECT_NEAR(persistent->expected, 4, 1e-9);
    EXPECT_THAT(persistent->expected_by, HasSubstr("predicted times"));
  }
  options.predict = times(1e-3, 4e-3);
  const auto slow = propose_for(profile, options);
  EXPECT_THAT(reason(slow, "algo (value persist_dynamic)"),
              HasSubstr("predicted times allow 0.31x at most"));
}

TEST(Propose, Deterministic) {
  const auto profile = profile_of(lstm(1001, 30));
  EXPECT_EQ(described(propose_for(profile)), described(propose_for(profile)));
}

// What reports write and what people write are understood alike.
TEST(ChangeWords, SayEveryChange) {
  for (const auto& kind : transform_kinds()) {
    std::vector<Parameter> given;
    for (const auto& parameter : kind.parameters) {
      ASSERT_EQ(kind.parameters.size(), 1u) << kind.name << ": words name one value";
      ParameterValue value = std::int64_t{2};
      if (parameter.type == ParameterType::real) value = 0.5;
      if (parameter.type == ParameterType::boolean) value = true;
      if (parameter.type == ParameterType::text) value = std::string(parameter.values.front());
      given.push_back({std::string(parameter.name), value});
    }
    const auto made = make_transform(kind.name, given);
    ASSERT_TRUE(made) << kind.name;
    const std::vector changes = {*made, make("cuda_graph")};
    for (const auto& text : {describe(changes), change_words(to_json(changes)), to_json(changes)}) {
      const auto read = parse_change_words(text);
      ASSERT_TRUE(read) << text << ": " << read.error().message;
      EXPECT_EQ(*read, changes) << text;
    }
  }
}

// People read words, and neither names of kinds nor braces.
TEST(ChangeInWords, EveryKindHasThemForEachValue) {
  std::set<std::string> all;
  for (const auto& kind : transform_kinds()) {
    std::vector<ParameterValue> values = {std::int64_t{24}};
    for (const auto& parameter : kind.parameters) {
      if (parameter.type == ParameterType::real) values = {0.5};
      if (parameter.type == ParameterType::boolean) values = {true, false};
      if (parameter.type != ParameterType::text) continue;
      values.clear();
      for (const auto& each : parameter.values) values.emplace_back(std::string(each));
    }
    for (const auto& value : values) {
      std::vector<Parameter> given;
      for (const auto& parameter : kind.parameters)
        given.push_back({std::string(parameter.name), value});
      const auto made = make_transform(kind.name, given);
      ASSERT_TRUE(made) << kind.name;
      const auto text = change_in_words(to_json(std::vector{*made}));
      EXPECT_NE(text, change_words(to_json(std::vector{*made}))) << kind.name;
      EXPECT_THAT(text, Not(HasSubstr("{}"))) << kind.name;
      EXPECT_TRUE(all.insert(text).second) << text << " says two different changes";
    }
    // A card leaves values open.
    EXPECT_NE(change_in_words(R"([{"kind":")" + std::string(kind.name) + R"("}])"), "");
  }
  EXPECT_EQ(change_in_words(R"([{"kind":"pad_batch","parameters":{"multiple":8}},)"
                            R"({"kind":"algo","parameters":{"value":"persist_static"}},)"
                            R"({"kind":"split_layers","parameters":{}}])"),
            "batch padded to a multiple of 8, the persist_static algorithm and one call per layer");
  // What is not as rnnadvisor writes it comes back as it is.
  for (const char* other : {"", "x", "[]", "[1]", R"([{"kind":7}])", R"([{"kind":"unheard_of"}])"})
    EXPECT_EQ(change_in_words(other), change_words(other));
}

TEST(ChangeWords, AreForgivingInFormAndStrictInSense) {
  const std::vector padded = {make("pad_batch", R"({"multiple":64})")};
  for (const auto* text :
       {"pad_batch 64", " pad_batch  64 ", "pad_batch=64", "pad_batch multiple=64",
        "pad_batch (multiple 64)", "pad_batch multiple = 64"}) {
    const auto read = parse_change_words(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, padded) << text;
  }
  for (const auto* text : {"", ",", "pad_batch", "pad_batch x", "pad_batch 64 64", "pad_batch 6.4",
                           "padbatch 64", "split_layers 2", "split_layers,", "then split_layers",
                           "algo fastest", "[1]", "[{}]", "set_dropout no"})
    EXPECT_FALSE(parse_change_words(text)) << text;
}

TEST(Propose, OnlyTheChangeThatIsAskedFor) {
  const auto profile = profile_of(lstm(1024, 64));
  ProposeOptions options;
  options.only = {make("algo", R"({"value":"persist_dynamic"})")};
  // Hopeless, and tried all the same, because it was asked for.
  options.predict = [](const RnnConfig& config, Phase) -> std::optional<model::TimePrediction> {
    const double seconds = config.algo == Algo::standard ? 1e-3 : 4e-3;
    return model::TimePrediction{seconds, 0.9 * seconds, 1.1 * seconds, false, "made up"};
  };
  EXPECT_THAT(described(propose_for(profile, options)),
              ElementsAre("algo (value persist_dynamic)"));
  options.rule = "no/such";
  EXPECT_TRUE(propose_for(profile, options).candidates.empty());
  Finding finding;
  finding.rule_id = "no/such";
  finding.configuration = 0;
  finding.suggestions.resize(2);
  finding.suggestions[0].transform = options.only[0];
  finding.suggestions[1].transform = make("pad_batch", R"({"multiple":128})");
  const auto proposal = propose_for(profile, options, {finding});
  ASSERT_EQ(described(proposal), std::vector<std::string>{"algo (value persist_dynamic)"});
  EXPECT_EQ(proposal.candidates[0].rule, "no/such");
}

TEST(Combination, AllTogetherWhereMoreThanTwoCanBe) {
  const auto config = lstm(1000, 60);
  const std::vector<std::vector<Transform>> changes = {
      {make("pad_batch", R"({"multiple":64})")},
      {make("pad_batch", R"({"multiple":8})")},  // the same kind again
      {make("algo", R"({"value":"persist_static"})")},
      {make("split_layers")},  // there is one layer only
      {make("pad_hidden", R"({"multiple":128})")}};
  const auto all = all_together(changes, config);
  EXPECT_EQ(describe(all),
            "pad_batch (multiple 64), then algo (value persist_static), then pad_hidden (multiple "
            "128)");
  EXPECT_TRUE(all_together(std::span(changes).first(4), config).empty()) << "two are a pair";
}

TEST(Combination, NeverTwiceTheSame) {
  const std::vector a = {make("pad_batch", R"({"multiple":8})")};
  const std::vector b = {make("algo", R"({"value":"persist_static"})")};
  EXPECT_EQ(combination(a, b).size(), 2u);
  EXPECT_TRUE(combination(a, a).empty());
}

TEST(Estimate, BytesOfACompositionAreThoseOfItsCalls) {
  auto config = lstm(512);
  config.num_layers = 4;
  config.mode = Mode::inference;
  ExperimentVariant whole;
  whole.calls = {config};
  const auto layers = make("split_layers");
  const auto split = compose(std::span(&layers, 1), config);
  ASSERT_TRUE(split);
  const auto stack = model::space_sizes(config);
  std::int64_t weights = 0;
  for (const auto& call : split->calls) weights += model::space_sizes(call).weights.value;
  EXPECT_EQ(weights, stack.weights.value) << "the weights of a stack are those of its layers";
  EXPECT_EQ(modelled_bytes(*split),
            weights + model::space_sizes(split->calls[0]).workspace_inference.value);
  EXPECT_EQ(modelled_bytes(whole), weights + stack.workspace_inference.value);
  // Rows share the weights, and in training every part keeps its reserve space.
  config.mode = Mode::training;
  const auto rows = make("lower_batch", R"({"value":16})");
  const auto parts = compose(std::span(&rows, 1), config);
  ASSERT_TRUE(parts);
  const auto part = model::space_sizes(parts->calls[0]);
  EXPECT_EQ(modelled_bytes(*parts),
            part.weights.value + part.workspace_training.value + 2 * part.reserve_training.value);
}

// Two calls of half the steps launch as often and compute as much as one.
TEST(Estimate, AModelledSpeedupIsARatioOfBounds) {
  const auto device = *find_device("h200");
  auto config = lstm();
  config.mode = Mode::inference;
  const auto chunks = make("chunk_sequence", R"({"length":16})");
  const auto variant = compose(std::span(&chunks, 1), config);
  ASSERT_TRUE(variant);
  const auto speedup = modelled_speedup(config, *variant, device);
  EXPECT_LE(speedup, 1.0 + 1e-9);
  EXPECT_GT(speedup, 0.5);
  EXPECT_EQ(modelled_speedup(config, *variant, DeviceSpec{}), 0) << "nothing is known";
}

TEST(Tried, OnlyWhatExperimentsAdded) {
  auto profile = profile_of(lstm());
  profile.configurations.push_back(profile.configurations[0]);
  profile.configurations.push_back(profile.configurations[0]);
  Experiment experiment;
  experiment.configuration = 0;
  experiment.changed = {1, 0, 99, -1};
  profile.experiments = {experiment};
  EXPECT_THAT(tried_configurations(profile), ElementsAre(false, true, false));
}

std::string why_dropped(const Proposal& proposal, std::string_view what) {
  for (const auto& dropped : proposal.dropped)
    if (describe(dropped.transforms) == what) return dropped.reason;
  return "not dropped";
}

TEST(Candidates, InferenceStandsInWhereNothingRunsBackward) {
  auto program = around(Framework::pytorch);
  program.needs_backward = false;
  const auto proposal = propose_for(profile_of(lstm(), program));
  EXPECT_THAT(described(proposal), Contains("inference_mode"));
  for (const auto& candidate : proposal.candidates) {
    if (candidate.transforms[0].kind != "inference_mode") continue;
    EXPECT_EQ(candidate.variant.calls[0].mode, Mode::inference);
    EXPECT_EQ(candidate.meaning, Meaning::exact);
    EXPECT_EQ(candidate.expected, 0) << "bounds of a training step say nothing of it";
  }
  const auto suggested = [&](std::optional<bool> backward) {
    Finding finding;
    finding.rule_id = "memory/inference-keeps-reserve";
    finding.configuration = 0;
    finding.suggestions.emplace_back();
    finding.suggestions[0].transform = make("inference_mode");
    program.needs_backward = backward;
    return propose_for(profile_of(lstm(), program), {}, {finding});
  };
  EXPECT_THAT(why_dropped(suggested(true), "inference_mode"), HasSubstr("a backward pass follows"));
  EXPECT_THAT(why_dropped(suggested(std::nullopt), "inference_mode"), HasSubstr("is not known"));
  // Training drops values between the layers, inference does not.
  auto stack = lstm();
  stack.num_layers = 2;
  stack.dropout = 0.5;
  program.needs_backward = false;
  EXPECT_THAT(why_dropped(propose_for(profile_of(stack, program)), "inference_mode"),
              HasSubstr("another model"));
}

}  // namespace
}  // namespace rnnadvisor::advisor
