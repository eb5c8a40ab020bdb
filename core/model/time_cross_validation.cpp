#include "core/model/time_cross_validation.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/base/parallel.h"
#include "core/model/time_features.h"
#include "core/model/time_intervals.h"
#include "core/model/time_model.h"

namespace rnnadvisor::model {
namespace {

constexpr std::size_t parts = 10;  // of the shapes
// Rows that make a model without a hidden size and a batch worth its time.
constexpr std::size_t fewest_crossed = 6;

using Rows = std::vector<std::size_t>;
// What a call computes, whatever does it.
using Shape = std::tuple<int, int, int, int, int, int, int>;

Shape shape_of(const RnnConfig& config) {
  return {config.hidden_size,
          config.batch_size,
          config.seq_length,
          config.input_size,
          config.num_layers,
          config.directions(),
          static_cast<int>(config.cell)};
}

// Length, input (0: as many as units), layers and directions.
std::array<int, 4> cut_of(const RnnConfig& config) {
  return {config.seq_length, config.input_size == config.hidden_size ? 0 : config.input_size,
          config.num_layers, config.directions()};
}

// SplitMix64's mixing: shapes are neighbours in the file, and must not be so in the folds.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

std::uint64_t mixed(const Shape& shape) {
  return std::apply(
      [](auto... sizes) {
        std::uint64_t value = 0;
        ((value = mixed(value ^ static_cast<std::uint64_t>(sizes))), ...);
        return value;
      },
      shape);
}

std::map<int, Rows> lines(const MeasuredTimes& times, int RnnConfig::* size) {
  std::map<int, Rows> result;
  for (std::size_t i = 0; i < times.rows.size(); ++i)
    result[times.rows[i].config.*size].push_back(i);
  return result;
}

// Without the least and the largest, and those that have half of all rows.
std::vector<std::pair<int, Rows>> inner_lines(const MeasuredTimes& times, int RnnConfig::* size) {
  std::map<int, Rows> all = lines(times, size);
  if (all.size() < 3) return {};
  all.erase(all.begin());
  all.erase(std::prev(all.end()));
  std::erase_if(all, [&](const auto& line) { return 2 * line.second.size() >= times.rows.size(); });
  return {all.begin(), all.end()};
}

void add_shapes(const MeasuredTimes& times, std::vector<Fold>& folds) {
  std::map<std::uint64_t, Rows> shapes;
  for (std::size_t i = 0; i < times.rows.size(); ++i)
    shapes[mixed(shape_of(times.rows[i].config))].push_back(i);
  std::array<Rows, parts> split;
  std::size_t next = 0;
  for (const auto& [key, rows] : shapes) {
    Rows& part = split[next++ % parts];
    part.insert(part.end(), rows.begin(), rows.end());
  }
  for (Rows& part : split) {
    std::sort(part.begin(), part.end());
    if (!part.empty()) folds.push_back({Split::shape, part, part});
  }
}

void add_cuts(const MeasuredTimes& times, std::vector<Fold>& folds) {
  std::map<std::array<int, 4>, std::size_t> counts;
  for (const MeasuredRow& row : times.rows) ++counts[cut_of(row.config)];
  if (counts.empty()) return;
  const auto usual =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  for (std::size_t field = 0; field < usual.size(); ++field) {
    std::map<int, Rows> others;  // by hidden size
    for (std::size_t i = 0; i < times.rows.size(); ++i) {
      const RnnConfig& config = times.rows[i].config;
      if (cut_of(config)[field] != usual[field]) others[config.hidden_size].push_back(i);
    }
    for (const auto& [hidden, rows] : others) folds.push_back({Split::cut, rows, rows});
  }
}

void add_crosses(const MeasuredTimes& times, std::vector<Fold>& folds) {
  const auto hidden = inner_lines(times, &RnnConfig::hidden_size);
  const auto batch = inner_lines(times, &RnnConfig::batch_size);
  for (std::size_t b = 0; b < batch.size(); ++b) {
    for (std::size_t h = b % 2; h < hidden.size(); h += 2) {  // every second one: half of the time
      Fold fold{Split::cross, {}, {}};
      const Rows &one = hidden[h].second, &other = batch[b].second;
      std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                            std::back_inserter(fold.asked));
      if (fold.asked.size() < fewest_crossed) continue;
      std::set_union(one.begin(), one.end(), other.begin(), other.end(),
                     std::back_inserter(fold.left_out));
      folds.push_back(std::move(fold));
    }
  }
}

std::vector<LeftOutTime> predict_fold(const MeasuredTimes& times, const DeviceSpec& device,
                                      const Fold& fold) {
  MeasuredTimes rest = times;
  rest.choices = without_interval_factors(std::move(rest.choices));
  rest.rows.clear();
  for (std::size_t i = 0; i < times.rows.size(); ++i) {
    if (!std::binary_search(fold.left_out.begin(), fold.left_out.end(), i))
      rest.rows.push_back(times.rows[i]);
  }
  const TimeModel model(std::move(rest), device);
  std::vector<LeftOutTime> result;
  for (const std::size_t row : fold.asked) {
    for (const Phase phase : all_phases) {
      if (!(times.rows[row].at(phase) > 0)) continue;
      auto predicted = model.predict(times.rows[row].config, phase);
      if (predicted) result.push_back({fold.split, row, phase, std::move(*predicted)});
    }
  }
  return result;
}

}  // namespace

std::string_view to_string(Split split) {
  switch (split) {
    case Split::shape:
      return "a tenth of the shapes";
    case Split::hidden:
      return "one hidden size";
    case Split::batch:
      return "one batch";
    case Split::cut:
      return "lengths, inputs, layers or directions of one hidden size";
    case Split::cross:
      return "one hidden size and one batch";
    case Split::kernels:
      return "one algorithm and precision";
  }
  return "";
}

std::vector<Fold> folds(const MeasuredTimes& times) {
  std::vector<Fold> result;
  add_shapes(times, result);
  for (const auto& [size, rows] : inner_lines(times, &RnnConfig::hidden_size))
    result.push_back({Split::hidden, rows, rows});
  for (const auto& [size, rows] : inner_lines(times, &RnnConfig::batch_size))
    result.push_back({Split::batch, rows, rows});
  add_cuts(times, result);
  add_crosses(times, result);
  return result;
}

std::vector<Fold> kernel_folds(const MeasuredTimes& times) {
  std::map<std::tuple<Algo, DataType, MathType>, Rows> families;
  for (std::size_t i = 0; i < times.rows.size(); ++i) {
    const RnnConfig& config = times.rows[i].config;
    families[{config.algo, config.data_type, config.math_type}].push_back(i);
  }
  std::vector<Fold> result;
  for (const auto& [family, rows] : families) result.push_back({Split::kernels, rows, rows});
  return result;
}

std::vector<LeftOutTime> cross_validate(const MeasuredTimes& times, const DeviceSpec& device,
                                        const std::atomic<bool>* stop) {
  return cross_validate(times, device, folds(times), stop);
}

std::vector<LeftOutTime> cross_validate(const MeasuredTimes& times, const DeviceSpec& device,
                                        const std::vector<Fold>& all,
                                        const std::atomic<bool>* stop) {
  std::vector<std::vector<LeftOutTime>> found(all.size());
  for_pieces(all.size(), 1, [&](std::size_t i, std::size_t) {
    if (stop == nullptr || !stop->load()) found[i] = predict_fold(times, device, all[i]);
  });
  std::vector<LeftOutTime> result;
  for (auto& part : found) {
    result.insert(result.end(), std::make_move_iterator(part.begin()),
                  std::make_move_iterator(part.end()));
  }
  return result;
}

std::map<std::string, std::vector<double>> chosen_for(const MeasuredTimes& times,
                                                      const DeviceSpec& device,
                                                      const std::atomic<bool>* stop) {
  MeasuredTimes chosen = times;
  chosen.choices = TimeModel(times, device).choose(stop);
  chosen.choices.merge(interval_factors(chosen, device, cross_validate(chosen, device, stop)));
  return std::move(chosen.choices);
}

void widen_across_halves(const MeasuredTimes& times, const DeviceSpec& device,
                         std::vector<LeftOutTime>& left_out) {
  const auto half = [&](const LeftOutTime& time) {
    return static_cast<std::size_t>(mixed(shape_of(times.rows[time.row].config)) >> 63U);
  };
  std::array<std::vector<LeftOutTime>, 2> halves;
  for (const LeftOutTime& time : left_out) halves[half(time)].push_back(time);
  std::array<IntervalFactors, 2> factors;
  for (std::size_t i = 0; i < halves.size(); ++i)
    factors[i] = IntervalFactors(interval_factors(times, device, halves[1 - i]));
  for (LeftOutTime& time : left_out) {
    const auto group = time_group(times.rows[time.row].config, device, time.phase);
    if (group) widen(time.predicted, factors[half(time)].at(*group, time.phase));
  }
}

TimeJudgement judge(const MeasuredTimes& times, const DeviceSpec& device,
                    const std::vector<LeftOutTime>& left_out, Split split) {
  std::vector<std::array<std::optional<TimePrediction>, 4>> predictions(times.rows.size());
  MeasuredTimes asked;
  std::vector<std::size_t> indices;
  for (const LeftOutTime& time : left_out) {
    if (time.split == split)
      predictions[time.row][static_cast<std::size_t>(time.phase)] = time.predicted;
  }
  for (std::size_t i = 0; i < times.rows.size(); ++i) {
    if (std::none_of(predictions[i].begin(), predictions[i].end(),
                     [](const auto& predicted) { return predicted.has_value(); }))
      continue;
    asked.rows.push_back(times.rows[i]);
    indices.push_back(i);
  }
  return judge_times(asked, device, [&](std::size_t row, Phase phase) {
    return predictions[indices[row]][static_cast<std::size_t>(phase)];
  });
}

}  // namespace rnnadvisor::model
