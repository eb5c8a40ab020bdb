#include "profiler/kernels/kernel_name.h"

#include <gtest/gtest.h>

#include "profiler/kernels/classify.h"

namespace rnnadvisor {
namespace {

using classify::matches;
using classify::template_argument;

TEST(KernelName, Patterns) {
  EXPECT_TRUE(matches("abc", "abc"));
  EXPECT_FALSE(matches("abc", "abcd"));
  EXPECT_FALSE(matches("abcd", "abc"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*", "a"));
  EXPECT_TRUE(matches("a*c", "abbc"));
  EXPECT_FALSE(matches("a*c", "abb"));
  EXPECT_TRUE(matches("*b*b*", "abab"));
  EXPECT_FALSE(matches("*b*b*b*", "abab"));
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_TRUE(matches("RNN_persist_fp_#", "RNN_persist_fp_010024"));
  EXPECT_FALSE(matches("RNN_persist_fp_#", "RNN_persist_fp_"));
  EXPECT_FALSE(matches("RNN_persist_fp_#", "RNN_persist_fp_01x"));
  EXPECT_TRUE(matches("*_#", "a_b_12"));
  EXPECT_TRUE(matches("#x#", "12x3"));
}

TEST(KernelName, PatternsWithManyStarsOnLongTextsEnd) {
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*b", std::string(20'000, 'a')));
}

TEST(KernelName, TemplateArguments) {
  const std::string_view name =
      "RNN_persist_fp<float, std::pair<int, float>, (cudnnRNNMode_t)2, false, 256>(args<int, 2>)";
  EXPECT_EQ(template_argument(name, 1), "float");
  EXPECT_EQ(template_argument(name, 2), "std::pair<int, float>");
  EXPECT_EQ(template_argument(name, 3), "(cudnnRNNMode_t)2");
  EXPECT_EQ(template_argument(name, 4), "false");
  EXPECT_EQ(template_argument(name, 5), "256");
  EXPECT_EQ(template_argument(name, 6), "");
  EXPECT_EQ(template_argument(name, 0), "");
  EXPECT_EQ(template_argument("plain(std::vector<int>)", 1), "");
  EXPECT_EQ(template_argument("cut<float, tru", 1), "float");
  EXPECT_EQ(template_argument("cut<float, tru", 2), "");
  EXPECT_EQ(template_argument("<", 1), "");
  EXPECT_EQ(template_argument(">>><<<", 1), "");
}

TEST(KernelName, ShortNames) {
  EXPECT_EQ(short_kernel_name("void elemWiseRNNcell<__half, __half>(int, int)"), "elemWiseRNNcell");
  EXPECT_EQ(short_kernel_name("RNN_copy_dhx(__half*, float const*)"), "RNN_copy_dhx");
  EXPECT_EQ(short_kernel_name("RNN_persist_bp_00024"), "RNN_persist_bp_00024");
  EXPECT_EQ(short_kernel_name(
                "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64>(cutlass_80::Params)"),
            "cutlass_80_tensorop_s1688gemm_64x64");
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel2<cutlass_80_tens"), "cutlass_80_tens");
  EXPECT_EQ(short_kernel_name(
                "void at::native::(anonymous namespace)::kernel::lstm_cell_forward<float>(int)"),
            "at::native::(anonymous namespace)::kernel::lstm_cell_forward");
  EXPECT_EQ(short_kernel_name("_Z15elemWiseRNNcellIfffEvi"), "elemWiseRNNcell");
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name("<<<"), "<<<");
}

TEST(KernelName, Demangling) {
  EXPECT_EQ(demangle_kernel("_Z1fIiEvT_"), "void f<int>(int)");
  EXPECT_EQ(demangle_kernel("_Z"), "_Z");
  EXPECT_EQ(demangle_kernel("plain"), "plain");
  const std::string huge = "_Z" + std::string(100'000, 'x');
  EXPECT_EQ(demangle_kernel(huge), huge);
}

}  // namespace
}  // namespace rnnadvisor
