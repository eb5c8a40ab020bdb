// The float64 reference is what cuDNN is judged by, so it is itself held against two things that do
// not share its code: steps worked out by hand, and the slope of its own forward pass by central
// differences.
#include "core/cudnn/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace rnnadvisor::reference {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

RnnConfig small_config(Cell cell, int steps, int batch, int input, int hidden) {
  RnnConfig config;
  config.cell = cell;
  config.seq_length = steps;
  config.batch_size = batch;
  config.input_size = input;
  config.hidden_size = config.proj_size = hidden;
  config.data_type = config.math_precision = DataType::float64;
  return config;
}

// One unit, one input, one step, with weights that are all different.
Inputs scalar_step(Cell cell) {
  Inputs inputs;
  inputs.config = small_config(cell, 1, 1, 1, 1);
  inputs.lengths = {1};
  const double input[] = {0.5, -0.3, 0.8, 0.2};
  const double recurrent[] = {0.1, 0.4, -0.6, 0.7};
  const double input_bias[] = {0.05, -0.1, 0.15, 0.25};
  const double recurrent_bias[] = {-0.2, 0.3, 0.1, -0.05};
  LayerWeights weights;
  for (std::size_t gate = 0; gate < static_cast<std::size_t>(inputs.config.gates()); ++gate) {
    weights.input.push_back({input[gate]});
    weights.recurrent.push_back({recurrent[gate]});
    weights.input_bias.push_back({input_bias[gate]});
    weights.recurrent_bias.push_back({recurrent_bias[gate]});
  }
  inputs.weights = {weights};
  inputs.x = {0.5};
  inputs.hx = {-0.4};
  if (cell == Cell::lstm) inputs.cx = {0.3};
  return inputs;
}

// i = σ(0.06), f = σ(-0.11), g = tanh(0.89), o = σ(0.02); c' = f·0.3 + i·g, h' = o·tanh(c').
TEST(ReferenceByHand, Lstm) {
  const Outputs outputs = compute(scalar_step(Cell::lstm));
  EXPECT_THAT(outputs.cy, ElementsAre(DoubleNear(0.5081228804636325, 1e-12)));
  EXPECT_THAT(outputs.y, ElementsAre(DoubleNear(0.23658300306970292, 1e-12)));
  EXPECT_EQ(outputs.hy, outputs.y);
}

// r = σ(0.06), z = σ(-0.11), n = tanh(0.55 + r·0.34): the reset gate works on R·h with its bias, as
// in cuDNN, not on h; h' = (1 - z)·n + z·(-0.4).
TEST(ReferenceByHand, Gru) {
  const Outputs outputs = compute(scalar_step(Cell::gru));
  EXPECT_THAT(outputs.y, ElementsAre(DoubleNear(0.1380520711862635, 1e-12)));
  EXPECT_TRUE(outputs.cy.empty());
}

// Gate 0 alone: 0.25 + 0.05 - 0.04 - 0.2 = 0.06.
TEST(ReferenceByHand, Rnn) {
  EXPECT_THAT(compute(scalar_step(Cell::rnn_tanh)).y,
              ElementsAre(DoubleNear(std::tanh(0.06), 1e-12)));
  EXPECT_THAT(compute(scalar_step(Cell::rnn_relu)).y, ElementsAre(DoubleNear(0.06, 1e-12)));
  Inputs negative = scalar_step(Cell::rnn_relu);
  negative.x = {-0.5};
  EXPECT_THAT(compute(negative).y, ElementsAre(0.0));
}

// c' = f·clip(0.3) + i·g with f = σ(-0.11) and 0.3 clipped to 0.25. The new state, 0.4845, is
// written unclipped and read clipped: h' = o·tanh(0.25), as cuDNN 9.19 does on an H200.
TEST(ReferenceByHand, ClipBoundsTheCellStateThatIsRead) {
  Inputs inputs = scalar_step(Cell::lstm);
  inputs.config.clip_mode = ClipMode::minmax;
  inputs.config.clip_left = -0.25;
  inputs.config.clip_right = 0.25;
  const Outputs outputs = compute(inputs);
  const double cell = 0.5081228804636325 - 0.05 / (1 + std::exp(0.11));
  EXPECT_THAT(outputs.cy, ElementsAre(DoubleNear(cell, 1e-12)));
  EXPECT_THAT(outputs.y, ElementsAre(DoubleNear(std::tanh(0.25) / (1 + std::exp(-0.02)), 1e-12)));
}

// A ReLU cell with weights 1 and no bias adds up its inputs: forward from the front, backward from
// the end of each sequence, whatever its length. Padding is poison that must not be read.
TEST(ReferenceByHand, SumsInBothDirectionsStopAtTheLength) {
  Inputs inputs;
  inputs.config = small_config(Cell::rnn_relu, 3, 2, 1, 1);
  inputs.config.direction = Direction::bidirectional;
  inputs.config.bias_mode = BiasMode::no_bias;
  inputs.lengths = {3, 2};
  inputs.weights.assign(2, {{{1.0}}, {{1.0}}, {}, {}, {}});
  inputs.x = {1, 10, 2, 20, 4, 1e300};
  inputs.hx = {0, 0, 0.5, 0.25};
  const Outputs outputs = compute(inputs);
  // [T][B][forward, backward]
  EXPECT_THAT(outputs.y, ElementsAre(1, 7.5, 10, 30.25, 3, 6.5, 30, 20.25, 7, 4.5, 0, 0));
  EXPECT_THAT(outputs.hy, ElementsAre(7, 30, 7.5, 30.25));
}

// y = P·h with h the full state, and P·h is what the next step sees.
TEST(ReferenceByHand, ProjectionFeedsTheNextStep) {
  Inputs inputs;
  inputs.config = small_config(Cell::lstm, 2, 1, 1, 2);
  inputs.config.proj_size = 1;
  inputs.config.bias_mode = BiasMode::no_bias;
  inputs.lengths = {2};
  LayerWeights weights;
  weights.input = {{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}, {0.7, 0.8}};
  weights.recurrent = {{0.8, 0.7}, {0.6, 0.5}, {0.4, 0.3}, {0.2, 0.1}};
  weights.projection = {0.5, -1.5};
  inputs.weights = {weights};
  inputs.x = {1, -1};
  inputs.hx = {0.2};
  inputs.cx = {0.1, -0.1};
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  double h = 0.2;
  double c[] = {0.1, -0.1};
  std::vector<double> expected;
  for (const double x : inputs.x) {
    double full[2];
    for (std::size_t j = 0; j < 2; ++j) {
      const auto sum = [&](std::size_t gate) {
        return weights.input[gate][j] * x + weights.recurrent[gate][j] * h;
      };
      c[j] = sigmoid(sum(1)) * c[j] + sigmoid(sum(0)) * std::tanh(sum(2));
      full[j] = sigmoid(sum(3)) * std::tanh(c[j]);
    }
    h = 0.5 * full[0] - 1.5 * full[1];
    expected.push_back(h);
  }
  const Outputs outputs = compute(inputs);
  EXPECT_THAT(outputs.y, Pointwise(DoubleNear(1e-14), expected));
  EXPECT_THAT(outputs.hy, ElementsAre(DoubleNear(h, 1e-14)));
  EXPECT_THAT(outputs.cy, ElementsAre(DoubleNear(c[0], 1e-14), DoubleNear(c[1], 1e-14)));
}

// --- gradients by central differences ---

Inputs random_inputs(const RnnConfig& config, std::vector<int> lengths, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto values = [&](int rows, int columns) {
    std::vector<double> result(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (double& value : result) value = uniform(random);
    return result;
  };
  Inputs inputs;
  inputs.config = config;
  inputs.lengths = std::move(lengths);
  const int outputs = config.directions() * config.proj_size;
  for (int pseudo = 0; pseudo < config.pseudo_layers(); ++pseudo) {
    const bool first = pseudo < config.directions();
    LayerWeights weights;
    for (int gate = 0; gate < config.gates(); ++gate) {
      if (!first || config.input_mode == InputMode::linear_input)
        weights.input.push_back(values(config.hidden_size, first ? config.input_size : outputs));
      weights.recurrent.push_back(values(config.hidden_size, config.proj_size));
      if (config.bias_mode == BiasMode::single_inp_bias ||
          config.bias_mode == BiasMode::double_bias)
        weights.input_bias.push_back(values(config.hidden_size, 1));
      if (config.bias_mode == BiasMode::single_rec_bias ||
          config.bias_mode == BiasMode::double_bias)
        weights.recurrent_bias.push_back(values(config.hidden_size, 1));
    }
    if (config.has_projection()) weights.projection = values(config.proj_size, config.hidden_size);
    inputs.weights.push_back(std::move(weights));
  }
  const int rows = config.seq_length * config.batch_size;
  const int states = config.pseudo_layers() * config.batch_size;
  inputs.x = values(rows, config.input_size);
  inputs.dy = values(rows, outputs);
  inputs.hx = values(states, config.proj_size);
  inputs.dhy = values(states, config.proj_size);
  if (config.cell == Cell::lstm) {
    inputs.cx = values(states, config.hidden_size);
    inputs.dcy = values(states, config.hidden_size);
  }
  return inputs;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The scalar of which dy, dhy and dcy are the gradients.
double loss(const Inputs& inputs) {
  Inputs forward = inputs;
  forward.dy.clear();
  const Outputs outputs = compute(forward);
  return dot(outputs.y, inputs.dy) + dot(outputs.hy, inputs.dhy) + dot(outputs.cy, inputs.dcy);
}

struct Count {
  int compared = 0;
  int not_zero = 0;
};

void expect_slopes(Inputs& inputs, std::vector<double>& values, const std::vector<double>& gradient,
                   const std::string& name, Count& count) {
  ASSERT_EQ(values.size(), gradient.size()) << name;
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double kept = values[i];
    values[i] = kept + step;
    const double above = loss(inputs);
    values[i] = kept - step;
    const double below = loss(inputs);
    values[i] = kept;
    const double slope = (above - below) / (2 * step);
    // The difference quotient errs by step² times the third derivative, and by rounding / step.
    ASSERT_NEAR(gradient[i], slope, 2e-8 * (1 + std::abs(slope))) << name << "[" << i << "]";
    ++count.compared;
    if (gradient[i] != 0) ++count.not_zero;
  }
}

void expect_slopes_of(Inputs& inputs, std::vector<std::vector<double>>& gates,
                      const std::vector<std::vector<double>>& gradients, const std::string& name,
                      Count& count) {
  ASSERT_EQ(gates.size(), gradients.size()) << name;
  for (std::size_t g = 0; g < gates.size(); ++g)
    expect_slopes(inputs, gates[g], gradients[g], name + " of gate " + std::to_string(g), count);
}

Count compare_gradients(Inputs inputs) {
  Count count;
  const Outputs outputs = compute(inputs);
  expect_slopes(inputs, inputs.x, outputs.dx, "dx", count);
  expect_slopes(inputs, inputs.hx, outputs.dhx, "dhx", count);
  expect_slopes(inputs, inputs.cx, outputs.dcx, "dcx", count);
  EXPECT_EQ(inputs.weights.size(), outputs.dweights.size());
  for (std::size_t p = 0; p < inputs.weights.size(); ++p) {
    auto& weights = inputs.weights[p];
    const auto& gradients = outputs.dweights[p];
    const std::string layer = "pseudo-layer " + std::to_string(p) + " ";
    expect_slopes_of(inputs, weights.input, gradients.input, layer + "input", count);
    expect_slopes_of(inputs, weights.recurrent, gradients.recurrent, layer + "recurrent", count);
    expect_slopes_of(inputs, weights.input_bias, gradients.input_bias, layer + "input bias", count);
    expect_slopes_of(inputs, weights.recurrent_bias, gradients.recurrent_bias,
                     layer + "recurrent bias", count);
    expect_slopes(inputs, weights.projection, gradients.projection, layer + "projection", count);
  }
  return count;
}

class ReferenceGradients : public testing::TestWithParam<Cell> {};

// Two layers, every bias mode, both directions, input products and skip_input, lengths that vary.
TEST_P(ReferenceGradients, AreTheSlopesOfTheForwardPass) {
  unsigned seed = 1;
  for (const auto direction : {Direction::unidirectional, Direction::bidirectional}) {
    for (const auto bias : {BiasMode::no_bias, BiasMode::single_inp_bias, BiasMode::double_bias,
                            BiasMode::single_rec_bias}) {
      for (const auto input : {InputMode::linear_input, InputMode::skip_input}) {
        RnnConfig config =
            small_config(GetParam(), 3, 2, input == InputMode::skip_input ? 3 : 2, 3);
        config.direction = direction;
        config.bias_mode = bias;
        config.input_mode = input;
        config.num_layers = 2;
        SCOPED_TRACE(std::string(to_string(direction)) + " " + std::string(to_string(bias)) + " " +
                     std::string(to_string(input)));
        const Count count = compare_gradients(random_inputs(config, {3, 2}, seed++));
        if (HasFatalFailure()) return;
        // One row of x is padding and ReLU units can be dead, but zeros alone would prove nothing.
        EXPECT_GT(count.not_zero, count.compared / 3);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Cells, ReferenceGradients,
                         testing::Values(Cell::rnn_relu, Cell::rnn_tanh, Cell::lstm, Cell::gru),
                         [](const auto& cell) { return std::string(to_string(cell.param)); });

// Projection and clip are LSTM's alone; the bounds cut through the middle of the cell states.
TEST(ReferenceGradientsOfLstm, WithProjectionAndClip) {
  unsigned seed = 100;
  for (const auto direction : {Direction::unidirectional, Direction::bidirectional}) {
    for (const bool clip : {false, true}) {
      for (const int projection : {2, 3}) {
        RnnConfig config = small_config(Cell::lstm, 4, 3, 2, 3);
        config.direction = direction;
        config.num_layers = 2;
        config.proj_size = projection;
        if (clip) {
          config.clip_mode = ClipMode::minmax;
          config.clip_left = -0.1;
          config.clip_right = 0.3;
        }
        SCOPED_TRACE(std::string(to_string(direction)) + (clip ? " clip" : "") + " projection " +
                     std::to_string(projection));
        const Inputs inputs = random_inputs(config, {4, 1, 3}, seed++);
        if (clip) {
          // The clip must matter: without it the outputs differ.
          Inputs free = inputs;
          free.config.clip_mode = ClipMode::none;
          EXPECT_NE(compute(inputs).y, compute(free).y);
        }
        const Count count = compare_gradients(inputs);
        if (HasFatalFailure()) return;
        EXPECT_GT(count.not_zero, count.compared / 2);
      }
    }
  }
}

// Padding is neither read nor given a gradient: poison there changes nothing.
TEST(ReferenceGradientsOfLstm, PaddingIsOutOfTheGame) {
  const RnnConfig config = small_config(Cell::lstm, 3, 2, 2, 2);
  Inputs inputs = random_inputs(config, {3, 1}, 7);
  const Outputs before = compute(inputs);
  const double poison = std::nan("");
  for (const std::size_t t : {1U, 2U}) {
    for (std::size_t i = 0; i < 2; ++i) {
      inputs.x[(t * 2 + 1) * 2 + i] = poison;
      inputs.dy[(t * 2 + 1) * 2 + i] = poison;
    }
  }
  const Outputs after = compute(inputs);
  EXPECT_EQ(before.y, after.y);
  EXPECT_EQ(before.dx, after.dx);
  EXPECT_EQ(before.dhx, after.dhx);
  EXPECT_EQ(before.dcx, after.dcx);
  EXPECT_EQ(before.dweights[0].recurrent, after.dweights[0].recurrent);
  for (const std::size_t t : {1U, 2U}) EXPECT_EQ(after.dx[(t * 2 + 1) * 2], 0);
}

}  // namespace
}  // namespace rnnadvisor::reference
