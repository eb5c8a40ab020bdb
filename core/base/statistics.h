// Statistics of repeated timings. Medians, because launch-bound times on a shared host have a long
// tail.
#pragma once

#include <cstdint>
#include <span>

namespace rnnadvisor {

struct MedianInterval {
  double median = 0;
  double low = 0;   // lower end of the interval of the median
  double high = 0;  // upper end
  double confidence =
      0;  // what the order statistics really cover, e.g. 0.957; 0 when n is too small
  int count = 0;

  bool operator==(const MedianInterval&) const = default;
};

// Median with a distribution-free confidence interval from order statistics: the number of samples
// below the median is Binomial(n, 1/2), so [x(k), x(n+1-k)] covers it with 1 - 2 P(B < k). The
// widest k that still reaches `confidence` is taken (Conover, Practical Nonparametric Statistics,
// 3rd ed., section 3.2). With fewer than six samples no interval reaches 95 %: low and high are
// then the extremes and `confidence` says what they cover. NaN samples are not allowed. An empty
// span gives count 0.
MedianInterval median_interval(std::span<const double> samples, double confidence = 0.95);

// Median of paired ratios with a bootstrap interval.
struct RatioInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  int count = 0;  // pairs

  bool operator==(const RatioInterval&) const = default;
};

// The median over i of numerators[i] / denominators[i] and its percentile bootstrap interval: the
// ratios are drawn with replacement, so that what was measured in one round stays together, and the
// quantiles (1 - confidence) / 2 and (1 + confidence) / 2 of the medians of 9999 such draws are its
// ends (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3; 9999 so that
// both quantiles are order statistics: Davison and Hinkley, Bootstrap Methods and their
// Application, 1997, section 5.2). Equal seeds give equal intervals on every platform. Spans of
// equal length of positive, finite numbers; count 0 and zeros when they are empty or differ in
// length. With few pairs the interval covers less than it promises: it never leaves the extremes.
RatioInterval bootstrap_median_ratio(std::span<const double> numerators,
                                     std::span<const double> denominators, std::uint64_t seed,
                                     double confidence = 0.95);

}  // namespace rnnadvisor
