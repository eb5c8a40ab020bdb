#include "profiler/classify/framework_signs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "profiler/classify/torch_choice.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

// `forwards` calls of one layer in half, before each `conversions` kernels from float to half and
// then `others`.
Profile program(int forwards, int conversions, int others = 2, DataType type = DataType::half) {
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  Configuration configuration;
  configuration.origin = Origin::captured;
  configuration.program.name = Framework::pytorch;
  configuration.config.data_type = type;
  CallRecord call;
  call.call.configuration = builder.add_configuration(configuration);
  std::int64_t now = 0;
  const auto run = [&](std::string name, int of) {
    KernelRecord kernel;
    kernel.start_ns = now;
    kernel.end_ns = now + 50;
    kernel.name = std::move(name);
    kernel.call = of;
    builder.add_kernel(kernel);
    now += 100;
  };
  for (int i = 0; i < forwards; ++i) {
    for (int k = 0; k < conversions; ++k)
      run("void at::native::vectorized_elementwise_kernel<8, "
          "at::native::float16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}>",
          -1);
    for (int k = 0; k < others; ++k) run("fill_kernel", -1);
    call.call.host_start_ns = now;
    call.call.host_end_ns = now + 500;
    const int made = builder.add_call(call);
    run("LSTM_elementWise_fp", made);
    run("gemm", made);
  }
  return builder.finish();
}

TEST(FrameworkSigns, AutocastConvertsEveryWeightAtEveryCall) {
  Profile profile = program(10, 4);
  infer_autocast(profile);
  EXPECT_EQ(profile.configurations[0].program.autocast, Autocast::float16);
}

TEST(FrameworkSigns, FewConversionsSayNothing) {
  Profile profile = program(10, 3);
  infer_autocast(profile);
  EXPECT_FALSE(profile.configurations[0].program.autocast.has_value());
}

TEST(FrameworkSigns, AnOptimizerThatCopiesWeightsIntoHalfIsNoAutocast) {
  Profile profile = program(10, 40, 100);
  infer_autocast(profile);
  EXPECT_FALSE(profile.configurations[0].program.autocast.has_value());
}

// A model that is made in half is converted once.
TEST(FrameworkSigns, AModelThatIsConvertedBeforeItsFirstCallIsNoAutocast) {
  Profile profile = program(1, 4);
  infer_autocast(profile);
  EXPECT_FALSE(profile.configurations[0].program.autocast.has_value());
  Profile twice = program(2, 4);
  infer_autocast(twice);
  EXPECT_EQ(twice.configurations[0].program.autocast, Autocast::float16);
}

TEST(FrameworkSigns, OnlyHalfIsAsked) {
  Profile profile = program(10, 40, 2, DataType::float32);
  infer_autocast(profile);
  EXPECT_FALSE(profile.configurations[0].program.autocast.has_value());
}

// Whether TF32 is allowed, from the kernels of calls that were recorded with each math type.
TEST(FrameworkSigns, KernelNamesTellWhetherTf32IsAllowed) {
  std::ifstream file(RNNADVISOR_SOURCE_DIR "/tests/data/h200/kernels.jsonl");
  std::map<std::string, int> told;
  for (std::string line; std::getline(file, line);) {
    const auto row = nlohmann::json::parse(line);
    if (row["data_type"] != "float" || !row.contains("kernels")) continue;
    const std::string math = row["math_type"];
    if (math == "tensor_op_allow_conversion") continue;  // which PyTorch never asks for
    for (const auto& [phase, kernels] : row["kernels"].items()) {
      std::vector<std::string> names;
      for (const auto& [name, figures] : kernels.items()) names.push_back(name);
      const std::vector<std::string_view> views(names.begin(), names.end());
      const auto allowed = allows_tf32(views);
      // A few weight gradients ran without Tensor Cores although TF32 was allowed.
      if (!allowed || phase == "bwd_weights") continue;
      EXPECT_EQ(*allowed, math != "fma") << row["id"] << " " << phase;
      ++told[math];
    }
  }
  EXPECT_GE(told["default"], 100);
  EXPECT_GE(told["fma"], 100);
}

}  // namespace
}  // namespace rnnadvisor
