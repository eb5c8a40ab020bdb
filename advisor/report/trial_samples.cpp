#include "advisor/report/trial_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

// Of the standard deviation and the median absolute deviation of normal samples.
constexpr double normal_scale = 1.4826;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

int beyond(std::span<const double> samples, double& largest) {
  const SampleBounds bounds = sample_bounds(samples);
  int count = 0;
  for (const double sample : samples) {
    if (sample >= bounds.low && sample <= bounds.high) continue;
    ++count;
    largest = std::max(largest, sample);
  }
  return count;
}

std::string sentence(const Outliers& found) {
  if (found.samples == 0) return {};
  const std::string limit = fmt::format("{} beyond {:.0f} scaled MAD",
                                        plural(found.samples, "sample"), outlier_deviations);
  if (found.count() == 0) return "none of " + limit;
  return fmt::format("{} of {} (before {}, after {}, control {}), largest {}", found.count(), limit,
                     found.before, found.after, found.control,
                     format_milliseconds(found.largest_ms));
}

}  // namespace

SampleBounds sample_bounds(std::span<const double> samples) {
  SampleBounds bounds;
  bounds.median = median({samples.begin(), samples.end()});
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::fabs(sample - bounds.median));
  const double far = outlier_deviations * normal_scale * median(std::move(deviations));
  bounds.low = bounds.median - far;
  bounds.high = bounds.median + far;
  return bounds;
}

Outliers outliers(const ExperimentTiming& timing) {
  Outliers found;
  found.before = beyond(timing.before_samples_ms, found.largest_ms);
  found.after = beyond(timing.after_samples_ms, found.largest_ms);
  found.control = beyond(timing.control_samples_ms, found.largest_ms);
  found.samples =
      static_cast<int>(timing.before_samples_ms.size() + timing.after_samples_ms.size() +
                       timing.control_samples_ms.size());
  return found;
}

namespace words {

std::string outliers(const ExperimentTiming* timing) {
  return timing == nullptr ? std::string() : sentence(advisor::outliers(*timing));
}

std::string outliers(const ConfigurationReport& report) {
  Outliers all;
  for (const auto& row : report.trials) {
    if (row.step == nullptr) continue;
    const Outliers own = advisor::outliers(*row.step);
    all.before += own.before;
    all.after += own.after;
    all.control += own.control;
    all.samples += own.samples;
    all.largest_ms = std::max(all.largest_ms, own.largest_ms);
  }
  return sentence(all);
}

}  // namespace words
}  // namespace rnnadvisor::advisor
