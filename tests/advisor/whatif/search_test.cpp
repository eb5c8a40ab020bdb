#include "advisor/whatif/search.h"

#include <gmock/gmock.h>

#include "advisor/facts/experiments.h"
#include "tests/advisor/whatif/stand_in.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* recorded_file = RNNADVISOR_SOURCE_DIR "/tests/data/h200/kernels.jsonl";

RnnConfig half_lstm(int hidden, int batch = 64) {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.input_size = config.hidden_size = config.proj_size = hidden;
  config.seq_length = 32;
  config.batch_size = batch;
  return config;
}

Profile run_profile(std::vector<RnnConfig> configs) {
  Profile profile;
  profile.devices = {*find_device("h200")};
  for (const auto& config : configs) {
    Configuration configuration;
    configuration.config = config;
    configuration.origin = Origin::run;
    profile.configurations.push_back(configuration);
  }
  return profile;
}

struct Attempt {
  Attempt(Profile of, stand_in::Cost cost) : profile(std::move(of)) {
    machine.cost = std::move(cost);
  }

  Profile profile;
  stand_in::StandIn machine;
  SearchOptions options;

  SearchResult operator()() {
    std::vector<Proposal> proposals;
    for (std::size_t i = 0; i < profile.configurations.size(); ++i)
      proposals.push_back(
          propose(profile, static_cast<int>(i), {}, profile.devices.front(), options.propose));
    options.clock = machine.clock();
    return search(profile, std::move(proposals), profile.devices.front(), machine.experimenter(),
                  options);
  }
};

const Trial* trial(const SearchResult& result, std::string_view what) {
  for (const auto& each : result.trials)
    if (describe(each.candidate.transforms) == what) return &each;
  return nullptr;
}

// Times that were measured on an H200: LSTM, half, H 64, T 32, B 64. Training step: standard 1.535
// ms, persist_static 0.443, persist_static_small_h 0.259, persist_dynamic 3.875.
TEST(Search, FindsWhatWasMeasured) {
  const stand_in::Recorded recorded(recorded_file);
  ASSERT_GT(recorded.size(), 300u);
  Attempt run(run_profile({half_lstm(64)}), recorded);
  const auto result = run();
  ASSERT_FALSE(result.error);
  ASSERT_FALSE(result.trials.empty());
  const auto& best = result.trials.front();
  EXPECT_EQ(describe(best.candidate.transforms), "algo (value persist_static_small_h)");
  EXPECT_EQ(best.verdict, ExperimentVerdict::confirmed);
  EXPECT_TRUE(best.full);
  const auto* timing = deciding_timing(best.timings, Mode::training);
  ASSERT_NE(timing, nullptr);
  EXPECT_NEAR(timing->speedup, (0.6691 + 0.792 + 0.0737) / (0.0764 + 0.0916 + 0.0913), 1e-9);
  const auto* persist = trial(result, "algo (value persist_static)");
  ASSERT_NE(persist, nullptr);
  EXPECT_EQ(persist->verdict, ExperimentVerdict::confirmed);
  const auto* dynamic = trial(result, "algo (value persist_dynamic)");
  ASSERT_NE(dynamic, nullptr);
  EXPECT_EQ(dynamic->verdict, ExperimentVerdict::refuted);
  EXPECT_FALSE(dynamic->full) << "what lost is not measured at length";
}

// The same at H 2048, where nothing persistent runs and dynamic is 30 times slower: nothing is
// better than what is there.
TEST(Search, SaysThatNothingHelps) {
  Attempt run(run_profile({half_lstm(2048)}), stand_in::Recorded(recorded_file));
  for (const auto& each : run().trials) {
    EXPECT_NE(each.verdict, ExperimentVerdict::confirmed) << describe(each.candidate.transforms);
  }
}

double by_algo(const ExperimentVariant& variant, ExperimentScope) {
  double ms = 0;
  for (const auto& call : variant.calls) {
    const double base = call.algo == Algo::persist_static ? 0.5 : 1.0;
    ms += base * (call.batch_size % 64 == 0 ? 0.8 : 1.0);
  }
  return variant.cuda_graph ? ms * 0.9 : ms;
}

TEST(Search, PutsWinnersTogether) {
  Attempt run(run_profile({half_lstm(1024, 60)}), by_algo);
  const auto result = run();
  ASSERT_FALSE(result.trials.empty());
  // persist_static (0.5), padded to 64 rows (0.8), in a graph (0.9): 0.36 together.
  const auto* timing = deciding_timing(result.trials.front().timings, Mode::training);
  EXPECT_GE(result.trials.front().candidate.transforms.size(), 2u);
  EXPECT_GE(timing->speedup, 1 / 0.45 - 1e-9);
  EXPECT_EQ(run.machine.requests.size(), 2u);
  EXPECT_GT(run.machine.requests[1].min_rounds, run.machine.requests[0].min_rounds);
}

TEST(Search, BestOfEveryMeaningGoesOn) {
  Attempt run(run_profile({half_lstm(1000, 60)}), by_algo);
  run.options.propose.most = 1000;
  const auto result = run();
  bool exact = false, padded = false;
  for (const auto& each : result.trials) {
    exact = exact || (each.full && each.candidate.meaning == Meaning::exact);
    padded = padded || (each.full && each.candidate.meaning == Meaning::padded);
  }
  EXPECT_TRUE(exact);
  EXPECT_TRUE(padded);
}

TEST(Search, WrongResultsAreNeverConfirmed) {
  Attempt run(run_profile({half_lstm(64)}), stand_in::Recorded(recorded_file));
  run.machine.before_timing = [](const ExperimentVariant& variant, VariantResult& made) {
    if (variant.calls[0].algo == Algo::persist_static_small_h)
      made.shifts = {{"y", 0.0004, -1, -1}, {"dx", 0.0953, -1, -1}};
  };
  const auto result = run();
  const auto* wrong = trial(result, "algo (value persist_static_small_h)");
  ASSERT_NE(wrong, nullptr);
  EXPECT_EQ(wrong->verdict, ExperimentVerdict::refuted);
  EXPECT_TRUE(wrong->moved);
  EXPECT_THAT(wrong->message, HasSubstr("dx moved by 0.095"));
  EXPECT_FALSE(wrong->full);
  EXPECT_NE(describe(result.trials.front().candidate.transforms),
            "algo (value persist_static_small_h)");
}

TEST(Search, ACrashTakesOnlyItsOwn) {
  Attempt run(run_profile({half_lstm(64)}), stand_in::Recorded(recorded_file));
  run.machine.before_timing = [](const ExperimentVariant& variant, VariantResult& made) {
    if (variant.calls[0].algo == Algo::persist_static) {
      made.outcome = Outcome::crashed;
      made.message = "signal 11";
    }
  };
  const auto result = run();
  ASSERT_FALSE(result.error);
  const auto* dead = trial(result, "algo (value persist_static)");
  ASSERT_NE(dead, nullptr);
  EXPECT_EQ(dead->verdict, ExperimentVerdict::not_run);
  EXPECT_THAT(dead->message, HasSubstr("the process that ran it died: signal 11"));
  const auto* other = trial(result, "algo (value persist_dynamic)");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->verdict, ExperimentVerdict::refuted);
}

TEST(Search, RefusedAndOutOfMemoryAreResults) {
  Attempt run(run_profile({half_lstm(64)}), stand_in::Recorded(recorded_file));
  run.machine.before_timing = [](const ExperimentVariant& variant, VariantResult& made) {
    if (variant.calls[0].algo == Algo::persist_static) made.outcome = Outcome::refused;
    if (variant.calls[0].algo == Algo::persist_dynamic) made.outcome = Outcome::out_of_memory;
  };
  const auto result = run();
  EXPECT_THAT(trial(result, "algo (value persist_static)")->message, HasSubstr("refused"));
  EXPECT_THAT(trial(result, "algo (value persist_dynamic)")->message, HasSubstr("out of memory"));
  EXPECT_EQ(trial(result, "algo (value persist_static_small_h)")->verdict,
            ExperimentVerdict::confirmed);
}

TEST(Search, WhatMakesItRunAtAllIsConfirmed) {
  Attempt run(run_profile({half_lstm(1024, 60)}), by_algo);
  run.machine.original_outcome = Outcome::out_of_memory;
  const auto result = run();
  ASSERT_FALSE(result.trials.empty());
  EXPECT_EQ(result.trials.front().verdict, ExperimentVerdict::confirmed);
  EXPECT_THAT(result.trials.front().message, HasSubstr("the original did not: out of memory"));
}

TEST(Search, WithoutAMachineNothingIsInvented) {
  Attempt run(run_profile({half_lstm(64), half_lstm(1024)}), by_algo);
  run.machine.before_request = [](const ExperimentRequest&) -> Result<void> {
    return fail(ErrorCode::cuda, "no GPU");
  };
  const auto result = run();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "no GPU");
  EXPECT_THAT(result.trials, IsEmpty());
  EXPECT_EQ(run.machine.requests.size(), 1u);
  EXPECT_EQ(result.left_out.size(), 1u);
}

// What was measured before the machine was lost is kept.
TEST(Search, ALateErrorKeepsWhatIsThere) {
  Attempt run(run_profile({half_lstm(64), half_lstm(1024)}), by_algo);
  run.machine.before_request = [&](const ExperimentRequest& request) -> Result<void> {
    if (request.before.hidden_size == 1024) return fail(ErrorCode::cuda, "the GPU fell off");
    return {};
  };
  const auto result = run();
  ASSERT_TRUE(result.error);
  ASSERT_FALSE(result.trials.empty());
  for (const auto& each : result.trials) EXPECT_EQ(each.configuration, 0);
}

TEST(Search, TheBudgetIsKept) {
  std::vector<RnnConfig> many;
  for (int i = 0; i < 20; ++i) many.push_back(half_lstm(64 + 8 * i));
  Attempt run(run_profile(many), by_algo);
  run.options.budget_seconds = 30;
  run.machine.seconds_each = 0.25;
  const auto result = run();
  EXPECT_FALSE(result.left_out.empty());
  EXPECT_FALSE(result.trials.empty());
  // The last request may go over: it was begun within the budget.
  const double one = 0.25 * static_cast<double>(run.options.propose.most);
  EXPECT_LE(result.seconds, 30 + 2 * one);
  for (const auto& request : run.machine.requests) EXPECT_LE(request.budget_seconds, 30);
}

TEST(Search, CtrlCKeepsWhatWasMeasured) {
  std::atomic<bool> stop = false;
  Attempt run(run_profile({half_lstm(64), half_lstm(1024)}), by_algo);
  run.options.stop = &stop;
  run.machine.before_request = [&](const ExperimentRequest&) -> Result<void> {
    stop = run.machine.requests.size() >= 1;
    return {};
  };
  const auto result = run();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(run.machine.requests.size(), 1u);
  ASSERT_FALSE(result.trials.empty());
  for (const auto& each : result.trials) {
    EXPECT_EQ(each.configuration, 0);
    EXPECT_FALSE(each.full);
    EXPECT_THAT(each.message, HasSubstr("short round only"));
  }
}

// An interrupted second round does not take away what the first measured; but seven rounds of a
// crowd confirm nothing.
TEST(Search, TheSecondRoundTakesNothingAway) {
  Attempt run(run_profile({half_lstm(64)}), stand_in::Recorded(recorded_file));
  run.machine.before_timing = [&](const ExperimentVariant&, VariantResult& made) {
    if (run.machine.requests.size() == 2) made.outcome = Outcome::interrupted;
  };
  const auto result = run();
  const auto* best = trial(result, "algo (value persist_static_small_h)");
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->verdict, ExperimentVerdict::inconclusive);
  EXPECT_FALSE(best->full);
  EXPECT_THAT(best->message, HasSubstr("short round only"));
  const auto* timing = deciding_timing(best->timings, Mode::training);
  ASSERT_NE(timing, nullptr);
  EXPECT_EQ(verdict_of(*timing), ExperimentVerdict::confirmed) << "by its interval alone";
  for (const auto& each : result.trials)
    if (each.verdict == ExperimentVerdict::confirmed) {
      EXPECT_TRUE(each.full);
    }
}

// A forward pass that got faster says nothing of the step that the program runs.
TEST(Search, WithoutTheCapturedPhaseNothingIsConfirmed) {
  const stand_in::Recorded recorded(recorded_file);
  Attempt run(run_profile({half_lstm(64)}),
              [&](const ExperimentVariant& variant, ExperimentScope scope) {
                return scope == ExperimentScope::training_step ? -1.0 : recorded(variant, scope);
              });
  const auto result = run();
  const auto* best = trial(result, "algo (value persist_static_small_h)");
  ASSERT_NE(best, nullptr);
  EXPECT_TRUE(best->full);
  EXPECT_EQ(best->verdict, ExperimentVerdict::inconclusive);
  EXPECT_THAT(best->message, HasSubstr("what was captured, the training step, was not timed"));
}

TEST(Search, AnAnswerOfAnotherLengthIsADefect) {
  auto profile = run_profile({half_lstm(64)});
  auto proposal = propose(profile, 0, {}, profile.devices.front(), {});
  const auto result = search(
      profile, {proposal}, profile.devices.front(),
      [](const ExperimentRequest&) -> Result<ExperimentResult> { return ExperimentResult{}; }, {});
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, ErrorCode::internal);
}

TEST(Search, AnotherBatchIsComparedPerSequence) {
  // Twice the batch in the same time: nothing gained by time, twice by sequence.
  Attempt run(run_profile({half_lstm(1024, 64)}),
              [](const ExperimentVariant&, ExperimentScope) { return 1.0; });
  run.options.propose.model = true;
  run.options.propose.most = 1000;
  const auto result = run();
  const auto* doubled = trial(result, "set_batch (value 128)");
  ASSERT_NE(doubled, nullptr);
  EXPECT_NEAR(deciding_timing(doubled->timings, Mode::training)->speedup, 2, 1e-12);
  EXPECT_EQ(doubled->verdict, ExperimentVerdict::confirmed);
  EXPECT_THAT(doubled->message, HasSubstr("per sequence"));
}

TEST(Search, OrderOfConfigurations) {
  auto profile = run_profile({half_lstm(64), half_lstm(128), half_lstm(256)});
  PhaseTiming timing;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Phase phase :
         {Phase::forward_training, Phase::backward_data, Phase::backward_weights}) {
      timing.phase = phase;
      timing.ms = {i == 1 ? 3.0 : 1.0, 1, 1, 0.95, 7};
      profile.configurations[i].timings.push_back(timing);
    }
  }
  Finding finding;
  finding.configuration = 2;
  finding.suggestions.emplace_back();
  finding.suggestions[0].transform = *parse_transform("split_layers", "{}");
  EXPECT_THAT(worth_trying(profile, std::vector{finding}), ::testing::ElementsAre(2, 1, 0));
  Experiment experiment;
  experiment.configuration = 0;
  experiment.changed = {1};
  profile.experiments = {experiment};
  profile.configurations[2].origin = Origin::kernels;
  EXPECT_THAT(worth_trying(profile, {}), ::testing::ElementsAre(0));
}

// What never runs need not be timed: the phases are those of the configuration and its program.
TEST(Search, TimesThePhasesThatWereCaptured) {
  using enum ExperimentScope;
  using ::testing::ElementsAre;
  const auto scopes = [](Mode mode, std::optional<bool> backward) {
    auto config = half_lstm(64);
    config.mode = mode;
    Attempt run(run_profile({config}), stand_in::Recorded(recorded_file));
    run.profile.configurations[0].program.needs_backward = backward;
    run();
    EXPECT_FALSE(run.machine.requests.empty());
    return run.machine.requests.empty() ? std::vector<ExperimentScope>{}
                                        : run.machine.requests[0].scopes;
  };
  EXPECT_THAT(scopes(Mode::inference, std::nullopt), ElementsAre(inference));
  EXPECT_THAT(scopes(Mode::training, std::nullopt), ElementsAre(forward_training, training_step));
  EXPECT_THAT(scopes(Mode::training, true), ElementsAre(forward_training, training_step));
  EXPECT_THAT(scopes(Mode::training, false), ElementsAre(forward_training));
}

}  // namespace
}  // namespace rnnadvisor::advisor
