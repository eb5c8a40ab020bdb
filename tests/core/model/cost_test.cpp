#include "core/model/cost.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/model/autocast.h"
#include "core/model/memory.h"

namespace rnnadvisor::model {
namespace {

RnnConfig lstm(int input, int hidden, int batch, int steps) {
  RnnConfig c;
  c.data_type = DataType::half;
  c.math_type = MathType::tensor_op;
  c.input_size = input;
  c.hidden_size = c.proj_size = hidden;
  c.batch_size = batch;
  c.seq_length = steps;
  return c;
}

std::int64_t total(const std::vector<Gemm>& list) {
  std::int64_t sum = 0;
  for (const auto& gemm : list) sum += gemm.flops();
  return sum;
}

Gemm gemm(Path path, Phase phase, std::int64_t m, std::int64_t n, std::int64_t k,
          std::int64_t count) {
  return {path, phase, 0, 0, m, n, k, count};
}

// NVIDIA, Optimizing Recurrent Layers User's Guide, Table 1, with I for the width of the previous
// layer.
TEST(Gemms, AreTheGuidesTable) {
  const RnnConfig c = lstm(512, 1024, 64, 256);
  EXPECT_THAT(gemms(c, Phase::forward_training),
              testing::ElementsAre(
                  gemm(Path::recurrent, Phase::forward_training, 4096, 64, 1024, 256),
                  gemm(Path::layer_to_layer, Phase::forward_training, 4096, 64 * 256, 512, 1)));
  EXPECT_THAT(gemms(c, Phase::backward_data),
              testing::ElementsAre(
                  gemm(Path::recurrent, Phase::backward_data, 1024, 64, 4096, 256),
                  gemm(Path::layer_to_layer, Phase::backward_data, 512, 64 * 256, 4096, 1)));
  EXPECT_THAT(gemms(c, Phase::backward_weights),
              testing::ElementsAre(
                  gemm(Path::recurrent, Phase::backward_weights, 1024, 4096, 64 * 256, 1),
                  gemm(Path::layer_to_layer, Phase::backward_weights, 512, 4096, 64 * 256, 1)));
}

TEST(Gemms, UnrollingCutsButLosesNothing) {
  const RnnConfig c = lstm(512, 1024, 64, 10);
  const auto cut = gemms(c, Phase::forward_training, 4);
  EXPECT_THAT(cut, testing::ElementsAre(
                       gemm(Path::recurrent, Phase::forward_training, 4096, 64, 1024, 10),
                       gemm(Path::layer_to_layer, Phase::forward_training, 4096, 64 * 4, 512, 2),
                       gemm(Path::layer_to_layer, Phase::forward_training, 4096, 64 * 2, 512, 1)));
  for (int unrolling = 0; unrolling <= 12; ++unrolling) {
    EXPECT_EQ(total(gemms(c, Phase::forward_training, unrolling)),
              total(gemms(c, Phase::forward_training)));
  }
}

class CellGates : public testing::TestWithParam<std::pair<Cell, int>> {};
INSTANTIATE_TEST_SUITE_P(Cells, CellGates,
                         testing::Values(std::pair{Cell::lstm, 4}, std::pair{Cell::gru, 3},
                                         std::pair{Cell::rnn_tanh, 1},
                                         std::pair{Cell::rnn_relu, 1}));

TEST_P(CellGates, ClosedFormsHold) {
  const auto [cell, gates] = GetParam();
  const std::int64_t I = 48, H = 96, B = 5, T = 17, L = 3;
  RnnConfig c = lstm(48, 96, 5, 17);
  c.cell = cell;
  EXPECT_EQ(phase_cost(c, Phase::forward_training).gemm_flops, 2 * gates * H * (I + H) * B * T);
  c.num_layers = 3;
  const std::int64_t stack = 2 * gates * H * (I + H + (L - 1) * 2 * H) * B * T;
  EXPECT_EQ(phase_cost(c, Phase::forward_inference).gemm_flops, stack);
  c.direction = Direction::bidirectional;
  EXPECT_EQ(phase_cost(c, Phase::forward_training).gemm_flops,
            2 * 2 * gates * H * (I + H + (L - 1) * (2 * H + H)) * B * T);
  c.input_mode = InputMode::skip_input;
  EXPECT_EQ(phase_cost(c, Phase::forward_training).gemm_flops,
            2 * 2 * gates * H * (H + (L - 1) * (2 * H + H)) * B * T);
}

TEST(PhaseCost, ProjectionNarrowsTheRecurrenceAndAddsAProduct) {
  RnnConfig c = lstm(48, 96, 5, 17);
  c.proj_size = 32;
  c.num_layers = 2;
  const std::int64_t per_layer = 4 * 96 * 32 + 32 * 96;
  EXPECT_EQ(phase_cost(c, Phase::forward_training).gemm_flops,
            2LL * 5 * 17 * (4 * 96 * 48 + per_layer + 4 * 96 * 32 + per_layer));
}

// The closed form of phase_cost() against the list of products, over many shapes.
TEST(PhaseCost, IsTheSumOfTheProducts) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn_tanh}) {
    for (const int layers : {1, 2, 5, 1500}) {
      for (const int proj : {33, 96}) {
        for (const auto direction : {Direction::unidirectional, Direction::bidirectional}) {
          for (const auto input : {InputMode::linear_input, InputMode::skip_input}) {
            RnnConfig c = lstm(40, 96, 7, 19);
            c.cell = cell;
            c.num_layers = layers;
            c.proj_size = proj;
            c.direction = direction;
            c.input_mode = input;
            const std::int64_t forward = phase_cost(c, Phase::forward_training).gemm_flops;
            for (const Phase phase : all_phases) {
              EXPECT_EQ(phase_cost(c, phase).gemm_flops, total(gemms(c, phase)));
              EXPECT_EQ(phase_cost(c, phase).gemm_flops, forward);  // so backward is twice forward
            }
          }
        }
      }
    }
  }
}

TEST(PhaseCost, CountsElementWiseWork) {
  const RnnConfig c = lstm(48, 96, 5, 17);
  EXPECT_EQ(phase_cost(c, Phase::forward_training).pointwise_flops, 21LL * 5 * 17 * 96);
  EXPECT_EQ(phase_cost(c, Phase::backward_data).pointwise_flops, 23LL * 5 * 17 * 96);
  EXPECT_EQ(phase_cost(c, Phase::backward_weights).pointwise_flops, 4LL * 5 * 17 * 96);
  RnnConfig two = c;
  two.num_layers = 2;
  const std::int64_t without = phase_cost(two, Phase::forward_training).pointwise_flops;
  two.dropout = 0.5;
  EXPECT_EQ(phase_cost(two, Phase::forward_training).pointwise_flops, without + 5 * 17 * 96);
  EXPECT_EQ(phase_cost(two, Phase::forward_inference).pointwise_flops, without);
}

TEST(PhaseCost, MovesEveryTensorOnce) {
  const RnnConfig c = lstm(48, 96, 5, 17);
  const std::int64_t weights = space_sizes(c).weights.value;
  const std::int64_t x = 17LL * 5 * 48 * 2, y = 17LL * 5 * 96 * 2, state = 5LL * 96 * 2;
  const PhaseCost inference = phase_cost(c, Phase::forward_inference);
  EXPECT_EQ(inference.minimum_bytes, weights + x + y + 4 * state);
  EXPECT_EQ(phase_cost(c, Phase::forward_training).minimum_bytes,
            inference.minimum_bytes + space_sizes(c).reserve_training.value);
  EXPECT_DOUBLE_EQ(inference.intensity, static_cast<double>(inference.flops) /
                                            static_cast<double>(inference.minimum_bytes));
}

TEST(PhaseCost, SaturatesInsteadOfWrapping) {
  constexpr int huge = std::numeric_limits<int>::max();
  RnnConfig c = lstm(huge, huge, huge, huge);
  c.num_layers = huge;
  c.direction = Direction::bidirectional;
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const Phase phase : all_phases) {
    const PhaseCost cost = phase_cost(c, phase);
    EXPECT_EQ(cost.gemm_flops, most);
    EXPECT_EQ(cost.flops, most);
    EXPECT_EQ(cost.minimum_bytes, most);
    const auto list = gemms(c, phase);
    EXPECT_LE(list.size(), 5000u);
    EXPECT_EQ(list.front().flops(), most);
  }
}

// --- bounds -----------------------------------------------------------------------------------

TEST(BestPipe, FollowsTypeMathTypeAndDevice) {
  const DeviceSpec h200 = find_device("h200").value(), v100 = find_device("v100").value(),
                   p100 = find_device("p100").value();
  RnnConfig c = lstm(64, 64, 8, 8);
  EXPECT_EQ(best_pipe(c, h200), Pipe::fp16_tensor);
  EXPECT_EQ(best_pipe(c, p100), Pipe::fp32);
  c.math_precision = DataType::half;
  EXPECT_EQ(best_pipe(c, p100), Pipe::fp16);
  c.data_type = c.math_precision = DataType::float32;
  c.math_type = MathType::default_math;
  EXPECT_EQ(best_pipe(c, h200), Pipe::tf32_tensor);
  EXPECT_EQ(best_pipe(c, v100), Pipe::fp32);
  c.math_type = MathType::fma;
  EXPECT_EQ(best_pipe(c, h200), Pipe::fp32);
  c.math_type = MathType::tensor_op_allow_conversion;
  EXPECT_EQ(best_pipe(c, v100), Pipe::fp16_tensor);
  c.data_type = c.math_precision = DataType::float64;
  EXPECT_EQ(best_pipe(c, h200), Pipe::fp64);
  c.data_type = DataType::bfloat16;
  EXPECT_EQ(best_pipe(c, h200), Pipe::bf16_tensor);
}

TEST(LowerBound, IsTheRoofline) {
  const DeviceSpec v100 = find_device("v100").value();
  const RnnConfig c = lstm(1024, 1024, 64, 256);
  const PhaseCost cost = phase_cost(c, Phase::forward_training);
  const Bound bound = lower_bound(c, Phase::forward_training, v100);
  EXPECT_NEAR(bound.compute_ms, 1e3 * static_cast<double>(cost.gemm_flops) / 125e12, 1e-9);
  EXPECT_NEAR(bound.memory_ms, 1e3 * static_cast<double>(cost.minimum_bytes) / 900e9, 1e-9);
  EXPECT_EQ(bound.roofline_ms, std::max(bound.compute_ms, bound.memory_ms));
  EXPECT_TRUE(bound.estimate);
  EXPECT_THAT(bound.basis, testing::HasSubstr("data sheet"));
}

TEST(LowerBound, UsesMeasuredCeilingsWhereThereAreSome) {
  const DeviceSpec h200 = find_device("h200").value();
  EXPECT_DOUBLE_EQ(pipe_flops(Pipe::fp16_tensor, h200), 788e12);
  EXPECT_DOUBLE_EQ(pipe_flops(Pipe::fp64, h200), 67e12);
  RnnConfig c = lstm(1024, 1024, 64, 256);
  EXPECT_FALSE(lower_bound(c, Phase::forward_training, h200).estimate);
  c.data_type = DataType::float32;
  c.math_type = MathType::default_math;
  EXPECT_TRUE(lower_bound(c, Phase::forward_training, h200).estimate);  // no TF32 measurement
}

TEST(LowerBound, StaysBelowWhatWasMeasured) {
  // tests/data/h200/guide-figures-9-10.jsonl, LSTM 1024, half, T 256, B 512: 6.17 ms forward
  // inference.
  const DeviceSpec h200 = find_device("h200").value();
  const Bound bound = lower_bound(lstm(1024, 1024, 512, 256), Phase::forward_inference, h200);
  EXPECT_GT(bound.bound_ms, 1.0);
  EXPECT_LT(bound.bound_ms, 6.17);
}

TEST(LowerBound, ReadsRecurrentWeightsBeyondTheCacheEachStep) {
  const DeviceSpec v100 = find_device("v100").value();  // L2 of 6 MiB
  const RnnConfig c = lstm(16, 2048, 1, 100);
  const double beyond = 4.0 * 2048 * 2048 * 2 - 6.0 * 1024 * 1024;
  EXPECT_NEAR(lower_bound(c, Phase::forward_inference, v100).sequential_ms,
              1e3 * 100 * beyond / 900e9, 1e-9);
  EXPECT_EQ(lower_bound(lstm(16, 512, 1, 100), Phase::forward_inference, v100).sequential_ms, 0);
  EXPECT_EQ(lower_bound(c, Phase::backward_weights, v100).sequential_ms, 0);
  DeviceSpec measured = v100;
  measured.kernel_launch_seconds = MeasuredValue{1e-3, "test"};
  measured.grid_sync_seconds = MeasuredValue{1e-4, "test"};
  EXPECT_DOUBLE_EQ(lower_bound(c, Phase::forward_inference, measured).sequential_ms, 100);
  RnnConfig persistent = c;
  persistent.algo = Algo::persist_static;
  EXPECT_DOUBLE_EQ(lower_bound(persistent, Phase::forward_inference, measured).sequential_ms, 10);
  persistent.data_type = DataType::bfloat16;  // runs the standard kernels
  EXPECT_DOUBLE_EQ(lower_bound(persistent, Phase::forward_inference, measured).sequential_ms, 100);
}

// What docs/models.md says of it.
TEST(Autocast, IsNearWhatCastsTookOnAnH100) {
  std::ifstream rows(RNNADVISOR_SOURCE_DIR "/tests/gpu/accelerate/results/casts.jsonl");
  std::vector<double> errors;
  for (std::string line; std::getline(rows, line);) {
    const auto row = nlohmann::json::parse(line);
    const auto& shape = row["shape"];
    RnnConfig c = lstm(shape["input"], shape["hidden"], shape["batch"], shape["steps"]);
    c.num_layers = shape["layers"];
    c.direction = shape["bidirectional"] ? Direction::bidirectional : Direction::unidirectional;
    c.mode = shape["training"] ? Mode::training : Mode::inference;
    const double took = row["ms"]["autocast"].get<double>() - row["ms"]["half"].get<double>();
    errors.push_back(std::abs(autocast_ms(c) / took - 1));
  }
  ASSERT_EQ(errors.size(), 46u);
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(errors[23], 0.09);
  EXPECT_LE(errors[44], 0.40);
}

// NVIDIA, Matrix Multiplication Background User's Guide: 257 rows of 128-wide tiles need a third
// tile.
TEST(Quantization, WastesTheLastTileAndTheLastWave) {
  const Gemm exact = gemm(Path::recurrent, Phase::forward_training, 256, 128, 64, 1);
  Quantization q = quantization(exact, 2);
  EXPECT_EQ(q.tiles, 2);
  EXPECT_DOUBLE_EQ(q.tile_waste, 0);
  EXPECT_DOUBLE_EQ(q.wave_waste, 0);
  const Gemm more = gemm(Path::recurrent, Phase::forward_training, 257, 128, 64, 1);
  q = quantization(more, 2);
  EXPECT_EQ(q.tiles, 3);
  EXPECT_DOUBLE_EQ(q.tile_waste, 1.0 - 257.0 / 384.0);
  EXPECT_DOUBLE_EQ(q.waves, 1.5);
  EXPECT_DOUBLE_EQ(q.wave_waste, 0.25);
  EXPECT_EQ(quantization(more, 0).tiles, 0);
}

}  // namespace
}  // namespace rnnadvisor::model
