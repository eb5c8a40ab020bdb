#include "gui/charts/heat_map.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace rnnadvisor::gui {
namespace {

constexpr double least_cell = 24, most_cell = 64, step_width = 16, sign_width = 16, gap = 8;

QFont small(const ChartStyle& style) {
  QFont font = style.font;
  font.setPointSizeF(std::max(7.0, style.font.pointSizeF() - 1.5));
  return font;
}

double line_height(const ChartStyle& style) { return QFontMetricsF(style.font).height(); }

}  // namespace

bool HeatMap::whole() const {
  return !cells.empty() && cells.size() == static_cast<std::size_t>(rows.size()) *
                                               static_cast<std::size_t>(columns.size());
}

HeatMap::Geometry HeatMap::geometry(const QRectF& area, const ChartStyle& style) const {
  const QFontMetricsF metrics(style.font);
  Geometry g;
  for (const auto& name : rows) g.label = std::max(g.label, metrics.horizontalAdvance(name));
  // Names that would leave the cells no room are cut; a hint says all.
  g.label = std::max(metrics.horizontalAdvance(row_title), std::min(g.label, area.width() * 0.34));
  g.left = area.left() + g.label + gap;
  const auto count = static_cast<double>(std::max<qsizetype>(1, columns.size()));
  g.cell_width = std::clamp((area.right() - g.left - 2) / count, 4.0, most_cell);
  g.cell_height = metrics.height() + 9;
  g.top = area.top() + 2 * metrics.height() + 8;
  return g;
}

QSizeF HeatMap::least_size(const ChartStyle& style) const {
  const double width = 120 + least_cell * static_cast<double>(columns.size());
  return {width, height_for(width, style)};
}

double HeatMap::height_for(double width, const ChartStyle& style) const {
  if (!whole()) return 0;
  const auto g = geometry(QRectF(0, 0, width, 0), style);
  return g.top + g.cell_height * static_cast<double>(rows.size()) + 10 +
         paint_legend(nullptr, QRectF(0, 0, width, 0), style);
}

QRectF HeatMap::cell_area(const QRectF& area, int row, int column, const ChartStyle& style) const {
  const auto g = geometry(area, style);
  return {g.left + column * g.cell_width, g.top + row * g.cell_height, g.cell_width, g.cell_height};
}

int HeatMap::first_hit() const {
  return here ? here->row * static_cast<int>(columns.size()) + here->column : 0;
}

std::vector<ChartHit> HeatMap::paint(QPainter& painter, const QRectF& area,
                                     const ChartStyle& style) const {
  std::vector<ChartHit> hits;
  if (!whole()) return hits;
  const auto g = geometry(area, style);
  paint_names(painter, area, g, style);
  const auto font = text_font(g.cell_width - 4, style);
  const auto width = static_cast<std::size_t>(columns.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const QRectF box =
        cell_area(area, static_cast<int>(i / width), static_cast<int>(i % width), style);
    paint_cell(painter, box.adjusted(0.5, 0.5, -0.5, -0.5), cells[i], font, style);
    hits.push_back({box, cells[i].hint, cells[i].link});
  }
  paint_lines(painter, g, style);
  for (const auto& place : marked)
    paint_frame(painter, cell_area(area, place.row, place.column, style), true, style);
  if (here) paint_frame(painter, cell_area(area, here->row, here->column, style), false, style);
  const double bottom = g.top + g.cell_height * static_cast<double>(rows.size()) + 10;
  paint_legend(&painter, QRectF(area.left(), bottom, area.width(), 0), style);
  return hits;
}

void HeatMap::paint_names(QPainter& painter, const QRectF& area, const Geometry& g,
                          const ChartStyle& style) const {
  const double line = line_height(style);
  const double right = g.left + g.cell_width * static_cast<double>(columns.size());
  QFont bold = style.font;
  bold.setBold(true);
  const auto name = [&](const QRectF& box, const QString& text, bool own, int align) {
    painter.setFont(own ? bold : style.font);
    painter.setPen(own ? style.theme.text : style.theme.dim_text);
    const QFontMetricsF metrics(painter.font());
    painter.drawText(box, align | Qt::AlignVCenter,
                     metrics.elidedText(text, Qt::ElideRight, box.width()));
  };
  name(QRectF(g.left, area.top(), right - g.left, line), column_title, false, Qt::AlignHCenter);
  name(QRectF(area.left(), area.top() + line + 4, g.label, line), row_title, false, Qt::AlignRight);
  // Where not every name has room the own one has: from it to both sides.
  const QFontMetricsF metrics(bold);
  double widest = 0;
  for (const auto& text : columns) widest = std::max(widest, metrics.horizontalAdvance(text));
  const int step = std::max(1, static_cast<int>(std::ceil((widest + 6) / g.cell_width)));
  const int own = here ? here->column : 0;
  for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
    if ((column - own) % step != 0) continue;
    const double middle = g.left + (column + 0.5) * g.cell_width;
    const double half = step * g.cell_width / 2;
    name(QRectF(middle - half, area.top() + line + 4, 2 * half, line), columns[column],
         here && column == here->column, Qt::AlignHCenter);
  }
  for (int row = 0; row < static_cast<int>(rows.size()); ++row)
    name(QRectF(area.left(), g.top + row * g.cell_height, g.label, g.cell_height), rows[row],
         here && row == here->row, Qt::AlignRight);
}

// One for all cells, so that no number looks as if it meant more than another.
std::optional<QFont> HeatMap::text_font(double room, const ChartStyle& style) const {
  for (const QFont& font : {style.font, small(style)}) {
    const QFontMetricsF metrics(font);
    const bool fits = std::all_of(cells.begin(), cells.end(), [&](const Cell& cell) {
      return metrics.horizontalAdvance(cell.text) <= room;
    });
    if (fits) return font;
  }
  return std::nullopt;
}

void HeatMap::paint_cell(QPainter& painter, const QRectF& box, const Cell& cell,
                         const std::optional<QFont>& font, const ChartStyle& style) const {
  const bool known = cell.color.isValid();
  painter.setPen(Qt::NoPen);
  painter.setBrush(known ? cell.color : style.theme.raised);
  painter.drawRect(box);
  if (cell.corner.isValid()) {
    painter.setBrush(cell.corner);
    painter.setPen(QPen(style.theme.panel, 1));
    const double side = std::min(9.0, box.width() / 2);
    painter.drawPolygon(QPolygonF(
        {box.topRight(), box.topRight() + QPointF(0, side), box.topRight() - QPointF(side, 0)}));
  }
  painter.setPen(known ? text_on(cell.color) : style.theme.dim_text);
  if (!font) return;
  painter.setFont(*font);
  painter.drawText(box, Qt::AlignCenter, cell.text);
}

void HeatMap::paint_lines(QPainter& painter, const Geometry& g, const ChartStyle& style) const {
  // First all halos, in the colour of the ground: a line is seen on every fill.
  for (const bool halo : {true, false}) {
    for (const bool thick : {false, true}) {
      QPen pen(halo ? style.theme.panel : style.theme.text,
               (thick ? 2.5 : 1.5) + (halo ? (thick ? 3 : 2) : 0));
      pen.setCapStyle(thick ? Qt::SquareCap : Qt::FlatCap);
      if (!halo && !thick) pen.setDashPattern({2.5, 2});
      painter.setPen(pen);
      for (const auto& line : lines) {
        if (line.thick != thick) continue;
        const double x = g.left + line.column * g.cell_width;
        const double y = g.top + line.row * g.cell_height;
        if (line.vertical) {
          painter.drawLine(QPointF(x, y + g.cell_height),
                           QPointF(x + g.cell_width, y + g.cell_height));
        } else {
          painter.drawLine(QPointF(x + g.cell_width, y),
                           QPointF(x + g.cell_width, y + g.cell_height));
        }
      }
    }
  }
}

void HeatMap::paint_frame(QPainter& painter, const QRectF& box, bool dashed,
                          const ChartStyle& style) const {
  // Nearly on the edge of the cell, so that its text stays free, and in a colour of its own: lines
  // lie there too.
  const QRectF inner = box.adjusted(0.5, 0.5, -0.5, -0.5);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(style.theme.panel, 5.5));
  painter.drawRoundedRect(inner, 3, 3);
  QPen pen(style.theme.evidence, 3);
  if (dashed) pen.setDashPattern({2, 1.5});
  painter.setPen(pen);
  painter.drawRoundedRect(inner, 3, 3);
}

void HeatMap::paint_sign(QPainter& painter, const QRectF& box, const Entry& entry,
                         const ChartStyle& style) const {
  using Kind = Entry::Kind;
  const QRectF square(box.left() + 1, box.center().y() - 6, 12, 12);
  painter.setBrush(Qt::NoBrush);
  switch (entry.kind) {
    case Kind::swatch:
      painter.setPen(Qt::NoPen);
      painter.setBrush(entry.colors.empty() ? style.theme.raised : entry.colors.front());
      painter.drawRoundedRect(square, 2, 2);
      break;
    case Kind::frame:
    case Kind::dashed_frame: {
      QPen pen(style.theme.evidence, 2.5);
      if (entry.kind == Kind::dashed_frame) pen.setDashPattern({2, 1.5});
      painter.setPen(pen);
      painter.drawRoundedRect(square, 2, 2);
      break;
    }
    case Kind::thick_line:
    case Kind::thin_line: {
      QPen pen(style.theme.text, entry.kind == Kind::thick_line ? 2.5 : 1.5);
      if (entry.kind == Kind::thin_line) pen.setDashPattern({2.5, 2});
      painter.setPen(pen);
      painter.drawLine(QPointF(square.center().x(), square.top() - 1),
                       QPointF(square.center().x(), square.bottom() + 1));
      break;
    }
    case Kind::ramp:
    case Kind::plain:
      break;
  }
}

double HeatMap::paint_legend(QPainter* painter, const QRectF& area, const ChartStyle& style) const {
  const QFontMetricsF metrics(style.font);
  const double line = metrics.height() + 4;
  double x = area.left(), y = area.top();
  for (const auto& entry : legend) {
    const bool ramp = entry.kind == Entry::Kind::ramp;
    const double sign = ramp ? step_width * static_cast<double>(entry.colors.size()) + 2 * gap
                        : entry.kind == Entry::Kind::plain ? 0
                                                           : sign_width + 4;
    const double text = metrics.horizontalAdvance(entry.text);
    const double width = sign + text + metrics.horizontalAdvance(entry.end_text) + 18;
    if (x > area.left() && x + width > area.right() + 18) {
      x = area.left();
      y += line;
    }
    if (painter != nullptr) {
      painter->setFont(style.font);
      const auto words = [&](double at, const QString& what) {
        painter->setPen(style.theme.dim_text);
        const double room = std::max(0.0, area.right() - at);
        painter->drawText(QRectF(at, y, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                          metrics.elidedText(what, Qt::ElideRight, room));
      };
      if (ramp) {
        words(x, entry.text);
        double at = x + text + gap;
        for (const auto& color : entry.colors) {
          painter->setPen(Qt::NoPen);
          painter->setBrush(color);
          painter->drawRect(QRectF(at, y + line / 2 - 6, step_width, 12));
          at += step_width;
        }
        painter->setPen(QPen(style.theme.border, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(x + text + gap, y + line / 2 - 6, at - x - text - gap, 12));
        words(at + gap, entry.end_text);
      } else {
        paint_sign(*painter, QRectF(x, y, sign_width, line), entry, style);
        words(x + sign, entry.text);
      }
    }
    x += width;
  }
  return legend.empty() ? 0 : y + line - area.top();
}

QString HeatMap::description() const {
  // Every cell is read out when it is reached by the arrow keys; here is what the map says.
  QString text = column_title + QStringLiteral(", ") + row_title;
  if (!summary.isEmpty()) text += QStringLiteral(". ") + summary;
  if (whole()) text += QStringLiteral("\n") + cells[static_cast<std::size_t>(first_hit())].hint;
  return text;
}

}  // namespace rnnadvisor::gui
