#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rnnadvisor {

MedianInterval median_interval(std::span<const double> samples, double confidence) {
  MedianInterval result;
  result.count = static_cast<int>(samples.size());
  if (samples.empty()) return result;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  result.median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;

  // P(B <= j) for B ~ Binomial(n, 1/2), summed in logarithms so that large n neither under- nor
  // overflows.
  double below = 0;
  std::size_t k = 0;  // zero-based index of the lower end
  double covered = 0;
  for (std::size_t j = 0; j < n / 2; ++j) {
    const double log_term =
        std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(j) + 1) -
        std::lgamma(static_cast<double>(n - j) + 1) - static_cast<double>(n) * std::log(2.0);
    below += std::exp(log_term);
    const double coverage = 1 - 2 * below;
    if (j > 0 && coverage < confidence) break;
    k = j;
    covered = coverage;
  }
  result.low = sorted[k];
  result.high = sorted[n - 1 - k];
  result.confidence = std::max(0.0, covered);
  return result;
}

}  // namespace rnnadvisor
