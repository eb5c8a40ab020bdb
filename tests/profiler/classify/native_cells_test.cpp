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

const std::string sgemm = "ampere_sgemm_32x32_sliced1x4_tn";
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
    s.launch(sgemm);
    s.launch(sgemm);
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

// Names as TensorFlow's and XLA's sources make them; no recording has shown them yet.
TEST(NativeCells, TensorFlowAndCompilersCallThemOtherwise) {
  const std::string eigen_tanh =
      "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<…, "
      "Eigen::TensorCwiseUnaryOp<Eigen::internal::scalar_tanh_op<float>, …> > > >(…)";
  const std::string eigen_sigmoid =
      "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<…, "
      "Eigen::TensorCwiseUnaryOp<Eigen::internal::scalar_logistic_op<float>, …> > > >(…)";
  const std::vector<std::vector<std::string>> cells = {
      {"volta_sgemm_128x32_nn", eigen_sigmoid, eigen_tanh, eigen_tanh},
      {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4>(…)",
       "Sigmoid_GPU_DT_FLOAT_DT_FLOAT_kernel", "Tanh_GPU_DT_FLOAT_DT_FLOAT_kernel",
       "Mul_GPU_DT_FLOAT_DT_FLOAT_kernel", "Tanh_GPU_DT_FLOAT_DT_FLOAT_kernel"},
      {"AMPERE_SGEMM_32X32_TN", "SIGMOID_GPU_DT_HALF_DT_HALF_kernel",
       "TANH_GPU_DT_HALF_DT_HALF_kernel"},
      // The whole cell in one kernel.
      {"triton_tem_fused_addmm_0", "triton_poi_fused_add_mul_sigmoid_tanh_3"},
      {"ampere_sgemm_32x32_tn", "triton_poi_fused__to_copy_mul_sigmoid_split_tanh_12"},
      {"gemm_fusion_dot_3", "wrapped_tanh", "loop_logistic_multiply_fusion_1"},
      {"ampere_sgemm_32x32_tn", "loop_add_multiply_fusion"},
      {"gemm_fusion_dot_1", "input_add_fusion_2", "loop_multiply_fusion_4", "wrapped_slice"},
      {"cublas_gemv", "fusion_12"}};
  for (const auto& cell : cells) {
    Stream s;
    for (int t = 0; t < 40; ++t)
      for (const auto& name : cell) s.launch(name);
    const auto found = native_recurrences(s.finish());
    ASSERT_EQ(found.size(), 1U) << cell.back();
    EXPECT_EQ(found[0].cell, NativeCell::handwritten);
    EXPECT_EQ(found[0].steps, 40) << cell.back();
    EXPECT_GE(found[0].kernels, 39 * static_cast<std::int64_t>(cell.size()) + 1 -
                                    static_cast<std::int64_t>(cell.size()));
  }
}

TEST(NativeCells, LayersThatXlaCompiledAreNoLoop) {
  Stream transformer;  // four products a layer
  for (int layer = 0; layer < 60; ++layer) {
    for (const char* name : {"loop_multiply_fusion", "ampere_sgemm", "ampere_sgemm",
                             "loop_add_fusion", "ampere_sgemm", "ampere_sgemm"})
      transformer.launch(name);
  }
  EXPECT_TRUE(native_recurrences(transformer.finish()).empty());

  Stream other_fusions;  // a layer each
  for (int layer = 0; layer < 60; ++layer) {
    other_fusions.launch("ampere_sgemm");
    other_fusions.launch("loop_add_fusion_" + std::to_string(layer));
  }
  EXPECT_TRUE(native_recurrences(other_fusions.finish()).empty());

  Stream few;
  for (int t = 0; t < 20; ++t) {
    few.launch("ampere_sgemm");
    few.launch("loop_add_multiply_fusion");
  }
  EXPECT_TRUE(native_recurrences(few.finish()).empty());
}

TEST(NativeCells, HandwrittenNeedsProductsAndSigmoids) {
  Stream s;
  for (int t = 0; t < 20; ++t) {
    for (const auto& name : {sgemm, sigmoid_kernel, tanh_kernel, add_kernel, tanh_kernel})
      s.launch(name);
  }
  const auto found = native_recurrences(s.finish());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cell, NativeCell::handwritten);
  EXPECT_EQ(found[0].steps, 20);  // the second tanh of a cell is no step of its own

  Stream without_sigmoid;
  for (int t = 0; t < 20; ++t) {
    without_sigmoid.launch(sgemm);
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
    s.launch(sgemm);
    s.launch(lstm_cell);
  }
  EXPECT_TRUE(native_recurrences(s.finish()).empty());
}

TEST(NativeCells, StreamsAreApartAndCallsOfCudnnAreNotLookedAt) {
  Stream s;
  for (int t = 0; t < 10; ++t) {
    s.launch(sgemm, 7);
    s.launch(lstm_cell, 7);
    s.launch(sgemm, 8);
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
    called.launch(sgemm, 7, index);
    called.launch(lstm_cell, 7, index);
  }
  EXPECT_TRUE(native_recurrences(called.finish()).empty());
}

TEST(NativeCells, OneConfigurationStandsForThem) {
  Stream s;
  for (int t = 0; t < 10; ++t) {
    s.launch(sgemm);
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
