#include "gui/models/view_state.h"

#include <QElapsedTimer>
#include <utility>

namespace rnnadvisor::gui {
namespace {

constexpr std::int64_t one_movement_ms = 500;
constexpr std::size_t longest_history = 200;

std::int64_t clock_ms() {
  static const QElapsedTimer timer = [] {
    QElapsedTimer t;
    t.start();
    return t;
  }();
  return timer.elapsed();
}

}  // namespace

void ViewState::remember(bool of_range) {
  if (jumps_ > 0) {
    last_range_change_ms_ = -1;
    if (std::exchange(jump_remembered_, true)) return;
    of_range = false;
  }
  const auto now = clock_ms();
  const bool continues = of_range && last_range_change_ms_ >= 0 &&
                         now - last_range_change_ms_ < one_movement_ms && !past_.empty();
  if (of_range) last_range_change_ms_ = now;
  if (continues) return;
  if (!of_range) last_range_change_ms_ = -1;
  past_.push_back(now_);
  if (past_.size() > longest_history) past_.erase(past_.begin());
  future_.clear();
}

void ViewState::show_view(const QString& view) {
  if (view == now_.view) return;
  if (!now_.view.isEmpty()) remember(false);
  now_.view = view;
  emit history_changed();
}

void ViewState::set_visible(TimeRange range) {
  if (range == now_.visible || range.end_ns <= range.begin_ns) return;
  if (now_.visible.length() > 0) remember(true);
  now_.visible = range;
  emit visible_changed();
  emit history_changed();
}

void ViewState::select(Item item) {
  if (item.empty()) item = {};
  if (item == now_.selection) return;
  remember(false);
  now_.selection = item;
  emit selection_changed();
  emit history_changed();
}

void ViewState::hover(Item item) {
  if (item.empty()) item = {};
  if (item == hovered_) return;
  hovered_ = item;
  emit hovered_changed();
}

void ViewState::highlight(std::vector<Item> items) {
  if (items == highlighted_) return;
  highlighted_ = std::move(items);
  emit highlighted_changed();
}

void ViewState::measure(std::optional<TimeRange> range) {
  if (range == measured_) return;
  measured_ = range;
  emit measured_changed();
}

void ViewState::go(Place place) {
  const Place before = now_;
  now_ = std::move(place);
  last_range_change_ms_ = -1;
  if (before.view != now_.view) emit view_restored(now_.view);
  if (before.visible != now_.visible) emit visible_changed();
  if (before.selection != now_.selection) emit selection_changed();
  emit history_changed();
}

void ViewState::back() {
  if (past_.empty()) return;
  future_.push_back(now_);
  const Place place = past_.back();
  past_.pop_back();
  go(place);
}

void ViewState::forward() {
  if (future_.empty()) return;
  past_.push_back(now_);
  const Place place = future_.back();
  future_.pop_back();
  go(place);
}

void ViewState::reset(TimeRange all) {
  past_.clear();
  future_.clear();
  highlight({});
  hover({});
  measure(std::nullopt);
  go({all, {}, now_.view});
}

void ViewState::forget_history() {
  past_.clear();
  future_.clear();
  last_range_change_ms_ = -1;
  emit history_changed();
}

}  // namespace rnnadvisor::gui
