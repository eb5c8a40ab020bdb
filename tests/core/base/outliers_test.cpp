#include "core/base/outliers.h"

#include <gtest/gtest.h>

#include <vector>

namespace rnnadvisor {
namespace {

TEST(Outliers, LieBeyondThreeDeviationsAroundTheMedian) {
  // The median is 11, and the distances from it are 0, 1, 1, 2, 2, 3, 89: their median is 2.
  const std::vector<double> samples = {10, 9, 11, 8, 12, 13, 100};
  const auto bounds = outlier_bounds(samples);
  EXPECT_DOUBLE_EQ(bounds.low, 11 - 3 * 1.4826 * 2);
  EXPECT_DOUBLE_EQ(bounds.high, 11 + 3 * 1.4826 * 2);
  EXPECT_FALSE(bounds.hold(100));
  for (const double sample : {8.0, 13.0, 11.0}) EXPECT_TRUE(bounds.hold(sample));
}

TEST(Outliers, OfEqualSamplesAnythingElseIsOne) {
  const std::vector<double> samples(9, 5);
  EXPECT_TRUE(outlier_bounds(samples).hold(5));
  EXPECT_FALSE(outlier_bounds(samples).hold(5.001));
}

TEST(Outliers, OfFewNoneIsOne) {
  const std::vector<double> few = {1, 1, 1, 1, 1e9};
  for (const double sample : few) EXPECT_TRUE(outlier_bounds(few).hold(sample));
}

}  // namespace
}  // namespace rnnadvisor
