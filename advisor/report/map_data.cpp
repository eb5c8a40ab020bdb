// Maps for programs.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

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

// JSON as dump(2) lays it out, without making a tree of it first, which takes longer than a map.
class JsonText {
 public:
  void open(char bracket) {
    place();
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!first_) new_line();
    out_ += bracket;
    first_ = false;
  }
  // A key; its value is what is added next.
  JsonText& operator[](std::string_view key) {
    place();
    out_ += '"';
    out_ += key;
    out_ += "\": ";
    keyed_ = true;
    return *this;
  }
  void add(const Json& value) {
    place();
    // In strings a new line is escaped.
    for (const char c : value.dump(2)) c == '\n' ? new_line() : out_.push_back(c);
  }
  void add(bool value) { add_plain(value ? "true" : "false"); }
  void add(int value) { add_plain(fmt::format_int(value).c_str()); }
  void add(double value) {
    if (!std::isfinite(value)) return add_null();
    char digits[64];
    add_plain({digits, nlohmann::detail::to_chars(digits, digits + sizeof digits, value)});
  }
  void add_null() { add_plain("null"); }
  // A word of ours, with nothing to escape.
  void add_word(std::string_view word) {
    place();
    out_ += '"';
    out_ += word;
    out_ += '"';
  }
  std::string take() { return std::move(out_); }

 private:
  void new_line() {
    out_ += '\n';
    out_.append(2 * static_cast<std::size_t>(depth_), ' ');
  }
  // Where the next element begins.
  void place() {
    if (!std::exchange(keyed_, false) && depth_ > 0) {
      if (!first_) out_ += ',';
      new_line();
    }
    first_ = false;
  }
  void add_plain(std::string_view text) {
    place();
    out_ += text;
  }

  std::string out_;
  int depth_ = 0;
  bool first_ = true, keyed_ = false;
};

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

void add_time(JsonText& out, const std::optional<model::MapTime>& time) {
  if (!time) return out.add_null();
  out.open('{');
  out["seconds"].add(time->seconds);
  out["low_seconds"].add(time->low_seconds);
  out["high_seconds"].add(time->high_seconds);
  out["basis"].add_word(time->measured ? "measured" : "estimate");
  out["extrapolated"].add(time->extrapolated);
  out.close('}');
}

Json ratio_json(const model::Ratio& ratio) {
  return {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
}

void add_cell(JsonText& out, const model::MapCell& cell, int row, int column) {
  out.open('{');
  out["row"].add(row);
  out["column"].add(column);
  out["algo"].add_word(to_string(cell.asked));
  out["implementation"].add_word(to_string(cell.run().implementation));
  add_time(out["time"], cell.run().time);
  out["best_algo"];
  cell.best ? out.add_word(to_string(*cell.best)) : out.add_null();
  out["speedup"];
  if (cell.speedup) {
    out.open('{');
    out["value"].add(cell.speedup->value);
    out["low"].add(cell.speedup->low);
    out["high"].add(cell.speedup->high);
    out.close('}');
  } else {
    out.add_null();
  }
  out["flops"].add(cell.flops);
  out["fits"].add(cell.fits);
  out["algorithms"].open('{');
  for (std::size_t i = 0; i < cell.runs.size(); ++i) {
    const auto& run = cell.runs[i];
    out[to_string(static_cast<Algo>(i))].open('{');
    out["accepted"].add(run.accepted);
    out["implementation"].add_word(to_string(run.implementation));
    add_time(out["time"], run.time);
    out.close('}');
  }
  out.close('}');
  out.close('}');
}

void add_edge(JsonText& out, const model::MapEdge& edge) {
  out.open('{');
  out["row"].add(edge.row);
  out["column"].add(edge.column);
  out["next"].add_word(edge.vertical ? "row" : "column");
  out["implementation_changes"].add(edge.implementation);
  out["cliff"];
  edge.factor > 0 ? out.add(edge.factor) : out.add_null();
  out["worse"];
  edge.factor > 0 ? out.add_word(edge.worse_is_next ? "next" : "this") : out.add_null();
  out.close('}');
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

void add_map(JsonText& out, const ConfigurationMap& map) {
  Json remarks = Json::array();
  for (const auto& remark : map.remarks) remarks.push_back(to_valid_utf8(remark));
  out.open('{');
  out["axes"].add_word(model::to_string(map.axes));
  out["device"].add(
      {{"id", to_valid_utf8(map.device_id)}, {"name", to_valid_utf8(map.device_name)}});
  out["configuration"].add(config_json(map.here));
  out["framework_picks"].add(map.framework_picks);
  out["lengths_adapted"].add(map.lengths_adapted);
  out["has_times"].add(map.has_times);
  out["basis"].add(Json(words::map_basis(map)));
  out["remarks"].add(remarks);
  out["rows"].add(axis_json(map.rows));
  out["columns"].add(axis_json(map.columns));
  out["cells"].open('[');
  for (int row = 0; row < static_cast<int>(map.rows.ticks.size()); ++row) {
    for (int column = 0; column < static_cast<int>(map.columns.ticks.size()); ++column)
      add_cell(out, map.at(row, column), row, column);
  }
  out.close(']');
  out["edges"].open('[');
  for (const auto& edge : map.edges) add_edge(out, edge);
  out.close(']');
  out["better"].open('[');
  for (const auto& each : map.better) out.add(better_json(map, each));
  out.close(']');
  const auto algo = model::better_algorithm(map);
  out["better_algorithm"].add(algo ? Json{{"algo", to_string(algo->algo)},
                                          {"factor", ratio_json(algo->factor)},
                                          {"basis", algo->estimate ? "estimate" : "measured"},
                                          {"text", words::better_algorithm(map, *algo)}}
                                   : Json(nullptr));
  out.close('}');
}

std::string time_fields(const std::optional<model::MapTime>& time) {
  if (!time) return ",,,";
  return fmt::format("{:.6g},{:.6g},{:.6g},{}", time->seconds, time->low_seconds,
                     time->high_seconds, time->measured ? "measured" : "estimate");
}

}  // namespace

std::string write_map_json(std::span<const ConfigurationMap> maps) {
  JsonText out;
  out.open('{');
  out["schema"].add(1);
  out["maps"].open('[');
  for (const auto& map : maps) add_map(out, map);
  out.close(']');
  out.close('}');
  return out.take() + "\n";
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
