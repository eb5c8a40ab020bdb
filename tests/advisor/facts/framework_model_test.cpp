// The frameworks' own conditions, case by case, as their sources state them; the PyTorch cases
// marked "measured" are confirmed by the kernels that PyTorch 2.11 ran on an H200.
#include "advisor/facts/framework_model.h"

#include <gmock/gmock.h>

namespace rnnadvisor::advisor {
namespace {

constexpr GpuShape h200{9, 0, 132}, v100{7, 0, 80}, t4{7, 5, 40}, a30{8, 0, 56}, a40{8, 6, 100},
    p100{6, 0, 56}, maxwell{5, 2, 24};

RnnConfig layer(Cell cell = Cell::lstm, int hidden = 1024, int batch = 32, int steps = 128) {
  RnnConfig config;
  config.cell = cell;
  config.data_type = DataType::half;
  config.input_size = config.hidden_size = config.proj_size = hidden;
  config.batch_size = batch;
  config.seq_length = steps;
  return config;
}

std::string_view clause(const RnnConfig& config, const GpuShape& gpu = h200, bool packed = false) {
  return pytorch_algo(config, gpu, packed, true).failing_clause;
}

TEST(PytorchAlgo, BatchOnHopper) {
  EXPECT_EQ(pytorch_algo(layer(), h200, false, true).algo, Algo::persist_static);  // measured
  EXPECT_EQ(clause(layer(Cell::lstm, 1024, 30)), "batch_not_multiple_of_8");       // measured
  EXPECT_EQ(clause(layer(Cell::lstm, 1024, 33)), "batch_not_multiple_of_8");       // measured
  EXPECT_EQ(clause(layer(Cell::lstm, 1024, 128)), "none");                         // times fit
  EXPECT_EQ(clause(layer(Cell::lstm, 1024, 136)), "batch_above_128");              // times fit
}

TEST(PytorchAlgo, ShapeConditionsInTheOrderOfTheSource) {
  auto config = layer();
  config.num_layers = 2;
  config.direction = Direction::bidirectional;
  EXPECT_EQ(clause(config), "several_layers");
  config.num_layers = 1;
  EXPECT_EQ(clause(config), "bidirectional");
  EXPECT_EQ(clause(layer(Cell::lstm, 1152)), "hidden_above_1024");
  EXPECT_EQ(clause(layer(Cell::lstm, 1000)), "hidden_not_multiple_of_128");
  config = layer();
  config.input_size = 1000;
  EXPECT_EQ(clause(config), "input_not_multiple_of_128");
  config.proj_size = 512;
  EXPECT_EQ(clause(config), "projection");
  EXPECT_EQ(clause(layer(), h200, true), "packed_input");
}

TEST(PytorchAlgo, DataTypes) {
  auto config = layer();
  for (const DataType type : {DataType::float32, DataType::bfloat16}) {
    config.data_type = type;
    EXPECT_EQ(clause(config), "data_type_not_half");
  }
  config.data_type = DataType::float64;
  EXPECT_EQ(clause(config), "data_type_double");
  config = layer(Cell::lstm, 64);
  config.data_type = DataType::float64;
  EXPECT_EQ(pytorch_algo(config, h200, false, true).algo, Algo::standard);
}

TEST(PytorchAlgo, SmallHiddenSizesByCellAndPass) {
  const auto algo = [](Cell cell, int hidden, bool forward, const GpuShape& gpu = h200) {
    auto config = layer(cell, hidden);
    config.data_type = DataType::float32;
    config.num_layers = 3;
    config.direction = Direction::bidirectional;
    return pytorch_algo(config, gpu, false, forward).algo;
  };
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    EXPECT_EQ(algo(cell, 192, true), Algo::persist_static_small_h);
    EXPECT_EQ(algo(cell, 193, true), Algo::standard);
    EXPECT_EQ(algo(cell, 128, false), Algo::persist_static_small_h);
    EXPECT_EQ(algo(cell, 129, false), Algo::standard);
  }
  for (const Cell cell : {Cell::rnn_relu, Cell::rnn_tanh}) {
    EXPECT_EQ(algo(cell, 384, true), Algo::persist_static_small_h);
    EXPECT_EQ(algo(cell, 385, true), Algo::standard);
    EXPECT_EQ(algo(cell, 256, false), Algo::persist_static_small_h);
    EXPECT_EQ(algo(cell, 257, false), Algo::standard);
  }
  EXPECT_EQ(algo(Cell::lstm, 64, true, p100), Algo::persist_static_small_h);
  EXPECT_EQ(algo(Cell::lstm, 64, true, maxwell), Algo::standard);
}

TEST(PytorchAlgo, Devices) {
  EXPECT_EQ(clause(layer(), a30), "fewer_than_98_sms");
  EXPECT_EQ(clause(layer(), a40), "compute_capability_8_6");
  EXPECT_EQ(clause(layer(), t4), "turing");
  EXPECT_EQ(clause(layer(), p100), "compute_capability_below_7");
  EXPECT_EQ(clause(layer(Cell::gru)), "gru");
  EXPECT_EQ(clause(layer(Cell::gru), v100), "none");
  EXPECT_EQ(clause(layer(Cell::rnn_tanh, 896, 96)), "rnn_large_batch_and_hidden");
  EXPECT_EQ(clause(layer(Cell::rnn_tanh, 768, 96)), "none");
  EXPECT_EQ(clause(layer(Cell::rnn_tanh, 896, 88)), "none");
}

TEST(PytorchAlgo, VoltaBatchesAndLengths) {
  const auto volta = [](int batch, int steps) {
    return clause(layer(Cell::lstm, 1024, batch, steps), v100);
  };
  for (const int bad : {24, 80, 112, 33}) EXPECT_EQ(volta(bad, 64), "volta_batch") << bad;
  EXPECT_EQ(volta(8, 10), "none");
  EXPECT_EQ(volta(128, 40), "none");
  EXPECT_EQ(volta(128, 39), "volta_length");
  EXPECT_EQ(volta(96, 20), "none");
  EXPECT_EQ(volta(96, 19), "volta_length");
  EXPECT_EQ(volta(32, 10), "none");
  EXPECT_EQ(volta(32, 9), "volta_length");
  EXPECT_EQ(volta(144, 64), "volta_length");
}

TEST(PytorchAlgo, NamesOnlyListedClauses) {
  for (const int hidden : {64, 200, 1000, 1024, 2048})
    for (const int batch : {7, 8, 32, 96, 130})
      for (const auto& gpu : {h200, v100, t4, a30, a40, p100, maxwell})
        for (const Cell cell : {Cell::rnn_tanh, Cell::lstm, Cell::gru})
          EXPECT_THAT(pytorch_algo_clauses(),
                      testing::Contains(clause(layer(cell, hidden, batch), gpu)));
}

CudnnQuestion question(const RnnConfig& config, const ProgramContext& program,
                       const DeviceSpec* device = nullptr,
                       std::optional<Version> version = std::nullopt) {
  return {config, program, device, version};
}

TEST(CudnnUse, PytorchAsksForBfloat16Support) {
  auto config = layer();
  const ProgramContext none;
  EXPECT_EQ(pytorch_cudnn(question(config, none)).used, true);
  config.data_type = DataType::bfloat16;
  EXPECT_EQ(pytorch_cudnn(question(config, none)).used, std::nullopt);
  DeviceSpec device;
  device.compute_major = 7;
  EXPECT_EQ(pytorch_cudnn(question(config, none, &device)).clause, "bfloat16_compute_capability");
  device.compute_major = 9;
  EXPECT_EQ(pytorch_cudnn(question(config, none, &device, Version{9, 12, 0})).clause,
            "bfloat16_cudnn_version");
  EXPECT_EQ(pytorch_cudnn(question(config, none, &device, Version{9, 13, 0})).used, true);
  ProgramContext off;
  off.cudnn_enabled = false;
  EXPECT_EQ(pytorch_cudnn(question(layer(), off)).clause, "cudnn_disabled");
}

ProgramContext keras_defaults() {
  ProgramContext p;
  p.activation = "tanh";
  p.recurrent_activation = "sigmoid";
  p.recurrent_dropout = 0;
  p.unroll = false;
  p.use_bias = true;
  p.reset_after = true;
  p.eager_outside_functions = true;
  p.use_cudnn = KerasCudnn::automatic;
  p.backend = KerasBackend::tensorflow;
  p.jit_compile = false;
  p.mask = MaskKind::none;
  return p;
}

// What a release says: sources in framework_model.h and in the cards of rules/versions.
TEST(CudnnUse, ReleasesOfKeras) {
  auto p = keras_defaults();
  p.version = "1.2.1";
  EXPECT_EQ(keras2_release(p), Keras2Release::before_tensorflow_2);
  EXPECT_EQ(keras2_cudnn(question(layer(), p)).used, std::nullopt) << "CuDNNLSTM does call it";
  p.mask = MaskKind::right_padded;
  EXPECT_EQ(keras2_cudnn(question(layer(), p)).clause, "mask") << "and takes no mask";
  p.version = "2.3.0";
  EXPECT_EQ(keras2_release(p), Keras2Release::either);
  EXPECT_EQ(keras2_cudnn(question(layer(), p)).used, std::nullopt);
  p.activation = "relu";
  EXPECT_EQ(keras2_cudnn(question(layer(), p)).used, false);
  p = keras_defaults();
  for (const auto* version : {"2.4.0", "2.15"}) {
    p.version = version;
    EXPECT_EQ(keras2_release(p), Keras2Release::tensorflow_2);
    EXPECT_EQ(keras2_cudnn(question(layer(), p)).used, true);
  }
  p.version.reset();
  EXPECT_EQ(keras2_release(p), Keras2Release::tensorflow_2);
  EXPECT_FALSE(released_before(p, {9, 0, 0})) << "a release that is not known";

  auto drops = layer();
  drops.dropout = 0.2;
  p.version = "3.3.3";
  EXPECT_EQ(keras3_cudnn(question(drops, p)).clause, "dropout");
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).used, true);
  p.version = "3.4.0";
  EXPECT_EQ(keras3_cudnn(question(drops, p)).used, true);
}

TEST(CudnnUse, ReleasesThatStop) {
  auto config = layer();
  config.data_type = DataType::bfloat16;
  ProgramContext p;
  EXPECT_FALSE(release_stops(Framework::pytorch, question(config, p)));
  p.version = "2.2.2";
  EXPECT_TRUE(release_stops(Framework::pytorch, question(config, p)));
  EXPECT_FALSE(release_stops(Framework::pytorch, question(layer(), p)));
  config.cell = Cell::rnn_tanh;
  EXPECT_FALSE(release_stops(Framework::pytorch, question(config, p))) << "no fused cell";
  config.cell = Cell::gru;
  p.version = "2.3.0";
  EXPECT_FALSE(release_stops(Framework::pytorch, question(config, p)));

  p = keras_defaults();
  p.version = "2.12.0";
  EXPECT_TRUE(release_stops(Framework::keras2, question(config, p)));
  EXPECT_TRUE(release_stops(Framework::tensorflow, question(config, p)));
  p.version = "2.13.0";
  EXPECT_FALSE(release_stops(Framework::keras2, question(config, p)));
  EXPECT_FALSE(release_stops(Framework::tensorflow, question(config, p)));
  p.mask = MaskKind::has_empty_row;
  for (const auto& [version, stops] : {std::pair{"2.3.0", true}, {"2.4.0", false}}) {
    p.version = version;
    EXPECT_EQ(release_stops(Framework::keras2, question(layer(), p)), stops) << version;
  }
}

TEST(CudnnUse, KerasNeedsEveryCondition) {
  const auto lstm = layer();
  const auto gru = layer(Cell::gru);
  for (const auto& ask : {keras2_cudnn, keras3_cudnn}) {
    EXPECT_EQ(ask(question(lstm, keras_defaults())).used, true);
    EXPECT_EQ(ask(question(gru, keras_defaults())).used, true);
    EXPECT_EQ(ask(question(layer(Cell::rnn_tanh), keras_defaults())).clause, "cell");
    EXPECT_EQ(ask(question(lstm, {})).used, true) << "every argument has its default";
    EXPECT_EQ(ask(question(gru, {})).used, true);
    const auto broken = [&](auto change, std::string_view expected) {
      auto p = keras_defaults();
      change(p);
      const auto use = ask(question(gru, p));
      EXPECT_EQ(use.used, false);
      EXPECT_EQ(use.clause, expected);
    };
    broken([](auto& p) { p.activation = "relu"; }, "activation");
    broken([](auto& p) { p.recurrent_activation = "hard_sigmoid"; }, "recurrent_activation");
    broken([](auto& p) { p.recurrent_dropout = 0.1; }, "recurrent_dropout");
    broken([](auto& p) { p.unroll = true; }, "unroll");
    broken([](auto& p) { p.use_bias = false; }, "use_bias");
    broken([](auto& p) { p.reset_after = false; }, "reset_after");
    auto p = keras_defaults();
    p.reset_after = false;
    EXPECT_EQ(ask(question(lstm, p)).used, true) << "an LSTM has no reset gate";
    p.activation = "relu";  // one known failure decides, whatever else is not known
    p.unroll.reset();
    EXPECT_EQ(ask(question(lstm, p)).used, false);
  }
}

TEST(CudnnUse, KerasLooksAtTheMask) {
  auto p = keras_defaults();
  p.mask = MaskKind::has_empty_row;
  // Keras 2 falls back.
  EXPECT_EQ(keras2_cudnn(question(layer(), p)).clause, "mask");
  // Keras 3 on TensorFlow is on its cuDNN path when it looks, and stops.
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).used, true);
  EXPECT_EQ(keras3_mask(question(layer(), p)), Keras3Mask::stops);
  p.use_cudnn.reset();  // "auto", or true
  EXPECT_EQ(keras3_mask(question(layer(), p)), Keras3Mask::stops);
  p.use_cudnn = KerasCudnn::no;
  EXPECT_EQ(keras3_mask(question(layer(), p)), Keras3Mask::suits);
  p = keras_defaults();
  p.mask = MaskKind::other;
  p.activation = "relu";
  EXPECT_EQ(keras3_mask(question(layer(), p)), Keras3Mask::suits) << "not on the cuDNN path";
  p = keras_defaults();
  p.mask = MaskKind::other;
  p.backend = KerasBackend::torch;
  EXPECT_EQ(keras3_mask(question(layer(), p)), Keras3Mask::loops);
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).used, false);
  p.backend.reset();
  EXPECT_EQ(keras3_mask(question(layer(), p)), Keras3Mask::stops_or_loops);
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).used, false) << "on no backend";
  p.mask = MaskKind::right_padded;
  EXPECT_EQ(keras3_mask(question(layer(), p)), Keras3Mask::backend_decides);
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).used, std::nullopt);
  p.backend = KerasBackend::tensorflow;
  EXPECT_EQ(keras3_mask(question(layer(), p)), Keras3Mask::suits);
}

TEST(CudnnUse, Keras3Backends) {
  auto p = keras_defaults();
  p.backend = KerasBackend::torch;
  p.mask = MaskKind::right_padded;
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).clause, "mask");
  p.mask = MaskKind::none;
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).used, std::nullopt) << "the release is not known";
  p.version = "3.14.1";
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).clause, "backend");
  EXPECT_EQ(keras3_cudnn(question(layer(Cell::gru), p)).used, true);
  p.version = "3.15.0";
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).used, true);
  p.jit_compile = true;
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).clause, "jit_compile") << "torch.compile";
  p.jit_compile.reset();
  p.version.reset();
  p.backend = KerasBackend::jax;
  RnnConfig lstm = layer();
  lstm.data_type = DataType::float32;
  EXPECT_EQ(keras3_cudnn(question(lstm, p)).used, std::nullopt) << "the release is not known";
  p.version = "3.13.2";
  EXPECT_EQ(keras3_cudnn(question(lstm, p)).clause, "backend");
  p.version = "3.14.0";
  EXPECT_EQ(keras3_cudnn(question(lstm, p)).used, true);
  lstm.data_type = DataType::half;
  EXPECT_EQ(keras3_cudnn(question(lstm, p)).used, false);
  EXPECT_EQ(keras3_cudnn(question(layer(Cell::gru), p)).used, false);
  p = keras_defaults();
  p.use_cudnn = KerasCudnn::no;
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).clause, "use_cudnn");
  p = keras_defaults();
  p.jit_compile = true;
  EXPECT_EQ(keras3_cudnn(question(layer(), p)).clause, "jit_compile");
}

TEST(CudnnUse, OnnxRuntimeByOperator) {
  ProgramContext p;
  p.clip_attribute = false;
  p.default_activations = true;
  p.input_forget = false;
  p.peephole = false;
  EXPECT_EQ(onnxruntime_cuda(question(layer(), p)).used, true);
  EXPECT_EQ(onnxruntime_cuda(question(layer(Cell::gru), p)).used, std::nullopt);
  p.linear_before_reset = false;
  EXPECT_EQ(onnxruntime_cuda(question(layer(Cell::gru), p)).clause, "linear_before_reset");
  EXPECT_EQ(onnxruntime_cuda(question(layer(), p)).used, true);
  p.peephole = true;
  EXPECT_EQ(onnxruntime_cuda(question(layer(), p)).clause, "peephole");
  EXPECT_EQ(onnxruntime_cuda(question(layer(Cell::rnn_relu), p)).clause, "default_activations");
}

TEST(CudnnUse, JaxTakesOneKindOfLayer) {
  auto config = layer();
  EXPECT_EQ(jax_supported(question(config, {})).clause, "data_type_not_float");
  config.data_type = DataType::float32;
  EXPECT_EQ(jax_supported(question(config, {})).used, true);
  config.proj_size = 512;
  EXPECT_EQ(jax_supported(question(config, {})).clause, "projection");
  EXPECT_EQ(jax_supported(question(layer(Cell::gru), {})).clause, "cell_not_lstm");
  config.proj_size = config.hidden_size;
  config.dropout = 0.2;
  config.num_layers = 1;
  EXPECT_EQ(jax_supported(question(config, {})).used, true);
  config.num_layers = 2;
  EXPECT_EQ(jax_supported(question(config, {})).clause, "dropout");
}

}  // namespace
}  // namespace rnnadvisor::advisor
