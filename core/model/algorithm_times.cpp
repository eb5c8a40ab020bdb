#include "core/model/algorithm_times.h"

#include <algorithm>
#include <span>

namespace rnnadvisor::model {
namespace {

constexpr std::array<Phase, 1> inference = {Phase::forward_inference};
constexpr std::array<Phase, 3> training_phases = {Phase::forward_training, Phase::backward_data,
                                                  Phase::backward_weights};

void add(std::optional<TimePrediction>& total, const std::optional<TimePrediction>& part) {
  if (!total) return;
  if (!part) {
    total.reset();
    return;
  }
  total->seconds += part->seconds;
  total->low_seconds += part->low_seconds;
  total->high_seconds += part->high_seconds;
  total->extrapolated = total->extrapolated || part->extrapolated;
  total->basis = part->basis;
}

// bfloat16 runs the standard kernels whatever is asked for.
Algo row_of(const RnnConfig& config) {
  return config.data_type == DataType::bfloat16 ? Algo::standard : config.algo;
}

}  // namespace

std::vector<AlgorithmTime> algorithm_times(const RnnConfig& config, const DeviceSpec& device,
                                           const PredictTime& predict, bool fixed) {
  std::vector<AlgorithmTime> times;
  const bool trains = config.mode == Mode::training;
  const std::span<const Phase> phases =
      trains ? std::span<const Phase>(training_phases) : inference;
  const Algo own_row = row_of(config);
  bool any = false;
  for (std::size_t index = 0; index < Spellings<Algo>::values.size(); ++index) {
    RnnConfig tried = config;
    const auto algo = static_cast<Algo>(index);
    const bool asked = algo == own_row;
    if (!asked) tried.set_algo(algo);
    const Eligibility eligible = eligibility(tried, device);
    const bool own = algo == Algo::standard || eligible.implementation != Implementation::standard;
    if (first_refused(eligible, config.mode) || !own) continue;
    AlgorithmTime time;
    time.algo = algo;
    time.asked = asked;
    time.implementation = eligible.implementation;
    time.total.emplace();
    for (const Phase phase : phases) {
      auto& part = time.phases[static_cast<std::size_t>(phase)];
      part = predict(tried, phase);
      add(time.total, part);
    }
    if (tried.algo == Algo::persist_static_small_h)
      time.wrong_results = small_h_wrong_results(tried);
    const bool known = std::any_of(time.phases.begin(), time.phases.end(),
                                   [](const auto& part) { return part.has_value(); });
    any = any || known;
    if (known || asked) times.push_back(std::move(time));
  }
  if (!any) return {};
  AlgorithmTime* best = nullptr;
  for (AlgorithmTime& time : times) {
    if (time.asked && !time.total) return times;
    if (!time.total || time.wrong_results != WrongResults::none) continue;
    if (best == nullptr || time.total->seconds < best->total->seconds) best = &time;
  }
  if (best != nullptr && !fixed) best->best = true;
  return times;
}

}  // namespace rnnadvisor::model
