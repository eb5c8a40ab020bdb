#include "core/model/time_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/model/time_cross_validation.h"

namespace rnnadvisor::model {
namespace {

constexpr std::string_view key_begin = "interval of ";
constexpr double most_factor = 20;
constexpr double covered = 0.9;
// A 90th percentile of fewer is one of the largest two.
constexpr std::size_t enough = 20;

// The order statistic that holds nine in ten of one more than there are: with few it is the
// largest.
double conformal_quantile(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(covered * static_cast<double>(ratios.size() + 1)));
  return ratios[std::min(rank, ratios.size()) - 1];
}

// How far off a prediction is, in units of its interval.
double ratio_of(double seconds, const TimePrediction& predicted) {
  const double off = std::log(seconds / predicted.seconds);
  const double radius = off > 0 ? std::log(predicted.high_seconds / predicted.seconds)
                                : std::log(predicted.seconds / predicted.low_seconds);
  return std::abs(off) / std::max(radius, 1e-6);
}

using Ratios = std::map<Split, std::vector<double>>;

// The largest of the splits that have enough; of all together where none has.
double factor_of(const Ratios& ratios) {
  double factor = 0;
  std::vector<double> all;
  for (const auto& [split, list] : ratios) {
    all.insert(all.end(), list.begin(), list.end());
    if (list.size() >= enough) factor = std::max(factor, conformal_quantile(list));
  }
  if (factor == 0 && !all.empty()) factor = conformal_quantile(all);
  return std::clamp(factor, 1.0, most_factor);
}

}  // namespace

std::string interval_key(const TimeGroup& group, Phase phase) {
  return fmt::format("{}{}: {}", key_begin, to_string(group), to_string(phase));
}

bool is_interval_key(std::string_view key) { return key.starts_with(key_begin); }

double IntervalFactors::at(const TimeGroup& group, Phase phase) const {
  const auto found = choices_.find(interval_key(group, phase));
  if (found == choices_.end() || found->second.size() != 1) return 1;
  const double factor = found->second.front();
  return factor >= 1 && factor <= most_factor ? factor : 1;
}

void widen(TimePrediction& prediction, double factor) {
  prediction.low_seconds =
      prediction.seconds * std::pow(prediction.low_seconds / prediction.seconds, factor);
  prediction.high_seconds =
      prediction.seconds * std::pow(prediction.high_seconds / prediction.seconds, factor);
}

std::map<std::string, std::vector<double>> without_interval_factors(
    std::map<std::string, std::vector<double>> choices) {
  std::erase_if(choices, [](const auto& choice) { return is_interval_key(choice.first); });
  return choices;
}

std::map<std::string, std::vector<double>> interval_factors(
    const MeasuredTimes& times, const DeviceSpec& device,
    const std::vector<LeftOutTime>& left_out) {
  std::map<Phase, Ratios> of_phases;
  std::map<std::pair<TimeGroup, Phase>, Ratios> of_groups;
  for (const LeftOutTime& time : left_out) {
    const MeasuredRow& row = times.rows[time.row];
    const auto group = time_group(row.config, device, time.phase);
    if (!group) continue;
    const double ratio = ratio_of(row.at(time.phase), time.predicted);
    of_phases[time.phase][time.split].push_back(ratio);
    of_groups[{*group, time.phase}][time.split].push_back(ratio);
  }
  std::map<std::string, std::vector<double>> result;
  for (const auto& [key, ratios] : of_groups) {
    std::size_t most = 0;
    for (const auto& [split, list] : ratios) most = std::max(most, list.size());
    // Few are held near the factor of all kernels, the nearer the fewer.
    const double own = std::min(1.0, static_cast<double>(most) / (2.0 * enough));
    const double logarithm = own * std::log(factor_of(ratios)) +
                             (1 - own) * std::log(factor_of(of_phases.at(key.second)));
    result[interval_key(key.first, key.second)] = {std::exp(logarithm)};
  }
  return result;
}

}  // namespace rnnadvisor::model
