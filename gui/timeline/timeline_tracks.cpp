// What is done to tracks: fold, pin, hide, move, make taller, find.
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <algorithm>

#include "gui/timeline/timeline_widget.h"

namespace rnnadvisor::gui {

using namespace timeline;

namespace {

constexpr double height_step = 1.2;
constexpr int most_tall_counters = 2;

}  // namespace

void TimelineWidget::set_folded(int track, bool folded) {
  if (!ready() || track < 0) return;
  state_of(track).folded = folded;
  tracks_moved();
}

void TimelineWidget::set_pinned(int track, bool pinned) {
  if (!ready() || track < 0) return;
  // A heading alone pinned says nothing.
  if (scene_.timeline->tracks[static_cast<std::size_t>(track)].kind == TrackKind::process) return;
  state_of(track).pinned = pinned;
  auto& order = scene_.arrangement.pinned;
  std::erase(order, track);
  if (pinned) order.push_back(track);
  tracks_moved();
}

void TimelineWidget::pin_device(int device) {
  if (!ready()) return;
  for (std::size_t i = 0; i < scene_.timeline->tracks.size(); ++i) {
    const auto& track = scene_.timeline->tracks[i];
    if (track.kind == TrackKind::busy && track.key.device == device && !scene_.states[i].pinned)
      set_pinned(static_cast<int>(i), true);
  }
}

void TimelineWidget::set_hidden(int track, bool hidden) {
  if (!ready() || track < 0) return;
  state_of(track).hidden = hidden;
  tracks_moved();
}

// What is there, but must not push the calls off the screen: threads that make no RNN call, and
// counters where they are many.
void TimelineWidget::find_first_states() {
  std::set<std::pair<int, std::int64_t>> calling;
  int counters = 0;
  for (const auto& track : scene_.timeline->tracks) {
    if (track.kind == TrackKind::host_calls) calling.emplace(track.key.process, track.key.thread);
    counters += track.kind == TrackKind::counter ? 1 : 0;
  }
  folded_at_first_.clear();
  for (const auto& track : scene_.timeline->tracks) {
    const bool of_thread = traits_of(track.kind).of == TrackTraits::Of::thread;
    const bool bystander =
        of_thread && !calling.empty() && !calling.contains({track.key.process, track.key.thread});
    const bool one_of_many = track.kind == TrackKind::counter && counters > most_tall_counters;
    if (bystander || one_of_many) folded_at_first_.emplace(track.kind, track.key);
  }
}

FirstState TimelineWidget::first_state() const {
  return [this](const TrackName& name) {
    return TrackState{folded_at_first_.contains(name), false, false};
  };
}

void TimelineWidget::arrange() {
  auto restored = timeline::restore_tracks(*scene_.timeline, kept_, first_state());
  scene_.states = std::move(restored.states);
  scene_.arrangement = std::move(restored.arrangement);
  scene_.current_track = scene_.dragged_track = -1;
}

KeptTracks TimelineWidget::kept_tracks() const {
  if (!ready()) return kept_;
  auto kept = keep_tracks(*scene_.timeline, scene_.states, scene_.arrangement, scene_.height_factor,
                          first_state(), kept_);
  kept.hide_empty = hide_empty_;
  return kept;
}

void TimelineWidget::restore_tracks(KeptTracks kept) {
  kept_ = std::move(kept);
  hide_empty_ = kept_.hide_empty;
  // A profile of which nothing was kept has the height that was seen last.
  if (!kept_.empty()) scene_.height_factor = kept_.height;
  kept_.height = scene_.height_factor;
  if (ready()) {
    arrange();
    fit_depths(true);
    relayout();
  }
  emit bar_changed();
}

void TimelineWidget::set_hide_empty(bool hide) {
  if (hide == hide_empty_) return;
  hide_empty_ = kept_.hide_empty = hide;
  fit_depths(true);
  tracks_moved();
  emit bar_changed();
}

void TimelineWidget::tracks_moved() {
  relayout();
  emit tracks_changed();
}

void TimelineWidget::move_track(int track, int by) {
  if (!ready() || track < 0) return;
  if (state_of(track).pinned) {
    auto& pinned = scene_.arrangement.pinned;
    const auto at = std::find(pinned.begin(), pinned.end(), track);
    if (at == pinned.end()) return;
    const auto to = (at - pinned.begin()) + by;
    if (to < 0 || to >= static_cast<std::ptrdiff_t>(pinned.size())) return;
    std::iter_swap(at, pinned.begin() + to);
  } else if (!timeline::move_track(*scene_.timeline, scene_.arrangement.order, track, by)) {
    return;
  }
  scene_.current_track = track;
  tracks_moved();
  show_track(track);
}

void TimelineWidget::drag_track_to(QPointF position) {
  const int track = scene_.dragged_track;
  const Row* row = scene_.row_at(static_cast<int>(position.y()));
  if (row == nullptr || row->track == track) return;
  if (state_of(track).pinned != state_of(row->track).pinned) return;
  if (state_of(track).pinned) {
    auto& pinned = scene_.arrangement.pinned;
    const auto from = std::find(pinned.begin(), pinned.end(), track);
    const auto to = std::find(pinned.begin(), pinned.end(), row->track);
    if (from == pinned.end() || to == pinned.end()) return;
    std::iter_swap(from, to);
  } else {
    // Over a track of another process: that process is meant, where processes are moved.
    int target = row->track;
    const int parent = scene_.timeline->tracks[static_cast<std::size_t>(target)].parent;
    if (!are_siblings(*scene_.timeline, track, target) && parent >= 0) target = parent;
    if (!timeline::move_track_to(*scene_.timeline, scene_.arrangement.order, track, target)) return;
  }
  tracks_moved();
}

void TimelineWidget::set_height_factor(double factor) {
  factor = std::clamp(factor, least_height, most_height);
  if (factor == scene_.height_factor) return;
  scene_.height_factor = factor;
  tracks_moved();
}

void TimelineWidget::make_taller(int by) {
  set_height_factor(scene_.height_factor * (by > 0 ? height_step : 1 / height_step));
}

QString TimelineWidget::track_name(int index) const {
  const auto& all = *scene_.timeline;
  const auto& track = all.tracks[static_cast<std::size_t>(index)];
  QString name = track_title(all, track);
  const QString more = track_subtitle(all, track);
  if (!more.isEmpty()) name += QStringLiteral(", ") + more;
  if (track.parent >= 0)
    name += QStringLiteral(" – ") +
            track_title(all, all.tracks[static_cast<std::size_t>(track.parent)]);
  return name;
}

std::vector<std::pair<int, QString>> TimelineWidget::track_names() const {
  std::vector<std::pair<int, QString>> names;
  const auto count = ready() ? static_cast<int>(scene_.timeline->tracks.size()) : 0;
  for (int i = 0; i < count; ++i) names.emplace_back(i, track_name(i));
  return names;
}

QString TimelineWidget::track_of(Item item) const {
  const auto place = ready() ? place_of(*scene_.timeline, item) : std::nullopt;
  return place ? track_name(place->track) : QString();
}

void TimelineWidget::show_track(int track) {
  if (!ready() || track < 0 || static_cast<std::size_t>(track) >= scene_.states.size()) return;
  const int parent = scene_.timeline->tracks[static_cast<std::size_t>(track)].parent;
  if (state_of(track).hidden) set_hidden(track, false);
  if (parent >= 0 && state_of(parent).hidden) set_hidden(parent, false);
  if (parent >= 0 && state_of(parent).folded && !state_of(track).pinned) set_folded(parent, false);
  scene_.current_track = track;
  viewport()->update();
  const Row* row = scene_.layout.row_of(track);
  if (row == nullptr || state_of(track).pinned) return;
  auto* bar = verticalScrollBar();
  const int room = scene_.rows_height();
  if (row->y < bar->value() || row->y + row->height > bar->value() + room)
    bar->setValue(row->y - room / 3);
}

// Alt+Up and Alt+Down move the track, H and Shift+H make all taller and lower.
bool TimelineWidget::key_of_tracks(const QKeyEvent& event) {
  const bool alt = event.modifiers().testFlag(Qt::AltModifier);
  if (alt && (event.key() == Qt::Key_Up || event.key() == Qt::Key_Down)) {
    move_track(current_track(), event.key() == Qt::Key_Up ? -1 : 1);
    return true;
  }
  if (event.key() == Qt::Key_H && !alt) {
    make_taller(event.modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
    return true;
  }
  return false;
}

void TimelineWidget::menu_of_track(QMenu& menu, int track) {
  const TrackState state = state_of(track);
  menu.addAction(state.folded ? tr("Unfold") : tr("Fold"), this,
                 [this, track, state] { set_folded(track, !state.folded); });
  menu.addAction(state.pinned ? tr("Unpin") : tr("Pin to the top"), this,
                 [this, track, state] { set_pinned(track, !state.pinned); });
  menu.addAction(tr("Move up"), this, [this, track] { move_track(track, -1); });
  menu.addAction(tr("Move down"), this, [this, track] { move_track(track, 1); });
  menu.addAction(tr("Hide the track"), this, [this, track] { set_hidden(track, true); });
}

}  // namespace rnnadvisor::gui
