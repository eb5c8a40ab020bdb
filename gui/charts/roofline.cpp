#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "gui/charts/axes.h"

namespace rnnadvisor::gui {

namespace axis = advisor::chart;

namespace {

constexpr double point_radius = 5;

}  // namespace

double Roofline::roof(double intensity) const {
  return std::min(peak_flops, intensity * bandwidth);
}

QSizeF Roofline::least_size(const ChartStyle&) const { return {280, 200}; }
double Roofline::height_for(double width, const ChartStyle&) const {
  return std::clamp(width * 0.5, 200.0, 320.0);
}

std::vector<ChartHit> Roofline::paint(QPainter& painter, const QRectF& area,
                                      const ChartStyle& style) const {
  std::vector<ChartHit> hits;
  if (!(peak_flops > 0 && bandwidth > 0)) return hits;
  painter.setFont(style.font);
  const QFontMetricsF metrics(style.font);
  const double line = metrics.height();
  const double ridge = peak_flops / bandwidth;
  double low = ridge / 20, high = ridge * 8, least = roof(low);
  for (const auto& p : points) {
    if (!(p.intensity > 0)) continue;
    low = std::min(low, p.intensity / 1.5);
    high = std::max(high, p.intensity * 1.5);
    least = std::min(least, (p.flops > 0 ? p.flops : roof(p.intensity)) / 1.5);
  }
  least = std::min(least, roof(low));
  const auto y = axis::log10_axis(least / 1e12, peak_flops * 1.2 / 1e12,
                                  area.bottom() - 2 * line - 12, area.top() + line * 1.8);
  const QRectF plot(QPointF(area.left() + tick_width(y, style) + 12, area.top() + line * 1.8),
                    QPointF(area.right() - 8, area.bottom() - 2 * line - 12));
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
  // Points that lie on each other share one label.
  struct Label {
    QPointF at;
    QStringList names;
  };
  std::vector<Label> labels;
  for (const auto& p : points) {
    if (!(p.intensity > 0)) continue;
    const bool ran = p.flops > 0;
    const QPointF point = at(p.intensity, ran ? p.flops : roof(p.intensity));
    painter.setPen(QPen(style.theme.grid, 1, Qt::DashLine));
    painter.drawLine(point, QPointF(point.x(), plot.bottom()));
    painter.setPen(ran ? QPen(style.theme.panel, 1.5) : QPen(p.color, 2.5));
    painter.setBrush(ran ? p.color : style.theme.panel);
    painter.drawEllipse(point, point_radius, point_radius);
    hits.push_back({QRectF(point.x() - 8, point.y() - 8, 16, 16),
                    p.name + QStringLiteral(" · ") + p.text, QString()});
    if (p.name.isEmpty()) continue;
    const auto near = std::find_if(labels.begin(), labels.end(), [&](const Label& l) {
      return std::fabs(l.at.x() - point.x()) < 70 && std::fabs(l.at.y() - point.y()) < line;
    });
    if (near != labels.end()) {
      near->names << p.name;
    } else {
      labels.push_back({point, {p.name}});
    }
  }
  painter.setPen(style.theme.text);
  for (const auto& label : labels) {
    double y_at = label.at.y() + line + 4;
    for (const auto& name : label.names) {
      const double width = metrics.horizontalAdvance(name);
      const double x_at = std::clamp(label.at.x() - width / 2, plot.left() + 4,
                                     std::max(plot.left() + 4, plot.right() - width - 4));
      QColor ground = style.theme.panel;
      ground.setAlphaF(0.8F);
      painter.fillRect(QRectF(x_at - 2, y_at - metrics.ascent(), width + 4, line), ground);
      painter.drawText(QPointF(x_at, y_at), name);
      y_at += line;
    }
  }
  return hits;
}

QString Roofline::description() const {
  QStringList lines;
  for (const auto& p : points) lines << p.name + QStringLiteral(": ") + p.text;
  return lines.join(QLatin1Char('\n'));
}

}  // namespace rnnadvisor::gui
