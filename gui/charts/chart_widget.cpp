#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/charts/chart.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {

ChartWidget::ChartWidget(QWidget* parent) : QWidget(parent), theme_(light_theme()) {
  Described::install();
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void ChartWidget::set_chart(std::unique_ptr<chart::Chart> chart) {
  chart_ = std::move(chart);
  hits_.clear();
  focused_ = -1;
  setAccessibleDescription(description());
  updateGeometry();
  update();
}

QString ChartWidget::description() const {
  return chart_ ? to_qt(chart_->description()) : QString();
}

QString ChartWidget::described_content() const {
  const QString all = description();
  return all.isEmpty() ? tr("Nothing is shown.") : all;
}

QString ChartWidget::described_selection() const {
  return focused_ >= 0 && focused_ < static_cast<int>(hits_.size())
             ? hits_[static_cast<std::size_t>(focused_)].text
             : QString();
}

void ChartWidget::set_theme(const Theme& theme) {
  theme_ = theme;
  update();
}

int ChartWidget::heightForWidth(int width) const {
  return chart_ ? static_cast<int>(std::ceil(chart_->scene(canvas_of(width, font())).height)) : 0;
}

int ChartWidget::least_width() const {
  return static_cast<int>(std::ceil(chart_->least_width(canvas_of(0, font()))));
}

QSize ChartWidget::sizeHint() const {
  if (!chart_) return {};
  const int width = std::max(480, least_width());
  return {width, heightForWidth(width)};
}

QSize ChartWidget::minimumSizeHint() const {
  return chart_ ? QSize(least_width(), heightForWidth(least_width())) : QSize();
}

void ChartWidget::paintEvent(QPaintEvent*) {
  if (!chart_) return;
  QPainter painter(this);
  // Times run from left to right, whatever the direction of writing.
  painter.setLayoutDirection(Qt::LeftToRight);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto scene = chart_->scene(canvas_of(width(), font()));
  columns_ = scene.columns;
  first_ = scene.first;
  hits_ = paint(painter, scene, {theme_, font()});
  if (hasFocus() && focused_ >= 0 && focused_ < static_cast<int>(hits_.size())) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme_.accent, 2));
    painter.drawRoundedRect(hits_[static_cast<std::size_t>(focused_)].area.adjusted(-2, -2, 2, 2),
                            3, 3);
  }
}

const ChartHit* ChartWidget::hit_at(QPointF point) const {
  // What is painted last lies on top.
  for (auto hit = hits_.rbegin(); hit != hits_.rend(); ++hit) {
    if (hit->area.contains(point)) return &*hit;
  }
  return nullptr;
}

void ChartWidget::mouseMoveEvent(QMouseEvent* event) {
  const auto* hit = hit_at(event->position());
  setCursor(hit != nullptr && !hit->link.isEmpty() ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ChartWidget::mousePressEvent(QMouseEvent* event) {
  const auto* hit = hit_at(event->position());
  if (event->button() == Qt::LeftButton && hit != nullptr && !hit->link.isEmpty())
    emit link_activated(hit->link);
}

int ChartWidget::first_hit() const {
  return std::clamp(first_, 0, static_cast<int>(hits_.size()) - 1);
}

int ChartWidget::next_hit(int key) const {
  const int count = static_cast<int>(hits_.size());
  const bool forward = key == Qt::Key_Right || key == Qt::Key_Down;
  const bool back = key == Qt::Key_Left || key == Qt::Key_Up;
  if (count == 0 || (!forward && !back)) return -1;
  if (columns_ > 0) {
    if (focused_ < 0) return first_hit();
    // At an edge it stays.
    const bool across = key == Qt::Key_Left || key == Qt::Key_Right;
    const int next = focused_ + (forward ? 1 : -1) * (across ? 1 : columns_);
    const bool same_row = next / columns_ == focused_ / columns_;
    return next < 0 || next >= count || (across && !same_row) ? focused_ : next;
  }
  return (focused_ + (forward ? 1 : count - 1) + (focused_ < 0 && back ? 1 : 0)) % count;
}

void ChartWidget::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(hits_.size());
  if (const int next = next_hit(event->key()); next >= 0) {
    focused_ = next;
    const auto& hit = hits_[static_cast<std::size_t>(focused_)];
    setAccessibleDescription(hit.text);  // read out when it changes
    QToolTip::showText(mapToGlobal(hit.area.bottomLeft().toPoint()), hit.text, this);
    update();
    return;
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Space) && focused_ >= 0 &&
      focused_ < count && !hits_[static_cast<std::size_t>(focused_)].link.isEmpty()) {
    emit link_activated(hits_[static_cast<std::size_t>(focused_)].link);
    return;
  }
  QWidget::keyPressEvent(event);
}

void ChartWidget::focusInEvent(QFocusEvent* event) {
  if (focused_ < 0 && !hits_.empty()) focused_ = first_hit();
  QWidget::focusInEvent(event);
  update();
}

void ChartWidget::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

bool ChartWidget::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    if (const auto* hit = hit_at(help->pos()))
      QToolTip::showText(help->globalPos(), hit->text, this, hit->area.toRect());
    else
      QToolTip::hideText();
    return true;
  }
  if (event->type() == QEvent::FontChange) updateGeometry();
  return QWidget::event(event);
}

}  // namespace rnnadvisor::gui
