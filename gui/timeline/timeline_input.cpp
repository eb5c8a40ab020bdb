// Keys, wheel and mouse of the timeline, by the conventions of Perfetto, Tracy and Nsight Systems.
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <cmath>
#include <utility>

#include "gui/timeline/search_bar.h"
#include "gui/timeline/timeline_widget.h"

namespace rnnadvisor::gui {

using namespace timeline;

namespace {

constexpr double key_zoom = 0.7;
constexpr double key_pan = 0.2;  // of the width
constexpr double edge_reach = 4;

}  // namespace

bool TimelineWidget::event(QEvent* event) {
  // Letters and arrows are ours while the timeline has the focus, also where the window has a
  // shortcut of the same key.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
    const bool arrow = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right ||
                       key->key() == Qt::Key_Up || key->key() == Qt::Key_Down;
    const bool ours =
        arrow && (key->modifiers() == Qt::AltModifier || key->modifiers() == Qt::ControlModifier);
    // Its sheet of keys is the window's.
    if (key->key() == Qt::Key_Question) return QAbstractScrollArea::event(event);
    if (plain || ours || key->matches(QKeySequence::Find)) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

void TimelineWidget::keyPressEvent(QKeyEvent* event) {
  if (!ready() || state_ == nullptr) {
    QAbstractScrollArea::keyPressEvent(event);
    return;
  }
  if (event->matches(QKeySequence::Find)) return show_search();
  if (event->matches(QKeySequence::Copy)) {
    copy_selection();
    return;
  }
  if (key_of_tracks(*event)) return;
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  if (event->modifiers() == Qt::ControlModifier) {
    if (event->key() == Qt::Key_Left) return step_in_call(-1);
    if (event->key() == Qt::Key_Right) return step_in_call(1);
  }
  if (event->modifiers() & (Qt::ControlModifier | Qt::MetaModifier)) {
    QAbstractScrollArea::keyPressEvent(event);
    return;
  }
  if (event->modifiers().testFlag(Qt::AltModifier)) {
    if (event->key() == Qt::Key_Left) return state_->back();
    if (event->key() == Qt::Key_Right) return state_->forward();
    QAbstractScrollArea::keyPressEvent(event);
    return;
  }
  const double faster = shift ? 2 : 1;
  switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(std::pow(key_zoom, faster));
    case Qt::Key_S:
    case Qt::Key_Minus:
      return zoom(std::pow(key_zoom, -faster));
    case Qt::Key_A:
      return pan(-key_pan * faster * scene_.spans_width());
    case Qt::Key_D:
      return pan(key_pan * faster * scene_.spans_width());
    case Qt::Key_F:
      return focus_on_selection();
    case Qt::Key_0:
    case Qt::Key_Home:
      return show_all();
    case Qt::Key_Backspace:
      return shift ? state_->forward() : state_->back();
    case Qt::Key_Left:
      return scene_.selection.empty() ? pan(-key_pan * scene_.spans_width()) : step(-1);
    case Qt::Key_Right:
      return scene_.selection.empty() ? pan(key_pan * scene_.spans_width()) : step(1);
    case Qt::Key_Comma:
      return step(-1);
    case Qt::Key_Period:
      return step(1);
    case Qt::Key_Up:
      return step_track(-1);
    case Qt::Key_Down:
      return step_track(1);
    case Qt::Key_BracketLeft:
      return step_flow(-1);
    case Qt::Key_BracketRight:
      return step_flow(1);
    case Qt::Key_R:
      return measure_selection();
    case Qt::Key_Less:
      return step_in_call(-1);
    case Qt::Key_Greater:
      return step_in_call(1);
    case Qt::Key_M:
      return add_mark();
    case Qt::Key_J:
      return step_mark(shift ? -1 : 1);
    case Qt::Key_P:
      if (const int track = current_track(); track >= 0) set_pinned(track, !state_of(track).pinned);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (const int track = current_track(); track >= 0) set_folded(track, !state_of(track).folded);
      return;
    case Qt::Key_N:
      return next_hit(shift ? -1 : 1);
    case Qt::Key_Slash:
      return show_search();
    case Qt::Key_Escape:
      if (escape()) return;
      break;
    case Qt::Key_PageUp:
      return verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepSub);
    case Qt::Key_PageDown:
      return verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepAdd);
    default:
      break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void TimelineWidget::wheelEvent(QWheelEvent* event) {
  if (!ready()) return;
  const QPoint angle = event->angleDelta();
  const bool control = event->modifiers().testFlag(Qt::ControlModifier);
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  // Some platforms turn Shift with a wheel into a wheel that goes sideways.
  const int steps = angle.y() != 0 ? angle.y() : angle.x();
  const double notches = steps / 120.0;
  if (control && shift) {
    set_height_factor(scene_.height_factor * std::pow(1.1, notches));
  } else if (control || (wheel_zooms_ && !shift && angle.y() != 0)) {
    zoom_at(event->position().x(), std::pow(0.8, notches));
  } else if (shift || angle.y() == 0) {
    pan(-notches * 0.12 * scene_.spans_width());
  } else {
    auto* bar = verticalScrollBar();
    bar->setValue(bar->value() - static_cast<int>(std::lround(notches * 72)));
  }
  hover(event->position());
  event->accept();
}

std::optional<int> TimelineWidget::edge_at(QPointF position) const {
  if (!scene_.measured || position.y() < scene_.overview()) return std::nullopt;
  if (std::abs(position.x() - scene_.x_of(scene_.measured->begin_ns)) <= edge_reach) return 0;
  if (std::abs(position.x() - scene_.x_of(scene_.measured->end_ns)) <= edge_reach) return 1;
  return std::nullopt;
}

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
  if (!ready() || state_ == nullptr) return;
  setFocus(Qt::MouseFocusReason);
  if (event->button() == Qt::BackButton) return state_->back();
  if (event->button() == Qt::ForwardButton) return state_->forward();
  pressed_ = pointer_ = event->position();
  pressed_visible_ = scene_.visible;
  pressed_under_ = under(scene_, event->position(), font());
  pressed_time_ = pressed_under_.time;
  // Rows move while a track is dragged.
  pressed_track_ = pressed_under_.row != nullptr ? pressed_under_.row->track : -1;
  const bool right = event->button() != Qt::LeftButton;
  if (const auto edge = edge_at(event->position()); edge && !right) {
    // The edge that stays is where the measure is held.
    pressed_time_ = *edge == 0 ? scene_.measured->end_ns : scene_.measured->begin_ns;
    drag_ = Drag::edge;
    return;
  }
  begin_drag(pressed_under_, event->modifiers(), right);
}

void TimelineWidget::begin_drag(const Under& at, Qt::KeyboardModifiers modifiers, bool right) {
  if (at.overview && !at.header) {
    drag_ = Drag::overview;
    drag_to(pressed_);
  } else if (at.header) {
    drag_ = Drag::click;
  } else if (right || modifiers.testFlag(Qt::ShiftModifier)) {
    drag_ = Drag::pan;
  } else {
    drag_ = Drag::click;  // becomes a measure once it moves
  }
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
  if (!ready() || state_ == nullptr) return;
  if (drag_ == Drag::none) {
    hover(event->position());
    viewport()->setCursor(edge_at(event->position()) ? Qt::SplitHCursor : Qt::ArrowCursor);
    return;
  }
  drag_to(event->position());
}

void TimelineWidget::drag_to(QPointF position) {
  pointer_ = position;
  scene_.pointer_x = position.x();
  const bool far = (position - pressed_).manhattanLength() > 5;
  if (drag_ == Drag::click && far && !pressed_under_.header) drag_ = Drag::measure;
  if (drag_ == Drag::click && far && pressed_under_.header && pressed_under_.row != nullptr) {
    drag_ = Drag::track;
    scene_.dragged_track = pressed_track_;
    viewport()->setCursor(Qt::ClosedHandCursor);
  }
  switch (drag_) {
    case Drag::pan: {
      // From where it began, so that nothing adds up.
      const double ns = (pressed_.x() - position.x()) / scene_.scale().pixels_per_ns();
      set_visible(moved(pressed_visible_, std::llround(ns), limits()));
      break;
    }
    case Drag::measure:
    case Drag::edge: {
      const auto now = std::clamp(scene_.time_at(position.x()), scene_.timeline->range.begin_ns,
                                  scene_.timeline->range.end_ns);
      state_->measure(TimeRange{std::min(now, pressed_time_), std::max(now, pressed_time_)});
      break;
    }
    case Drag::overview: {
      const Scale whole{scene_.timeline->range, static_cast<double>(scene_.spans_width())};
      const auto middle = whole.time_at(position.x() - scene_.header_width);
      const TimeRange& seen = scene_.visible;
      set_visible(moved(seen, middle - (seen.begin_ns + seen.length() / 2), limits()));
      break;
    }
    case Drag::track:
      drag_track_to(position);
      viewport()->update();
      break;
    case Drag::click:
    case Drag::none:
      break;
  }
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
  if (!ready() || state_ == nullptr || drag_ == Drag::none) return;
  const Drag was = drag_;
  drag_ = Drag::none;
  const bool moved_far = (event->position() - pressed_).manhattanLength() > 5;
  if (was == Drag::measure || was == Drag::edge) {
    measured_changed();  // with everything, now that it stands
    viewport()->update();
    return;
  }
  if (was == Drag::track) {
    scene_.current_track = std::exchange(scene_.dragged_track, -1);
    viewport()->setCursor(Qt::ArrowCursor);
    viewport()->update();
    return;
  }
  if (was == Drag::overview || moved_far) return;
  if (event->button() == Qt::RightButton) return menu_at(event->position().toPoint());
  if (pressed_under_.header) {
    if (pressed_under_.row != nullptr) {
      set_folded(pressed_track_, !state_of(pressed_track_).folded);
      scene_.current_track = pressed_track_;
    }
    return;
  }
  scene_.current_track = -1;
  if (pressed_under_.mark >= 0) return show_mark(pressed_under_.mark);
  if (pressed_under_.gap) {
    state_->measure(pressed_under_.gap);
    return;
  }
  if (pressed_under_.item.empty() && state_->measured()) state_->measure(std::nullopt);
  select(pressed_under_.item, false);
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!ready() || state_ == nullptr || event->button() != Qt::LeftButton) return;
  const Under at = under(scene_, event->position(), font());
  if (at.overview) return show_all();
  if (at.mark >= 0) return edit_mark(at.mark);
  if (at.header || at.item.empty()) return;
  select(at.item, false);
  focus_on_selection();
}

bool TimelineWidget::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) forget_hover();
  if (event->type() == QEvent::ContextMenu) {
    // The mouse asks on release, after it is known that it was no drag.
    const auto* menu = static_cast<QContextMenuEvent*>(event);
    if (menu->reason() == QContextMenuEvent::Keyboard && ready()) {
      const auto rect = scene_.rect_of(scene_.selection);
      menu_at(rect ? rect->center().toPoint() : viewport()->rect().center());
    }
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void TimelineWidget::hover(QPointF position) {
  pointer_ = position;
  scene_.pointer_x = position.y() > scene_.overview() ? position.x() : -1;
  const Under at = under(scene_, position, font());
  hover_details_ = {};
  scene_.hovered_mark = at.mark;
  if (at.mark >= 0) {
    const auto& mark = scene_.marks[static_cast<std::size_t>(at.mark)];
    hover_details_.title = mark.text.isEmpty() ? tr("A mark without a text") : mark.text;
    hover_details_.lines.emplace_back(
        tr("Begins at"), format_ns(mark.range.begin_ns - scene_.timeline->range.begin_ns));
    if (!mark.moment())
      hover_details_.lines.emplace_back(tr("Duration"), format_ns(mark.range.length()));
  }
  scene_.hovered_row = at.header && at.row != nullptr ? at.row->track : -1;
  if (!at.header && !at.overview && !at.ruler && at.row != nullptr) {
    const auto& track = scene_.timeline->tracks[static_cast<std::size_t>(at.row->track)];
    if (at.gap) {
      hover_details_ = details_of_idle(*scene_.timeline, *at.gap);
    } else if (traits_of(track.kind).shape == TrackTraits::Shape::steps) {
      hover_details_ = details_of_memory(track, at.time);
    } else if (traits_of(track.kind).shape == TrackTraits::Shape::samples) {
      hover_details_ = details_of_counter(*scene_.timeline, track, at.time);
    } else {
      hover_details_ = details_of(*scene_.timeline, at.item);
    }
  }
  if (state_ != nullptr) state_->hover(at.header || at.overview ? Item{} : at.item);
  viewport()->update();
}

void TimelineWidget::forget_hover() {
  hover_details_ = {};
  scene_.hovered_row = -1;
  pointer_ = QPointF(-1, -1);
  scene_.pointer_x = -1;
  if (state_ != nullptr) state_->hover({});
  viewport()->update();
}

bool TimelineWidget::escape() {
  if (mark_editor_->isVisible()) {
    edited_mark_ = -1;
    mark_editor_->hide();
  } else if (color_) {
    show_only(std::nullopt);
  } else if (search_bar_->isVisible() || scene_.hits != nullptr || !pattern_.isEmpty()) {
    emit search_bar_->closed();
  } else if (state_->measured()) {
    state_->measure(std::nullopt);
  } else if (!state_->highlighted().empty()) {
    state_->highlight({});
  } else if (!scene_.selection.empty()) {
    select({}, false);
  } else {
    return false;
  }
  return true;
}

}  // namespace rnnadvisor::gui
