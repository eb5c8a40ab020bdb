#include "advisor/facts/framework_call.h"

#include <gtest/gtest.h>

#include "core/device/device_spec.h"

namespace rnnadvisor::advisor {
namespace {

DeviceSpec an_h200() { return *find_device("nvidia-h200"); }

RnnConfig layer(int hidden_size, int batch_size) {
  RnnConfig config;
  config.cell = Cell::lstm;
  config.data_type = DataType::half;
  config.input_size = config.hidden_size = config.proj_size = hidden_size;
  config.batch_size = batch_size;
  config.seq_length = 128;
  return config;
}

ProgramContext pytorch() {
  ProgramContext program;
  program.name = Framework::pytorch;
  return program;
}

RnnConfig called_by_framework(const RnnConfig& config, const ProgramContext& program,
                              const DeviceSpec& device) {
  const auto call = framework_call(config, program, &device);
  // What a framework asks for, it asks for again.
  EXPECT_EQ(framework_call(call.config, program, &device).config, call.config);
  return call.config;
}

TEST(FrameworkCallOf, PyTorchPicksTheAlgorithmAndTheMathType) {
  const RnnConfig call = called_by_framework(layer(1024, 32), pytorch(), an_h200());
  EXPECT_EQ(call.algo, Algo::persist_static);
  EXPECT_EQ(call.math_type, MathType::tensor_op);
  EXPECT_EQ(called_by_framework(layer(1024, 33), pytorch(), an_h200()).algo, Algo::standard);
}

TEST(FrameworkCallOf, AutocastCallsInHalf) {
  RnnConfig config = layer(1024, 32);
  config.data_type = DataType::float32;
  for (const auto type : {Autocast::float16, Autocast::bfloat16}) {
    ProgramContext program = pytorch();
    program.autocast = type;
    const RnnConfig call = called_by_framework(config, program, an_h200());
    EXPECT_EQ(call.data_type, DataType::half);
    EXPECT_EQ(call.math_precision, natural_math_precision(DataType::half));
    EXPECT_EQ(call.algo, Algo::persist_static);
  }
  ProgramContext off = pytorch();
  off.autocast = Autocast::off;
  EXPECT_EQ(called_by_framework(config, off, an_h200()).data_type, DataType::float32);
}

TEST(FrameworkCallOf, APackedSequenceComesPacked) {
  ProgramContext program = pytorch();
  program.packed_sequence = true;
  const RnnConfig call = called_by_framework(layer(1024, 32), program, an_h200());
  EXPECT_EQ(call.layout, Layout::seq_major_packed);
  EXPECT_EQ(call.algo, Algo::standard);
}

TEST(FrameworkCallOf, TheBackwardPassMayHaveAnAlgorithmOfItsOwn) {
  const RnnConfig call = called_by_framework(layer(160, 32), pytorch(), an_h200());
  EXPECT_EQ(call.algo, Algo::persist_static_small_h);
  EXPECT_EQ(call.backward_algo, Algo::standard);
  EXPECT_FALSE(model::refusal(call, an_h200())) << "a program that trains";
}

TEST(FrameworkCallOf, NoFrameworkCallsCudnnForACustomCell) {
  const auto device = an_h200();
  for (const auto framework :
       {Framework::cudnn_api, Framework::pytorch, Framework::keras2, Framework::keras3,
        Framework::tensorflow, Framework::jax, Framework::onnxruntime}) {
    ProgramContext program;
    program.name = framework;
    program.custom_cell = true;
    EXPECT_FALSE(framework_call(layer(512, 32), program, &device).happens());
    program.custom_cell.reset();
    program.layer_norm = true;
    EXPECT_FALSE(framework_call(layer(512, 32), program, &device).happens());
  }
}

// ONNX Runtime calls cudnnRNNForwardInference alone, on the CPU, too, it does not train.
TEST(FrameworkCallOf, OnnxRuntimeRunsInferenceOnly) {
  const auto device = an_h200();
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn_tanh, Cell::rnn_relu}) {
    ConfigInput input;
    input.config.cell = cell;
    input.program.name = Framework::onnxruntime;
    const auto call = framework_call(input.config, input.program, &device);
    EXPECT_EQ(call.config.mode, Mode::inference);
    EXPECT_TRUE(ignored_keys(input, call).empty()) << "training was not asked for";
    ASSERT_TRUE(set_field(input, "mode", "training"));
    const auto ignored = ignored_keys(input, call);
    ASSERT_EQ(ignored.size(), 1U);
    EXPECT_EQ(ignored[0].key, "mode");
    EXPECT_EQ(ignored[0].used, "inference");
  }
}

// bias=False makes zeros of the biases, not another call.
TEST(FrameworkCallOf, PyTorchAlwaysHasTwoBiases) {
  RnnConfig config = layer(1024, 32);
  config.bias_mode = BiasMode::no_bias;
  EXPECT_EQ(called_by_framework(config, pytorch(), an_h200()).bias_mode, BiasMode::double_bias);
  config.proj_size = 256;
  EXPECT_EQ(called_by_framework(config, pytorch(), an_h200()).bias_mode, BiasMode::double_bias);
  EXPECT_EQ(called_by_framework(config, {}, an_h200()).bias_mode, BiasMode::no_bias);
}

TEST(FrameworkCallOf, OnnxRuntimeStopsWhereItHasNoKernel) {
  const auto device = an_h200();
  ProgramContext program;
  program.name = Framework::onnxruntime;
  program.default_activations = true;
  program.clip_attribute = program.input_forget = program.peephole = false;
  RnnConfig config = layer(512, 32);
  EXPECT_TRUE(framework_call(config, program, &device).happens());
  config.layout = Layout::batch_major_unpacked;
  EXPECT_TRUE(framework_call(config, program, &device).stops);
  config = layer(512, 32);
  config.data_type = DataType::bfloat16;
  EXPECT_TRUE(framework_call(config, program, &device).stops);
}

// Keras has no kernels of its own: what its backend asks cuDNN for is what runs.
TEST(FrameworkCallOf, KerasAsksAsItsBackend) {
  const auto device = an_h200();
  ProgramContext keras, own;
  keras.name = Framework::keras3;
  keras.version = "3.15.0";
  for (const auto& [backend, framework] :
       {std::pair{KerasBackend::torch, Framework::pytorch}, {KerasBackend::jax, Framework::jax}}) {
    keras.backend = backend;
    own.name = framework;
    for (const DataType type : {DataType::float32, DataType::half}) {
      RnnConfig config = layer(64, 32);
      config.data_type = type;
      const auto call = framework_call(config, keras, &device);
      if (!call.happens()) continue;
      const auto of_backend = framework_call(config, own, &device);
      EXPECT_EQ(call.config, of_backend.config);
      EXPECT_EQ(call.algo_known, of_backend.algo_known);
    }
  }
  keras.backend = KerasBackend::tensorflow;
  EXPECT_FALSE(framework_call(layer(64, 32), keras, &device).algo_known);
}

// nn.GRU and nn.RNN raise a ValueError for proj_size; cuDNN is never asked.
TEST(FrameworkCallOf, PyTorchProjectsInTheLstmOnly) {
  const auto device = an_h200();
  ProgramContext program;
  program.name = Framework::pytorch;
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn_tanh, Cell::rnn_relu}) {
    RnnConfig config = layer(512, 32);
    config.cell = cell;
    EXPECT_FALSE(framework_call(config, program, &device).stops);
    config.proj_size = 256;
    EXPECT_EQ(framework_call(config, program, &device).stops, cell != Cell::lstm);
  }
}

TEST(FrameworkCallOf, OldCudnnHasNoSmallHInPyTorch) {
  const auto device = an_h200();
  ProgramContext program = pytorch();
  EXPECT_EQ(framework_call(layer(64, 32), program, &device).config.algo,
            Algo::persist_static_small_h);
  program.cudnn_version = "7.6.5";
  EXPECT_EQ(framework_call(layer(64, 32), program, &device).config.algo, Algo::standard);
}

TEST(FrameworkCallOf, SaysWhatIsNotFollowed) {
  ConfigInput input;
  input.program.name = Framework::pytorch;
  const auto device = an_h200();
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"data_type", "half"},
                                                        {"math_type", "tensor_op"},
                                                        {"algo", "persist_static"},
                                                        {"hidden_size", "1000"},
                                                        {"num_layers", "2"}})
    ASSERT_TRUE(set_field(input, key, value));
  resolve_defaults(input);
  const auto ignored = ignored_keys(input, framework_call(input.config, input.program, &device));
  const std::vector<IgnoredKey> expected = {
      {"algo", "persist_static", "standard", "PyTorch asks cuDNN for standard"}};
  EXPECT_EQ(ignored, expected);
  // What was never given is not ignored.
  forget_given(input, "algo");
  EXPECT_TRUE(ignored_keys(input, framework_call(input.config, input.program, &device)).empty());
}

TEST(FrameworkCallOf, WhatNoFrameworkDecidesStays) {
  RnnConfig config = layer(1024, 32);
  config.algo = Algo::persist_dynamic;
  ProgramContext direct;
  EXPECT_EQ(called_by_framework(config, direct, an_h200()), config);
  direct.name = Framework::cudnn_api;
  EXPECT_EQ(called_by_framework(config, direct, an_h200()), config);
  ProgramContext native = pytorch();
  native.cudnn_enabled = false;
  native.autocast = Autocast::float16;
  EXPECT_EQ(called_by_framework(config, native, an_h200()), config);
}

}  // namespace
}  // namespace rnnadvisor::advisor
