#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "gui/texts.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/compare_timelines.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

constexpr double alike = 0.02;  // calls whose times differ by less have no colour. Our choice.

}  // namespace

void CompareTimelines::paint_band(QPainter& painter, const Joint& joint, bool chosen) {
  const QRect strip = between_->geometry();
  const double ratio = pairs_->of_row(joint.row)->ratio();
  const QColor base = chosen                        ? theme_.accent
                      : std::abs(ratio - 1) < alike ? theme_.dim_text
                      : ratio > 1                   ? theme_.good
                                                    : theme_.warning;
  const auto shade = [&](double alpha) {
    QColor color = base;
    color.setAlphaF(static_cast<float>(alpha));
    return color;
  };
  QPainterPath path(QPointF(joint.before_left, strip.top()));
  path.lineTo(std::max(joint.before_right, joint.before_left + 1), strip.top());
  path.lineTo(std::max(joint.after_right, joint.after_left + 1), strip.bottom());
  path.lineTo(joint.after_left, strip.bottom());
  path.closeSubpath();
  painter.fillPath(path, shade(chosen ? 0.35 : 0.16));
  painter.setPen(QPen(shade(chosen ? 1 : 0.45), chosen ? 1.5 : 1));
  painter.drawLine(QPointF(joint.before_left, strip.top()),
                   QPointF(joint.after_left, strip.bottom()));
  painter.drawLine(QPointF(joint.before_right, strip.top()),
                   QPointF(joint.after_right, strip.bottom()));
  // On to the calls themselves, across what lies between; not where a track is hidden or scrolled
  // away.
  painter.setPen(QPen(shade(chosen ? 0.8 : 0.25), 1, Qt::DotLine));
  const auto reach = [&](TimelineWidget* timeline, int call, bool above, double left,
                         double right) {
    const auto& scene = timeline->scene();
    const auto rect = scene.rect_of(Item{ItemKind::call, call});
    if (!rect || rect->bottom() < scene.rows_top() || rect->top() > scene.size.height()) return;
    const double from = timeline->y() + (above ? rect->bottom() : rect->top());
    for (const double x : {left, right})
      painter.drawLine(QPointF(x, from), QPointF(x, above ? strip.top() : strip.bottom()));
  };
  const auto& match = comparison_->calls[static_cast<std::size_t>(joint.row)];
  reach(before_, match.before, true, joint.before_left, joint.before_right);
  reach(after_, match.after, false, joint.after_left, joint.after_right);
}

void CompareTimelines::paint_joints(QPainter& painter) {
  if (!ready() || !has_pairs()) return;
  const QRect strip = between_->geometry();
  const auto& scene = before_->scene();
  const int left = scene.header_width, right = scene.size.width();
  painter.fillRect(strip, theme_.window);
  painter.setPen(theme_.border);
  painter.drawLine(strip.topLeft(), strip.topRight());
  painter.drawLine(strip.bottomLeft(), strip.bottomRight());
  const QFont small = timeline::small_font(font());
  const QFontMetrics metrics(small);
  painter.setFont(small);
  painter.setPen(theme_.dim_text);
  const auto caption = [&](const QString& arrow, const QString& word, const Document& document,
                           int top) {
    const int width = left - 20;
    painter.drawText(
        QRect(12, top, width, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(arrow + QLatin1Char(' ') + word + QStringLiteral(": ") + document.name(),
                           Qt::ElideMiddle, width));
  };
  caption(QStringLiteral("▲"), tr("before"), *comparison_->before, strip.top() + 4);
  caption(QStringLiteral("▼"), tr("after"), *comparison_->after,
          strip.bottom() - 3 - metrics.height());

  bool too_many = false;
  const auto drawn = joints(&too_many);
  painter.save();
  painter.setClipRect(QRect(left, 0, right - left, area_->height()));
  painter.setRenderHint(QPainter::Antialiasing);
  const Joint* chosen = nullptr;
  for (const auto& joint : drawn) {
    if (joint.row == row_)
      chosen = &joint;
    else
      paint_band(painter, joint, false);
  }
  if (chosen != nullptr) paint_band(painter, *chosen, true);
  // A line marks the end of a step.
  const Pair* pair = shown_pair();
  const Joint whole = pair != nullptr ? joint_of(*pair) : Joint{};
  if (step_ >= 0 && pair != nullptr) {
    painter.setPen(QPen(theme_.accent, 1.5, Qt::DashLine));
    painter.drawLine(QPointF(whole.before_right, 0), QPointF(whole.before_right, strip.top()));
    painter.drawLine(QPointF(whole.before_right, strip.top()),
                     QPointF(whole.after_right, strip.bottom()));
    painter.drawLine(QPointF(whole.after_right, strip.bottom()),
                     QPointF(whole.after_right, area_->height()));
  }
  painter.setRenderHint(QPainter::Antialiasing, false);

  const auto label = [&](const QString& text, double centre, const QColor& ground,
                         const QColor& ink) {
    QRectF box(0, 0, metrics.horizontalAdvance(text) + 14, metrics.height() + 4);
    box.moveCenter(QPointF(centre, strip.center().y()));
    box.moveLeft(std::clamp<double>(box.left(), left + 4,
                                    std::max<double>(left + 4, right - box.width() - 4)));
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(ink);
    painter.drawText(box, Qt::AlignCenter, text);
    return box;
  };
  QRectF told;
  if (pair != nullptr && (step_ >= 0 || chosen != nullptr)) {
    const QString text = difference_text(static_cast<double>(pair->before.length()) / 1e6,
                                         static_cast<double>(pair->after.length()) / 1e6);
    const double middle =
        (whole.before_left + whole.before_right + whole.after_left + whole.after_right) / 4;
    told = label(step_ >= 0 ? tr("step: %1").arg(text) : text, middle, theme_.accent,
                 theme_.text_on_accent);
  }
  if (too_many) {
    const QString text =
        tr("More than %1 matched calls in sight, too many to be joined: zoom in").arg(most_joints);
    const double half = (metrics.horizontalAdvance(text) + 14) / 2.0;
    const bool before_it = told.isNull() || told.center().x() > (left + right) / 2.0;
    label(text, before_it ? left + 4 + half : right - 4 - half, theme_.raised, theme_.text);
  }
  painter.restore();
}

}  // namespace rnnadvisor::gui
