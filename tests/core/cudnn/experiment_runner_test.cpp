// ExperimentRunner on the stand-ins for a GPU: what it does when memory is short, when calls are
// refused, and when the context is lost. What variants compute is tested in
// tests/gpu/experiment_gpu_test.cpp, which this program has too.
#include "core/cudnn/experiment_runner.h"

#include <cstdlib>

#include "tests/core/cudnn/standin_cuda.h"
#include "tests/gpu/experiment_cases.h"

namespace rnnadvisor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Before the first test asks for cuDNN.
const bool chosen = setenv("RNNADVISOR_CUDNN", RNNADVISOR_STANDIN, 1) == 0;

class ExperimentOnStandin : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(chosen);
    std::string why_not;
    runner_ = shared_experiments(why_not);
    ASSERT_NE(runner_, nullptr) << why_not;
    in_use_ = standin::memory_in_use();
  }
  void TearDown() override {
    EXPECT_EQ(standin::memory_in_use(), in_use_) << "memory was left behind";
    standin::mend();
    standin::set_memory(std::size_t{4} << 30U);
  }

  ExperimentRunner* runner_ = nullptr;
  std::size_t in_use_ = 0;
};

std::vector<Outcome> outcomes(const ExperimentResult& result) {
  std::vector<Outcome> list;
  for (const auto& each : result.variants) list.push_back(each.outcome);
  return list;
}

std::vector<int> tried(ExperimentRunner& runner, const ExperimentRequest& request,
                       ExperimentResult& result) {
  std::vector<int> list;
  result = runner.run(request, [&](const ExperimentProgress& progress) {
    if (progress.kind == ExperimentProgress::Kind::trying) list.push_back(progress.variant);
    if (progress.kind == ExperimentProgress::Kind::timing) list.push_back(100);
  });
  return list;
}

TEST_F(ExperimentOnStandin, VariantsThatDoNotFitTogetherAreTimedInGroups) {
  const RnnConfig before = small(Cell::lstm);
  const auto request = request_of(before, {single(before), single(before), single(before)});
  ExperimentResult result;
  // Everybody is measured; then there are the original, and all of them, and rounds.
  EXPECT_THAT(tried(*runner_, request, result), ElementsAre(-1, 0, 1, 2, -1, 0, 1, 2, 100));
  expect_same(request, result, 0);
  const std::size_t together = standin::most_memory_in_use() - in_use_;
  const std::size_t workspace = std::size_t{1} << 20U;  // of the stand-in, and shared
  const std::size_t each = (together - workspace) / 4;

  // A margin of 512 MiB stays free. Three and the original do not fit any more; two do.
  const std::size_t margin = std::size_t{512} << 20U;
  standin::set_memory(margin + in_use_ + workspace + each * 7 / 2);
  EXPECT_THAT(tried(*runner_, request, result),
              ElementsAre(-1, 0, 1, 2, -1, 0, 1, 100, -1, 2, 100));
  expect_same(request, result, 0);
  EXPECT_LT(standin::most_memory_in_use() - in_use_, together);

  standin::set_memory(margin + in_use_ + workspace + each * 3 / 2);
  result = runner_->run(request);
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_THAT(outcomes(result), testing::Each(Outcome::out_of_memory_predicted));
  EXPECT_THAT(result.variants[0].message, HasSubstr("beside the original's"));

  standin::set_memory(margin);
  result = runner_->run(request);
  EXPECT_EQ(result.outcome, Outcome::out_of_memory_predicted);
  EXPECT_THAT(result.message, HasSubstr("nothing was allocated"));
  EXPECT_THAT(outcomes(result), testing::Each(Outcome::out_of_memory_predicted));
}

TEST_F(ExperimentOnStandin, ClocksAreReadBeforeAndBehindTheRoundsOfEachGroup) {
  const RnnConfig before = small(Cell::lstm);
  auto request = request_of(before, {single(before), single(before)});
  auto result = runner_->run(request);
  ASSERT_THAT(result.variants, SizeIs(2));
  const GpuClocks first = result.variants[0].clocks_before;
  EXPECT_GT(first.sm_mhz, 1000);
  // The stand-in counts how often it is asked: twice for one group, whatever the rounds.
  for (const auto& each : result.variants) {
    EXPECT_EQ(each.clocks_before, first);
    EXPECT_EQ(each.clocks_after.sm_mhz, first.sm_mhz + 1);
    EXPECT_EQ(each.clocks_after.event_reasons, first.event_reasons + 1);
  }
  // What is not timed has none: the stand-in does not let a layer of 17 units be captured.
  const RnnConfig odd = changed(before, [](RnnConfig& c) { c.hidden_size = c.proj_size = 17; });
  request = request_of(odd, {single(odd), single(odd)});
  request.variants[1].cuda_graph = true;
  result = runner_->run(request);
  EXPECT_TRUE(result.variants[0].clocks_after.known());
  EXPECT_EQ(result.variants[1].outcome, Outcome::refused);
  EXPECT_FALSE(result.variants[1].clocks_before.known());
  // Without anybody to ask they are unknown.
  const auto silent = ExperimentRunner::create(0);
  ASSERT_TRUE(silent) << to_text(silent.error());
  result = (*silent)->run(request_of(before, {single(before)}));
  EXPECT_EQ(result.variants.at(0).outcome, Outcome::completed);
  EXPECT_EQ(result.variants.at(0).clocks_after, GpuClocks());
  in_use_ = standin::memory_in_use();
}

TEST_F(ExperimentOnStandin, ALostContextEndsItAndIsReported) {
  RnnConfig before = small(Cell::gru);
  const auto request = request_of(
      before, {single(before),
               single(changed(before, [](RnnConfig& c) { c.hidden_size = c.proj_size = 13; })),
               single(before)});
  ExperimentResult result = runner_->run(request);
  EXPECT_TRUE(result.context_lost);
  EXPECT_EQ(result.outcome, Outcome::completed);  // the original ran
  EXPECT_THAT(outcomes(result), ElementsAre(Outcome::not_run, Outcome::failed, Outcome::not_run));
  EXPECT_THAT(result.variants[1].message, HasSubstr("CUDNN_STATUS_EXECUTION_FAILED"));
  standin::mend();

  before.hidden_size = before.proj_size = 13;
  result = runner_->run(request_of(before, {single(before)}));
  EXPECT_TRUE(result.context_lost);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(outcomes(result), ElementsAre(Outcome::not_run));
}

TEST_F(ExperimentOnStandin, ARefusalToBeCapturedIsReported) {
  RnnConfig before = small(Cell::gru);
  before.hidden_size = before.proj_size = 17;
  auto request = request_of(before, {single(before), single(before)});
  request.variants[0].cuda_graph = true;
  const auto result = runner_->run(request);
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_THAT(outcomes(result), ElementsAre(Outcome::refused, Outcome::completed));
  EXPECT_THAT(result.variants[0].message,
              AllOf(HasSubstr("cannot be captured into a CUDA graph"), HasSubstr("NOT_SUPPORTED")));
}

TEST_F(ExperimentOnStandin, RefusalsAndStrangersAreResultsOfTheirOwn) {
  const RnnConfig before = small(Cell::lstm);
  const auto request = request_of(
      before, {single(changed(before, [](RnnConfig& c) { c.algo = Algo::persist_static; })),
               variant(Composition::layers, {before, before}),
               single(changed(before, [](RnnConfig& c) { c.hidden_size = c.proj_size = 5; })),
               single(changed(before, [](RnnConfig& c) { c.batch_size = 1 << 30; }))});
  const auto result = runner_->run(request);
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_THAT(outcomes(result), ElementsAre(Outcome::refused, Outcome::failed, Outcome::completed,
                                            Outcome::out_of_memory_predicted));
  EXPECT_THAT(result.variants[0].message, HasSubstr("CUDNN_STATUS_NOT_SUPPORTED"));
  EXPECT_THAT(result.variants[1].message, HasSubstr("do not make up the original"));
  EXPECT_THAT(result.variants[2].message, HasSubstr("hidden_size 5 instead of 8"));
  EXPECT_THAT(result.variants[2].shifts, IsEmpty());
  EXPECT_THAT(result.variants[2].timings, SizeIs(2));
}

// An original in float and a variant whose weights are laid out otherwise: every matrix finds its
// place by name.
TEST_F(ExperimentOnStandin, WeightsAreMappedByMatrixNotByPlace) {
  RnnConfig before = small(Cell::lstm);
  before.data_type = before.math_precision = DataType::float32;
  const auto request = request_of(
      before, {single(changed(before, [](RnnConfig& c) { c.algo = Algo::persist_static; }))});
  expect_same(request, runner_->run(request), 1e-6);
}

TEST_F(ExperimentOnStandin, DropoutIsTimedAndNotCompared) {
  for (const Direction direction : {Direction::unidirectional, Direction::bidirectional}) {
    RnnConfig before = small(Cell::lstm);
    before.num_layers = 3;
    before.dropout = 0.5;
    before.direction = direction;
    std::vector<ExperimentVariant> variants = {single(before),
                                               variant(Composition::layers, split_layers(before))};
    if (direction == Direction::bidirectional)
      variants.push_back(variant(Composition::directions, split_directions(before)));
    const auto request = request_of(before, variants);
    const auto result = runner_->run(request);
    expect_same(request, result, exact);
    for (const auto& each : result.variants)
      EXPECT_THAT(each.message, HasSubstr("dropout switched off"));
  }
}

TEST_F(ExperimentOnStandin, InferenceInThePlaceOfTraining) {
  const RnnConfig before = small(Cell::gru);
  auto request =
      request_of(before, {single(changed(before, [](RnnConfig& c) { c.mode = Mode::inference; }))});
  auto result = runner_->run(request);
  ASSERT_EQ(result.variants[0].outcome, Outcome::completed) << result.variants[0].message;
  ASSERT_THAT(result.variants[0].timings, SizeIs(1));
  EXPECT_EQ(result.variants[0].timings[0].scope, ExperimentScope::forward_training);
  EXPECT_THAT(result.variants[0].shifts, SizeIs(2));
  request.scopes = {ExperimentScope::training_step};
  result = runner_->run(request);
  EXPECT_EQ(result.variants[0].outcome, Outcome::failed);
  EXPECT_THAT(result.variants[0].message, HasSubstr("nothing that it could stand for"));
  // All three scopes of the same thing.
  request = request_of(before, {single(before)});
  request.scopes = {ExperimentScope::inference, ExperimentScope::forward_training,
                    ExperimentScope::training_step};
  result = runner_->run(request);
  EXPECT_THAT(result.variants[0].timings, SizeIs(3));
}

TEST_F(ExperimentOnStandin, EqualSeedsGiveEqualNumbers) {
  const RnnConfig before = small(Cell::lstm);
  auto half = single(changed(before, [](RnnConfig& c) {
    c.data_type = DataType::half;
    c.math_precision = DataType::float32;
  }));
  auto request = request_of(before, {half});
  const auto one = runner_->run(request);
  const auto again = runner_->run(request);
  request.seed = 2;
  const auto other = runner_->run(request);
  EXPECT_EQ(one.variants[0].shifts, again.variants[0].shifts);
  EXPECT_NE(one.variants[0].shifts, other.variants[0].shifts);
}

}  // namespace
}  // namespace rnnadvisor
