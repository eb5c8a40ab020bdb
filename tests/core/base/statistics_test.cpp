#include "core/base/statistics.h"

#include <gtest/gtest.h>

#include <vector>

namespace rnnadvisor {
namespace {

TEST(MedianInterval, EmptyHasNoMedian) { EXPECT_EQ(median_interval({}).count, 0); }

TEST(MedianInterval, SixSamplesReach95PercentWithTheExtremes) {
  // P(all six on one side of the median) = 2 / 2^6, so [min, max] covers 1 - 1/32 = 96.875 %.
  const std::vector<double> samples = {6, 1, 5, 2, 4, 3};
  const auto interval = median_interval(samples);
  EXPECT_DOUBLE_EQ(interval.median, 3.5);
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.high, 6);
  EXPECT_NEAR(interval.confidence, 0.96875, 1e-12);
}

TEST(MedianInterval, FiveSamplesCannotReach95PercentAndSaySo) {
  const std::vector<double> samples = {1, 2, 3, 4, 5};
  const auto interval = median_interval(samples);
  EXPECT_NEAR(interval.confidence, 1 - 2.0 / 32, 1e-12);
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.high, 5);
}

TEST(MedianInterval, TwentyFiveSamplesUseRanksEightAndEighteen) {
  // Published tables for n = 25: ranks 8 and 18 cover 95.67 %.
  std::vector<double> samples;
  for (int i = 25; i >= 1; --i) samples.push_back(i);
  const auto interval = median_interval(samples);
  EXPECT_DOUBLE_EQ(interval.median, 13);
  EXPECT_DOUBLE_EQ(interval.low, 8);
  EXPECT_DOUBLE_EQ(interval.high, 18);
  EXPECT_NEAR(interval.confidence, 0.9567, 1e-4);
}

TEST(MedianInterval, OneSampleCoversNothing) {
  const std::vector<double> samples = {7};
  const auto interval = median_interval(samples);
  EXPECT_DOUBLE_EQ(interval.median, 7);
  EXPECT_DOUBLE_EQ(interval.confidence, 0);
}

TEST(MedianInterval, ThousandsOfSamplesNeitherUnderflowNorWiden) {
  std::vector<double> samples;
  for (int i = 0; i < 5000; ++i) samples.push_back(i);
  const auto interval = median_interval(samples);
  EXPECT_GE(interval.confidence, 0.95);
  EXPECT_LT(interval.confidence, 0.96);
  EXPECT_NEAR(interval.high - interval.low, 1.96 * 70.71, 3);  // 2 * 1.96 * sqrt(n) / 2
}

}  // namespace
}  // namespace rnnadvisor
