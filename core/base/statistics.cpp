#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/wide.h"

namespace rnnadvisor {
namespace {

constexpr int bootstrap_draws = 9999;

// Of values in any order, which are moved about.
double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

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

RatioInterval bootstrap_median_ratio(std::span<const double> numerators,
                                     std::span<const double> denominators, std::uint64_t seed,
                                     double confidence) {
  RatioInterval result;
  if (numerators.empty() || numerators.size() != denominators.size()) return result;
  const std::size_t n = numerators.size();
  result.count = static_cast<int>(n);
  std::vector<double> ratios(n);
  for (std::size_t i = 0; i < n; ++i) ratios[i] = numerators[i] / denominators[i];

  // The generator is the same everywhere; the standard distributions are not.
  std::mt19937_64 generator(seed);
  const auto below_n = [&] {
    return static_cast<std::size_t>((Wide{generator()} * static_cast<Wide>(n)) >> 64U);
  };
  std::vector<double> draw(n);
  std::vector<double> medians(bootstrap_draws);
  for (double& median : medians) {
    for (double& value : draw) value = ratios[below_n()];
    median = median_of(draw);
  }
  std::sort(medians.begin(), medians.end());
  const auto at_quantile = [&](double quantile) {
    const double rank = std::round(quantile * (bootstrap_draws + 1));
    return medians[static_cast<std::size_t>(std::clamp(rank, 1.0, double{bootstrap_draws})) - 1];
  };
  result.low = at_quantile((1 - confidence) / 2);
  result.high = at_quantile((1 + confidence) / 2);
  result.median = median_of(ratios);
  return result;
}

}  // namespace rnnadvisor
