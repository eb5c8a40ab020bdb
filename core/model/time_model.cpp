#include "core/model/time_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "core/model/time_fit.h"

namespace rnnadvisor::model {
namespace {

// Fewer points than this say nothing of how far a prediction may be off.
constexpr std::size_t fewest_points = 8;

struct Key {
  TimeGroup group;
  Phase phase = Phase::forward_training;

  auto operator<=>(const Key&) const = default;
};

std::string name_of(const Key& key) {
  return fmt::format("{}: {}", to_string(key.group), to_string(key.phase));
}

struct Learned {
  std::vector<std::size_t> rows;  // indices into MeasuredTimes::rows
  std::optional<TimeFit> fit;     // nothing where there are too few
};

}  // namespace

struct TimeModel::State {
  MeasuredTimes times;
  DeviceSpec device;
  std::map<Key, std::vector<std::size_t>> rows;
  mutable std::mutex mutex;
  mutable std::map<Key, Learned> learned;  // nodes of a map stay where they are

  TimePoints points_of(const std::vector<std::size_t>& indices, Phase phase) const {
    TimePoints points;
    for (const std::size_t index : indices) {
      const MeasuredRow& row = times.rows[index];
      points.works.push_back(work(row.config, phase));
      points.places.push_back(place(row.config));
      points.seconds.push_back(row.at(phase));
    }
    return points;
  }

  // What the file says was chosen, where that is usable; else the start of the choice.
  Likeness likeness_of(const Key& key) const {
    Likeness likeness;
    const auto found = times.choices.find(name_of(key));
    if (found == times.choices.end() || found->second.size() != likeness.values.size())
      return likeness;
    for (const double value : found->second) {
      constexpr double least = 1e-3, most = 1e3;
      if (!(value >= least && value <= most)) return likeness;
    }
    std::copy(found->second.begin(), found->second.end(), likeness.values.begin());
    return likeness;
  }

  const Learned& learn(const Key& key) const {
    const std::lock_guard lock(mutex);
    const auto found = learned.find(key);
    if (found != learned.end()) return found->second;
    Learned& made = learned[key];
    const auto points = rows.find(key);
    if (points == rows.end()) return made;
    made.rows = points->second;
    if (made.rows.size() < fewest_points) return made;
    made.fit.emplace(points_of(made.rows, key.phase), likeness_of(key));
    return made;
  }

  TimePrediction prediction(const Learned& learned_here, const TimeFit::Estimate& estimate) const {
    TimePrediction result;
    result.seconds = std::exp(estimate.log_seconds);
    result.low_seconds = std::exp(estimate.log_seconds - estimate.log_radius);
    result.high_seconds = std::exp(estimate.log_seconds + estimate.log_radius);
    result.basis = fmt::format("{} configurations measured on one {}, cuDNN {}",
                               learned_here.rows.size(), times.device,
                               times.cudnn_version.empty() ? "?" : times.cudnn_version);
    return result;
  }
};

TimeModel::TimeModel(MeasuredTimes times, DeviceSpec device)
    : state_(std::make_unique<State>()) {
  state_->times = std::move(times);
  state_->device = std::move(device);
  for (std::size_t i = 0; i < state_->times.rows.size(); ++i) {
    const MeasuredRow& row = state_->times.rows[i];
    const auto group = time_group(row.config, state_->device);
    if (!group || uncalibrated_options(row.config)) continue;
    for (const Phase phase : all_phases) {
      if (row.at(phase) > 0) state_->rows[{*group, phase}].push_back(i);
    }
  }
}

TimeModel::~TimeModel() = default;
const MeasuredTimes& TimeModel::times() const { return state_->times; }
const DeviceSpec& TimeModel::device() const { return state_->device; }

std::optional<TimePrediction> TimeModel::predict(const RnnConfig& config, Phase phase) const {
  const auto group = time_group(config, state_->device);
  if (!group) return std::nullopt;
  const bool backward = phase == Phase::backward_data || phase == Phase::backward_weights;
  if (backward && !eligibility(config, state_->device).at(Stage::backward_data))
    return std::nullopt;
  const Learned& learned = state_->learn({*group, phase});
  if (!learned.fit) return std::nullopt;
  const Place where = place(config);
  TimePrediction result = state_->prediction(learned, learned.fit->at(work(config, phase), where));
  result.extrapolated = uncalibrated_options(config) || !learned.fit->inside(where);
  return result;
}

std::vector<std::optional<TimePrediction>> TimeModel::left_out(Phase phase) const {
  std::vector<std::optional<TimePrediction>> result(state_->times.rows.size());
  for (const auto& [key, indices] : state_->rows) {
    if (key.phase != phase) continue;
    const Learned& learned = state_->learn(key);
    if (!learned.fit) continue;
    for (std::size_t i = 0; i < learned.rows.size(); ++i)
      result[learned.rows[i]] = state_->prediction(learned, learned.fit->left_out()[i]);
  }
  return result;
}

std::map<std::string, std::vector<double>> TimeModel::choose(const std::atomic<bool>* stop) const {
  std::map<std::string, std::vector<double>> choices;
  for (const auto& [key, indices] : state_->rows) {
    if (stop != nullptr && stop->load()) break;
    if (indices.size() < fewest_points) continue;
    const Likeness chosen = choose_likeness(state_->points_of(indices, key.phase));
    choices[name_of(key)].assign(chosen.values.begin(), chosen.values.end());
  }
  return choices;
}

PredictTime predictor(std::shared_ptr<const TimeModel> model) {
  return [model = std::move(model)](const RnnConfig& config, Phase phase) {
    return model->predict(config, phase);
  };
}

Result<std::shared_ptr<const TimeModel>> find_time_model(std::string_view name,
                                                         const DeviceSpec& device) {
  auto times = find_measured_times(name, device);
  if (!times) return fail(std::move(times.error()));
  if (!*times) return std::shared_ptr<const TimeModel>();
  return std::make_shared<const TimeModel>(std::move(**times), device);
}

}  // namespace rnnadvisor::model
