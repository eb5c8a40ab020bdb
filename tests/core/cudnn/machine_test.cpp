#include "core/cudnn/machine.h"

#include <gtest/gtest.h>

namespace rnnadvisor {
namespace {

// Rows of the list in cupti_version.h of CUDA 13.0, and the rule it gives for later ones.
TEST(CudnnRelease, CountsAsTheHeadersDo) {
  EXPECT_EQ(cudnn_release(91900), "9.19.0");
  EXPECT_EQ(cudnn_release(8907), "8.9.7");
  EXPECT_EQ(cudnn_release(0), "");
}

TEST(CuptiRelease, IsTheToolkitOfTheApiVersion) {
  EXPECT_EQ(cupti_release(130001), "13.0");
  EXPECT_EQ(cupti_release(130000), "13.0");
  EXPECT_EQ(cupti_release(130102), "13.1");
  EXPECT_EQ(cupti_release(28), "12.9");
  EXPECT_EQ(cupti_release(26), "12.8");
  EXPECT_EQ(cupti_release(19), "12.0");
  EXPECT_EQ(cupti_release(18), "11.8");
}

TEST(CuptiRelease, UnknownNumbersGiveNothing) {
  for (const std::int64_t number : {-1L, 0L, 15L, 25L, 29L, 129999L, 1000000L})
    EXPECT_EQ(cupti_release(number), "") << number;
}

}  // namespace
}  // namespace rnnadvisor
