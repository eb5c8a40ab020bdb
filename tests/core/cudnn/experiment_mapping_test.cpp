// One call in the place of one call: weights and data in another form, the same function.
#include "core/cudnn/experiment_mapping.h"

#include <gmock/gmock.h>

#include "tests/core/cudnn/experiment_cases.h"

namespace rnnadvisor::experiment {
namespace {

using ::testing::HasSubstr;

constexpr auto directions = {Direction::unidirectional, Direction::bidirectional};
constexpr auto bias_modes = {BiasMode::no_bias, BiasMode::single_inp_bias, BiasMode::double_bias,
                             BiasMode::single_rec_bias};

std::string name(const RnnConfig& config) {
  return std::string(to_string(config.cell)) + " " + std::string(to_string(config.direction)) +
         " " + std::string(to_string(config.bias_mode)) + " " +
         std::string(to_string(config.layout)) + " L" + std::to_string(config.num_layers);
}

TEST(ExperimentMapping, TheReferenceIsNoConstant) {
  // The comparison below would be worth nothing if outputs did not depend on what is mapped.
  const RnnConfig config = small_config(Cell::lstm, 3, 2, 3, 4);
  const Outputs one = reference_outputs(config, data_of(config, 1), true);
  const Outputs other = reference_outputs(config, data_of(config, 2), true);
  for (const auto& shift : compare_outputs(one, other, nullptr))
    EXPECT_GT(shift.from_before, 0.1) << shift.tensor;
}

TEST(ExperimentMapping, EveryConfigurationIsItself) {
  for (const Cell cell : all_cells) {
    for (const Direction direction : directions) {
      for (const BiasMode bias : bias_modes) {
        for (const InputMode input : {InputMode::linear_input, InputMode::skip_input}) {
          RnnConfig config = small_config(cell, 3, 2, input == InputMode::skip_input ? 4 : 3, 4);
          config.direction = direction;
          config.bias_mode = bias;
          config.input_mode = input;
          config.num_layers = 2;
          SCOPED_TRACE(name(config));
          expect_same(config, single(config));
        }
      }
    }
  }
}

TEST(ExperimentMapping, AnotherAlgorithmOrTypeIsTheSameFunction) {
  const RnnConfig config = small_config(Cell::gru, 3, 2, 3, 4);
  RnnConfig changed = config;
  changed.algo = Algo::persist_static;
  changed.data_type = DataType::half;
  changed.math_type = MathType::tensor_op;
  expect_same(config, single(changed));
}

// More units, inputs and sequences than the original, in stacks of both directions.
TEST(ExperimentMapping, PaddingKeepsTheFunction) {
  for (const Cell cell : all_cells) {
    for (const Direction direction : directions) {
      for (const BiasMode bias : bias_modes) {
        RnnConfig config = small_config(cell, 3, 3, 3, 4);
        config.direction = direction;
        config.bias_mode = bias;
        config.num_layers = 3;
        SCOPED_TRACE(name(config));
        RnnConfig padded = config;
        padded.hidden_size = padded.proj_size = 7;
        expect_same(config, single(padded));
        padded.input_size = 5;
        padded.batch_size = 8;
        expect_same(config, single(padded));
      }
    }
  }
}

TEST(ExperimentMapping, PaddingWithSkipInputWidensTheInputToo) {
  for (const Cell cell : all_cells) {
    RnnConfig config = small_config(cell, 3, 2, 4, 4);
    config.input_mode = InputMode::skip_input;
    config.num_layers = 2;
    RnnConfig padded = config;
    padded.hidden_size = padded.proj_size = padded.input_size = 6;
    SCOPED_TRACE(name(config));
    expect_same(config, single(padded));
  }
}

TEST(ExperimentMapping, ProjectionIsPaddedOnBothSides) {
  for (const Direction direction : directions) {
    RnnConfig config = small_config(Cell::lstm, 3, 2, 3, 5);
    config.proj_size = 3;
    config.direction = direction;
    config.num_layers = 2;
    expect_same(config, single(config));
    RnnConfig padded = config;
    padded.hidden_size = 8;
    expect_same(config, single(padded));
    padded.proj_size = 4;
    expect_same(config, single(padded));
  }
}

TEST(ExperimentMapping, ClipWithPaddingWhoseStatesItMoves) {
  RnnConfig config = small_config(Cell::lstm, 4, 2, 3, 4);
  config.clip_mode = ClipMode::minmax;
  config.clip_left = 0.05;  // lifts the padding's cell states from zero
  config.clip_right = 0.3;
  RnnConfig padded = config;
  padded.hidden_size = padded.proj_size = 6;
  expect_same(config, single(padded));
  padded.clip_right = 0.4;
  EXPECT_THAT(refusal(config, single(padded)), HasSubstr("clip"));
}

TEST(ExperimentMapping, SkipInputIsAnIdentityMatrix) {
  for (const Cell cell : all_cells) {
    RnnConfig config = small_config(cell, 3, 2, 4, 4);
    config.input_mode = InputMode::skip_input;
    config.num_layers = 2;
    RnnConfig linear = config;
    linear.input_mode = InputMode::linear_input;
    SCOPED_TRACE(name(config));
    expect_same(config, single(linear));
    linear.hidden_size = linear.proj_size = 6;
    expect_same(config, single(linear));
    EXPECT_THAT(refusal(linear, single(config)), HasSubstr("hidden_size"));
    linear.hidden_size = linear.proj_size = 4;
    EXPECT_THAT(refusal(linear, single(config)), HasSubstr("input matrix"));
  }
}

// Which biases can stand for which: all but the recurrent bias of a GRU, which the reset gate keeps
// apart from the input's.
TEST(ExperimentMapping, BiasesMoveWhereTheyAddUp) {
  for (const Cell cell : all_cells) {
    for (const BiasMode from : bias_modes) {
      for (const BiasMode to : bias_modes) {
        RnnConfig config = small_config(cell, 3, 2, 3, 4);
        config.bias_mode = from;
        RnnConfig changed = config;
        changed.bias_mode = to;
        SCOPED_TRACE(name(config) + " to " + std::string(to_string(to)));
        const bool lost = to == BiasMode::no_bias && from != BiasMode::no_bias;
        const bool parted = cell == Cell::gru && from != to && from != BiasMode::no_bias &&
                            to != BiasMode::double_bias;
        if (lost || parted) {
          EXPECT_THAT(refusal(config, single(changed)), HasSubstr("have no place in"));
        } else {
          expect_same(config, single(changed));
        }
      }
    }
  }
}

TEST(ExperimentMapping, LayoutsAndLengths) {
  const std::vector<std::vector<int>> lengths = {{}, {4, 4, 4}, {4, 3, 1}};
  for (const auto& some : lengths) {
    for (const Direction direction : directions) {
      for (const Layout from :
           {Layout::seq_major_unpacked, Layout::seq_major_packed, Layout::batch_major_unpacked}) {
        for (const Layout to :
             {Layout::seq_major_unpacked, Layout::seq_major_packed, Layout::batch_major_unpacked}) {
          RnnConfig config = small_config(Cell::lstm, 4, 3, 3, 4);
          config.seq_lengths = some;
          config.direction = direction;
          config.num_layers = 2;
          config.layout = from;
          RnnConfig changed = config;
          changed.layout = to;
          changed.hidden_size = changed.proj_size = 5;
          SCOPED_TRACE(name(changed));
          expect_same(config, single(changed));
        }
      }
    }
  }
}

TEST(ExperimentMapping, SequencesAreFoundByTheirLengths) {
  RnnConfig config = small_config(Cell::gru, 5, 5, 3, 4);
  config.seq_lengths = {2, 5, 0, 3, 5};
  RnnConfig sorted = config;
  sorted.seq_lengths = {5, 5, 3, 2, 0};
  expect_same(config, single(sorted));
  RnnConfig dropped = sorted;
  dropped.seq_lengths = {5, 5, 3, 2};
  dropped.batch_size = 4;
  dropped.layout = Layout::seq_major_packed;
  expect_same(config, single(dropped));
  RnnConfig padded = config;
  padded.seq_lengths = {2, 5, 0, 3, 5, 2, 2};
  padded.batch_size = 7;
  expect_same(config, single(padded));
  // Which goes where can also be said.
  ExperimentVariant named = single(sorted);
  named.rows = {{4, 1, 3, 0, 2}};
  expect_same(config, named);
  named.rows = {{4, 1, 0, 3, 2}};
  EXPECT_THAT(refusal(config, named), HasSubstr("sequence 0 has 2 steps and the call 3"));
  named.rows = {{4, 4, 3, 0, 2}};
  EXPECT_THAT(refusal(config, named), HasSubstr("computed twice"));
  RnnConfig fewer = config;
  fewer.seq_lengths = {5, 3, 2};
  fewer.batch_size = 3;
  EXPECT_THAT(refusal(config, single(fewer)), HasSubstr("sequence 4 of 5 steps is missing"));
}

TEST(ExperimentMapping, InferenceInThePlaceOfTraining) {
  const RnnConfig config = small_config(Cell::lstm, 3, 2, 3, 4);
  RnnConfig inference = config;
  inference.mode = Mode::inference;
  expect_same(config, single(inference));
  expect_same(inference, single(inference));
  EXPECT_THAT(refusal(inference, single(config)), HasSubstr("only infers"));
}

TEST(ExperimentMapping, AnotherFunctionIsDistinguished) {
  const RnnConfig config = small_config(Cell::lstm, 3, 2, 3, 4);
  const auto refused = [&](auto change) {
    RnnConfig changed = config;
    change(changed);
    return refusal(config, single(changed));
  };
  EXPECT_THAT(refused([](RnnConfig& c) { c.cell = Cell::gru; }), HasSubstr("cell"));
  EXPECT_THAT(refused([](RnnConfig& c) { c.hidden_size = c.proj_size = 3; }),
              HasSubstr("hidden_size 3 instead of 4"));
  EXPECT_THAT(refused([](RnnConfig& c) { c.input_size = 2; }), HasSubstr("input_size"));
  EXPECT_THAT(refused([](RnnConfig& c) { c.proj_size = 2; }), HasSubstr("projection"));
  EXPECT_THAT(refused([](RnnConfig& c) { c.num_layers = 2; }), HasSubstr("2 layers instead of 1"));
  EXPECT_THAT(refused([](RnnConfig& c) { c.direction = Direction::bidirectional; }),
              HasSubstr("direction"));
  EXPECT_THAT(refused([](RnnConfig& c) { c.seq_length = 4; }), HasSubstr("missing"));
  EXPECT_THAT(refused([](RnnConfig& c) { c.batch_size = 1; }), HasSubstr("missing"));
  EXPECT_THAT(refusal(config, ExperimentVariant{}), HasSubstr("no calls"));
}

TEST(ExperimentMapping, IdentityAndPaddingByHand) {
  RnnConfig before = small_config(Cell::rnn_tanh, 1, 1, 2, 2);
  before.input_mode = InputMode::skip_input;
  before.bias_mode = BiasMode::single_rec_bias;
  Part part{before, 0, -1, 0, {0}};
  part.config.input_mode = InputMode::linear_input;
  part.config.hidden_size = part.config.proj_size = 3;
  part.config.bias_mode = BiasMode::double_bias;
  auto weights = zero_weights(before);
  weights[0].recurrent[0] = {1, 2, 3, 4};
  weights[0].recurrent_bias[0] = {5, 6};
  const auto mapped = map_weights(before, weights, part);
  ASSERT_EQ(mapped.size(), 1U);
  EXPECT_EQ(mapped[0].input[0], (std::vector<double>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(mapped[0].recurrent[0], (std::vector<double>{1, 2, 0, 3, 4, 0, 0, 0, 0}));
  EXPECT_EQ(mapped[0].input_bias[0], (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(mapped[0].recurrent_bias[0], (std::vector<double>{5, 6, 0}));
}

}  // namespace
}  // namespace rnnadvisor::experiment
