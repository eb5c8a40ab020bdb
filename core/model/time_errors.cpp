#include "core/model/time_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/config/read_config.h"
#include "core/model/time_features.h"

namespace rnnadvisor::model {
namespace {

constexpr std::array<Phase, 1> inference_phases = {Phase::forward_inference};
constexpr std::array<Phase, 3> training_phases = {Phase::forward_training, Phase::backward_data,
                                                  Phase::backward_weights};

// Equal for configurations that differ in the algorithm alone.
std::string without_algorithm(RnnConfig config) {
  config.id.clear();
  config.set_algo(Algo::standard);
  return to_json_line(config);
}

struct Total {
  double measured = 0;
  double predicted = 0;
};

ChoiceErrors judge_choice(std::span<const Total> totals) {
  ChoiceErrors errors;
  if (totals.size() < 2) return errors;
  const auto chosen =
      std::min_element(totals.begin(), totals.end(),
                       [](const Total& a, const Total& b) { return a.predicted < b.predicted; });
  const auto best =
      std::min_element(totals.begin(), totals.end(),
                       [](const Total& a, const Total& b) { return a.measured < b.measured; });
  errors.configurations = 1;
  errors.right = chosen->measured <= best->measured ? 1 : 0;
  errors.regret.push_back(chosen->measured / best->measured - 1.0);
  return errors;
}

}  // namespace

void ChoiceErrors::add(const ChoiceErrors& other) {
  configurations += other.configurations;
  right += other.right;
  regret.insert(regret.end(), other.regret.begin(), other.regret.end());
}

TimeJudgement judge_times(
    const MeasuredTimes& measured, const DeviceSpec& device,
    const std::function<std::optional<TimePrediction>(std::size_t row, Phase phase)>& predict) {
  TimeJudgement result;
  std::map<std::string, std::vector<std::size_t>> alternatives;
  std::vector<std::array<std::optional<TimePrediction>, 4>> predictions(measured.rows.size());
  for (std::size_t i = 0; i < measured.rows.size(); ++i) {
    const MeasuredRow& row = measured.rows[i];
    alternatives[without_algorithm(row.config)].push_back(i);
    for (const Phase phase : all_phases) {
      const double seconds = row.at(phase);
      if (!(seconds > 0)) continue;
      const auto predicted = predict(i, phase);
      const auto group = time_group(row.config, device, phase);
      if (!predicted || !group) {
        ++result.without;
        continue;
      }
      predictions[i][static_cast<std::size_t>(phase)] = predicted;
      TimeErrors& errors = result.errors[to_string(*group)][phase];
      errors.relative.push_back(std::abs(predicted->seconds / seconds - 1.0));
      const bool inside = predicted->low_seconds <= seconds && seconds <= predicted->high_seconds;
      errors.covered += inside ? 1 : 0;
    }
  }
  // One for each algorithm: the mean, where it was measured more than once.
  const auto totals = [&](const std::vector<std::size_t>& rows, std::span<const Phase> phases) {
    std::map<Algo, std::vector<Total>> of_algorithms;
    for (const std::size_t i : rows) {
      Total total;
      bool whole = true;
      for (const Phase phase : phases) {
        const auto& predicted = predictions[i][static_cast<std::size_t>(phase)];
        whole = whole && predicted.has_value();
        if (!predicted) continue;
        total.measured += measured.rows[i].at(phase);
        total.predicted += predicted->seconds;
      }
      if (whole) of_algorithms[measured.rows[i].config.algo].push_back(total);
    }
    std::vector<Total> list;
    for (const auto& [algo, repeats] : of_algorithms) {
      Total mean;
      for (const Total& total : repeats) {
        mean.measured += total.measured / static_cast<double>(repeats.size());
        mean.predicted += total.predicted / static_cast<double>(repeats.size());
      }
      list.push_back(mean);
    }
    return list;
  };
  for (const auto& [key, rows] : alternatives) {
    result.inference.add(judge_choice(totals(rows, inference_phases)));
    result.training.add(judge_choice(totals(rows, training_phases)));
  }
  return result;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

}  // namespace rnnadvisor::model
