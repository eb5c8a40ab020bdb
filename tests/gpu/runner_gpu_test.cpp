#include <gtest/gtest.h>

#include "tests/gpu/gpu_fixture.h"

namespace rnnadvisor {
namespace {

RnnConfig half_lstm() {
  RnnConfig config;
  config.data_type = DataType::half;
  config.math_type = MathType::tensor_op;
  config.input_size = config.hidden_size = config.proj_size = 1024;
  config.seq_length = 64;
  config.batch_size = 32;
  return config;
}

TEST(RunnerOnGpu, TimesEveryPhaseWithAnInterval) {
  RNNADVISOR_NEED_GPU(runner);
  RunReport report;
  RunOptions options;
  ASSERT_TRUE(runner->prepare(half_lstm(), options, report)) << report.message;
  runner->time(options, report);
  ASSERT_EQ(report.timings.size(), 4U);
  for (const auto& timing : report.timings) {
    EXPECT_GT(timing.ms.median, 0);
    EXPECT_LE(timing.ms.low, timing.ms.median);
    EXPECT_GE(timing.ms.high, timing.ms.median);
    EXPECT_GE(timing.ms.count, options.min_repeats);
    EXPECT_GE(timing.ms.confidence, 0.95);
  }
  runner->release();
}

TEST(RunnerOnGpu, InferenceRunsOnlyTheForwardPhaseAndNeedsNoReserve) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig config = half_lstm();
  config.mode = Mode::inference;
  RunReport report;
  ASSERT_TRUE(runner->prepare(config, {}, report)) << report.message;
  EXPECT_EQ(runner->phases(), std::vector<Phase>{Phase::forward_inference});
  runner->release();
}

TEST(RunnerOnGpu, OutOfMemoryIsPredictedAndNothingIsAllocated) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig config = half_lstm();
  config.batch_size = 65536;
  config.seq_length = 1024;
  RunReport report;
  EXPECT_FALSE(runner->prepare(config, {}, report));
  EXPECT_EQ(report.outcome, Outcome::out_of_memory_predicted) << report.message;
  EXPECT_GT(report.memory_predicted, report.memory_free_before);
  RunReport after;
  EXPECT_TRUE(runner->prepare(half_lstm(), {}, after)) << after.message;
  runner->release();
}

TEST(RunnerOnGpu, ARefusalHasCudnnsStatusAndReason) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig config = half_lstm();
  config.seq_length = 65536;
  RunReport report;
  EXPECT_FALSE(runner->prepare(config, {}, report));
  EXPECT_EQ(report.outcome, Outcome::refused);
  ASSERT_FALSE(report.stages.empty());
  EXPECT_NE(report.stages.back().status, 0);
  EXPECT_FALSE(report.stages.back().reason.empty());
}

TEST(RunnerOnGpu, SizesAreThoseOfTheFacts) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig config = half_lstm();
  config.seq_length = 256;
  config.batch_size = 64;
  config.padded_io = false;
  RunReport report;
  RunOptions options;
  options.sizes_only = true;
  EXPECT_FALSE(runner->prepare(config, options, report));
  EXPECT_EQ(report.outcome, Outcome::not_run);
  // tests/data/h200/guide-figures-9-10.jsonl, the row with H 1024 and B 64
  EXPECT_EQ(report.weights, 16793600);
  EXPECT_EQ(report.reserve_training, 167772416);
  EXPECT_EQ(report.workspace_training, 160170240);
}

}  // namespace
}  // namespace rnnadvisor
