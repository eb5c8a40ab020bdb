// Small cards painted over the timeline: what the pointer is on, what lies in a range, the keys.
#pragma once

#include <QFont>
#include <QPainter>

#include "gui/theme.h"
#include "gui/timeline/details.h"

namespace rnnadvisor::gui::timeline {

class Card {
 public:
  Card(const Details& details, const QFont& font, int most_width = 420);
  QSize size() const { return size_; }
  void paint(QPainter& painter, QPoint at, const Theme& theme) const;
  // Beside `pointer`, within `area`, and below or above what it speaks of where there is room.
  QPoint beside(QPoint pointer, const QRect& area, const QRect& bar = {}) const;

 private:
  Details details_;
  QFont font_, bold_;
  QString title_;
  int name_width_ = 0, value_width_ = 0, line_height_ = 0, title_height_ = 0;
  QSize size_;
};

}  // namespace rnnadvisor::gui::timeline
