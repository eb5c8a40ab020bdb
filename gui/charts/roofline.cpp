#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "gui/charts/axes.h"

namespace rnnadvisor::gui {

namespace axis = advisor::chart;

namespace {

constexpr double point_radius = 5;

// Filled where the rate is known, a ring on the roof where it is not.
void paint_point(QPainter& painter, QPointF at, const Roofline::Point& p, const ChartStyle& style) {
  const bool known = p.flops > 0;
  painter.setPen(known ? QPen(style.theme.panel, 1.5) : QPen(p.color, 2.5));
  painter.setBrush(known ? p.color : style.theme.panel);
  painter.drawEllipse(at, point_radius, point_radius);
}

}  // namespace

double Roofline::roof(double intensity) const {
  return std::min(peak_flops, intensity * bandwidth);
}

QSizeF Roofline::least_size(const ChartStyle&) const { return {280, 200}; }
double Roofline::height_for(double width, const ChartStyle& style) const {
  return std::clamp(width * 0.5, 200.0, 320.0) +
         paint_legend(nullptr, QRectF(0, 0, width, 0), style);
}

// Names at the points would lie on each other: phases of one call have nearly one intensity.
double Roofline::paint_legend(QPainter* painter, const QRectF& area,
                              const ChartStyle& style) const {
  const QFontMetricsF metrics(style.font);
  const double line = metrics.height() + 4;
  double x = area.left() + point_radius + 2, y = area.top() + 4;
  bool any = false;
  for (const auto& p : points) {
    if (!(p.intensity > 0) || p.name.isEmpty()) continue;
    const double width = 2 * point_radius + 6 + metrics.horizontalAdvance(p.name) + 14;
    if (any && x + width > area.right() + 14) {
      x = area.left() + point_radius + 2;
      y += line;
    }
    if (painter != nullptr) {
      paint_point(*painter, QPointF(x, y + line / 2), p, style);
      painter->setPen(style.theme.text);
      painter->drawText(QPointF(x + point_radius + 6, y + (line + metrics.ascent()) / 2 - 1),
                        p.name);
    }
    x += width;
    any = true;
  }
  return any ? y + line - area.top() : 0;
}

std::vector<ChartHit> Roofline::paint(QPainter& painter, const QRectF& area,
                                      const ChartStyle& style) const {
  std::vector<ChartHit> hits;
  if (!(peak_flops > 0 && bandwidth > 0)) return hits;
  painter.setFont(style.font);
  const QFontMetricsF metrics(style.font);
  const double line = metrics.height();
  const double ridge = peak_flops / bandwidth;
  const double legend = paint_legend(nullptr, area, style);
  const double bottom = area.bottom() - legend - 2 * line - 12;
  double low = ridge / 20, high = ridge * 8, least = roof(low);
  for (const auto& p : points) {
    if (!(p.intensity > 0)) continue;
    low = std::min(low, p.intensity / 1.5);
    high = std::max(high, p.intensity * 1.5);
    least = std::min(least, (p.flops > 0 ? p.flops : roof(p.intensity)) / 1.5);
  }
  least = std::min(least, roof(low));
  const auto y =
      axis::log10_axis(least / 1e12, peak_flops * 1.2 / 1e12, bottom, area.top() + line * 1.8);
  const QRectF plot(QPointF(area.left() + tick_width(y, style) + 12, area.top() + line * 1.8),
                    QPointF(area.right() - 8, bottom));
  auto x = axis::log10_axis(low, high, plot.left(), plot.right());
  paint_axes(painter, plot, x, y, QStringLiteral("FLOP per byte"), QStringLiteral("TFLOP/s"),
             style);
  const auto at = [&](double intensity, double flops) {
    return QPointF(x.scale(intensity), y.scale(flops / 1e12));
  };
  painter.save();
  painter.setClipRect(plot.adjusted(0, -2, 0, 0));
  QPainterPath path;
  path.moveTo(at(x.scale.low, x.scale.low * bandwidth));
  path.lineTo(at(ridge, peak_flops));
  path.lineTo(at(x.scale.high, peak_flops));
  QPainterPath under = path;
  under.lineTo(plot.bottomRight());
  under.lineTo(plot.left(), plot.bottom());
  QColor shade = style.theme.accent;
  shade.setAlphaF(0.07F);
  painter.fillPath(under, shade);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(style.theme.dim_text, 2));
  painter.drawPath(path);
  painter.restore();
  painter.setPen(style.theme.dim_text);
  const QString peak = QStringLiteral("%1 TFLOP/s %2")
                           .arg(peak_flops / 1e12, 0, 'g', 4)
                           .arg(QString(peak_name).replace(QLatin1Char('_'), QLatin1Char(' ')));
  const QPointF corner = at(ridge, peak_flops);
  // Above the points that lie on the roof.
  painter.drawText(
      QRectF(plot.left(), corner.y() - line - point_radius - 4, plot.width() - 4, line),
      Qt::AlignRight | Qt::AlignBottom, peak);
  const QPointF slope = at(x.scale.low, x.scale.low * bandwidth);
  painter.save();
  painter.translate((slope + corner) / 2);
  painter.rotate(std::atan2(corner.y() - slope.y(), corner.x() - slope.x()) * 180 / M_PI);
  painter.drawText(QRectF(-120, -line - 3, 240, line), Qt::AlignHCenter | Qt::AlignBottom,
                   QStringLiteral("%1 TB/s").arg(bandwidth / 1e12, 0, 'g', 3));
  painter.restore();
  for (const auto& p : points) {
    if (!(p.intensity > 0)) continue;
    const QPointF point = at(p.intensity, p.flops > 0 ? p.flops : roof(p.intensity));
    painter.setPen(QPen(style.theme.grid, 1, Qt::DashLine));
    painter.drawLine(at(p.intensity, roof(p.intensity)), QPointF(point.x(), plot.bottom()));
    paint_point(painter, point, p, style);
    hits.push_back({QRectF(point.x() - 8, point.y() - 8, 16, 16),
                    p.name + QStringLiteral(" · ") + p.text, QString()});
  }
  paint_legend(&painter, QRectF(area.left(), area.bottom() - legend, area.width(), legend), style);
  return hits;
}

QString Roofline::description() const {
  QStringList lines;
  for (const auto& p : points) lines << p.name + QStringLiteral(": ") + p.text;
  return lines.join(QLatin1Char('\n'));
}

}  // namespace rnnadvisor::gui
