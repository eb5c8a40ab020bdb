#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>

#include "gui/charts/chart.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

using chart::Ink;
using chart::Item;

QPointF to_point(const chart::Point& point) { return {point.x, point.y}; }

QPen pen_of(const Item& item, const QColor& color) {
  QPen pen(color, item.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
  QList<qreal> lengths;  // Qt counts them in widths of the line
  for (const double length : chart::dash_of(item.dash)) lengths << length / item.width;
  if (!lengths.isEmpty()) pen.setDashPattern(lengths);
  return pen;
}

QPainterPath path_of(const Item& item) {
  QPainterPath path;
  for (const auto& line : chart::outlines_of(item)) {
    QPolygonF points;
    for (const auto& point : line) points << to_point(point);
    path.addPolygon(points);
    if (chart::is_closed(item.shape)) path.closeSubpath();
  }
  return path;
}

QFont font_of(const QFont& base, bool bold, bool small) {
  QFont font = base;
  font.setBold(bold || base.bold());
  if (small && base.pointSizeF() > 0) font.setPointSizeF(base.pointSizeF() * chart::Canvas::small);
  return font;
}

void paint_label(QPainter& painter, const Item& item, const ChartStyle& style) {
  const QFont font = font_of(style.font, item.bold, item.small);
  const QString text = to_qt(item.text);
  QPointF at = to_point(item.points[0]);
  const double width = QFontMetricsF(font).horizontalAdvance(text);
  if (item.anchor != chart::Anchor::start)
    at.rx() -= item.anchor == chart::Anchor::end ? width : width / 2;
  painter.setFont(font);
  painter.setPen(color_of(item.ink, style.theme));
  painter.drawText(at, text);
}

void paint_item(QPainter& painter, const Item& item, const ChartStyle& style) {
  if (item.shape == Item::label) return paint_label(painter, item, style);
  if (item.ink.is == Ink::nothing) return;
  const QColor color = color_of(item.ink, style.theme);
  const QPainterPath path = path_of(item);
  if (item.halo) painter.strokePath(path, QPen(style.theme.panel, item.width + 3));
  switch (item.shape) {
    case Item::fill:
      painter.fillPath(path, color);
      break;
    case Item::area:
    case Item::mark:
      painter.setPen(QPen(style.theme.panel, 1));
      painter.setBrush(color);
      painter.drawPath(path);
      break;
    case Item::ring:
      painter.setPen(QPen(color, 2.5));
      painter.setBrush(style.theme.panel);
      painter.drawPath(path);
      break;
    default:
      painter.strokePath(path, pen_of(item, color));
  }
}

// Where the pointer finds it: a mark is easier to hit than it is large.
QRectF area_of(const Item& item) {
  const QRectF area = path_of(item).boundingRect();
  const bool small = item.shape == Item::mark || item.shape == Item::ring;
  return small ? QRectF(area.center() - QPointF(8, 8), QSizeF(16, 16)) : area;
}

}  // namespace

std::array<QColor, chart::shades> map_shades(advisor::MapLayer layer, const Theme& theme) {
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
  const auto& chosen = layer == advisor::MapLayer::speedup ? (theme.dark ? gain_dark : gain_light)
                                                           : (theme.dark ? time_dark : time_light);
  std::array<QColor, chart::shades> colors;
  std::transform(chosen.begin(), chosen.end(), colors.begin(), [](QRgb c) { return QColor(c); });
  return colors;
}

QColor color_of(const Ink& ink, const Theme& theme) {
  const auto plain = [&]() -> QColor {
    const auto shade = static_cast<std::size_t>(ink.n) % chart::shades;
    switch (ink.is) {
      case Ink::nothing:
      case Ink::panel:
        return theme.panel;
      case Ink::raised:
        return theme.raised;
      case Ink::grid:
        return theme.grid;
      case Ink::axis:
        return theme.border;
      case Ink::text:
        return theme.text;
      case Ink::dim:
        return theme.dim_text;
      case Ink::error:
      case Ink::bound:
        return theme.error;
      case Ink::here:
        return theme.evidence;
      case Ink::idle:
        return theme.idle;
      case Ink::series:
        return theme.series(ink.n);
      case Ink::phase:
        return theme.color_of(static_cast<Phase>(ink.n));
      case Ink::role:
        return theme.color_of(static_cast<KernelRole>(ink.n));
      case Ink::kernels:
        return theme.color_of(static_cast<model::Implementation>(ink.n));
      case Ink::time:
        return map_shades(advisor::MapLayer::time, theme)[shade];
      case Ink::speedup:
        return map_shades(advisor::MapLayer::speedup, theme)[shade];
    }
    return theme.text;
  };
  QColor color = plain();
  if (ink.faint) color = mix(color, theme.panel, 0.5);
  if (!ink.on) return color;
  return ink.is == Ink::raised ? theme.dim_text : text_on(color);
}

chart::Canvas canvas_of(double width, const QFont& font) {
  chart::Canvas canvas;
  const QFontMetricsF plain(font), bold(font_of(font, true, false));
  canvas.width = width;
  canvas.line = plain.height();
  canvas.measure = [plain, bold](std::string_view text, bool is_bold) {
    return (is_bold ? bold : plain).horizontalAdvance(to_qt(text));
  };
  return canvas;
}

std::vector<ChartHit> paint(QPainter& painter, const chart::Scene& scene, const ChartStyle& style) {
  std::vector<ChartHit> hits;
  for (const auto& item : scene.items) {
    paint_item(painter, item, style);
    if (!item.hint.empty()) hits.push_back({area_of(item), to_qt(item.hint), to_qt(item.link)});
  }
  return hits;
}

}  // namespace rnnadvisor::gui
