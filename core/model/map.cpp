#include "core/model/map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "core/model/cost.h"
#include "core/model/map_ticks.h"
#include "core/model/memory.h"

namespace rnnadvisor::model {
namespace {

constexpr std::array<Algo, 4> all_algos = {Algo::standard, Algo::persist_static,
                                           Algo::persist_dynamic, Algo::persist_static_small_h};

std::pair<MapDimension, MapDimension> dimensions(MapAxes axes) {
  switch (axes) {
    case MapAxes::hidden_batch:
      return {MapDimension::hidden, MapDimension::batch};
    case MapAxes::hidden_type:
      return {MapDimension::type, MapDimension::hidden};  // long labels stand before rows
    case MapAxes::length_batch:
      break;
  }
  return {MapDimension::length, MapDimension::batch};
}

bool accepted(const Eligibility& answer, Mode mode) {
  if (mode == Mode::inference) return answer.at(Stage::forward_inference);
  return answer.at(Stage::forward_training) && answer.at(Stage::backward_data) &&
         answer.at(Stage::backward_weights);
}

// Of all that is asked of a time, the part that is the same for every cell.
class Clock {
 public:
  explicit Clock(const MapRequest& request) : request_(request) {
    for (const auto& row : request.measured) {
      measured_.push_back(row);
      measured_.back().config = comparable(row.config);
    }
  }

  std::optional<MapTime> time(const RnnConfig& config, std::string* basis) const {
    MapTime sum;
    sum.measured = true;
    for (const Phase phase : phases_of(config.mode)) {
      if (const auto* row = find(config, phase)) {
        sum.seconds += row->seconds;
        sum.low_seconds += row->low_seconds;
        sum.high_seconds += row->high_seconds;
        continue;
      }
      if (!request_.predict) return std::nullopt;
      const auto predicted = request_.predict(config, phase);
      if (!predicted || !(predicted->seconds > 0)) return std::nullopt;
      sum.measured = false;
      sum.seconds += predicted->seconds;
      sum.low_seconds += std::min(predicted->low_seconds, predicted->seconds);
      sum.high_seconds += std::max(predicted->high_seconds, predicted->seconds);
      sum.extrapolated = sum.extrapolated || predicted->extrapolated;
      if (basis->empty()) *basis = predicted->basis;
    }
    return sum;
  }

 private:
  // What a name and the seed of dropout are does not change the time; the mode is that of the
  // phase.
  static RnnConfig comparable(RnnConfig config) {
    config.id.clear();
    config.dropout_seed = 0;
    config.mode = Mode::training;
    return config;
  }
  const MeasuredTime* find(const RnnConfig& config, Phase phase) const {
    if (measured_.empty()) return nullptr;
    const RnnConfig wanted = comparable(config);
    const auto found = std::find_if(measured_.begin(), measured_.end(), [&](const auto& row) {
      return row.phase == phase && row.seconds > 0 && row.config == wanted;
    });
    return found == measured_.end() ? nullptr : &*found;
  }

  const MapRequest& request_;
  std::vector<MeasuredTime> measured_;
};

// Time of `slow` over time of `fast`.
Ratio ratio(const MapTime& slow, const MapTime& fast) {
  const auto over = [](double a, double b) { return b > 0 ? a / b : 1; };
  return {over(slow.seconds, fast.seconds), over(slow.low_seconds, fast.high_seconds),
          over(slow.high_seconds, fast.low_seconds)};
}

bool usable(const MapCell& cell, const RnnConfig& config, Algo algo) {
  if (!cell.run(algo).accepted || !cell.run(algo).time) return false;
  // An algorithm that falls back to the standard kernels is the standard one.
  if (algo != Algo::standard && cell.run(algo).implementation == Implementation::standard)
    return false;
  return algo != Algo::persist_static_small_h ||
         small_h_wrong_results(config) == WrongResults::none;
}

std::optional<Algo> best_of(const MapCell& cell, const RnnConfig& config) {
  std::optional<Algo> first;
  for (const Algo algo : {cell.asked, Algo::standard, Algo::persist_static, Algo::persist_dynamic,
                          Algo::persist_static_small_h}) {
    if (!first && usable(cell, config, algo)) first = algo;
  }
  auto best = first;
  for (const Algo algo : all_algos) {
    if (!usable(cell, config, algo)) continue;
    const MapTime& time = *cell.run(algo).time;
    if (clearly_faster(time, *cell.run(*first).time) &&
        (best == first || time.seconds < cell.run(*best).time->seconds))
      best = algo;
  }
  return best;
}

// What runs where a framework picks the algorithm.
std::optional<Algo> picked_of(const MapCell& cell, const RnnConfig& config) {
  const bool falls_back = cell.run().implementation == Implementation::standard;
  const Algo algo = falls_back ? Algo::standard : cell.asked;
  return usable(cell, config, algo) ? std::optional(algo) : std::nullopt;
}

// `picked`: a framework picks the algorithm, so that no other one runs, however fast.
MapCell make_cell(RnnConfig config, const DeviceSpec& device, const Clock& clock, bool picked,
                  std::string* basis) {
  MapCell cell;
  cell.asked = config.algo;
  const auto backward = config.backward_algo;
  for (const Algo algo : all_algos) {
    config.set_algo(algo);
    if (algo == cell.asked) config.backward_algo = backward;
    MapRun& run = cell.runs[static_cast<std::size_t>(algo)];
    const Eligibility answer = eligibility(config, device);
    run.accepted = accepted(answer, config.mode);
    if (!run.accepted) continue;
    run.implementation = answer.implementation;
    run.time = clock.time(config, basis);
  }
  config.set_algo(cell.asked);
  config.backward_algo = backward;
  cell.best = picked ? picked_of(cell, config) : best_of(cell, config);
  const MapRun& standard = cell.run(Algo::standard);
  if (cell.best && standard.time) {
    cell.speedup =
        *cell.best == Algo::standard ? Ratio{} : ratio(*standard.time, *cell.run(*cell.best).time);
  }
  for (const Phase phase : phases_of(config.mode))
    cell.flops += static_cast<double>(phase_cost(config, phase).flops);
  cell.fits =
      device.memory_bytes <= 0 || memory_need(config, config.mode).total <= device.memory_bytes;
  return cell;
}

std::optional<MapEdge> edge_between(const MapCell& here, const MapCell& next) {
  MapEdge edge;
  edge.implementation = here.run().implementation != next.run().implementation;
  if (here.run().time && next.run().time && here.flops > 0 && next.flops > 0) {
    const bool next_is_more = next.flops >= here.flops;
    const MapCell& less = next_is_more ? here : next;
    const MapCell& more = next_is_more ? next : here;
    const MapTime& a = *less.run().time;
    const MapTime& b = *more.run().time;
    const double work = more.flops / less.flops;
    if (b.high_seconds < a.low_seconds) {
      edge.factor = a.seconds / b.seconds * work;
      edge.worse_is_next = !next_is_more;
    } else if (b.low_seconds > a.high_seconds * work) {
      edge.factor = b.seconds / a.seconds / work;
      edge.worse_is_next = next_is_more;
    }
  }
  if (!edge.implementation && edge.factor == 0) return std::nullopt;
  return edge;
}

void find_edges(ConfigurationMap& map) {
  const int rows = static_cast<int>(map.rows.ticks.size());
  const int columns = static_cast<int>(map.columns.ticks.size());
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      for (const bool vertical : {false, true}) {
        const int next_row = row + (vertical ? 1 : 0), next_column = column + (vertical ? 0 : 1);
        if (next_row >= rows || next_column >= columns) continue;
        auto edge = edge_between(map.at(row, column), map.at(next_row, next_column));
        if (!edge) continue;
        edge->row = row;
        edge->column = column;
        edge->vertical = vertical;
        map.edges.push_back(*edge);
      }
    }
  }
}

bool persistent(Implementation value) {
  return value != Implementation::none && value != Implementation::standard;
}

MapTime per(const MapTime& time, double work) {
  return {time.seconds / work, time.low_seconds / work, time.high_seconds / work, time.measured,
          time.extrapolated};
}

std::optional<BetterNeighbour> compare(const ConfigurationMap& map, const RnnConfig& config,
                                       const MapCell& cell) {
  const MapCell& own = map.own();
  const MapRun& run = cell.run();
  if (!run.accepted || !cell.fits) return std::nullopt;
  BetterNeighbour better;
  better.other_model = config.hidden_size != map.here.hidden_size;
  better.other_numerics = config.data_type != map.here.data_type ||
                          config.math_type != map.here.math_type ||
                          config.math_precision != map.here.math_precision;
  if (!own.run().accepted) {
    better.reason = BetterNeighbour::Reason::accepted;
    return better;
  }
  if (!map.has_times) {
    better.reason = BetterNeighbour::Reason::implementation;
    if (persistent(own.run().implementation) || !persistent(run.implementation))
      return std::nullopt;
    return better;
  }
  if (!own.run().time || !run.time || own.flops <= 0 || cell.flops <= 0) return std::nullopt;
  const auto steps = [](const RnnConfig& c) {
    return static_cast<double>(c.seq_length) * static_cast<double>(c.batch_size);
  };
  const Ratio by_step = ratio(per(*own.run().time, steps(map.here)), per(*run.time, steps(config)));
  const Ratio by_work = ratio(per(*own.run().time, own.flops), per(*run.time, cell.flops));
  if (by_step.low <= 1 || by_work.low <= 1) return std::nullopt;
  better.per_flop = config.hidden_size < map.here.hidden_size;
  better.factor = better.per_flop ? by_work : by_step;
  better.estimate = !own.run().time->measured || !run.time->measured;
  return better;
}

// How far a tick is: in steps, and how far the sizes are apart.
std::pair<int, double> distance(const MapAxis& axis, int index) {
  const int steps = std::abs(index - axis.here);
  if (axis.dimension == MapDimension::type) return {std::min(steps, 1), steps};
  const auto size = [&](int i) {
    return static_cast<double>(axis.ticks[static_cast<std::size_t>(i)].size);
  };
  return {steps, std::fabs(std::log(size(index) / size(axis.here)))};
}

void find_better(ConfigurationMap& map) {
  struct Place {
    int steps;
    double apart;
    int row, column;
    auto order() const { return std::tuple(steps, apart, row, column); }
  };
  std::vector<Place> places;
  for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
    for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column) {
      if (row == map.rows.here && column == map.columns.here) continue;
      const auto [down, apart_down] = distance(map.rows, row);
      const auto [across, apart_across] = distance(map.columns, column);
      places.push_back({down + across, apart_down + apart_across, row, column});
    }
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.order() < b.order(); });
  for (const Place& place : places) {
    auto better =
        compare(map, config_at(map, place.row, place.column), map.at(place.row, place.column));
    // After another model only one that is not is of interest.
    if (!better || (!map.better.empty() && better->other_model)) continue;
    better->row = place.row;
    better->column = place.column;
    map.better.push_back(*better);
    if (!better->other_model) return;
  }
}

// A type that the framework replaces by another one stands for that one's cells.
void keep_types_asked_for(MapAxis& axis, const ConfigurationMap& map) {
  if (axis.dimension != MapDimension::type || !map.call) return;
  const MapTick own = axis.ticks[static_cast<std::size_t>(axis.here)];
  std::erase_if(axis.ticks, [&](const MapTick& tick) {
    RnnConfig config = map.here;
    apply_tick(config, map.here, axis.dimension, tick);
    const RnnConfig call = map.call(config);
    return MapTick{0, call.data_type, call.math_type, call.math_precision} != tick;
  });
  axis.here =
      static_cast<int>(std::find(axis.ticks.begin(), axis.ticks.end(), own) - axis.ticks.begin());
}

}  // namespace

std::string_view to_string(MapAxes value) {
  switch (value) {
    case MapAxes::hidden_batch:
      return "hidden-batch";
    case MapAxes::hidden_type:
      return "hidden-type";
    case MapAxes::length_batch:
      break;
  }
  return "length-batch";
}

std::optional<MapAxes> parse_map_axes(std::string_view text) {
  for (const MapAxes axes : all_map_axes) {
    if (to_string(axes) == text) return axes;
  }
  return std::nullopt;
}

std::string_view key_of(MapDimension value) {
  switch (value) {
    case MapDimension::hidden:
      return "hidden_size";
    case MapDimension::batch:
      return "batch_size";
    case MapDimension::length:
      return "seq_length";
    case MapDimension::type:
      break;
  }
  return "data_type";
}

std::span<const Phase> phases_of(Mode mode) {
  static constexpr std::array<Phase, 4> phases = all_phases;
  static_assert(phases.front() == Phase::forward_inference);
  return mode == Mode::inference ? std::span(phases).first(1) : std::span(phases).subspan(1);
}

RnnConfig config_at(const ConfigurationMap& map, int row, int column) {
  RnnConfig config = map.here;
  apply_tick(config, map.here, map.rows.dimension, map.rows.ticks[static_cast<std::size_t>(row)]);
  apply_tick(config, map.here, map.columns.dimension,
             map.columns.ticks[static_cast<std::size_t>(column)]);
  return map.call ? map.call(config) : config;
}

ConfigurationMap build_map(const MapRequest& request, const DeviceSpec& device) {
  ConfigurationMap map;
  map.axes = request.axes;
  map.here = request.call ? request.call(request.here) : request.here;
  map.call = request.call;
  map.device_id = device.id;
  map.device_name = device.name;
  map.framework_picks = static_cast<bool>(request.call);
  const auto [rows, columns] = dimensions(request.axes);
  map.rows = map_axis(rows, map.here, device);
  map.columns = map_axis(columns, map.here, device);
  keep_types_asked_for(map.rows, map);
  const bool other_sequences = rows != MapDimension::type;
  map.lengths_adapted = map.here.has_varying_lengths() && other_sequences;

  const Clock clock(request);
  std::vector<MapCell> cells;
  for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
    for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column) {
      if (request.keep_going && !request.keep_going()) return map;
      cells.push_back(
          make_cell(config_at(map, row, column), device, clock, map.framework_picks, &map.basis));
    }
  }
  map.cells = std::move(cells);
  map.has_times = std::any_of(map.cells.begin(), map.cells.end(), [](const MapCell& cell) {
    return std::any_of(cell.runs.begin(), cell.runs.end(),
                       [](const MapRun& run) { return run.time.has_value(); });
  });
  find_edges(map);
  find_better(map);
  return map;
}

std::optional<BetterAlgorithm> better_algorithm(const ConfigurationMap& map) {
  if (map.cells.empty() || map.framework_picks) return std::nullopt;
  const MapCell& own = map.own();
  if (!own.best || *own.best == own.asked || !own.run().time) return std::nullopt;
  const MapTime& best = *own.run(*own.best).time;
  BetterAlgorithm result = {*own.best, ratio(*own.run().time, best),
                            !own.run().time->measured || !best.measured};
  if (result.factor.low <= 1) return std::nullopt;
  return result;
}

}  // namespace rnnadvisor::model
