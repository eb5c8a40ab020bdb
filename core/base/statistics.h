// Statistics of repeated timings. Medians, because launch-bound times on a shared host have a long
// tail.
#pragma once

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

}  // namespace rnnadvisor
