#include "advisor/report/map_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {

using model::ConfigurationMap;
using model::MapCell;
using model::MapDimension;

namespace {

constexpr std::string_view times_sign = "×";

}  // namespace

std::string_view to_string(MapLayer value) {
  switch (value) {
    case MapLayer::time:
      return "time";
    case MapLayer::speedup:
      return "speedup";
    case MapLayer::implementation:
      break;
  }
  return "implementation";
}

std::optional<MapLayer> parse_map_layer(std::string_view text) {
  for (const MapLayer layer : all_map_layers) {
    if (to_string(layer) == text) return layer;
  }
  return std::nullopt;
}

MapLayer first_layer(const ConfigurationMap& map) {
  std::ptrdiff_t accepted = 0, timed = 0;
  for (const auto& cell : map.cells) {
    accepted += cell.run().accepted ? 1 : 0;
    timed += cell.run().time ? 1 : 0;
  }
  return timed > 0 && 2 * timed >= accepted ? MapLayer::time : MapLayer::implementation;
}

MapScale::MapScale(const ConfigurationMap& map, MapLayer layer) : layer_(layer) {
  double sum = 0;
  int count = 0;
  for (const auto& cell : map.cells) {
    const auto known = value(cell);
    if (!known || !(*known > 0)) continue;
    low_ = count == 0 ? *known : std::min(low_, *known);
    high_ = std::max(high_, *known);
    sum += std::log10(*known);
    ++count;
  }
  if (layer == MapLayer::speedup) {
    unit_ = times_sign;
    return;
  }
  // Most numbers between 1 and 1000.
  const double middle = count > 0 ? sum / count : 0;
  factor_ = middle < -4.5 ? 1e6 : middle < -0.5 ? 1e3 : 1;
  unit_ = factor_ == 1e6 ? "us" : factor_ == 1e3 ? "ms" : "s";
}

std::optional<double> MapScale::value(const MapCell& cell) const {
  if (layer_ == MapLayer::speedup)
    return cell.speedup ? std::optional(cell.speedup->value) : std::nullopt;
  if (layer_ == MapLayer::time && cell.run().time) return cell.run().time->seconds;
  return std::nullopt;
}

std::optional<int> MapScale::shade(const MapCell& cell, int count) const {
  const auto known = value(cell);
  if (!known || !(*known > 0)) return std::nullopt;
  if (high_ <= low_) return 0;
  const double share = std::log(*known / low_) / std::log(high_ / low_);
  return std::clamp(static_cast<int>(share * count), 0, count - 1);
}

std::string MapScale::in_unit(double value) const {
  const double number = value * factor_;
  return number >= 1000 ? fmt::format("{:.0f}", number) : fmt::format("{:.3g}", number);
}

std::string MapScale::text(const MapCell& cell) const {
  const auto known = value(cell);
  return known ? in_unit(*known) : std::string();
}

std::string MapScale::low_text() const {
  return fmt::format("{}{}{}", in_unit(low_), unit_ == times_sign ? "" : " ", unit_);
}
std::string MapScale::high_text() const {
  return fmt::format("{}{}{}", in_unit(high_), unit_ == times_sign ? "" : " ", unit_);
}

std::optional<model::Implementation> other_implementation(const ConfigurationMap& map, int row,
                                                          int column) {
  const MapCell& cell = map.at(row, column);
  if (map.framework_picks) return std::nullopt;
  const auto differs = [&](Algo algo) {
    const auto value = cell.run(algo).implementation;
    return cell.run(algo).accepted && value != cell.run().implementation;
  };
  if (cell.best) {
    return differs(*cell.best) ? std::optional(cell.run(*cell.best).implementation) : std::nullopt;
  }
  if (cell.run().accepted && cell.run().implementation != model::Implementation::standard)
    return std::nullopt;
  for (const Algo algo : {Algo::persist_static, Algo::persist_static_small_h, Algo::persist_dynamic,
                          Algo::standard}) {
    if (!differs(algo)) continue;
    if (algo == Algo::persist_static_small_h && model::small_h_wrong_results(model::config_at(
                                                    map, row, column)) != model::WrongResults::none)
      continue;
    return cell.run(algo).implementation;
  }
  return std::nullopt;
}

MapBorder border_after(const ConfigurationMap& map, int row, int column, bool vertical) {
  const auto found = std::find_if(map.edges.begin(), map.edges.end(), [&](const auto& edge) {
    return edge.row == row && edge.column == column && edge.vertical == vertical;
  });
  if (found == map.edges.end()) return MapBorder::none;
  return found->factor > 0 ? MapBorder::cliff : MapBorder::implementation;
}

namespace words {
namespace {

std::string seconds(double value) { return format_milliseconds(value * 1e3); }

std::string types(const RnnConfig& config, bool precision) {
  std::string text =
      fmt::format("{}, {}", to_string(config.data_type), to_string(config.math_type));
  if (precision) text += fmt::format(", {} arithmetic", to_string(config.math_precision));
  return text;
}

// "batch 32 instead of 33".
std::string change(const RnnConfig& from, const RnnConfig& to) {
  std::vector<std::string> now, before;
  const auto size = [&](std::string_view name, int a, int b) {
    if (a == b) return;
    now.push_back(fmt::format("{} {}", name, b));
    before.push_back(fmt::format("{}", a));
  };
  size("hidden size", from.hidden_size, to.hidden_size);
  size("length", from.seq_length, to.seq_length);
  size("batch", from.batch_size, to.batch_size);
  const bool precision = from.math_precision != to.math_precision && from.data_type == to.data_type;
  if (types(from, true) != types(to, true)) {
    now.push_back(types(to, precision));
    before.push_back(types(from, precision));
  }
  return fmt::format("{} instead of {}", fmt::join(now, " and "), fmt::join(before, " and "));
}

std::string factor(const model::Ratio& ratio, bool estimate) {
  return fmt::format("{}, {} to {}", estimate ? "estimate" : "measured", words::times(ratio.low),
                     words::times(ratio.high));
}

std::string what_runs(const model::MapCell& cell) {
  const auto& run = cell.run();
  if (!run.accepted) return fmt::format("cuDNN refuses {}", to_string(cell.asked));
  return fmt::format("{} runs {} kernels", to_string(cell.asked),
                     implementation(run.implementation));
}

}  // namespace

std::string_view map_layer(MapLayer layer) {
  switch (layer) {
    case MapLayer::time:
      return "time";
    case MapLayer::speedup:
      return "speedup over standard";
    case MapLayer::implementation:
      break;
  }
  return "implementation";
}

std::string_view dimension(MapDimension value) {
  switch (value) {
    case MapDimension::hidden:
      return "hidden size";
    case MapDimension::batch:
      return "batch";
    case MapDimension::length:
      return "length";
    case MapDimension::type:
      break;
  }
  return "type";
}

std::string map_title(model::MapAxes axes) {
  switch (axes) {
    case model::MapAxes::hidden_batch:
      return "hidden size x batch";
    case model::MapAxes::hidden_type:
      return "hidden size x type";
    case model::MapAxes::length_batch:
      break;
  }
  return "length x batch";
}

std::string tick(const model::MapAxis& axis, int index) {
  const auto& each = axis.ticks[static_cast<std::size_t>(index)];
  if (axis.dimension != MapDimension::type) return fmt::format("{}", each.size);
  std::string text = fmt::format("{}, {}", to_string(each.data_type), to_string(each.math_type));
  if (each.math_precision != natural_math_precision(each.data_type))
    text += fmt::format(", {} arithmetic", to_string(each.math_precision));
  return text;
}

std::string_view implementation_letter(model::Implementation value) {
  switch (value) {
    case model::Implementation::none:
      return "-";
    case model::Implementation::standard:
      return "S";
    case model::Implementation::persistent:
      return "P";
    case model::Implementation::persistent_dynamic:
      return "D";
    case model::Implementation::persistent_small_h:
      return "H";
  }
  return "?";
}

std::string map_place(const ConfigurationMap& map, int row, int column) {
  const auto part = [](const model::MapAxis& axis, int index) {
    return axis.dimension == MapDimension::type
               ? tick(axis, index)
               : fmt::format("{} {}", dimension(axis.dimension), tick(axis, index));
  };
  return fmt::format("{}, {}", part(map.rows, row), part(map.columns, column));
}

std::string map_time(const model::MapTime& time) {
  const std::string_view known = time.measured       ? "measured"
                                 : time.extrapolated ? "estimate, beyond what was measured"
                                                     : "estimate";
  return fmt::format("{} ({} to {}), {}", seconds(time.seconds), seconds(time.low_seconds),
                     seconds(time.high_seconds), known);
}

std::string over_standard(const MapCell& cell) {
  if (!cell.speedup || !cell.best || *cell.best == Algo::standard) return {};
  const auto measured = [&](Algo algo) {
    const auto& time = cell.run(algo).time;
    return time && time->measured;
  };
  return fmt::format("{} over standard ({})", words::times(cell.speedup->value),
                     factor(*cell.speedup, !measured(Algo::standard) || !measured(*cell.best)));
}

std::vector<std::string> map_cell(const ConfigurationMap& map, int row, int column) {
  const auto& cell = map.at(row, column);
  const bool own = row == map.rows.here && column == map.columns.here;
  std::vector<std::string> lines = {map_place(map, row, column) + (own ? " (you are here)" : "")};
  const bool inference = map.here.mode == Mode::inference;
  if (const auto& time = cell.run().time) {
    lines.push_back(
        fmt::format("{} {}", inference ? "inference" : "training step", map_time(*time)));
    const RnnConfig config = model::config_at(map, row, column);
    lines.push_back(
        fmt::format("{} per sequence", seconds(time->seconds / std::max(1, config.batch_size))));
  }
  lines.push_back(what_runs(cell));
  if (cell.best && *cell.best != cell.asked && cell.speedup && !map.framework_picks) {
    const auto& best = *cell.run(*cell.best).time;
    lines.push_back(fmt::format("faster: {}, {}", to_string(*cell.best), map_time(best)));
  }
  if (cell.speedup && *cell.best != Algo::standard) lines.push_back(over_standard(cell));
  if (!cell.fits) lines.emplace_back("needs more memory than the device has");
  return lines;
}

std::string better_neighbour(const ConfigurationMap& map, const model::BetterNeighbour& better) {
  using Reason = model::BetterNeighbour::Reason;
  const RnnConfig there = model::config_at(map, better.row, better.column);
  std::string text = change(map.here, there) + ": ";
  switch (better.reason) {
    case Reason::accepted:
      text += fmt::format("cuDNN takes it, with {} kernels",
                          implementation(map.at(better.row, better.column).run().implementation));
      break;
    case Reason::implementation:
      text += fmt::format("{} kernels run",
                          implementation(map.at(better.row, better.column).run().implementation));
      break;
    case Reason::time:
      text += fmt::format("{} less time per {} ({})", words::times(better.factor.value),
                          better.per_flop                           ? "operation"
                          : there.seq_length != map.here.seq_length ? "step of a sequence"
                                                                    : "sequence",
                          factor(better.factor, better.estimate));
      break;
  }
  if (better.other_model) text += "; another model, to be trained anew";
  if (better.other_numerics) text += "; other numerics";
  return text;
}

std::string better_algorithm(const ConfigurationMap& map, const model::BetterAlgorithm& better) {
  return fmt::format("{} instead of {}: {} less time ({})", to_string(better.algo),
                     to_string(map.own().asked), words::times(better.factor.value),
                     factor(better.factor, better.estimate));
}

std::vector<std::string> map_advice(const ConfigurationMap& map) {
  std::vector<std::string> lines;
  if (map.cells.empty()) return lines;
  if (const auto algo = model::better_algorithm(map))
    lines.push_back("Here: " + better_algorithm(map, *algo));
  for (const auto& better : map.better)
    lines.push_back("Nearest better: " + better_neighbour(map, better));
  if (map.better.empty() && map.own().run().time)
    lines.emplace_back("No cell of this map is better beyond the intervals.");
  return lines;
}

std::string no_times(const std::string& device_name) {
  return fmt::format(
      "No times: nothing comparable was measured on this kind of device ({}). `rnnadvisor "
      "calibrate` "
      "on one measures it.",
      clean(device_name));
}

std::string map_basis(const ConfigurationMap& map) {
  if (!map.has_times) return no_times(map.device_name);
  if (map.basis.empty()) {
    return fmt::format(
        "Times are measured. Others are not known: nothing comparable was measured on this kind of "
        "device ({}). `rnnadvisor calibrate` on one measures it.",
        clean(map.device_name));
  }
  return fmt::format(
      "Times are estimates with the interval that holds nine in ten, unless they are marked as "
      "measured ({}).",
      clean(map.basis));
}

std::string map_note(const ConfigurationMap& map) {
  std::vector<std::string> notes;
  if (map.axes != model::MapAxes::length_batch) {
    if (map.here.input_size == map.here.hidden_size)
      notes.emplace_back("The input size follows the hidden size.");
  }
  if (map.lengths_adapted)
    notes.emplace_back("Lengths of sequences are drawn from those of the configuration.");
  if (map.framework_picks)
    notes.emplace_back(
        "The algorithm of each cell is what the framework picks there; another one may be faster: "
        "`rnnadvisor check` says so.");
  return fmt::format("{}", fmt::join(notes, " "));
}

}  // namespace words
}  // namespace rnnadvisor::advisor
