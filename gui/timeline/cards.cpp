#include "gui/timeline/cards.h"

#include <QFontMetrics>
#include <algorithm>

namespace rnnadvisor::gui::timeline {
namespace {

constexpr int padding = 12, between = 16;
constexpr int clearance = 6;  // between a card and what it speaks of

}  // namespace

Card::Card(const Details& details, const QFont& font, int most_width)
    : details_(details), font_(font), bold_(font) {
  bold_.setWeight(QFont::DemiBold);
  const QFontMetrics metrics(font_), title(bold_);
  line_height_ = metrics.height() + 2;
  title_height_ = details_.title.isEmpty() ? 0 : title.height() + 6;
  for (auto& [name, value] : details_.lines) {
    name_width_ = std::max(name_width_, metrics.horizontalAdvance(name) + 2);
    value_width_ = std::max(value_width_, metrics.horizontalAdvance(value) + 2);
  }
  const int most_value = most_width - 2 * padding - between - name_width_;
  value_width_ = std::min(value_width_, std::max(120, most_value));
  int width = name_width_ + between + value_width_;
  if (details_.lines.empty()) width = 0;
  width = std::max(width,
                   std::min(title.horizontalAdvance(details_.title) + 2, most_width - 2 * padding));
  title_ = title.elidedText(details_.title, Qt::ElideMiddle, width);
  size_ = QSize(
      width + 2 * padding,
      title_height_ + line_height_ * static_cast<int>(details_.lines.size()) + 2 * padding - 4);
}

QPoint Card::beside(QPoint pointer, const QRect& area, const QRect& bar) const {
  QPoint at = pointer + QPoint(16, 18);
  if (at.x() + size_.width() > area.right()) at.setX(pointer.x() - 16 - size_.width());
  // Below what it speaks of, else above it.
  const int below = bar.isEmpty() ? at.y() : std::max(at.y(), bar.bottom() + 1 + clearance);
  const int above =
      (bar.isEmpty() ? pointer.y() - 12 : std::min(pointer.y() - 12, bar.top() - clearance)) -
      size_.height();
  const bool room_below = below + size_.height() <= area.bottom();
  at.setY(room_below || above < area.top() + 4 ? below : above);
  if (!room_below && above < area.top() + 4) at.setY(area.bottom() - size_.height());
  at.setX(std::max(at.x(), area.left() + 4));
  at.setY(std::max(at.y(), area.top() + 4));
  return at;
}

void Card::paint(QPainter& painter, QPoint at, const Theme& theme) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF box(QPointF(at) + QPointF(0.5, 0.5), QSizeF(size_));
  for (int i = 3; i > 0; --i) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, theme.dark ? 40 : 14));
    painter.drawRoundedRect(box.adjusted(-i, -i + 2, i, i + 2), 6 + i, 6 + i);
  }
  painter.setPen(QPen(theme.border, 1));
  painter.setBrush(theme.panel);
  painter.drawRoundedRect(box, 6, 6);
  painter.setRenderHint(QPainter::Antialiasing, false);
  int y = at.y() + padding - 2;
  const int x = at.x() + padding;
  if (!title_.isEmpty()) {
    painter.setFont(bold_);
    painter.setPen(theme.text);
    painter.drawText(QRect(x, y, size_.width() - 2 * padding, title_height_ - 4),
                     Qt::AlignLeft | Qt::AlignVCenter, title_);
    y += title_height_;
  }
  painter.setFont(font_);
  const QFontMetrics metrics(font_);
  for (const auto& [name, value] : details_.lines) {
    painter.setPen(theme.dim_text);
    painter.drawText(QRect(x, y, name_width_, line_height_), Qt::AlignLeft | Qt::AlignVCenter,
                     name);
    painter.setPen(theme.text);
    painter.drawText(QRect(x + name_width_ + between, y, value_width_, line_height_),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(value, Qt::ElideMiddle, value_width_));
    y += line_height_;
  }
  painter.restore();
}

}  // namespace rnnadvisor::gui::timeline
