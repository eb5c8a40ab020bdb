#include "profiler/classify/framework_signs.h"

#include <gtest/gtest.h>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

// `forwards` calls of one layer in half, `conversions` kernels from float to half in between.
Profile program(int forwards, int conversions, DataType type = DataType::half) {
  ProfileBuilder builder;
  builder.add_device(*find_device("h200"));
  Configuration configuration;
  configuration.origin = Origin::captured;
  configuration.program.name = Framework::pytorch;
  configuration.config.data_type = type;
  CallRecord call;
  call.call.configuration = builder.add_configuration(configuration);
  for (int i = 0; i < forwards; ++i) {
    call.call.host_start_ns = 1000 * i;
    call.call.host_end_ns = 1000 * i + 500;
    builder.add_call(call);
  }
  for (int i = 0; i < conversions; ++i) {
    KernelRecord kernel;
    kernel.start_ns = 100 * i;
    kernel.end_ns = 100 * i + 50;
    kernel.name =
        "void at::native::vectorized_elementwise_kernel<8, "
        "at::native::float16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}>";
    builder.add_kernel(kernel);
  }
  return builder.finish();
}

TEST(FrameworkSigns, AutocastConvertsEveryWeightAtEveryCall) {
  Profile profile = program(10, 40);
  infer_autocast(profile);
  EXPECT_EQ(profile.configurations[0].program.autocast, Autocast::float16);
}

TEST(FrameworkSigns, FewConversionsSayNothing) {
  Profile profile = program(10, 39);
  infer_autocast(profile);
  EXPECT_FALSE(profile.configurations[0].program.autocast.has_value());
}

TEST(FrameworkSigns, OnlyHalfIsAsked) {
  Profile profile = program(10, 400, DataType::float32);
  infer_autocast(profile);
  EXPECT_FALSE(profile.configurations[0].program.autocast.has_value());
}

}  // namespace
}  // namespace rnnadvisor
