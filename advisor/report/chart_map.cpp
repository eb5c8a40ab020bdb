// A map of configurations as a chart.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/charts.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor::chart {
namespace {

using model::ConfigurationMap;
using model::Implementation;
using model::MapCell;
using Sign = LegendEntry::Sign;

// Of a place on an axis; types are abbreviated, since cells need the room. Hints have the whole.
std::string name_of(const model::MapAxis& axis, int index) {
  const auto& tick = axis.ticks[static_cast<std::size_t>(index)];
  if (axis.dimension != model::MapDimension::type) return words::tick(axis, index);
  std::string text(to_string(tick.data_type));
  const auto usual =
      element_size(tick.data_type) == 2 ? MathType::tensor_op : MathType::default_math;
  if (tick.math_type == MathType::tensor_op_allow_conversion) {
    text += " conversion";
  } else if (tick.math_type != usual) {
    text += fmt::format(" {}", to_string(tick.math_type));
  }
  if (tick.math_precision != natural_math_precision(tick.data_type))
    text += fmt::format(" / {}", to_string(tick.math_precision));
  return text;
}

HeatMap::Face face_of(const ConfigurationMap& map, int row, int column, const MapScale& scale,
                      MapLayer layer) {
  const MapCell& cell = map.at(row, column);
  const auto& run = cell.run();
  HeatMap::Face face;
  if (layer == MapLayer::implementation) {
    if (run.accepted) face.text = words::implementation_letter(run.implementation);
    if (run.implementation != Implementation::none) face.ink = ink_of(run.implementation);
    if (const auto other = other_implementation(map, row, column)) face.corner = ink_of(*other);
  } else {
    if (layer == MapLayer::speedup || run.accepted) face.text = scale.text(cell);
    if (const auto shade = scale.shade(cell, shades))
      face.ink = {layer == MapLayer::time ? Ink::time : Ink::speedup, *shade};
  }
  if (face.text.empty()) face.text = run.accepted ? "?" : "–";
  if (!cell.fits) face.text += "!";
  return face;
}

void add_scale(std::vector<LegendEntry>& legend, const MapScale& scale, MapLayer layer) {
  if (scale.empty()) return;
  LegendEntry ramp = {Sign::ramp};
  for (int i = 0; i < shades; ++i)
    ramp.inks.push_back({layer == MapLayer::time ? Ink::time : Ink::speedup, i});
  ramp.text =
      (layer == MapLayer::time ? "time: " : "fastest algorithm over standard: ") + scale.low_text();
  ramp.end_text = scale.high_text();
  legend.push_back(std::move(ramp));
}

void add_implementations(std::vector<LegendEntry>& legend, const ConfigurationMap& map,
                         const std::vector<HeatMap::Face>& faces) {
  for (int i = 1; i <= static_cast<int>(Implementation::persistent_small_h); ++i) {
    const auto value = static_cast<Implementation>(i);
    const bool met = std::any_of(map.cells.begin(), map.cells.end(), [&](const MapCell& cell) {
      return std::any_of(cell.runs.begin(), cell.runs.end(),
                         [&](const auto& run) { return run.implementation == value; });
    });
    if (met)
      legend.push_back({Sign::swatch,
                        {ink_of(value)},
                        fmt::format("{} {}", words::implementation_letter(value),
                                    words::implementation(value))});
  }
  if (std::any_of(faces.begin(), faces.end(),
                  [](const auto& face) { return face.corner.is != Ink::nothing; }))
    legend.push_back({Sign::plain,
                      {},
                      map.has_times ? "corner: what the fastest algorithm would run"
                                    : "corner: what another algorithm would run"});
}

void add_signs(std::vector<LegendEntry>& legend, const HeatMap& chart, const ConfigurationMap& map,
               MapLayer layer) {
  const auto entry = [&](bool wanted, Sign sign, std::string text) {
    if (wanted) legend.push_back({sign, {}, std::move(text)});
  };
  const auto any_line = [&](bool thick) {
    return std::any_of(chart.lines.begin(), chart.lines.end(),
                       [&](const auto& line) { return line.thick == thick; });
  };
  const auto any = [&](auto&& has) { return std::any_of(map.cells.begin(), map.cells.end(), has); };
  entry(true, Sign::frame, "you are here");
  entry(!map.better.empty(), Sign::dashed_frame, "nearest better");
  entry(any_line(true), Sign::thick_line, "cliff: more than intervals and work explain");
  entry(any_line(false), Sign::thin_line, "other kernels run");
  entry(layer != MapLayer::speedup && any([](const MapCell& cell) { return !cell.run().accepted; }),
        Sign::plain, "– refused by cuDNN");
  entry(layer == MapLayer::time &&
            any([](const MapCell& cell) { return cell.run().accepted && !cell.run().time; }),
        Sign::plain, "? time not known");
  entry(any([](const MapCell& cell) { return !cell.fits; }), Sign::plain,
        "! more memory than the device has");
}

}  // namespace

HeatMap map_chart(const ConfigurationMap& map, const std::vector<MapLayer>& layers) {
  HeatMap chart;
  const int rows = static_cast<int>(map.rows.ticks.size());
  const int columns = static_cast<int>(map.columns.ticks.size());
  for (int row = 0; row < rows; ++row) chart.rows.push_back(name_of(map.rows, row));
  for (int column = 0; column < columns; ++column)
    chart.columns.push_back(name_of(map.columns, column));
  chart.row_title = words::dimension(map.rows.dimension);
  chart.column_title = words::dimension(map.columns.dimension);
  if (map.cells.empty()) return chart;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      HeatMap::Cell cell;
      for (const auto& line : words::map_cell(map, row, column))
        cell.hint += (cell.hint.empty() ? "" : "\n") + line;
      cell.link = fmt::format("cell/{}/{}", row, column);
      chart.cells.push_back(std::move(cell));
    }
  }
  for (const auto& edge : map.edges)
    chart.lines.push_back({edge.row, edge.column, edge.vertical, edge.factor > 0});
  chart.here = HeatMap::Place{map.rows.here, map.columns.here};
  for (const auto& better : map.better) chart.marked.push_back({better.row, better.column});
  for (const auto& line : words::map_advice(map))
    chart.summary += (chart.summary.empty() ? "" : " ") + line;
  for (const auto kind : layers) {
    const MapScale scale(map, kind);
    HeatMap::Layer layer;
    layer.number = static_cast<int>(kind);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        layer.faces.push_back(face_of(map, row, column, scale, kind));
    if (kind == MapLayer::implementation) {
      add_implementations(layer.legend, map, layer.faces);
    } else {
      add_scale(layer.legend, scale, kind);
    }
    add_signs(layer.legend, chart, map, kind);
    chart.layers.push_back(std::move(layer));
  }
  return chart;
}

}  // namespace rnnadvisor::advisor::chart
