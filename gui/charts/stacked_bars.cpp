#include <QFontMetricsF>
#include <algorithm>

#include "gui/charts/chart.h"

namespace rnnadvisor::gui {
namespace {

constexpr double bar_gap = 12, row_gap = 10, bar_height = 22, least_bar = 120;
constexpr double least_contrast = 1.6;  // below it a fill is hardly seen

double row_height(const ChartStyle& style) {
  return std::max(bar_height, QFontMetricsF(style.font).height() + 2);
}

double sum(const StackedBars::Row& row) {
  double total = 0;
  for (const auto& segment : row.segments) total += segment.value;
  return total;
}

}  // namespace

std::vector<const StackedBars::Segment*> StackedBars::entries() const {
  std::vector<const Segment*> found;
  for (const auto& row : rows) {
    for (const auto& segment : row.segments) {
      const bool known = std::any_of(found.begin(), found.end(),
                                     [&](const Segment* s) { return s->name == segment.name; });
      if (!known && !segment.name.isEmpty() && segment.value > 0) found.push_back(&segment);
    }
  }
  std::stable_partition(found.begin(), found.end(),
                        [&](const Segment* s) { return s->name != last_entry; });
  return found;
}

double StackedBars::label_width(const ChartStyle& style, double width) const {
  const QFontMetricsF metrics(style.font);
  double most_width = 0;
  for (const auto& row : rows)
    most_width = std::max(most_width, metrics.horizontalAdvance(row.label));
  double note_width = metrics.horizontalAdvance(most_label);
  for (const auto& row : rows)
    note_width = std::max(note_width, metrics.horizontalAdvance(row.note));
  // Labels are cut only where bars would else be shorter than can be read.
  const double room = std::max(width * 0.45, width - least_bar - note_width - 2 * bar_gap);
  return most_width > 0 ? std::min(most_width, room) + bar_gap : 0;
}

double StackedBars::paint_legend(QPainter* painter, QRectF area, const ChartStyle& style) const {
  const QFontMetricsF metrics(style.font);
  const double line = metrics.height() + 4;
  double x = area.left(), y = area.top();
  for (const Segment* entry : entries()) {
    const double width = 16 + metrics.horizontalAdvance(entry->name) + 18;
    if (x > area.left() && x + width > area.right() + 18) {
      x = area.left();
      y += line;
    }
    if (painter != nullptr) {
      // What is nearly the ground has an outline.
      const bool faint = contrast(entry->color, style.theme.panel) < least_contrast;
      painter->setPen(faint ? QPen(style.theme.dim_text, 1) : QPen(Qt::NoPen));
      painter->setBrush(entry->color);
      const double in = faint ? 0.5 : 0;
      painter->drawRoundedRect(QRectF(x + in, y + line / 2 - 5 + in, 10 - 2 * in, 10 - 2 * in), 2,
                               2);
      painter->setPen(style.theme.dim_text);
      painter->drawText(QRectF(x + 16, y, width, line), Qt::AlignVCenter | Qt::AlignLeft,
                        entry->name);
    }
    x += width;
  }
  return entries().empty() ? 0 : y + line - area.top();
}

QSizeF StackedBars::least_size(const ChartStyle& style) const {
  const double width = label_width(style, 600) + least_bar;
  return {width, height_for(width, style)};
}

double StackedBars::height_for(double width, const ChartStyle& style) const {
  const auto count = static_cast<double>(rows.size());
  const double bars = count * row_height(style) + std::max(0.0, count - 1) * row_gap;
  return bars + (legend ? 8 + paint_legend(nullptr, QRectF(0, 0, width, 0), style) : 0) + 2;
}

std::vector<ChartHit> StackedBars::paint(QPainter& painter, const QRectF& area,
                                         const ChartStyle& style) const {
  std::vector<ChartHit> hits;
  const QFontMetricsF metrics(style.font);
  painter.setFont(style.font);
  double whole = most;
  double note_width = metrics.horizontalAdvance(most_label);
  for (const auto& row : rows) {
    if (most <= 0 && row.whole <= 0) whole = std::max(whole, sum(row));
    note_width = std::max(note_width, metrics.horizontalAdvance(row.note));
  }
  const double labels = label_width(style, area.width());
  const QRectF plot(
      area.left() + labels, area.top(),
      std::max(20.0, area.width() - labels - (note_width > 0 ? note_width + bar_gap : 0)),
      area.height());
  const double height = row_height(style);
  double y = area.top() + 1;
  for (const auto& row : rows) {
    painter.setPen(style.theme.text);
    painter.drawText(QRectF(area.left(), y, labels - bar_gap, height),
                     Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(row.label, Qt::ElideMiddle, labels - bar_gap));
    const QRectF track(plot.left(), y + (height - 18) / 2, plot.width(), 18);
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.theme.raised);
    const bool of_whole = most > 0 || row.whole > 0;
    if (of_whole) painter.drawRoundedRect(track, 4, 4);
    const double scale = row.whole > 0 ? row.whole : whole;
    double x = track.left();
    double end = x;
    for (const auto& segment : row.segments) {
      if (segment.value <= 0 || scale <= 0) continue;
      // A segment that is there is seen, however short.
      const double width = std::max(1.5, segment.value / scale * track.width());
      const QRectF box(x, track.top(), std::min(width, track.right() - x), track.height());
      painter.setPen(Qt::NoPen);
      painter.setBrush(segment.color);
      painter.drawRect(box.adjusted(0, 0, box.width() > 3 ? -1 : 0, 0));
      if (metrics.horizontalAdvance(segment.text) + 10 < box.width()) {
        painter.setPen(text_on(segment.color));
        painter.drawText(box, Qt::AlignCenter, segment.text);
      }
      QString words = segment.name.isEmpty() ? segment.text
                                             : segment.name + QStringLiteral(": ") + segment.text;
      if (!row.label.isEmpty()) words = row.label + QStringLiteral(" · ") + words;
      hits.push_back({box, words, segment.link.isEmpty() ? row.link : segment.link});
      x = std::min(track.right(), x + width);
      end = x;
    }
    painter.setPen(style.theme.dim_text);
    const double at = of_whole ? track.right() : end;
    painter.drawText(QRectF(at + bar_gap, y, note_width + bar_gap, height),
                     Qt::AlignVCenter | Qt::AlignLeft, row.note);
    y += height + row_gap;
  }
  if (legend) paint_legend(&painter, QRectF(area.left(), y - row_gap + 8, area.width(), 0), style);
  return hits;
}

QString StackedBars::description() const {
  QStringList lines;
  for (const auto& row : rows) {
    QStringList parts;
    for (const auto& segment : row.segments) {
      if (segment.value > 0) parts << segment.name + QLatin1Char(' ') + segment.text;
    }
    lines << row.label + QStringLiteral(": ") + parts.join(QStringLiteral(", ")) +
                 (row.note.isEmpty() ? QString() : QStringLiteral("; ") + row.note);
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace rnnadvisor::gui
