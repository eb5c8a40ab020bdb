#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/charts/axes.h"

namespace rnnadvisor::gui {
namespace {

namespace axis = advisor::chart;

}  // namespace

double tick_width(const axis::Axis& a, const ChartStyle& style) {
  const QFontMetricsF metrics(style.font);
  double width = 0;
  for (const auto& label : a.labels)
    width = std::max(width, metrics.horizontalAdvance(to_qt(label)));
  return width;
}

void paint_axes(QPainter& painter, const QRectF& plot, const axis::Axis& x, const axis::Axis& y,
                const QString& x_title, const QString& y_title, const ChartStyle& style) {
  const QFontMetricsF metrics(style.font);
  const double line = metrics.height();
  for (std::size_t i = 0; i < y.ticks.size(); ++i) {
    const double at = std::round(y.scale(y.ticks[i])) + 0.5;
    painter.setPen(QPen(style.theme.grid, 1));
    painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at));
    if (y.labels[i].empty()) continue;
    painter.setPen(style.theme.dim_text);
    painter.drawText(QRectF(plot.left() - 108, at - line / 2, 100, line),
                     Qt::AlignRight | Qt::AlignVCenter, to_qt(y.labels[i]));
  }
  const auto half_width = [&](std::size_t i) {
    return metrics.horizontalAdvance(to_qt(x.labels[i])) / 2;
  };
  // Where not all labels fit, a logarithmic axis keeps its powers of ten: what is left out by
  // chance reads as an error.
  bool only_powers = false;
  if (x.scale.kind == axis::ScaleKind::log10) {
    double end = -1e9;
    for (std::size_t i = 0; i < x.ticks.size(); ++i) {
      if (x.labels[i].empty()) continue;
      const double at = x.scale(x.ticks[i]);
      only_powers = only_powers || at - half_width(i) < end;
      end = at + half_width(i) + 8;
    }
  }
  const auto is_power = [](double value) {
    const double power = std::log10(value);
    return std::fabs(power - std::round(power)) < 1e-6;
  };
  double free_from = -1e9;
  for (std::size_t i = 0; i < x.ticks.size(); ++i) {
    const double at = std::round(x.scale(x.ticks[i])) + 0.5;
    painter.setPen(QPen(style.theme.grid, 1));
    painter.drawLine(QPointF(at, plot.bottom()), QPointF(at, plot.bottom() + 4));
    if (x.labels[i].empty()) continue;
    if (only_powers && !is_power(x.ticks[i])) continue;
    const double half = half_width(i);
    if (at - half < free_from || at + half > plot.right() + 12) continue;
    free_from = at + half + 8;
    painter.setPen(style.theme.dim_text);
    painter.drawText(QRectF(at - 60, plot.bottom() + 6, 120, line), Qt::AlignHCenter | Qt::AlignTop,
                     to_qt(x.labels[i]));
  }
  painter.setPen(QPen(style.theme.border, 1));
  painter.drawLine(QPointF(plot.left(), plot.bottom() + 0.5),
                   QPointF(plot.right(), plot.bottom() + 0.5));
  painter.setPen(style.theme.dim_text);
  painter.drawText(QRectF(plot.left(), plot.bottom() + 8 + line, plot.width(), line),
                   Qt::AlignRight | Qt::AlignTop, x_title);
  painter.drawText(QPointF(plot.left() - tick_width(y, style) - 8, plot.top() - line * 0.7),
                   y_title);
}

QSizeF LineChart::least_size(const ChartStyle&) const { return {320, 220}; }

double LineChart::height_for(double width, const ChartStyle&) const {
  return std::clamp(width * 0.42, 220.0, 380.0);
}

std::vector<ChartHit> LineChart::paint(QPainter& painter, const QRectF& area,
                                       const ChartStyle& style) const {
  std::vector<ChartHit> hits;
  painter.setFont(style.font);
  const QFontMetricsF metrics(style.font);
  const double line = metrics.height();
  std::vector<double> xs;
  double most = 0, least = std::numeric_limits<double>::max(), names = 0;
  for (const auto& s : series) {
    names = std::max(names, metrics.horizontalAdvance(s.name));
    for (const auto& p : s.points) {
      xs.push_back(p.x);
      most = std::max({most, p.y, p.high});
      least = std::min(least, p.y);
    }
  }
  if (xs.empty()) return hits;
  const double top = area.top() + line * 1.8, bottom = area.bottom() - 2 * line - 12;
  const auto make_y = [&](double t, double b) {
    return log_y ? axis::log10_axis(least, most, b, t) : axis::linear_axis(most, 5, b, t);
  };
  const auto y = make_y(top, bottom);
  const double left = area.left() + tick_width(y, style) + 10;
  const double right = area.right() - std::min(names + 20, area.width() * 0.35);
  const QRectF plot(left, top, std::max(40.0, right - left), bottom - top);
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  const auto x = axis::value_axis(
      axis::doubles(xs) ? axis::ScaleKind::log2 : axis::ScaleKind::linear, xs, plot.left() + 6,
      plot.right() - 6, metrics.horizontalAdvance(QStringLiteral("000000")));
  paint_axes(painter, plot, x, y, x_label, y_label, style);

  std::vector<double> ends;
  for (const auto& s : series)
    ends.push_back(s.points.empty() ? plot.bottom() : y.scale(s.points.back().y));
  const auto places = axis::spread(ends, line, plot.top(), plot.bottom());
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto& s = series[i];
    if (s.points.empty()) continue;
    QPainterPath path;
    for (std::size_t k = 0; k < s.points.size(); ++k) {
      const QPointF point(x.scale(s.points[k].x), y.scale(s.points[k].y));
      if (k == 0) {
        path.moveTo(point);
      } else {
        path.lineTo(point);
      }
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(s.color, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
    for (const auto& p : s.points) {
      const QPointF point(x.scale(p.x), y.scale(p.y));
      if (p.high > p.low) {
        painter.setPen(QPen(s.color, 1));
        painter.drawLine(QPointF(point.x(), y.scale(p.low)), QPointF(point.x(), y.scale(p.high)));
      }
      painter.setPen(QPen(style.theme.panel, 1.5));
      painter.setBrush(s.color);
      painter.drawEllipse(point, 4, 4);
      hits.push_back({QRectF(point.x() - 7, point.y() - 7, 14, 14),
                      s.name + QStringLiteral(" · ") + p.text, p.link});
    }
    painter.setPen(style.theme.text);
    const double label_x = x.scale(s.points.back().x) + 10;
    const double room = area.right() - label_x;
    const QRectF label(label_x, places[i] - line / 2, room, line);
    painter.drawText(label, Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(s.name, Qt::ElideRight, room));
  }
  return hits;
}

QString LineChart::description() const {
  QStringList lines{y_label};
  for (const auto& s : series) {
    QStringList parts;
    for (const auto& p : s.points) parts << p.text;
    lines << s.name + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace rnnadvisor::gui
