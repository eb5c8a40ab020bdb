// What a person noted: flags in the ruler, lines and veils through the tracks.
#include <algorithm>

#include "gui/timeline/scene.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr double flag_padding = 5, most_flag_width = 180, least_flag_width = 10;

}  // namespace

// Flags stand side by side where there is room, and are cut to the room that is left before the
// next one.
std::vector<MarkFlag> flags_of(const Scene& scene, const QFontMetricsF& metrics) {
  std::vector<MarkFlag> flags;
  const double left = scene.header_width, right = scene.size.width();
  for (std::size_t i = 0; i < scene.marks.size(); ++i) {
    const auto& mark = scene.marks[i];
    const double x = scene.x_of(mark.range.begin_ns);
    const double end = std::max(x, scene.x_of(mark.range.end_ns));
    if (end < left || x >= right) continue;
    // The flag of a range that begins outside is seen all the same.
    const double at = std::max(x, left);
    const double wanted = std::clamp(metrics.horizontalAdvance(mark.text) + 2 * flag_padding,
                                     least_flag_width, most_flag_width);
    if (!flags.empty() && flags.back().box.right() > at - 1)
      flags.back().box.setRight(std::max(flags.back().box.left() + least_flag_width / 2, at - 1));
    flags.push_back({static_cast<int>(i), QRectF(at, scene.overview() + ruler_height,
                                                 std::min(wanted, right - at), mark_height)});
  }
  return flags;
}

void ScenePainter::marks(const Scene& scene) {
  if (scene.marks.empty()) return;
  painter_.fillRect(QRect(0, scene.overview() + ruler_height, scene.size.width(), mark_height + 2),
                    scene.theme.window);
  painter_.save();
  painter_.setClipRect(QRect(scene.header_width, scene.overview(), scene.spans_width(),
                             scene.size.height() - scene.overview()));
  const QFontMetricsF metrics(small_font_);
  for (const auto& mark : scene.marks) {
    const QColor color = scene.theme.series(mark.color);
    const double x = scene.x_of(mark.range.begin_ns), end = scene.x_of(mark.range.end_ns);
    if (end < scene.header_width || x > scene.size.width()) continue;
    const double bottom = scene.size.height();
    if (!mark.moment()) {
      QColor veil = color;
      veil.setAlphaF(0.10F);
      painter_.fillRect(QRectF(QPointF(x, scene.top_height()), QPointF(end, bottom)), veil);
    }
    painter_.setPen(QPen(color, 1));
    painter_.drawLine(QLineF(x, scene.overview() + ruler_height, x, bottom));
    if (!mark.moment())
      painter_.drawLine(QLineF(end, scene.overview() + ruler_height, end, bottom));
  }
  painter_.setFont(small_font_);
  for (const auto& flag : flags_of(scene, metrics)) {
    const auto& mark = scene.marks[static_cast<std::size_t>(flag.mark)];
    const QColor color = scene.theme.series(mark.color);
    painter_.setPen(flag.mark == scene.hovered_mark ? QPen(scene.theme.text, 1) : Qt::NoPen);
    painter_.setBrush(color);
    painter_.drawRect(flag.box);
    painter_.setPen(text_on(color));
    const QRectF inner = flag.box.adjusted(flag_padding, 0, -2, 0);
    if (inner.width() > 8)
      painter_.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft,
                        metrics.elidedText(mark.text, Qt::ElideRight, inner.width()));
  }
  painter_.restore();
}

}  // namespace rnnadvisor::gui::timeline
