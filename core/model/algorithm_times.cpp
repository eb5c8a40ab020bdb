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

// What differs less is the same row.
constexpr double worth_a_row = 1.01;

// The math types beside the configuration's own that a change of it may ask for: that with which
// Tensor Cores multiply data of this type, and the default.
std::vector<MathType> other_math_types(const RnnConfig& config) {
  std::vector<MathType> types;
  if (config.data_type == DataType::half) types.push_back(MathType::tensor_op);
  if (config.data_type == DataType::float32) types.push_back(MathType::tensor_op_allow_conversion);
  types.push_back(MathType::default_math);
  std::erase(types, config.math_type);
  return types;
}

AlgorithmTime time_of(const RnnConfig& tried, const Eligibility& eligible,
                      const PredictTime& predict) {
  AlgorithmTime time;
  time.algo = tried.algo;
  time.math_type = tried.math_type;
  time.implementation = eligible.implementation;
  time.total.emplace();
  const std::span<const Phase> phases = tried.mode == Mode::training
                                            ? std::span<const Phase>(training_phases)
                                            : std::span<const Phase>(inference);
  for (const Phase phase : phases) {
    auto& part = time.phases[static_cast<std::size_t>(phase)];
    part = predict(tried, phase);
    add(time.total, part);
  }
  if (tried.algo == Algo::persist_static_small_h) time.wrong_results = small_h_wrong_results(tried);
  return time;
}

bool any_phase(const AlgorithmTime& time) {
  return std::any_of(time.phases.begin(), time.phases.end(),
                     [](const auto& part) { return part.has_value(); });
}

void mark_best(std::vector<AlgorithmTime>& times, const RnnConfig& config) {
  std::vector<AlgorithmTime*> usable;
  for (AlgorithmTime& time : times) {
    if (time.asked && !time.total) return;
    const bool converts = time.math_type == MathType::tensor_op_allow_conversion &&
                          config.math_type != MathType::tensor_op_allow_conversion;
    if (time.total && time.wrong_results == WrongResults::none && !converts)
      usable.push_back(&time);
  }
  const auto all = usable;
  std::erase_if(usable, [&](const auto* time) {
    return std::any_of(all.begin(), all.end(), [&](const auto* other) {
      return clearly_faster(*other->total, *time->total);
    });
  });
  const bool alone = usable.size() == 1;
  for (AlgorithmTime* time : usable) (alone ? time->best : time->may_be_best) = true;
}

}  // namespace

std::vector<AlgorithmTime> algorithm_times(const RnnConfig& config, const DeviceSpec& device,
                                           const PredictTime& predict, bool fixed,
                                           bool other_math) {
  std::vector<AlgorithmTime> times;
  const Algo own_row = row_of(config);
  const auto math_types = other_math ? other_math_types(config) : std::vector<MathType>();
  bool any = false;
  for (std::size_t index = 0; index < Spellings<Algo>::values.size(); ++index) {
    RnnConfig tried = config;
    const auto algo = static_cast<Algo>(index);
    const bool asked = algo == own_row;
    if (!asked) tried.set_algo(algo);
    const auto accepted = [&]() -> std::optional<Eligibility> {
      Eligibility eligible = eligibility(tried, device);
      const bool own =
          algo == Algo::standard || eligible.implementation != Implementation::standard;
      if (first_refused(eligible, config.mode) || !own) return std::nullopt;
      return eligible;
    };
    std::optional<TimePrediction> total;
    if (const auto eligible = accepted()) {
      AlgorithmTime time = time_of(tried, *eligible, predict);
      time.algo = algo;
      time.asked = asked;
      const bool known = any_phase(time);
      any = any || known;
      total = time.total;
      if (known || asked) times.push_back(std::move(time));
    }
    for (const MathType math : math_types) {
      tried.math_type = math;
      const auto with_math = accepted();
      if (!with_math) continue;
      AlgorithmTime other = time_of(tried, *with_math, predict);
      if (other.total && (!total || other.total->seconds * worth_a_row < total->seconds))
        times.push_back(std::move(other));
    }
  }
  if (!any) return {};
  if (!fixed) mark_best(times, config);
  return times;
}

}  // namespace rnnadvisor::model
