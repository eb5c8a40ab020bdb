// Experiments as they run: what a variant computes on the GPU is what the original computes.
#include <iostream>

#include "tests/gpu/experiment_cases.h"

namespace rnnadvisor {
namespace {

using ::testing::HasSubstr;

constexpr auto cells = {Cell::rnn_relu, Cell::rnn_tanh, Cell::lstm, Cell::gru};

TEST(ExperimentNumbers, OneCallInTheFormOfAnother) {
  RNNADVISOR_NEED_GPU(runner);
  for (const Cell cell : cells) {
    const RnnConfig before = small(cell);
    std::vector<ExperimentVariant> variants = {
        single(before),
        single(changed(before, [](RnnConfig& c) { c.hidden_size = c.proj_size = units + 8; })),
        single(changed(before, [](RnnConfig& c) { c.input_size = units + 5; })),
        single(changed(before, [](RnnConfig& c) { c.batch_size = 11; })),
        single(changed(before, [](RnnConfig& c) { c.layout = Layout::batch_major_unpacked; })),
        single(changed(before,
                       [](RnnConfig& c) {
                         c.layout = Layout::seq_major_packed;
                         c.padded_io = false;
                       })),
    };
    const auto request = request_of(before, variants);
    const auto result = runner->run(request);
    expect_same(request, result, exact);
    // Small enough for the reference, which knows nothing of cuDNN.
    for (const auto& shift : result.variants.at(0).shifts) EXPECT_GE(shift.before_error, 0);
  }
}

TEST(ExperimentNumbers, BiasesAndSkipInput) {
  RNNADVISOR_NEED_GPU(runner);
  for (const Cell cell : cells) {
    for (const BiasMode bias :
         {BiasMode::no_bias, BiasMode::single_inp_bias, BiasMode::single_rec_bias}) {
      RnnConfig before = small(cell);
      before.bias_mode = bias;
      const auto request = request_of(
          before,
          {single(changed(before, [](RnnConfig& c) { c.bias_mode = BiasMode::double_bias; }))});
      expect_same(request, runner->run(request), exact);
    }
    RnnConfig skip = small(cell);
    skip.input_mode = InputMode::skip_input;
    skip.input_size = skip.hidden_size;
    const auto request = request_of(
        skip, {single(changed(skip, [](RnnConfig& c) { c.input_mode = InputMode::linear_input; })),
               single(changed(skip, [](RnnConfig& c) {
                 c.input_size = c.hidden_size = c.proj_size = units + 8;
               }))});
    expect_same(request, runner->run(request), exact);
  }
}

TEST(ExperimentNumbers, SeveralCallsForOne) {
  RNNADVISOR_NEED_GPU(runner);
  for (const Cell cell : cells) {
    const RnnConfig before = small(cell);
    std::vector<RnnConfig> rows(2, before);
    rows[0].batch_size = 5;
    rows[1].batch_size = 3;
    const RnnConfig batch_major =
        changed(before, [](RnnConfig& c) { c.layout = Layout::batch_major_unpacked; });
    const auto request = request_of(
        before, {variant(Composition::layers, split_layers(before)),
                 variant(Composition::layers, split_layers(before, 8)),
                 variant(Composition::rows, rows), variant(Composition::steps, chunks(before, 5)),
                 variant(Composition::steps, chunks(batch_major, 5))});
    expect_same(request, runner->run(request), exact);
  }
}

TEST(ExperimentNumbers, BothDirectionsApart) {
  RNNADVISOR_NEED_GPU(runner);
  for (const Cell cell : cells) {
    for (const bool varying : {false, true}) {
      RnnConfig before = small(cell);
      before.direction = Direction::bidirectional;
      if (varying) before.seq_lengths = {12, 11, 9, 9, 7, 4, 2, 1};
      const RnnConfig packed = changed(before, [](RnnConfig& c) {
        c.layout = Layout::seq_major_packed;
        c.padded_io = false;
      });
      const auto request =
          request_of(before, {variant(Composition::directions, split_directions(before)),
                              variant(Composition::directions, split_directions(packed)),
                              variant(Composition::layers, split_layers(before, 8))});
      const auto result = runner->run(request);
      expect_same(request, result, exact);
      EXPECT_THAT(result.variants.at(0).message, HasSubstr("one copy for each time step"));
    }
  }
}

TEST(ExperimentNumbers, ProjectionAndClip) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig before = small(Cell::lstm);
  before.proj_size = units / 2;
  before.direction = Direction::bidirectional;
  auto request =
      request_of(before, {single(changed(before, [](RnnConfig& c) { c.hidden_size = units + 8; })),
                          variant(Composition::layers, split_layers(before)),
                          variant(Composition::directions, split_directions(before))});
  expect_same(request, runner->run(request), exact);
  RnnConfig clipped = small(Cell::lstm);
  clipped.clip_mode = ClipMode::minmax;
  clipped.clip_left = -0.25;  // cuDNN keeps the bounds as float: these are the same there
  clipped.clip_right = 0.25;
  request = request_of(
      clipped,
      {variant(Composition::layers, split_layers(clipped)),
       single(changed(clipped, [](RnnConfig& c) { c.hidden_size = c.proj_size = units + 8; }))});
  expect_same(request, runner->run(request), exact);
}

TEST(ExperimentNumbers, SequencesOfManyLengths) {
  RNNADVISOR_NEED_GPU(runner);
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    RnnConfig before = small(cell);
    before.seq_lengths = {3, 12, 7, 12, 1, 5, 9, 2};
    const RnnConfig sorted = changed(
        before, [](RnnConfig& c) { std::sort(c.seq_lengths.rbegin(), c.seq_lengths.rend()); });
    const RnnConfig packed = changed(sorted, [](RnnConfig& c) {
      c.layout = Layout::seq_major_packed;
      c.padded_io = false;
    });
    std::vector<RnnConfig> buckets(2, sorted);
    buckets[0].seq_lengths = {12, 12, 9, 7};
    buckets[1].seq_lengths = {5, 3, 2, 1};
    buckets[1].seq_length = 5;
    for (auto& bucket : buckets) bucket.batch_size = 4;
    const auto request =
        request_of(before, {single(sorted), single(packed), variant(Composition::rows, buckets),
                            variant(Composition::steps, chunks(packed, 5)),
                            variant(Composition::steps, chunks(before, 5))});
    expect_same(request, runner->run(request), exact);
  }
}

// Whether cuDNN lets itself be captured is cuDNN's business: where it does, the numbers are the
// same; where not, the refusal says so.
// What cuDNN refuses and what does not fit: whether the change runs is then the question.
TEST(ExperimentNumbers, VariantsOfWhatDoesNotRun) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig persistent = small(Cell::lstm);
  persistent.data_type = persistent.math_precision = DataType::float64;
  persistent.algo = Algo::persist_static;
  const auto wider = [](RnnConfig& c) { c.hidden_size = c.proj_size = units + 8; };
  const auto refused = runner->run(request_of(
      persistent, {single(changed(persistent, [](RnnConfig& c) { c.algo = Algo::standard; })),
                   single(changed(persistent, wider))}));
  EXPECT_EQ(refused.outcome, Outcome::refused) << refused.message;
  EXPECT_EQ(refused.variants.at(0).outcome, Outcome::completed) << refused.variants[0].message;
  EXPECT_EQ(refused.variants.at(1).outcome, Outcome::refused) << refused.variants[1].message;
  EXPECT_TRUE(refused.variants[0].timings.empty());

  RnnConfig huge = small(Cell::lstm);
  huge.hidden_size = huge.proj_size = huge.input_size = 512;
  huge.batch_size = 65536;
  huge.seq_length = 1000;
  const auto large = runner->run(request_of(huge, {single(changed(huge, [](RnnConfig& c) {
                                              c.batch_size = 2;
                                              c.seq_length = 3;
                                            }))}));
  EXPECT_EQ(large.outcome, Outcome::out_of_memory_predicted) << large.message;
  EXPECT_EQ(large.variants.at(0).outcome, Outcome::completed) << large.variants[0].message;
}

TEST(ExperimentNumbers, GraphsComputeTheSame) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig before = small(Cell::lstm);
  before.direction = Direction::bidirectional;
  auto request =
      request_of(before, {single(before), variant(Composition::layers, split_layers(before)),
                          variant(Composition::directions, split_directions(before))});
  for (auto& each : request.variants) each.cuda_graph = true;
  const auto result = runner->run(request);
  const bool refused =
      std::any_of(result.variants.begin(), result.variants.end(),
                  [](const auto& each) { return each.outcome == Outcome::refused; });
  for (const auto& each : result.variants) {
    if (each.outcome == Outcome::refused) {
      EXPECT_THAT(each.message, HasSubstr("cannot be captured"));
      std::cout << "graph refused: " << each.message << "\n";
    }
  }
  if (!refused) expect_same(request, result, exact);
}

TEST(ExperimentNumbers, OtherTypesAreAsFarAsTheirPrecision) {
  RNNADVISOR_NEED_GPU(runner);
  RnnConfig before = small(Cell::lstm);
  before.data_type = before.math_precision = DataType::float32;
  before.math_type = MathType::fma;
  const auto to = [&](DataType type) {
    return single(changed(before, [type](RnnConfig& c) {
      c.data_type = type;
      c.math_precision = natural_math_precision(type);
      c.math_type = type == DataType::float64 ? MathType::default_math : MathType::tensor_op;
    }));
  };
  const auto request =
      request_of(before, {to(DataType::float64), to(DataType::half), to(DataType::bfloat16)});
  const auto result = runner->run(request);
  expect_same(request, result, 8e-2);
  const auto shift_of = [&](std::size_t i) { return result.variants.at(i).shifts.at(0); };
  EXPECT_LT(shift_of(0).from_before, 1e-5);
  EXPECT_LT(shift_of(0).after_error, shift_of(0).before_error);  // float64 is nearer the truth
  EXPECT_GT(shift_of(1).from_before, 1e-6);                      // and half is not the same
  EXPECT_LT(shift_of(1).from_before, 1e-2);
  EXPECT_GT(shift_of(2).from_before, shift_of(1).from_before);
}

}  // namespace
}  // namespace rnnadvisor
