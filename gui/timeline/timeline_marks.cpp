// What a person notes on the timeline.
#include <QLineEdit>
#include <QMenu>
#include <algorithm>

#include "gui/timeline/timeline_widget.h"

namespace rnnadvisor::gui {

using namespace timeline;

void TimelineWidget::set_marks(Marks* marks) {
  if (marks_ != nullptr) disconnect(marks_, nullptr, this, nullptr);
  marks_ = marks;
  if (marks_ != nullptr) connect(marks_, &Marks::changed, this, &TimelineWidget::take_marks);
  take_marks();
}

void TimelineWidget::take_marks() {
  scene_.marks = marks_ != nullptr ? marks_->all() : std::vector<Mark>{};
  scene_.hovered_mark = -1;
  update_scene_size();
  viewport()->update();
}

void TimelineWidget::add_mark() {
  if (!ready() || marks_ == nullptr) return;
  Mark mark;
  const bool pointed = pointer_.x() >= scene_.header_width && pointer_.x() < scene_.size.width();
  if (scene_.measured) {
    mark.range = *scene_.measured;
  } else if (!scene_.selection.empty() && !pointed) {
    mark.range = item_range(*scene_.timeline, scene_.selection);
  } else {
    const auto& seen = scene_.visible;
    const auto time = pointed ? scene_.time_at(pointer_.x()) : seen.begin_ns + seen.length() / 2;
    mark.range = {time, time};
  }
  // Neighbours are told apart.
  mark.color = static_cast<int>(marks_->all().size()) % mark_colors;
  edit_mark(marks_->add(mark));
}

void TimelineWidget::edit_mark(int index) {
  if (marks_ == nullptr || !marks_->holds(index)) return;
  show_mark(index);
  edited_mark_ = index;
  const auto& mark = marks_->all()[static_cast<std::size_t>(index)];
  mark_editor_->setText(mark.text);
  const int width = 220, height = mark_editor_->sizeHint().height();
  const int x =
      std::clamp(static_cast<int>(scene_.x_of(mark.range.begin_ns)), scene_.header_width + 2,
                 std::max(scene_.header_width + 2, scene_.size.width() - width - 8));
  mark_editor_->setGeometry(x, scene_.top_height() + 2, width, height);
  mark_editor_->show();
  mark_editor_->raise();
  mark_editor_->setFocus();
  mark_editor_->selectAll();
}

void TimelineWidget::commit_mark() {
  if (edited_mark_ < 0 || marks_ == nullptr) return;
  const int index = std::exchange(edited_mark_, -1);
  const bool had_focus = mark_editor_->hasFocus();
  mark_editor_->hide();
  if (marks_->holds(index)) {
    Mark mark = marks_->all()[static_cast<std::size_t>(index)];
    mark.text = mark_editor_->text().trimmed();
    marks_->change(index, mark);
  }
  if (had_focus) setFocus();
}

void TimelineWidget::show_mark(int index) {
  if (!ready() || marks_ == nullptr || !marks_->holds(index)) return;
  const TimeRange range = marks_->all()[static_cast<std::size_t>(index)].range;
  const TimeRange& seen = scene_.visible;
  if (range.begin_ns >= seen.begin_ns && range.end_ns <= seen.end_ns) return;
  if (range.length() > seen.length()) {
    set_visible(with_margin(range, 0.1, limits()));
  } else {
    const auto middle = range.begin_ns + range.length() / 2;
    set_visible(moved(seen, middle - (seen.begin_ns + seen.length() / 2), limits()));
  }
}

void TimelineWidget::step_mark(int by) {
  if (!ready() || scene_.marks.empty()) return;
  // From the middle of what is seen, which is where a mark is brought to.
  const auto middle = scene_.visible.begin_ns + scene_.visible.length() / 2;
  const auto pixel = static_cast<std::int64_t>(1 / scene_.scale().pixels_per_ns()) + 1;
  const int count = static_cast<int>(scene_.marks.size());
  int found = by > 0 ? count - 1 : 0;
  const auto centre = [&](int i) {
    const auto& range = scene_.marks[static_cast<std::size_t>(i)].range;
    return range.begin_ns + range.length() / 2;
  };
  for (int n = 0; n < count; ++n) {
    const int i = by > 0 ? n : count - 1 - n;
    if (by > 0 ? centre(i) > middle + pixel : centre(i) < middle - pixel) {
      found = i;
      break;
    }
  }
  set_visible(moved(scene_.visible, centre(found) - middle, limits()));
}

void TimelineWidget::menu_of_mark(QMenu& menu, int index) {
  const Mark mark = marks_->all()[static_cast<std::size_t>(index)];
  menu.addAction(tr("Rename the mark"), this, [this, index] { edit_mark(index); });
  if (!mark.moment())
    menu.addAction(tr("Zoom to it"), this,
                   [this, mark] { look_at(with_margin(mark.range, 0.05, limits())); });
  auto* colors = menu.addMenu(tr("Colour"));
  for (int color = 0; color < mark_colors; ++color) {
    QPixmap swatch(14, 14);
    swatch.fill(scene_.theme.series(color));
    colors->addAction(QIcon(swatch), tr("Colour %1").arg(color + 1), this, [this, index, color] {
      Mark changed = marks_->all()[static_cast<std::size_t>(index)];
      changed.color = color;
      marks_->change(index, changed);
    });
  }
  menu.addAction(tr("Delete the mark"), this, [this, index] { marks_->remove(index); });
}

}  // namespace rnnadvisor::gui
