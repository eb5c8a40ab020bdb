// Maps for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advisor/report/config_json.h"
#include "advisor/report/csv_field.h"
#include "advisor/report/maps.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "core/config/fields.h"

namespace rnnadvisor::advisor {
namespace {

using Json = nlohmann::ordered_json;
using model::ConfigurationMap;

Json axis_json(const model::MapAxis& axis) {
  Json ticks = Json::array();
  for (const auto& tick : axis.ticks) {
    if (axis.dimension != model::MapDimension::type) {
      ticks.push_back(tick.size);
      continue;
    }
    ticks.push_back({{"data_type", to_string(tick.data_type)},
                     {"math_type", to_string(tick.math_type)},
                     {"math_precision", to_string(tick.math_precision)}});
  }
  return {{"key", model::key_of(axis.dimension)}, {"here", axis.here}, {"ticks", ticks}};
}

Json time_json(const std::optional<model::MapTime>& time) {
  if (!time) return nullptr;
  return {{"seconds", time->seconds},
          {"low_seconds", time->low_seconds},
          {"high_seconds", time->high_seconds},
          {"basis", time->measured ? "measured" : "estimate"},
          {"extrapolated", time->extrapolated}};
}

Json ratio_json(const model::Ratio& ratio) {
  return {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
}

Json cell_json(const model::MapCell& cell, int row, int column) {
  Json algorithms = Json::object();
  for (std::size_t i = 0; i < cell.runs.size(); ++i) {
    const auto& run = cell.runs[i];
    algorithms[std::string(to_string(static_cast<Algo>(i)))] = {
        {"accepted", run.accepted},
        {"implementation", to_string(run.implementation)},
        {"time", time_json(run.time)}};
  }
  return {{"row", row},
          {"column", column},
          {"algo", to_string(cell.asked)},
          {"implementation", to_string(cell.run().implementation)},
          {"time", time_json(cell.run().time)},
          {"best_algo", cell.best ? Json(to_string(*cell.best)) : Json(nullptr)},
          {"speedup", cell.speedup ? ratio_json(*cell.speedup) : Json(nullptr)},
          {"flops", cell.flops},
          {"fits", cell.fits},
          {"algorithms", std::move(algorithms)}};
}

Json edge_json(const model::MapEdge& edge) {
  return {{"row", edge.row},
          {"column", edge.column},
          {"next", edge.vertical ? "row" : "column"},
          {"implementation_changes", edge.implementation},
          {"cliff", edge.factor > 0 ? Json(edge.factor) : Json(nullptr)},
          {"worse", edge.factor > 0 ? Json(edge.worse_is_next ? "next" : "this") : Json(nullptr)}};
}

std::string_view word(model::BetterNeighbour::Reason reason) {
  switch (reason) {
    case model::BetterNeighbour::Reason::accepted:
      return "accepted";
    case model::BetterNeighbour::Reason::implementation:
      return "implementation";
    case model::BetterNeighbour::Reason::time:
      break;
  }
  return "time";
}

Json better_json(const ConfigurationMap& map, const model::BetterNeighbour& better) {
  const bool by_time = better.reason == model::BetterNeighbour::Reason::time;
  return {{"row", better.row},
          {"column", better.column},
          {"reason", word(better.reason)},
          {"factor", by_time ? ratio_json(better.factor) : Json(nullptr)},
          {"per", !by_time ? Json(nullptr) : Json(better.per_flop ? "operation" : "step")},
          {"basis", !by_time ? Json(nullptr) : Json(better.estimate ? "estimate" : "measured")},
          {"other_model", better.other_model},
          {"other_numerics", better.other_numerics},
          {"text", words::better_neighbour(map, better)}};
}

Json map_json(const ConfigurationMap& map) {
  Json remarks = Json::array();
  for (const auto& remark : map.remarks) remarks.push_back(to_valid_utf8(remark));
  Json out = {
      {"axes", model::to_string(map.axes)},
      {"device", {{"id", to_valid_utf8(map.device_id)}, {"name", to_valid_utf8(map.device_name)}}},
      {"configuration", config_json(map.here)},
      {"framework_picks", map.framework_picks},
      {"lengths_adapted", map.lengths_adapted},
      {"has_times", map.has_times},
      {"basis", words::map_basis(map)},
      {"remarks", remarks},
      {"rows", axis_json(map.rows)},
      {"columns", axis_json(map.columns)}};
  Json cells = Json::array(), edges = Json::array(), better = Json::array();
  for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
    for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column)
      cells.push_back(cell_json(map.at(row, column), row, column));
  }
  for (const auto& edge : map.edges) edges.push_back(edge_json(edge));
  for (const auto& each : map.better) better.push_back(better_json(map, each));
  out["cells"] = std::move(cells);
  out["edges"] = std::move(edges);
  out["better"] = std::move(better);
  const auto algo = model::better_algorithm(map);
  out["better_algorithm"] = algo ? Json{{"algo", to_string(algo->algo)},
                                        {"factor", ratio_json(algo->factor)},
                                        {"basis", algo->estimate ? "estimate" : "measured"},
                                        {"text", words::better_algorithm(map, *algo)}}
                                 : Json(nullptr);
  return out;
}

std::string time_fields(const std::optional<model::MapTime>& time) {
  if (!time) return ",,,";
  return fmt::format("{:.6g},{:.6g},{:.6g},{}", time->seconds, time->low_seconds,
                     time->high_seconds, time->measured ? "measured" : "estimate");
}

}  // namespace

std::string write_map_json(std::span<const ConfigurationMap> maps) {
  Json out = {{"schema", 1}, {"maps", Json::array()}};
  for (const auto& map : maps) out["maps"].push_back(map_json(map));
  return out.dump(2) + "\n";
}

std::string write_map_csv(std::span<const ConfigurationMap> maps) {
  std::string out =
      "axes,device,configuration,here,cell,hidden_size,input_size,batch_size,seq_length,data_type,"
      "math_type,math_precision,mode,algo,accepted,implementation,seconds,low_seconds,high_seconds,"
      "basis,best_algo,best_seconds,best_low_seconds,best_high_seconds,best_basis,speedup,fits\n";
  for (const auto& map : maps) {
    for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
      for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column) {
        const auto& cell = map.at(row, column);
        const RnnConfig c = model::config_at(map, row, column);
        const bool here = row == map.rows.here && column == map.columns.here;
        out += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
            model::to_string(map.axes), csv_field(map.device_name), csv_field(c.id), here,
            to_string(c.cell), c.hidden_size, c.input_size, c.batch_size, c.seq_length,
            to_string(c.data_type), to_string(c.math_type), to_string(c.math_precision),
            to_string(c.mode), to_string(cell.asked), cell.run().accepted,
            model::to_string(cell.run().implementation), time_fields(cell.run().time),
            cell.best ? to_string(*cell.best) : std::string_view(),
            time_fields(cell.best ? cell.run(*cell.best).time : std::nullopt),
            cell.speedup ? fmt::format("{:.6g}", cell.speedup->value) : std::string(), cell.fits);
      }
    }
  }
  return out;
}

}  // namespace rnnadvisor::advisor
