#include "profiler/classify/native_cells.h"

#include <gtest/gtest.h>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

// Kernels one after the other on one stream, each 2 us long with 1 us in between.
class Stream {
 public:
  void launch(const std::string& name, int stream = 7, int call = -1) {
    KernelRecord kernel;
    kernel.start_ns = 1'000'000 + 3000 * count_++;
    kernel.end_ns = kernel.start_ns + 2000;
    kernel.name = name;
    kernel.stream = stream;
    kernel.call = call;
    builder.add_kernel(kernel);
  }
  Profile finish() {
    builder.add_device(*find_device("h200"));
    builder.profile().environment.tracing = true;
    return builder.finish();
  }
  ProfileBuilder builder;

 private:
  std::int64_t count_ = 0;
};

const std::string product = "ampere_sgemm_32x32_sliced1x4_tn";
const std::string lstm_cell =
    "void at::native::(anonymous namespace)::kernel::lstm_cell_forward<float, float, int, 1>(...)";
const std::string tanh_kernel =
    "void at::native::vectorized_elementwise_kernel<4, at::native::tanh_kernel_cuda>(...)";
const std::string sigmoid_kernel =
    "void at::native::vectorized_elementwise_kernel<4, at::native::sigmoid_kernel_cuda>(...)";
const std::string add_kernel =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(...)";

TEST(NativeCells, FrameworkCellsStepByStep) {
  Stream s;
  for (int t = 0; t < 10; ++t) {
    s.launch(product);
    s.launch(product);
    s.launch(lstm_cell);
  }
  const auto found = native_recurrences(s.finish());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cell, NativeCell::framework_lstm);
  EXPECT_EQ(found[0].steps, 10);
  EXPECT_EQ(found[0].kernels, 28);  // from the first cell to the last
  EXPECT_EQ(found[0].kernel_ns, 28 * 2000);
  EXPECT_EQ(found[0].span_ns, 27 * 3000 + 2000);
}

TEST(NativeCells, HandwrittenNeedsProductsAndSigmoids) {
  Stream s;
  for (int t = 0; t < 20; ++t) {
    for (const auto& name : {product, sigmoid_kernel, tanh_kernel, add_kernel, tanh_kernel})
      s.launch(name);
  }
  const auto found = native_recurrences(s.finish());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cell, NativeCell::handwritten);
  EXPECT_EQ(found[0].steps, 20);  // the second tanh of a cell is no step of its own

  Stream without_sigmoid;
  for (int t = 0; t < 20; ++t) {
    without_sigmoid.launch(product);
    without_sigmoid.launch(tanh_kernel);
  }
  EXPECT_TRUE(native_recurrences(without_sigmoid.finish()).empty());

  Stream without_product;
  for (int t = 0; t < 20; ++t) {
    without_product.launch(sigmoid_kernel);
    without_product.launch(tanh_kernel);
  }
  EXPECT_TRUE(native_recurrences(without_product.finish()).empty());
}

TEST(NativeCells, FewStepsAreNothing) {
  Stream s;
  for (int t = 0; t < 7; ++t) {
    s.launch(product);
    s.launch(lstm_cell);
  }
  EXPECT_TRUE(native_recurrences(s.finish()).empty());
}

TEST(NativeCells, StreamsAreApartAndCallsOfCudnnAreNotLookedAt) {
  Stream s;
  for (int t = 0; t < 10; ++t) {
    s.launch(product, 7);
    s.launch(lstm_cell, 7);
    s.launch(product, 8);
    s.launch(lstm_cell, 8);
  }
  EXPECT_EQ(native_recurrences(s.finish()).front().steps, 20);

  Stream called;
  Configuration configuration;
  configuration.origin = Origin::captured;
  called.builder.add_device(*find_device("h200"));
  RnnCall call;
  call.configuration = called.builder.add_configuration(configuration);
  const int index = called.builder.add_call(call);
  for (int t = 0; t < 10; ++t) {
    called.launch(product, 7, index);
    called.launch(lstm_cell, 7, index);
  }
  EXPECT_TRUE(native_recurrences(called.finish()).empty());
}

TEST(NativeCells, OneConfigurationStandsForThem) {
  Stream s;
  for (int t = 0; t < 10; ++t) {
    s.launch(product);
    s.launch(lstm_cell);
  }
  Profile profile = s.finish();
  add_native_recurrences(profile);
  add_native_recurrences(profile);
  ASSERT_EQ(profile.configurations.size(), 1U);
  EXPECT_FALSE(profile.configurations[0].described());
  EXPECT_TRUE(profile.configurations[0].from_program());
}

}  // namespace
}  // namespace rnnadvisor
