#include "gui/views/map_chart.h"

#include <QStringList>
#include <algorithm>

#include "advisor/report/words.h"
#include "gui/models/document.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;
using advisor::MapLayer;
using model::ConfigurationMap;
using model::Implementation;
using model::MapCell;
using Entry = HeatMap::Entry;

constexpr int shades = 8;

QColor color_of(const MapCell& cell, const advisor::MapScale& scale, MapLayer layer,
                const Theme& theme) {
  if (layer == MapLayer::implementation) {
    const auto value = cell.run().implementation;
    return value == Implementation::none ? QColor() : theme.color_of(value);
  }
  const auto shade = scale.shade(cell, shades);
  return shade ? map_shades(layer, theme)[static_cast<std::size_t>(*shade)] : QColor();
}

// Of a place on an axis; types are said in few words, since cells need the room. Hints say all.
QString name_of(const model::MapAxis& axis, int index) {
  const auto& tick = axis.ticks[static_cast<std::size_t>(index)];
  if (axis.dimension != model::MapDimension::type) return to_qt(words::tick(axis, index));
  QString text = to_qt(to_string(tick.data_type));
  const bool two_bytes = element_size(tick.data_type) == 2;
  const auto usual = two_bytes ? MathType::tensor_op : MathType::default_math;
  if (tick.math_type == MathType::tensor_op_allow_conversion) {
    text += QStringLiteral(" conversion");
  } else if (tick.math_type != usual) {
    text += QLatin1Char(' ') + to_qt(to_string(tick.math_type));
  }
  if (tick.math_precision != natural_math_precision(tick.data_type))
    text += QStringLiteral(" / ") + to_qt(to_string(tick.math_precision));
  return text;
}

QString text_of(const MapCell& cell, const advisor::MapScale& scale, MapLayer layer) {
  QString text;
  if (layer == MapLayer::speedup) {
    text = to_qt(scale.text(cell));
  } else if (cell.run().accepted) {
    text = to_qt(layer == MapLayer::time
                     ? scale.text(cell)
                     : std::string(words::implementation_letter(cell.run().implementation)));
  }
  if (text.isEmpty()) text = cell.run().accepted ? QStringLiteral("?") : QStringLiteral("–");
  return cell.fits ? text : text + QLatin1Char('!');
}

void add_scale(HeatMap& chart, const advisor::MapScale& scale, MapLayer layer, const Theme& theme) {
  if (scale.empty()) return;
  const auto colors = map_shades(layer, theme);
  chart.legend.push_back(
      {Entry::Kind::ramp,
       {colors.begin(), colors.end()},
       (layer == MapLayer::time ? Texts::tr("time: %1")
                                : Texts::tr("fastest algorithm over standard: %1"))
           .arg(to_qt(scale.low_text())),
       to_qt(scale.high_text())});
}

void add_implementations(HeatMap& chart, const ConfigurationMap& map, const Theme& theme) {
  for (int i = 1; i <= static_cast<int>(Implementation::persistent_small_h); ++i) {
    const auto value = static_cast<Implementation>(i);
    const bool met = std::any_of(map.cells.begin(), map.cells.end(), [&](const MapCell& cell) {
      return std::any_of(cell.runs.begin(), cell.runs.end(),
                         [&](const auto& run) { return run.implementation == value; });
    });
    if (!met) continue;
    chart.legend.push_back({Entry::Kind::swatch,
                            {theme.color_of(value)},
                            to_qt(words::implementation_letter(value)) + QLatin1Char(' ') +
                                to_qt(words::implementation(value)),
                            {}});
  }
  const bool corners = std::any_of(chart.cells.begin(), chart.cells.end(),
                                   [](const auto& cell) { return cell.corner.isValid(); });
  if (corners) {
    chart.legend.push_back({Entry::Kind::plain,
                            {},
                            map.has_times
                                ? Texts::tr("corner: what the fastest algorithm would run")
                                : Texts::tr("corner: what another algorithm would run"),
                            {}});
  }
}

void add_signs(HeatMap& chart, const ConfigurationMap& map, MapLayer layer) {
  const auto sign = [&](bool wanted, Entry::Kind kind, const QString& text) {
    if (wanted) chart.legend.push_back({kind, {}, text, {}});
  };
  const auto any_line = [&](bool thick) {
    return std::any_of(chart.lines.begin(), chart.lines.end(),
                       [&](const auto& line) { return line.thick == thick; });
  };
  const auto any = [&](auto&& has) { return std::any_of(map.cells.begin(), map.cells.end(), has); };
  sign(true, Entry::Kind::frame, Texts::tr("you are here"));
  sign(!map.better.empty(), Entry::Kind::dashed_frame, Texts::tr("nearest better"));
  sign(any_line(true), Entry::Kind::thick_line, Texts::tr("cliff in time"));
  sign(any_line(false), Entry::Kind::thin_line, Texts::tr("other kernels run"));
  sign(layer != MapLayer::speedup && any([](const MapCell& cell) { return !cell.run().accepted; }),
       Entry::Kind::plain, Texts::tr("– refused by cuDNN"));
  sign(layer == MapLayer::time &&
           any([](const MapCell& cell) { return cell.run().accepted && !cell.run().time; }),
       Entry::Kind::plain, Texts::tr("? time not known"));
  sign(any([](const MapCell& cell) { return !cell.fits; }), Entry::Kind::plain,
       Texts::tr("! more memory than the device has"));
}

}  // namespace

std::array<QColor, 8> map_shades(MapLayer layer, const Theme& theme) {
  // The same as in the HTML report (advisor/report/assets/report.css).
  static constexpr std::array<QRgb, 8> time_light = {0xfffbfbe0, 0xffe3f2c0, 0xffb9dfbf,
                                                     0xff7fc6bd, 0xff47abc2, 0xff1f76a8,
                                                     0xff21549c, 0xff152a6b};
  static constexpr std::array<QRgb, 8> time_dark = {0xff1b2a52, 0xff21407f, 0xff24619f, 0xff2676a0,
                                                    0xff45a9bb, 0xff7fc6bd, 0xffbfe3bd, 0xfff3f7c8};
  static constexpr std::array<QRgb, 8> gain_light = {0xfff4f9f1, 0xffdcefd6, 0xffb9dfb3,
                                                     0xff8cca89, 0xff56ae65, 0xff257f40,
                                                     0xff0d6632, 0xff00421d};
  static constexpr std::array<QRgb, 8> gain_dark = {0xff16281d, 0xff1b3f29, 0xff235a37, 0xff2f7a48,
                                                    0xff4a9c5c, 0xff7bbf81, 0xffaedcac, 0xffe2f4de};
  const auto& chosen = layer == MapLayer::speedup ? (theme.dark ? gain_dark : gain_light)
                                                  : (theme.dark ? time_dark : time_light);
  std::array<QColor, 8> colors;
  std::transform(chosen.begin(), chosen.end(), colors.begin(), [](QRgb c) { return QColor(c); });
  return colors;
}

std::unique_ptr<HeatMap> map_chart(const ConfigurationMap& map, MapLayer layer,
                                   const Theme& theme) {
  auto chart = std::make_unique<HeatMap>();
  const advisor::MapScale scale(map, layer);
  const int rows = static_cast<int>(map.rows.ticks.size());
  const int columns = static_cast<int>(map.columns.ticks.size());
  for (int row = 0; row < rows; ++row) chart->rows << name_of(map.rows, row);
  for (int column = 0; column < columns; ++column) chart->columns << name_of(map.columns, column);
  chart->row_title = to_qt(words::dimension(map.rows.dimension));
  chart->column_title = to_qt(words::dimension(map.columns.dimension));
  if (map.cells.empty()) return chart;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const MapCell& cell = map.at(row, column);
      HeatMap::Cell shown;
      shown.text = text_of(cell, scale, layer);
      shown.color = color_of(cell, scale, layer, theme);
      if (const auto other = advisor::other_implementation(map, row, column);
          other && layer == MapLayer::implementation)
        shown.corner = theme.color_of(*other);
      QStringList lines;
      for (const auto& line : words::map_cell(map, row, column)) lines << to_qt(line);
      shown.hint = lines.join(QLatin1Char('\n'));
      shown.link = QStringLiteral("cell/%1/%2").arg(row).arg(column);
      chart->cells.push_back(std::move(shown));
    }
  }
  for (const auto& edge : map.edges)
    chart->lines.push_back({edge.row, edge.column, edge.vertical, edge.factor > 0});
  chart->here = HeatMap::Place{map.rows.here, map.columns.here};
  for (const auto& better : map.better) chart->marked.push_back({better.row, better.column});
  QStringList advice;
  for (const auto& line : words::map_advice(map)) advice << to_qt(line);
  chart->summary = advice.join(QLatin1Char(' '));
  if (layer == MapLayer::implementation) {
    add_implementations(*chart, map, theme);
  } else {
    add_scale(*chart, scale, layer, theme);
  }
  add_signs(*chart, map, layer);
  return chart;
}

std::optional<HeatMap::Place> cell_of(const QString& link) {
  const auto parts = link.split(QLatin1Char('/'));
  if (parts.size() != 3 || parts[0] != QLatin1String("cell")) return std::nullopt;
  bool row_good = false, column_good = false;
  const HeatMap::Place place = {parts[1].toInt(&row_good), parts[2].toInt(&column_good)};
  if (!row_good || !column_good || place.row < 0 || place.column < 0) return std::nullopt;
  return place;
}

}  // namespace rnnadvisor::gui
