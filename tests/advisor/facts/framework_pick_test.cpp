#include "advisor/facts/framework_pick.h"

#include <gtest/gtest.h>

#include "core/device/device_spec.h"

namespace rnnadvisor::advisor {
namespace {

DeviceSpec h200() { return *find_device("nvidia-h200"); }

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

TEST(CalledByFramework, PyTorchPicksTheAlgorithmAndTheMathType) {
  const RnnConfig call = called_by_framework(layer(1024, 32), pytorch(), h200());
  EXPECT_EQ(call.algo, Algo::persist_static);
  EXPECT_EQ(call.math_type, MathType::tensor_op);
  EXPECT_EQ(called_by_framework(layer(1024, 33), pytorch(), h200()).algo, Algo::standard);
}

TEST(CalledByFramework, AutocastCallsInHalf) {
  RnnConfig config = layer(1024, 32);
  config.data_type = DataType::float32;
  for (const auto type : {Autocast::float16, Autocast::bfloat16}) {
    ProgramContext program = pytorch();
    program.autocast = type;
    const RnnConfig call = called_by_framework(config, program, h200());
    EXPECT_EQ(call.data_type, DataType::half);
    EXPECT_EQ(call.math_precision, natural_math_precision(DataType::half));
    EXPECT_EQ(call.algo, Algo::persist_static);
  }
  ProgramContext off = pytorch();
  off.autocast = Autocast::off;
  EXPECT_EQ(called_by_framework(config, off, h200()).data_type, DataType::float32);
}

TEST(CalledByFramework, APackedSequenceComesPacked) {
  ProgramContext program = pytorch();
  program.packed_sequence = true;
  const RnnConfig call = called_by_framework(layer(1024, 32), program, h200());
  EXPECT_EQ(call.layout, Layout::seq_major_packed);
  EXPECT_EQ(call.algo, Algo::standard);
}

TEST(CalledByFramework, WhatNoFrameworkDecidesStays) {
  RnnConfig config = layer(1024, 32);
  config.algo = Algo::persist_dynamic;
  ProgramContext direct;
  EXPECT_EQ(called_by_framework(config, direct, h200()), config);
  direct.name = Framework::cudnn_api;
  EXPECT_EQ(called_by_framework(config, direct, h200()), config);
  ProgramContext native = pytorch();
  native.cudnn_enabled = false;
  native.autocast = Autocast::float16;
  EXPECT_EQ(called_by_framework(config, native, h200()), config);
}

}  // namespace
}  // namespace rnnadvisor::advisor
