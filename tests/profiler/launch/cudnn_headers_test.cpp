// The numbers of cudnn_numbers.cpp against cuDNN's own headers, where they are.
#include <cudnn.h>
#include <gtest/gtest.h>

#include "core/config/rnn_config.h"
#include "profiler/launch/cudnn_numbers.h"
#include "tests/profiler/spool/sample_spools.h"

namespace rnnadvisor::launch {
namespace {

TEST(CudnnHeaders, StatusesAreNamedAsThere) {
#define RNNADVISOR_STATUS(name) EXPECT_EQ(status_name(name), #name)
  RNNADVISOR_STATUS(CUDNN_STATUS_SUCCESS);
  RNNADVISOR_STATUS(CUDNN_STATUS_NOT_INITIALIZED);
  RNNADVISOR_STATUS(CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED);
  RNNADVISOR_STATUS(CUDNN_STATUS_BAD_PARAM);
  RNNADVISOR_STATUS(CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  RNNADVISOR_STATUS(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER);
  RNNADVISOR_STATUS(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE);
  RNNADVISOR_STATUS(CUDNN_STATUS_NOT_SUPPORTED);
  RNNADVISOR_STATUS(CUDNN_STATUS_NOT_SUPPORTED_SHAPE);
  RNNADVISOR_STATUS(CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API);
  RNNADVISOR_STATUS(CUDNN_STATUS_INTERNAL_ERROR);
  RNNADVISOR_STATUS(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
  RNNADVISOR_STATUS(CUDNN_STATUS_EXECUTION_FAILED);
  RNNADVISOR_STATUS(CUDNN_STATUS_EXECUTION_FAILED_CURAND);
#undef RNNADVISOR_STATUS
}

TEST(CudnnHeaders, EnumeratorsHaveTheNumbersThatAreMapped) {
  const auto read = [](auto change) {
    auto captured = spool::sample_configuration(1);
    change(captured);
    return to_config(captured, {}).value();
  };
  EXPECT_EQ(read([](auto& c) { c.cell = CUDNN_RNN_RELU; }).cell, Cell::rnn_relu);
  EXPECT_EQ(read([](auto& c) { c.cell = CUDNN_RNN_TANH; }).cell, Cell::rnn_tanh);
  EXPECT_EQ(read([](auto& c) { c.cell = CUDNN_LSTM; }).cell, Cell::lstm);
  EXPECT_EQ(read([](auto& c) { c.cell = CUDNN_GRU; }).cell, Cell::gru);
  EXPECT_EQ(read([](auto& c) { c.algo = CUDNN_RNN_ALGO_STANDARD; }).algo, Algo::standard);
  EXPECT_EQ(read([](auto& c) { c.algo = CUDNN_RNN_ALGO_PERSIST_STATIC; }).algo,
            Algo::persist_static);
  EXPECT_EQ(read([](auto& c) { c.algo = CUDNN_RNN_ALGO_PERSIST_DYNAMIC; }).algo,
            Algo::persist_dynamic);
  EXPECT_EQ(read([](auto& c) { c.algo = CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H; }).algo,
            Algo::persist_static_small_h);
  EXPECT_EQ(read([](auto& c) { c.direction = CUDNN_BIDIRECTIONAL; }).direction,
            Direction::bidirectional);
  EXPECT_EQ(read([](auto& c) { c.bias = CUDNN_RNN_NO_BIAS; }).bias_mode, BiasMode::no_bias);
  EXPECT_EQ(read([](auto& c) { c.bias = CUDNN_RNN_SINGLE_INP_BIAS; }).bias_mode,
            BiasMode::single_inp_bias);
  EXPECT_EQ(read([](auto& c) { c.bias = CUDNN_RNN_SINGLE_REC_BIAS; }).bias_mode,
            BiasMode::single_rec_bias);
  EXPECT_EQ(read([](auto& c) { c.data_type = CUDNN_DATA_FLOAT; }).data_type, DataType::float32);
  EXPECT_EQ(read([](auto& c) { c.data_type = CUDNN_DATA_DOUBLE; }).data_type, DataType::float64);
  EXPECT_EQ(read([](auto& c) { c.data_type = CUDNN_DATA_HALF; }).data_type, DataType::half);
  EXPECT_EQ(read([](auto& c) { c.data_type = CUDNN_DATA_BFLOAT16; }).data_type, DataType::bfloat16);
  EXPECT_EQ(read([](auto& c) { c.math_type = CUDNN_DEFAULT_MATH; }).math_type,
            MathType::default_math);
  EXPECT_EQ(read([](auto& c) { c.math_type = CUDNN_TENSOR_OP_MATH; }).math_type,
            MathType::tensor_op);
  EXPECT_EQ(read([](auto& c) { c.math_type = CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION; }).math_type,
            MathType::tensor_op_allow_conversion);
  EXPECT_EQ(read([](auto& c) { c.math_type = CUDNN_FMA_MATH; }).math_type, MathType::fma);
  EXPECT_EQ(read([](auto& c) { c.layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED; }).layout,
            Layout::seq_major_packed);
  EXPECT_EQ(read([](auto& c) { c.layout = CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED; }).layout,
            Layout::batch_major_unpacked);
  EXPECT_FALSE(read([](auto& c) { c.aux_flags = CUDNN_RNN_PADDED_IO_DISABLED; }).padded_io);
  EXPECT_TRUE(read([](auto& c) { c.aux_flags = CUDNN_RNN_PADDED_IO_ENABLED; }).padded_io);
  EXPECT_EQ(read([](auto& c) { c.clip_mode = CUDNN_RNN_CLIP_MINMAX; }).clip_mode, ClipMode::minmax);
  EXPECT_EQ(read([](auto& c) { c.training = CUDNN_FWD_MODE_INFERENCE; }).mode, Mode::inference);
  EXPECT_EQ(read([](auto& c) { c.training = CUDNN_FWD_MODE_TRAINING; }).mode, Mode::training);
}

}  // namespace
}  // namespace rnnadvisor::launch
