#include "core/base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
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

// --- bootstrap ---

// P(median of a draw <= x(k)) for n odd: at least (n + 1) / 2 of n draws are among the k smallest
// of n, each with probability k / n (Efron, Bootstrap methods: another look at the jackknife, 1979,
// section 3).
double median_at_most(int n, int k) {
  double sum = 0;
  for (int j = (n + 1) / 2; j <= n; ++j) {
    const double choose =
        std::exp(std::lgamma(n + 1.0) - std::lgamma(j + 1.0) - std::lgamma(n - j + 1.0));
    sum += choose * std::pow(double(k) / n, j) * std::pow(1 - double(k) / n, n - j);
  }
  return sum;
}

TEST(BootstrapMedianRatio, EndsAreThoseOfTheExactDistribution) {
  for (const int n : {5, 7, 11, 21, 51}) {
    int low = 1;
    while (median_at_most(n, low) < 0.025) ++low;
    // 9999 draws tell the quantile to about 0.0016: sizes at which it is that near are no test.
    ASSERT_GT(std::abs(median_at_most(n, low) - 0.025), 0.005) << n;
    ASSERT_GT(std::abs(median_at_most(n, low - 1) - 0.025), 0.005) << n;
    std::vector<double> above;
    std::vector<double> below(static_cast<std::size_t>(n), 2.0);
    for (int i = n; i >= 1; --i) above.push_back(2.0 * i);
    const auto interval = bootstrap_median_ratio(above, below, 7);
    EXPECT_EQ(interval.count, n);
    EXPECT_DOUBLE_EQ(interval.median, (n + 1) / 2.0) << n;
    EXPECT_DOUBLE_EQ(interval.low, low) << n;
    EXPECT_DOUBLE_EQ(interval.high, n + 1 - low) << n;
  }
}

TEST(BootstrapMedianRatio, RatiosArePairedByRound) {
  // The machine slows down tenfold, both with it: the ratio does not move.
  std::vector<double> before;
  std::vector<double> after;
  for (int i = 1; i <= 10; ++i) {
    before.push_back(3.0 * i);
    after.push_back(2.0 * i);
  }
  EXPECT_EQ(bootstrap_median_ratio(before, after, 1), (RatioInterval{1.5, 1.5, 1.5, 10}));
}

TEST(BootstrapMedianRatio, AnEvenNumberHasTheMeanOfTheTwoInTheMiddle) {
  const std::vector<double> ones = {1, 1, 1, 1};
  const std::vector<double> samples = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(bootstrap_median_ratio(samples, ones, 1).median, 2.5);
}

TEST(BootstrapMedianRatio, TheSeedDecides) {
  std::vector<double> before;
  for (int i = 0; i < 40; ++i) before.push_back(1 + 0.01 * ((i * 17) % 40));
  const std::vector<double> after(40, 1.0);
  EXPECT_EQ(bootstrap_median_ratio(before, after, 3), bootstrap_median_ratio(before, after, 3));
  // A higher confidence is never narrower.
  const auto wide = bootstrap_median_ratio(before, after, 3, 0.99);
  const auto narrow = bootstrap_median_ratio(before, after, 3, 0.8);
  EXPECT_LE(wide.low, narrow.low);
  EXPECT_GE(wide.high, narrow.high);
  EXPECT_LT(wide.low, wide.high);
}

TEST(BootstrapMedianRatio, NothingAndUnequalLengthsHaveNoRatio) {
  const std::vector<double> one = {1};
  EXPECT_EQ(bootstrap_median_ratio({}, {}, 1), RatioInterval{});
  EXPECT_EQ(bootstrap_median_ratio(one, {}, 1), RatioInterval{});
  EXPECT_EQ(bootstrap_median_ratio(one, one, 1), (RatioInterval{1, 1, 1, 1}));
}

}  // namespace
}  // namespace rnnadvisor
