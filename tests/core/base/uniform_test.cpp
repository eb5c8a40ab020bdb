#include "core/base/uniform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rnnadvisor {
namespace {

TEST(Uniform, AnyNumberCanBeHadWithoutThoseBeforeIt) {
  Uniform all(7);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double number = all(0.5);
    EXPECT_EQ(Uniform(7, i)(0.5), number) << i;
  }
}

TEST(Uniform, FillsItsRangeEvenly) {
  Uniform uniform(1);
  double least = 1, most = -1, sum = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double number = uniform(2);
    least = std::min(least, number);
    most = std::max(most, number);
    sum += number;
  }
  EXPECT_GE(least, -2);
  EXPECT_LT(least, -1.99);
  EXPECT_LE(most, 2);
  EXPECT_GT(most, 1.99);
  // Five standard deviations of the mean.
  EXPECT_LT(std::abs(sum / count), 5 * 2 / std::sqrt(3.0 * count));
  EXPECT_NE(Uniform(1)(1), Uniform(2)(1));
}

}  // namespace
}  // namespace rnnadvisor
