#include "profiler/import/torch_operator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/effort.h"

namespace rnnadvisor::import_trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What PyTorch 2.11 records of nn.LSTM(256, 1024, proj_size=512, batch_first=True) in half.
TraceEvent forward() {
  TraceEvent event;
  event.name = forward_operator;
  event.inputs = {"",    "",  "5",    "",   "",     "",      "2",  "1024",
                  "512", "1", "True", "0.", "True", "False", "[]", ""};
  event.types = {"c10::Half", "TensorList", "Scalar",     "c10::Half", "c10::Half", "c10::Half",
                 "Scalar",    "Scalar",     "Scalar",     "Scalar",    "Scalar",    "Scalar",
                 "Scalar",    "Scalar",     "ScalarList", ""};
  event.arguments.resize(16);
  event.arguments[0].dims = {32, 80, 256};
  event.arguments[1].tensors = 5;
  event.arguments[3].dims = {3678208};
  event.arguments[4].dims = {1, 32, 512};
  event.arguments[5].dims = {1, 32, 1024};
  return event;
}

TraceEvent backward(TraceEvent event, const std::string& mask) {
  event.name = backward_operator;
  event.inputs.insert(event.inputs.begin() + 6, 4, "");
  event.types.insert(event.types.begin() + 6, 4, "float");
  event.arguments.insert(event.arguments.begin() + 6, 4, {});
  event.inputs.insert(event.inputs.end(), {"", mask});
  event.types.insert(event.types.end(), {"unsigned char", "ScalarList"});
  event.arguments.resize(22);
  return event;
}

TraceEvent packed(int rows, const std::string& batch_sizes) {
  auto event = forward();
  event.arguments[0].dims = {rows, 256};
  event.inputs[14] = batch_sizes;
  return event;
}

TEST(TorchOperator, IsTheLayer) {
  const auto op = read_torch_operator(forward());
  ASSERT_TRUE(op);
  const auto& c = op->config;
  EXPECT_EQ(c.cell, Cell::lstm);
  EXPECT_EQ(c.input_size, 256);
  EXPECT_EQ(c.hidden_size, 1024);
  EXPECT_EQ(c.proj_size, 512);
  EXPECT_EQ(c.num_layers, 1);
  EXPECT_EQ(c.batch_size, 32);
  EXPECT_EQ(c.seq_length, 80);
  EXPECT_EQ(c.data_type, DataType::half);
  EXPECT_EQ(c.math_precision, DataType::float32);
  EXPECT_EQ(c.mode, Mode::training);
  EXPECT_EQ(c.layout, Layout::seq_major_unpacked);
  EXPECT_TRUE(op->batch_first && op->flat_weights);
  EXPECT_EQ(op->packed_rows, 0);
}

TEST(TorchOperator, TakesEveryArgument) {
  auto event = forward();
  event.inputs[6] = "3";  // GRU
  event.inputs[8] = "0";
  event.inputs[9] = "4";
  event.inputs[10] = "False";
  event.inputs[11] = "0.20000000000000001";
  event.inputs[12] = "False";
  event.inputs[13] = "True";
  event.types[0] = "double";
  event.arguments[3].dims.clear();  // weights that are not flat
  event.arguments[0].dims = {80, 32, 256};
  const auto op = read_torch_operator(event);
  ASSERT_TRUE(op);
  EXPECT_EQ(op->config.cell, Cell::gru);
  EXPECT_EQ(op->config.proj_size, 1024);
  EXPECT_EQ(op->config.num_layers, 4);
  EXPECT_EQ(op->config.dropout, 0.2);
  EXPECT_EQ(op->config.mode, Mode::inference);
  EXPECT_EQ(op->config.direction, Direction::bidirectional);
  EXPECT_EQ(op->config.math_precision, DataType::float64);
  EXPECT_EQ(op->config.seq_length, 80);
  EXPECT_FALSE(op->batch_first || op->flat_weights);
}

TEST(TorchOperator, BackwardIsTheSameLayer) {
  const auto one = read_torch_operator(forward());
  const auto two = read_torch_operator(backward(forward(), "[True, False, False, True]"));
  const auto three = read_torch_operator(backward(forward(), "[True, False, False, False]"));
  ASSERT_TRUE(one && two && three);
  EXPECT_EQ(one->config, two->config);
  EXPECT_TRUE(two->weight_gradients);
  EXPECT_FALSE(three->weight_gradients);
}

TEST(TorchOperator, BatchSizesGiveLengths) {
  auto event = packed(6, "[3, 2, 1]");
  event.arguments[4].dims = {1, 3, 512};
  const auto op = read_torch_operator(event);
  ASSERT_TRUE(op);
  EXPECT_EQ(op->config.layout, Layout::seq_major_packed);
  EXPECT_FALSE(op->config.padded_io);
  EXPECT_THAT(op->config.seq_lengths, ElementsAre(3, 2, 1));
  EXPECT_EQ(op->config.seq_length, 3);
  EXPECT_EQ(op->packed_rows, 0);
}

TEST(TorchOperator, StepsOfPackedInputComeFromTheLayerAround) {
  TraceEvent layer;
  layer.name = "aten::lstm";
  layer.types = {"c10::Half", "long int"};
  layer.arguments.resize(2);
  layer.arguments[1].dims = {160};
  EXPECT_EQ(packed_steps(layer), 160);
  layer.types[1] = "TensorList";  // a padded input, and its states
  EXPECT_EQ(packed_steps(layer), 0);
  layer.name = "aten::linear";
  layer.types[1] = "long int";
  EXPECT_EQ(packed_steps(layer), 0);
}

// Of lengths that are not recorded the longest and the sum are right.
TEST(TorchOperator, MadeUpLengthsKeepLongestAndSum) {
  std::mt19937 random(1);
  const int draws = test::draws();
  for (int draw = 0; draw < draws; ++draw) {
    const int batch = std::uniform_int_distribution(1, 70)(random);
    std::vector<int> lengths(static_cast<std::size_t>(batch));
    for (int& length : lengths) length = std::uniform_int_distribution(1, 50)(random);
    const int longest = *std::max_element(lengths.begin(), lengths.end());
    const int sum = std::accumulate(lengths.begin(), lengths.end(), 0);
    auto event = packed(sum, "");
    event.arguments[4].dims = {1, batch, 512};
    auto op = read_torch_operator(event);
    ASSERT_TRUE(op);
    ASSERT_EQ(op->packed_rows, sum);
    ASSERT_TRUE(set_packed_steps(*op, longest));
    EXPECT_EQ(op->config.seq_length, longest);
    EXPECT_EQ(op->config.used_steps(), sum);
    if (!op->config.seq_lengths.empty()) {
      EXPECT_EQ(op->config.seq_lengths.front(), longest);
      EXPECT_TRUE(std::is_sorted(op->config.seq_lengths.rbegin(), op->config.seq_lengths.rend()));
      EXPECT_GE(op->config.seq_lengths.back(), 1);
    }
    EXPECT_FALSE(set_packed_steps(op.emplace(*read_torch_operator(event)), sum + 1) && batch > 1);
  }
}

TEST(TorchOperator, OtherArgumentsAreNone) {
  std::mt19937 random(2);
  const std::vector<std::string> texts = {"",   "-1",           "0",   "2147483648", "True",
                                          "[]", "[9999999999]", "1e9", "x"};
  const int draws = 5 * test::draws();
  for (int draw = 0; draw < draws; ++draw) {
    auto event = draw % 2 == 0 ? forward() : backward(packed(64, "[32, 32]"), "[True]");
    const auto at = std::uniform_int_distribution<std::size_t>(0, event.inputs.size() - 1)(random);
    const auto pick = [&](const auto& values) {
      return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
    };
    switch (std::uniform_int_distribution(0, 4)(random)) {
      case 0:
        event.inputs[at] = pick(texts);
        break;
      case 1:
        event.types[at] = pick(texts);
        break;
      case 2:
        event.arguments[at].dims = {
            pick(std::vector<std::int64_t>{-1, 0, 1, std::int64_t{1} << 40}), 5};
        break;
      case 3:
        event.inputs.resize(at);
        break;
      default:
        event.arguments.resize(at);
    }
    if (auto op = read_torch_operator(event)) {
      const auto& c = op->config;
      for (const int size :
           {c.input_size, c.hidden_size, c.proj_size, c.num_layers, c.batch_size, c.seq_length})
        EXPECT_GE(size, 1);
      set_packed_steps(*op, 7);
    }
  }
}

TEST(TorchOperator, AsksCudnnAsPytorchDoes) {
  DeviceSpec h200;
  h200.compute_major = 9;
  h200.sm_count = 132;
  auto event = forward();
  event.inputs[8] = "0";  // without a projection, whose algorithm is the standard one
  const auto op = read_torch_operator(event);
  ASSERT_TRUE(op);
  const auto config = call_config(*op, h200, true);
  EXPECT_EQ(config.algo, Algo::persist_static);  // as tests/data/traces/batch_first.json.gz ran
  EXPECT_EQ(config.math_type, MathType::tensor_op);
  EXPECT_EQ(call_config(*read_torch_operator(forward()), h200, true).algo, Algo::standard);
  const auto program = call_context(*op);
  EXPECT_EQ(program.name, Framework::pytorch);
  EXPECT_EQ(program.batch_first, true);
  EXPECT_EQ(program.packed_sequence, false);
  EXPECT_EQ(program.flat_weights, std::nullopt);
  event.arguments[3].dims.clear();
  EXPECT_EQ(call_context(*read_torch_operator(event)).flat_weights, false);
}

}  // namespace
}  // namespace rnnadvisor::import_trace
