#include "core/model/time_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/model/cost.h"
#include "core/model/time_fit.h"
#include "core/model/time_intervals.h"
#include "core/model/time_stored.h"

namespace rnnadvisor::model {
namespace {

// Fewer points than this say nothing of how far a prediction may be off.
constexpr std::size_t fewest_points = 8;
// A fit of so many points takes a second or two.
constexpr std::size_t most_points = 1500;

struct Key {
  TimeGroup group;
  Phase phase = Phase::forward_training;

  auto operator<=>(const Key&) const = default;
};

std::string name_of(const Key& key) {
  return fmt::format("{}: {}", to_string(key.group), to_string(key.phase));
}

std::size_t index_of(Phase phase) { return static_cast<std::size_t>(phase); }

// Groups of kernels from which another one's distance from the base can be told.
constexpr std::size_t fewest_groups = 3;

// By what logarithmic factor times differ from those of the base, and how far a group is off by it,
// nine in ten times.
struct Spread {
  double log_factor = 0, radius = 0;
  bool tells = false;  // enough groups were measured
};

// The least that nine in ten do not exceed, as conformal prediction counts them; 0 of none.
double nine_in_ten(std::vector<double> misses) {
  if (misses.empty()) return 0;
  const auto rank =
      static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(misses.size() + 1)));
  std::sort(misses.begin(), misses.end());
  return misses[std::min(rank, misses.size()) - 1];
}

struct Learned {
  std::vector<std::size_t> rows;  // indices into MeasuredTimes::rows, or calls of StoredTimes
  std::optional<TimeFit> fit;     // nothing where there are too few
  double interval_factor = 1;
  std::string basis;  // of its predictions
};

// Where what was learned of a key is found without a lock. The enumerations' last values are
// Implementation::persistent_small_h, Kernels::large and Pipe::bf16_tensor.
constexpr std::size_t all_kernels = static_cast<std::size_t>(Kernels::large) + 1;
constexpr std::size_t all_pipes = static_cast<std::size_t>(Pipe::bf16_tensor) + 1;
constexpr std::size_t all_keys =
    (static_cast<std::size_t>(Implementation::persistent_small_h) + 1) * all_kernels * all_pipes *
    all_phases.size();

std::size_t index_of(const Key& key) {
  const auto& [implementation, kernels, pipe] = key.group;
  std::size_t index =
      static_cast<std::size_t>(implementation) * all_kernels + static_cast<std::size_t>(kernels);
  index = index * all_pipes + static_cast<std::size_t>(pipe);
  return index * all_phases.size() + index_of(key.phase);
}

// The latest predictions, each at the one place that its call has. A search for a better
// configuration asks for the same call again and again, and lines of a sweep for each other's.
class KeptPredictions {
 public:
  static std::size_t place_of(const RnnConfig& config, Phase phase) {
    std::uint64_t hash = 0;
    const auto mix = [&](auto value) {
      hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    };
    mix(config.hidden_size);
    mix(config.batch_size);
    mix(config.seq_length);
    mix(config.input_size);
    mix(config.num_layers);
    for (const auto word : {static_cast<int>(config.cell), static_cast<int>(config.algo),
                            static_cast<int>(config.direction), static_cast<int>(config.data_type),
                            static_cast<int>(config.math_type), static_cast<int>(phase)})
      mix(word);
    return hash % size;
  }

  std::optional<TimePrediction> at(std::size_t place, const RnnConfig& config, Phase phase) {
    const std::lock_guard lock(mutexes_[place % mutexes_.size()]);
    const Kept& kept = kept_[place];
    if (!kept.prediction || kept.phase != phase || !(kept.config == config)) return std::nullopt;
    return kept.prediction;
  }

  void keep(std::size_t place, RnnConfig config, Phase phase, const TimePrediction& prediction) {
    const std::lock_guard lock(mutexes_[place % mutexes_.size()]);
    kept_[place] = {std::move(config), phase, prediction};
  }

 private:
  struct Kept {
    RnnConfig config;
    Phase phase = Phase::forward_training;
    std::optional<TimePrediction> prediction;  // nothing is kept here yet
  };

  static constexpr std::size_t size = 8192;
  std::vector<Kept> kept_ = std::vector<Kept>(size);
  std::array<std::mutex, 64> mutexes_;
};

}  // namespace

struct TimeModel::State {
  MeasuredTimes times;
  DeviceSpec device;
  IntervalFactors intervals;
  std::shared_ptr<const TimeModel> base;         // that the rows correct; null: they stand alone
  std::optional<StoredTimes> stored;             // then there are no rows
  std::map<Key, std::vector<std::size_t>> rows;  // the first one of each configuration
  // All rows of a configuration that was measured more than once, by the first one: other
  // recordings of the same grid, or cuts that cross.
  std::map<std::size_t, std::vector<std::size_t>> repeats;
  mutable std::mutex mutex;
  mutable std::array<std::optional<double>, 4> transfer;
  mutable std::array<std::optional<Spread>, 4> spreads;
  mutable std::map<Key, Learned> learned;  // nodes of a map stay where they are
  // Those nodes, once they are made, by index_of().
  mutable std::array<std::atomic<const Learned*>, all_keys> ready{};
  mutable KeptPredictions kept;

  // How many times as long as on the base's GPU latencies and work take, all kernels of a phase
  // together: a GPU with fewer multiprocessors has the same latencies.
  struct Scale {
    double latency = 1, work = 1;
  };
  std::array<Scale, 4> scales;  // by phase

  struct KnownWork {
    Work work{};
    double log_radius = 0;  // of the base's prediction
  };
  // Work whose first order is the base's prediction at the scale of this GPU; nothing where that
  // has none.
  std::optional<KnownWork> work_of(const RnnConfig& config, Phase phase) const {
    if (base == nullptr) return KnownWork{work(config, phase)};
    const auto predicted = base->predict(config, phase);
    if (!predicted) return std::nullopt;
    const double latency = base->state_->latency_share(config, phase);
    const Scale& scale = scales[index_of(phase)];
    KnownWork known;
    known.work[overhead_terms] =
        predicted->seconds * (scale.latency * latency + scale.work * (1 - latency));
    known.log_radius = std::log(predicted->high_seconds / predicted->seconds);
    return known;
  }

  double latency_share(const RnnConfig& config, Phase phase) const {
    const auto group = time_group(config, device, phase);
    if (!group) return 1;
    const Learned& learned_here = learn({*group, phase});
    return learned_here.fit ? learned_here.fit->latency_share(work(config, phase)) : 1;
  }

  void take_scales() {
    for (const Phase phase : all_phases) {
      TimePoints points;
      points.overhead.emplace();  // it is in the base's prediction
      for (const MeasuredRow& row : times.rows) {
        if (uncalibrated_options(row.config) || row.at(phase) <= 0) continue;
        const auto predicted = base->predict(row.config, phase);
        if (!predicted) continue;
        const double latency = base->state_->latency_share(row.config, phase);
        auto& split = points.works.emplace_back();
        split[overhead_terms] = predicted->seconds * latency;
        split[overhead_terms + 1] = predicted->seconds * (1 - latency);
        points.seconds.push_back(row.at(phase));
      }
      if (points.works.size() < fewest_points) continue;
      const Work factors = fit_first_order(points);
      const Scale scale{factors[overhead_terms], factors[overhead_terms + 1]};
      // None where all that was measured is of one kind: the factors of its groups do the rest.
      if (std::min(scale.latency, scale.work) > 0) scales[index_of(phase)] = scale;
    }
  }

  void take_rows() {
    std::map<Key, std::map<std::pair<Work, Place>, std::size_t>> first;
    for (std::size_t i = 0; i < times.rows.size(); ++i) {
      const MeasuredRow& row = times.rows[i];
      if (uncalibrated_options(row.config)) continue;
      for (const Phase phase : all_phases) {
        const auto group = time_group(row.config, device, phase);
        if (!group || row.at(phase) <= 0 || !work_of(row.config, phase)) continue;
        const Key key{*group, phase};
        const auto [at, fresh] =
            first[key].try_emplace({work(row.config, phase), place(row.config)}, i);
        if (fresh) {
          rows[key].push_back(i);
        } else if (auto& all = repeats[at->second];
                   std::find(all.begin(), all.end(), i) == all.end()) {
          all.push_back(i);
        }
      }
    }
  }

  // Of several measurements the geometric mean: how far they are apart is the machine's, not the
  // configuration's.
  double seconds_of(std::size_t index, Phase phase) const {
    double sum = std::log(times.rows[index].at(phase));
    int count = 1;
    const auto others = repeats.find(index);
    if (others != repeats.end()) {
      for (const std::size_t other : others->second) {
        if (times.rows[other].at(phase) <= 0) continue;
        sum += std::log(times.rows[other].at(phase));
        ++count;
      }
    }
    return std::exp(sum / count);
  }

  TimePoints points_of(const std::vector<std::size_t>& indices, Phase phase) const {
    TimePoints points;
    for (const std::size_t index : indices) {
      const MeasuredRow& row = times.rows[index];
      points.works.push_back(work_of(row.config, phase)->work);
      points.places.push_back(place(row.config));
      points.seconds.push_back(seconds_of(index, phase));
    }
    return points;
  }

  // The points of a group and phase. Where they have too few lengths to tell overhead from steps,
  // the overhead is that of a group that has, of the same implementation if there is one, else of a
  // persistent one for persistent ones.
  TimePoints points_with_overhead(const Key& key, const std::vector<std::size_t>& indices) const {
    TimePoints points = points_of(indices, key.phase);
    if (base != nullptr) points.overhead.emplace();  // it is in the base's prediction
    if (base != nullptr || points.tells_overhead()) return points;
    const auto kinship = [&](const TimeGroup& other) {
      const bool standard = key.group.implementation == Implementation::standard;
      if (other.implementation == key.group.implementation) return 2;
      return standard == (other.implementation == Implementation::standard) ? 1 : 0;
    };
    int nearest = -1;
    for (const auto& [other, others] : rows) {
      if (other.phase != key.phase || kinship(other.group) <= nearest) continue;
      const TimePoints lender = points_of(others, key.phase);
      if (!lender.tells_overhead()) continue;
      nearest = kinship(other.group);
      const Work factors = fit_first_order(lender);
      points.overhead.emplace();
      std::copy_n(factors.begin(), overhead_terms, points.overhead->begin());
    }
    return points;
  }

  // What the file says was chosen, where that is usable; else the start of the choice.
  Likeness likeness_of(const Key& key) const {
    Likeness likeness;
    const auto found = times.choices.find(name_of(key));
    if (found == times.choices.end()) return likeness;
    const std::vector<double>& chosen = found->second;
    if (chosen.size() != Likeness::entries && chosen.size() != Likeness::old_entries)
      return likeness;
    for (const double value : chosen) {
      constexpr double least = 1e-3, most = 1e3;
      if (!(value >= least && value <= most)) return likeness;
    }
    std::copy(chosen.begin(), chosen.end(), likeness.values.begin());
    if (chosen.size() == Likeness::old_entries)
      likeness.values[Likeness::direction] = likeness.values[Likeness::stack];
    return likeness;
  }

  // How far off predictions are in length, layers, directions and input of a group in which these
  // were not measured: learned on groups in which they were, by fitting them without. Nine in ten
  // logarithms of time miss by at most this; 0 where no group tells.
  double transfer_radius(Phase phase) const {
    if (base != nullptr) return spread(phase).radius;
    std::vector<double> misses;
    for (const auto& [key, indices] : rows) {
      if (key.phase != phase) continue;
      const TimePoints whole = points_of(indices, phase);
      if (!whole.tells_overhead()) continue;
      constexpr std::size_t first = 2, last = 5;  // of Place: length, input, layers, directions
      const auto cut = [](const Place& place) {
        return std::vector<double>(place.begin() + first, place.begin() + last + 1);
      };
      std::map<std::vector<double>, std::size_t> counts;
      for (const Place& place : whole.places) ++counts[cut(place)];
      const auto usual =
          std::max_element(counts.begin(), counts.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      TimePoints part;
      part.overhead.emplace();
      const Work factors = fit_first_order(whole);
      std::copy_n(factors.begin(), overhead_terms, part.overhead->begin());
      std::vector<std::size_t> others;
      for (std::size_t i = 0; i < whole.places.size(); ++i) {
        if (cut(whole.places[i]) != usual->first) {
          others.push_back(i);
          continue;
        }
        part.works.push_back(whole.works[i]);
        part.places.push_back(whole.places[i]);
        part.seconds.push_back(whole.seconds[i]);
      }
      if (part.works.size() < fewest_points) continue;
      const TimeFit fit(part, likeness_of(key));
      for (const std::size_t i : others) {
        const double predicted = fit.at(whole.works[i], whole.places[i]).log_seconds;
        misses.push_back(std::abs(predicted - std::log(whole.seconds[i])));
      }
    }
    return nine_in_ten(std::move(misses));
  }

  // How the groups of a phase differ from the base: for each, its rows against the mean of the
  // other groups.
  Spread spread_of(Phase phase) const {
    std::vector<std::vector<double>> groups;
    for (const auto& [key, indices] : rows) {
      if (key.phase != phase) continue;
      auto& logarithms = groups.emplace_back();
      const TimePoints points = points_of(indices, phase);
      for (std::size_t i = 0; i < points.seconds.size(); ++i)
        logarithms.push_back(std::log(points.seconds[i] / points.works[i][overhead_terms]));
    }
    Spread found;
    if (groups.empty()) return found;
    std::vector<double> means;
    for (const auto& one : groups)
      means.push_back(std::accumulate(one.begin(), one.end(), 0.0) /
                      static_cast<double>(one.size()));
    const double sum = std::accumulate(means.begin(), means.end(), 0.0);
    found.log_factor = sum / static_cast<double>(groups.size());
    found.tells = groups.size() >= fewest_groups;
    if (!found.tells) return found;
    std::vector<double> misses;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double others = (sum - means[g]) / static_cast<double>(groups.size() - 1);
      for (const double one : groups[g]) misses.push_back(std::abs(one - others));
    }
    found.radius = nine_in_ten(std::move(misses));
    return found;
  }

  // Remembered by phase. Needs the lock.
  const Spread& spread(Phase phase) const {
    auto& known = spreads[index_of(phase)];
    if (!known) known = spread_of(phase);
    return *known;
  }

  // Remembered by phase.
  double known_transfer_radius(Phase phase) const {
    const std::lock_guard lock(mutex);
    auto& radius = transfer[index_of(phase)];
    if (!radius) radius = stored ? stored->transfer()[index_of(phase)] : transfer_radius(phase);
    return *radius;
  }

  const Learned& learn(const Key& key) const {
    auto& known = ready[index_of(key)];
    if (const Learned* made = known.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(mutex);
    const auto [at, fresh] = learned.try_emplace(key);
    if (fresh) at->second = made_of(key);
    known.store(&at->second, std::memory_order_release);
    return at->second;
  }

  Learned made_of(const Key& key) const {
    Learned made;
    if (stored) {
      if (auto fit = stored->fit(name_of(key))) {
        made.fit.emplace(stored->places(*fit), std::move(fit->result));
        made.rows = std::move(fit->calls);
        made.interval_factor = fit->interval_factor;
      }
    } else if (const auto points = rows.find(key); points != rows.end()) {
      made.rows = points->second;
      if (made.rows.size() >= fewest_points) {
        made.fit.emplace(points_with_overhead(key, made.rows), likeness_of(key));
        made.interval_factor = intervals.at(key.group, key.phase);
      }
    }
    made.basis = fmt::format("{} measured on one {}, cuDNN {}",
                             plural(static_cast<long long>(made.rows.size()), "configuration"),
                             times.device, times.cudnn_version.empty() ? "?" : times.cudnn_version);
    if (base != nullptr) made.basis += ", which correct predictions of " + base->times().device;
    return made;
  }

  TimePrediction prediction(const Learned& learned_here, const TimeFit::Estimate& estimate) const {
    TimePrediction result;
    result.seconds = std::exp(estimate.log_seconds);
    result.low_seconds = std::exp(estimate.log_seconds - estimate.log_radius);
    result.high_seconds = std::exp(estimate.log_seconds + estimate.log_radius);
    widen(result, learned_here.interval_factor);
    result.basis = learned_here.basis;
    result.cudnn_version = times.cudnn_version;
    return result;
  }

  // Of kernels of which too little was measured; nothing where no base knows them, or where other
  // kernels cannot tell how far off that is.
  std::optional<TimePrediction> of_other_groups(const Learned& learned_here, const KnownWork& own,
                                                Phase phase) const {
    if (base == nullptr) return std::nullopt;
    Spread known;
    {
      const std::lock_guard lock(mutex);
      known = spread(phase);
    }
    if (!known.tells) return std::nullopt;
    TimePrediction result =
        prediction(learned_here, {std::log(own.work[overhead_terms]) + known.log_factor,
                                  std::hypot(known.radius, own.log_radius)});
    result.extrapolated = true;
    return result;
  }

  // Of a call with one algorithm.
  std::optional<TimePrediction> predict(const RnnConfig& config, Phase phase) const {
    const auto group = time_group(config, device, phase);
    if (!group) return std::nullopt;
    const bool backward = phase == Phase::backward_data || phase == Phase::backward_weights;
    if (backward && !eligibility(config, device).at(Stage::backward_data)) return std::nullopt;
    const auto known = work_of(config, phase);
    if (!known) return std::nullopt;
    const Learned& learned_here = learn({*group, phase});
    if (!learned_here.fit) return of_other_groups(learned_here, *known, phase);
    const Place where = place(config);
    TimeFit::Estimate estimate = learned_here.fit->at(known->work, where);
    const bool extrapolated = uncalibrated_options(config) || !learned_here.fit->inside(where);
    if (extrapolated)
      estimate.log_radius = std::max(estimate.log_radius, known_transfer_radius(phase));
    // The base knew the rows that were measured here, and misses others by as much as ever.
    estimate.log_radius = std::hypot(estimate.log_radius, known->log_radius);
    TimePrediction result = prediction(learned_here, estimate);
    result.extrapolated = extrapolated;
    return result;
  }
};

TimeModel::TimeModel(MeasuredTimes times, DeviceSpec device) : state_(std::make_unique<State>()) {
  if (!times.adapts.empty()) state_->base = shipped_fits(times.adapts);
  state_->times = std::move(times);
  state_->device = std::move(device);
  state_->intervals = IntervalFactors(state_->times.choices);
  if (state_->base != nullptr) state_->take_scales();
  state_->take_rows();
  // Evenly thinned: the file may be of any length, and a fit takes the cube of its points.
  for (auto& [key, indices] : state_->rows) {
    if (indices.size() <= most_points) continue;
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < most_points; ++k)
      kept.push_back(indices[k * indices.size() / most_points]);
    indices = std::move(kept);
  }
}

TimeModel::TimeModel(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::shared_ptr<const TimeModel> TimeModel::from_stored(std::string_view text, DeviceSpec device) {
  auto stored = StoredTimes::read(text);
  if (!stored) return nullptr;
  auto state = std::make_unique<State>();
  state->times.device = stored->device();
  state->times.cudnn_version = stored->cudnn_version();
  state->device = std::move(device);
  state->stored = std::move(stored);
  return std::shared_ptr<const TimeModel>(new TimeModel(std::move(state)));
}

std::string TimeModel::stored() const {
  std::array<double, 4> transfer{};
  for (const Phase phase : all_phases)
    transfer[index_of(phase)] = state_->known_transfer_radius(phase);
  std::map<std::size_t, std::size_t> places;  // of the rows that are points, among the calls
  std::vector<RnnConfig> calls;
  std::map<std::string, StoredFit> fits;
  for (const auto& [key, indices] : state_->rows) {
    const Learned& learned = state_->learn(key);
    if (!learned.fit) continue;
    StoredFit& fit = fits[name_of(key)];
    fit.result = learned.fit->result();
    fit.interval_factor = learned.interval_factor;
    for (const std::size_t row : learned.rows) {
      const auto [at, fresh] = places.try_emplace(row, calls.size());
      if (fresh) calls.push_back(state_->times.rows[row].config);
      fit.calls.push_back(at->second);
    }
  }
  return write_stored_times(state_->times.device, state_->times.cudnn_version, transfer, calls,
                            fits);
}

TimeModel::~TimeModel() = default;
const MeasuredTimes& TimeModel::times() const { return state_->times; }
const DeviceSpec& TimeModel::device() const { return state_->device; }

std::optional<TimePrediction> TimeModel::predict(const RnnConfig& config, Phase phase) const {
  if (config.mixed_algos()) {
    RnnConfig one = config;
    one.set_algo(config.algo_of(phase));
    return predict(one, phase);
  }
  RnnConfig call = config;
  call.id.clear();
  const std::size_t place = KeptPredictions::place_of(call, phase);
  if (auto known = state_->kept.at(place, call, phase)) return known;
  auto made = state_->predict(call, phase);
  if (made) {
    // No call is faster than the device can be at most: less than that is no prediction.
    const double least = lower_bound(call, phase, state_->device).bound_ms / 1e3;
    if (made->seconds < least) return std::nullopt;
    made->low_seconds = std::max(made->low_seconds, least);
  }
  if (made) state_->kept.keep(place, std::move(call), phase, *made);
  return made;
}

std::vector<std::optional<TimePrediction>> TimeModel::left_out(Phase phase) const {
  std::vector<std::optional<TimePrediction>> result(state_->times.rows.size());
  for (const auto& [key, indices] : state_->rows) {
    if (key.phase != phase) continue;
    const Learned& learned = state_->learn(key);
    if (!learned.fit) continue;
    for (std::size_t i = 0; i < learned.rows.size(); ++i) {
      const auto predicted = state_->prediction(learned, learned.fit->left_out()[i]);
      result[learned.rows[i]] = predicted;
      const auto repeated = state_->repeats.find(learned.rows[i]);
      if (repeated == state_->repeats.end()) continue;
      for (const std::size_t other : repeated->second)
        if (state_->times.rows[other].at(phase) > 0) result[other] = predicted;
    }
  }
  return result;
}

std::map<std::string, std::vector<double>> TimeModel::choose(const std::atomic<bool>* stop) const {
  std::map<std::string, std::vector<double>> choices;
  for (const auto& [key, indices] : state_->rows) {
    if (stop != nullptr && stop->load()) break;
    if (indices.size() < fewest_points) continue;
    const Likeness chosen = choose_likeness(state_->points_with_overhead(key, indices));
    choices[name_of(key)].assign(chosen.values.begin(), chosen.values.end());
  }
  return choices;
}

std::shared_ptr<const TimeModel> shipped_fits(const std::string& id) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimeModel>> models;
  const std::lock_guard lock(mutex);
  const auto [at, missing] = models.try_emplace(id);
  if (missing) {
    if (const auto device = find_device(id))
      at->second = TimeModel::from_stored(find_stored_fits(id, *device), *device);
  }
  return at->second;
}

PredictTime predictor(std::shared_ptr<const TimeModel> model) {
  return [model = std::move(model)](const RnnConfig& config, Phase phase) {
    return model->predict(config, phase);
  };
}

Result<std::shared_ptr<const TimeModel>> find_time_model(std::string_view name,
                                                         const DeviceSpec& device) {
  if (auto model = TimeModel::from_stored(find_stored_fits(name, device), device)) return model;
  auto times = find_measured_times(name, device);
  if (!times) return fail(std::move(times.error()));
  if (!*times) return std::shared_ptr<const TimeModel>();
  if (const std::string& other = (*times)->adapts; !other.empty() && shipped_fits(other) == nullptr)
    return fail(ErrorCode::not_found,
                fmt::format("the times of '{}' correct those of '{}', of which this rnnadvisor has "
                            "none",
                            name, to_valid_utf8(other)),
                "measure again with `rnnadvisor calibrate`");
  return std::make_shared<const TimeModel>(std::move(**times), device);
}

}  // namespace rnnadvisor::model
