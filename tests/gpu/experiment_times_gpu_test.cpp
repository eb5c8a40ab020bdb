// Times and ends of experiments: they say no more than they can.
#include <filesystem>
#include <iostream>

#include "profiler/run/run_experiment.h"
#include "tests/gpu/experiment_cases.h"

namespace rnnadvisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// What NVML says of a GPU that has just worked; a MIG slice is not asked.
void expect_clocks(const VariantResult& result) {
  for (const auto& clocks : {result.clocks_before, result.clocks_after}) {
    EXPECT_GE(clocks.sm_mhz, 200);
    EXPECT_LE(clocks.sm_mhz, 4000);
    EXPECT_GT(clocks.memory_mhz, 200);
    EXPECT_GE(clocks.temperature_c, 10);
    EXPECT_LE(clocks.temperature_c, 110);
    EXPECT_GT(clocks.power_mw, 5'000);
    EXPECT_GE(clocks.event_reasons, 0);
    std::cout << "SM clock " << clocks.sm_mhz << " MHz, " << clocks.temperature_c << " C, "
              << clocks.power_mw / 1000 << " W, event reasons " << clocks.event_reasons << "\n";
  }
}

TEST(ExperimentOnGpu, NoChangeIsNoChange) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig before = small(Cell::lstm);
  before.data_type = before.math_precision = DataType::float32;
  before.hidden_size = before.proj_size = before.input_size = 512;
  before.seq_length = 64;
  before.batch_size = 32;
  auto request = request_of(before, {single(before), single(before)});
  request.budget_seconds = 8;
  request.warmup = 5;
  request.min_rounds = 31;
  request.max_rounds = 60;
  const auto result = runner->run(request);
  ASSERT_EQ(result.outcome, Outcome::completed) << result.message;
  for (const auto& each : result.variants) {
    ASSERT_EQ(each.outcome, Outcome::completed) << each.message;
    for (const auto& timing : each.timings) {
      std::cout << "A/A " << to_string(timing.scope) << ": " << timing.speedup << " ["
                << timing.speedup_low << ", " << timing.speedup_high << "], control ["
                << timing.control_low << ", " << timing.control_high << "], "
                << timing.before_ms.median << " ms, " << timing.before_ms.count << " rounds\n";
      // One of twenty true 95 % intervals misses 1: by no more than 2 %.
      EXPECT_LT(timing.speedup_low, 1.02);
      EXPECT_GT(timing.speedup_high, 0.98);
      EXPECT_LT(timing.control_low, 1.02);
      EXPECT_GT(timing.control_high, 0.98);
    }
    for (const auto& shift : each.shifts) EXPECT_LT(shift.from_before, 1e-3) << shift.tensor;
    expect_clocks(each);
  }
}

// tests/data/h200/guide-figures-9-10.jsonl: the persistent algorithm wins here, by far.
TEST(ExperimentOnGpu, AKnownSpeedupIsFound) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig before = small(Cell::lstm);
  before.num_layers = 1;
  before.data_type = DataType::half;
  before.math_precision = DataType::float32;
  before.math_type = MathType::tensor_op;
  before.hidden_size = before.proj_size = before.input_size = 1024;
  before.seq_length = 128;
  before.batch_size = 32;
  auto request = request_of(
      before, {single(changed(before, [](RnnConfig& c) { c.algo = Algo::persist_static; }))});
  request.budget_seconds = 5;
  request.max_rounds = 30;
  const auto result = runner->run(request);
  ASSERT_EQ(result.variants.at(0).outcome, Outcome::completed) << result.variants.at(0).message;
  for (const auto& timing : result.variants.at(0).timings) {
    std::cout << "persist_static " << to_string(timing.scope) << ": " << timing.speedup << " ["
              << timing.speedup_low << ", " << timing.speedup_high << "]\n";
    EXPECT_GT(timing.speedup_low, 1.1);
  }
  for (const auto& shift : result.variants.at(0).shifts) EXPECT_LT(shift.from_before, 1e-2);
}

TEST(ExperimentOnGpu, AFailureIsTheResultOfItsVariantAlone) {
  RNNADVISOR_NEED_GPU(runner);
  const RnnConfig before = small(Cell::lstm);
  const auto request = request_of(
      before,
      {single(changed(before, [](RnnConfig& c) { c.algo = Algo::persist_static; })),  // no float64
       single(changed(before,
                      [](RnnConfig& c) {
                        c.hidden_size = c.proj_size = units + 896;
                        c.batch_size = 1 << 18;
                      })),
       variant(Composition::layers, {before, before}),
       single(changed(before, [](RnnConfig& c) { c.hidden_size = c.proj_size = units / 2; })),
       single(before)});
  const auto result = runner->run(request);
  ASSERT_EQ(result.outcome, Outcome::completed) << result.message;
  const auto& refused = result.variants.at(0);
  EXPECT_EQ(refused.outcome, Outcome::refused);
  EXPECT_THAT(refused.message, HasSubstr("CUDNN_STATUS"));
  EXPECT_EQ(result.variants.at(1).outcome, Outcome::out_of_memory_predicted)
      << result.variants.at(1).message;
  EXPECT_EQ(result.variants.at(2).outcome, Outcome::failed);
  EXPECT_THAT(result.variants.at(2).message, HasSubstr("do not make up the original"));
  const auto& unrelated = result.variants.at(3);
  EXPECT_EQ(unrelated.outcome, Outcome::completed) << unrelated.message;
  EXPECT_THAT(unrelated.message, HasSubstr("hidden_size 16 instead of 32"));
  EXPECT_THAT(unrelated.shifts, IsEmpty());
  EXPECT_THAT(unrelated.timings, SizeIs(2));
  EXPECT_EQ(result.variants.at(4).outcome, Outcome::completed) << result.variants.at(4).message;

  const auto too_large = request_of(changed(before,
                                            [](RnnConfig& c) {
                                              c.hidden_size = c.proj_size = units + 896;
                                              c.batch_size = 1 << 18;
                                            }),
                                    {single(before)});
  const auto nothing = runner->run(too_large);
  EXPECT_EQ(nothing.outcome, Outcome::out_of_memory_predicted) << nothing.message;
  EXPECT_EQ(nothing.variants.at(0).outcome, Outcome::completed);
  EXPECT_THAT(nothing.variants.at(0).timings, IsEmpty());
}

TEST(ExperimentOnGpu, DropoutIsTimedAndNotCompared) {
  RNNADVISOR_NEED_GPU(runner);
  for (const Direction direction : {Direction::unidirectional, Direction::bidirectional}) {
    RnnConfig before = small(Cell::lstm);
    before.num_layers = 3;
    before.dropout = 0.5;
    before.direction = direction;
    std::vector<ExperimentVariant> variants = {
        single(changed(before, [](RnnConfig& c) { c.layout = Layout::batch_major_unpacked; })),
        variant(Composition::layers, split_layers(before))};
    if (direction == Direction::bidirectional)
      variants.push_back(variant(Composition::directions, split_directions(before)));
    const auto request = request_of(before, variants);
    const auto result = runner->run(request);
    expect_same(request, result, exact);
    for (const auto& each : result.variants)
      EXPECT_THAT(each.message, HasSubstr("dropout switched off"));
  }
}

TEST(ExperimentOnGpu, Inference) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig before = small(Cell::gru);
  before.mode = Mode::inference;
  auto request = request_of(before, {variant(Composition::layers, split_layers(before)),
                                     variant(Composition::steps, chunks(before, 5))});
  expect_same(request, runner->run(request), exact);

  const RnnConfig training = small(Cell::gru);
  request = request_of(training,
                       {single(changed(training, [](RnnConfig& c) { c.mode = Mode::inference; }))});
  const auto result = runner->run(request);
  const auto& instead = result.variants.at(0);
  ASSERT_EQ(instead.outcome, Outcome::completed) << instead.message;
  ASSERT_THAT(instead.timings, SizeIs(1));
  EXPECT_EQ(instead.timings[0].scope, ExperimentScope::forward_training);
  ASSERT_THAT(instead.shifts, SizeIs(2));
  for (const auto& shift : instead.shifts) EXPECT_LT(shift.from_before, exact);
}

// The same through the command line's worker process; needs `rnnadvisor` beside this program.
TEST(ExperimentOnGpu, InAWorker) {
  RNNADVISOR_NEED_GPU(runner);
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "rnnadvisor";
  if (!std::filesystem::exists(program))
    GTEST_SKIP() << "NEEDS A GPU, NOT RUN: there is no " << program << " to be the worker";
  const RnnConfig before = small(Cell::lstm);
  const auto request =
      request_of(before, {variant(Composition::layers, split_layers(before)),
                          single(changed(before, [](RnnConfig& c) { c.seq_length = 3; }))});
  ExperimentRunOptions options;
  options.program = program.string();
  int rounds = 0;
  options.on_progress = [&](const ExperimentProgress& progress) {
    rounds = std::max(rounds, progress.round);
  };
  const auto result = run_experiment(request, options);
  ASSERT_TRUE(result) << to_text(result.error());
  ASSERT_EQ(result->outcome, Outcome::completed) << result->message;
  EXPECT_GE(rounds, 7);
  for (const auto& shift : result->variants.at(0).shifts)
    EXPECT_LT(shift.from_before, exact) << shift.tensor;
  EXPECT_THAT(result->variants.at(1).message, HasSubstr("something else"));
  for (const auto& each : result->variants) expect_clocks(each);
}

}  // namespace
}  // namespace rnnadvisor
