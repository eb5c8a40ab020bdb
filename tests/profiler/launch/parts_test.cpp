// The small parts of profiler/launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "profiler/launch/cudnn_numbers.h"
#include "profiler/launch/framework_library.h"
#include "tests/profiler/spool/sample_spools.h"

namespace rnnadvisor::launch {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CudnnNumbers, Statuses) {
  EXPECT_EQ(status_name(0), "CUDNN_STATUS_SUCCESS");
  EXPECT_EQ(status_name(3000), "CUDNN_STATUS_NOT_SUPPORTED");
  EXPECT_EQ(status_name(4711), "cuDNN status 4711");
  // cuDNN 8's numbers, as cudnn_ops_infer.h of 8.9 has them.
  EXPECT_EQ(status_name(3), "CUDNN_STATUS_BAD_PARAM");
  EXPECT_EQ(status_name(8), "CUDNN_STATUS_EXECUTION_FAILED");
  EXPECT_EQ(status_name(9), "CUDNN_STATUS_NOT_SUPPORTED");
  for (const int failure : {2, 4, 7, 8, 4000, 5003}) EXPECT_TRUE(is_failure(failure)) << failure;
  for (const int refusal : {0, 1, 3, 9, 2000, 3002}) EXPECT_FALSE(is_failure(refusal)) << refusal;
}

TEST(CudnnNumbers, AConfigurationIsReadBackWhole) {
  auto captured = spool::sample_configuration(1);
  captured.cell = 3;
  captured.algo = 1;
  captured.direction = 1;
  captured.bias = 1;
  captured.input_mode = 0;
  captured.data_type = 9;
  captured.layout = 2;
  captured.dropout = 0.2F;
  captured.dropout_seed = 42;
  captured.clip_mode = 1;
  captured.clip_low = -3;
  captured.clip_high = 3;
  captured.training = 0;
  const std::vector<std::int32_t> lengths = {4, 2, 1};
  const auto config = to_config(captured, lengths);
  ASSERT_TRUE(config) << to_text(config.error());
  EXPECT_EQ(config->cell, Cell::gru);
  EXPECT_EQ(config->algo, Algo::persist_static);
  EXPECT_EQ(config->direction, Direction::bidirectional);
  EXPECT_EQ(config->bias_mode, BiasMode::single_inp_bias);
  EXPECT_EQ(config->data_type, DataType::bfloat16);
  EXPECT_EQ(config->layout, Layout::batch_major_unpacked);
  EXPECT_EQ(config->dropout, 0.2);
  EXPECT_EQ(config->dropout_seed, 42u);
  EXPECT_EQ(config->clip_mode, ClipMode::minmax);
  EXPECT_EQ(config->clip_left, -3);
  EXPECT_EQ(config->mode, Mode::inference);
  EXPECT_TRUE(config->padded_io);
  EXPECT_THAT(config->seq_lengths, ElementsAre(4, 2, 1));
}

TEST(CudnnNumbers, WhatNoConfigurationCanHoldIsAnError) {
  const auto refused = [](auto change) {
    auto captured = spool::sample_configuration(1);
    change(captured);
    const auto config = to_config(captured, {});
    EXPECT_FALSE(config);
    return config ? std::string() : config.error().message;
  };
  EXPECT_THAT(refused([](auto& c) { c.known = spool::known_data; }), HasSubstr("RNN descriptor"));
  EXPECT_THAT(refused([](auto& c) { c.known = spool::known_descriptor; }),
              HasSubstr("data descriptor"));
  EXPECT_THAT(refused([](auto& c) { c.cell = 4; }), HasSubstr("enumerator"));
  EXPECT_THAT(refused([](auto& c) { c.algo = -1; }), HasSubstr("enumerator"));
  EXPECT_THAT(refused([](auto& c) { c.data_type = 3; }), HasSubstr("enumerator"));
  EXPECT_NE(refused([](auto& c) { c.hidden_size = 0; }), "");
  EXPECT_NE(refused([](auto& c) { c.batch = -1; }), "");
  EXPECT_NE(refused([](auto& c) { c.dropout = 2; }), "");
  EXPECT_NE(refused([](auto& c) { c.dropout = NAN; }), "");
}

class Frameworks : public ::testing::Test {
 protected:
  Frameworks() {
    std::string pattern = testing::TempDir() + "/frameworks-XXXXXX";
    packages_ = fs::path(mkdtemp(pattern.data())) / "lib/python3.11/site-packages";
    for (const char* folder :
         {"torch/lib", "torch-2.11.0+cu130.dist-info", "torchvision-0.20.0.dist-info", "jaxlib",
          "jax-0.4.35.dist-info", "jaxlib-0.4.34.dist-info", "tensorflow/python",
          "tensorflow_gpu-2.12.0-py3.11.egg-info"})
      fs::create_directories(packages_ / folder);
  }
  ~Frameworks() override { fs::remove_all(packages_.parent_path().parent_path().parent_path()); }
  fs::path packages_;
};

TEST_F(Frameworks, AreKnownByWhereTheirLibrariesLie) {
  auto found = framework_of((packages_ / "torch/lib/libtorch_cuda.so").string());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, Framework::pytorch);
  EXPECT_EQ(found->version, "2.11.0");
  found = framework_of((packages_ / "torch/nn/modules/rnn.py").string());
  EXPECT_EQ(found->version, "2.11.0");
  found = framework_of((packages_ / "jaxlib/xla_extension.so").string());
  EXPECT_EQ(found->name, Framework::jax);
  EXPECT_EQ(found->version, "0.4.34");
  found = framework_of((packages_ / "tensorflow/libtensorflow_cc.so.2").string());
  EXPECT_EQ(found->name, Framework::tensorflow);
  EXPECT_EQ(found->version, "2.12.0");
}

TEST_F(Frameworks, KerasIsKnownByItsFilesAndByWhatItImports) {
  const auto of = [&](const char* path) { return framework_of((packages_ / path).string()); };
  const auto beside = [&](const char* path, bool legacy = false) {
    return keras_beside((packages_ / path).string(), legacy);
  };
  constexpr const char* errors = "h5py/_errors.cpython-311-x86_64-linux-gnu.so";
  EXPECT_FALSE(beside(errors)) << "h5py alone is no Keras";
  // By its files where the folder is on another machine.
  EXPECT_EQ(of("keras/src/backend/tensorflow/rnn.py")->name, Framework::keras3);
  EXPECT_FALSE(of("keras/src/layers/rnn/lstm.py")) << "both have such a file";
  EXPECT_EQ(framework_of("/srv/backend/torch/nn/modules/rnn.py")->name, Framework::pytorch);
  EXPECT_EQ(of("tensorflow/python/keras/layers/recurrent_v2.py")->name, Framework::keras2);

  fs::create_directories(packages_ / "keras-3.5.0.dist-info");
  EXPECT_EQ(of("keras/src/layers/rnn/lstm.py")->name, Framework::keras3);
  EXPECT_EQ(of("keras/src/layers/rnn/lstm.py")->version, "3.5.0");
  EXPECT_EQ(beside(errors)->name, Framework::keras3);
  EXPECT_EQ(beside("optree/_C.cpython-311-x86_64-linux-gnu.so")->version, "3.5.0");
  EXPECT_FALSE(beside(errors, true)) << "Keras 2 is asked for and is not there";
  fs::create_directories(packages_ / "tf_keras-2.17.0.dist-info");
  EXPECT_EQ(beside(errors, true)->version, "2.17.0");
  EXPECT_EQ(of("tf_keras/src/layers/rnn/lstm.py")->name, Framework::keras2);
  fs::remove(packages_ / "keras-3.5.0.dist-info");
  fs::create_directories(packages_ / "keras-2.12.0.dist-info");
  EXPECT_EQ(of("keras/layers/rnn/lstm.py")->name, Framework::keras2);
}

TEST_F(Frameworks, AreKnownByNameWithoutAPackage) {
  const auto found = framework_of("/opt/libtorch/lib/libtorch_cuda.so");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, Framework::pytorch);
  EXPECT_EQ(found->version, "");
  EXPECT_FALSE(framework_of("/usr/lib/libcudnn.so.9"));
  EXPECT_FALSE(framework_of("/home/me/train.py"));
  EXPECT_FALSE(framework_of("train.py"));
  EXPECT_FALSE(framework_of(""));
}

}  // namespace
}  // namespace rnnadvisor::launch
