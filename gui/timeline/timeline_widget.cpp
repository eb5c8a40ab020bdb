#include "gui/timeline/timeline_widget.h"

#include <QLineEdit>
#include <QPaintEvent>
#include <QScrollBar>
#include <algorithm>
#include <map>
#include <utility>

#include "gui/texts.h"
#include "gui/timeline/cards.h"
#include "gui/timeline/first_range.h"
#include "gui/timeline/search_bar.h"

namespace rnnadvisor::gui {

using namespace timeline;

namespace {

// Below that many spans laying out takes less than a frame, and a thread would only make it
// flicker.
constexpr std::size_t spans_at_once = 200'000;

std::size_t spans_of(const Profile& p) {
  return p.kernels.size() + p.api.size() + p.nvtx.size() + p.transfers.size() +
         p.allocations.size() + p.counters.size();
}

// Of whole profiles, while some widget shows them: two widgets on one profile share what is built
// of it, which is as large as the profile. Used on the thread of the window alone.
std::map<const Profile*, std::weak_ptr<const Timeline>>& built_timelines() {
  static std::map<const Profile*, std::weak_ptr<const Timeline>> known;
  std::erase_if(known, [](const auto& each) { return each.second.expired(); });
  return known;
}

}  // namespace

TimelineWidget::TimelineWidget(QWidget* parent)
    : QAbstractScrollArea(parent),
      painter_(std::make_unique<ScenePainter>(font())),
      search_bar_(new SearchBar(viewport())),
      mark_editor_(new QLineEdit(viewport())) {
  Described::install();
  setAccessibleName(tr("Timeline"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  verticalScrollBar()->setSingleStep(24);
  scene_.theme = light_theme();
  scene_.palette = make_palette(scene_.theme, {});
  search_bar_->hide();
  mark_editor_->hide();
  mark_editor_->setAccessibleName(tr("Text of the mark"));
  mark_editor_->setPlaceholderText(tr("What is here?"));
  connect(mark_editor_, &QLineEdit::editingFinished, this, &TimelineWidget::commit_mark);
  connect(search_bar_, &SearchBar::searched, this, &TimelineWidget::search_for);
  connect(
      search_bar_, &SearchBar::filtered, this,
      [this](const QString& pattern, bool is_expression) { filter_by(pattern, is_expression); });
  connect(search_bar_, &SearchBar::stepped, this, &TimelineWidget::next_hit);
  connect(search_bar_, &SearchBar::listed, this, &TimelineWidget::hit_list_requested);
  connect(search_bar_, &SearchBar::closed, this, [this] {
    search_bar_->hide();
    search_for({}, false);
    filter_by({}, false);
    setFocus();
  });
  setMinimumSize(480, 200);
  settled_.setSingleShot(true);
  settled_.setInterval(250);
  connect(&settled_, &QTimer::timeout, this, [this] { fit_depths(true); });
}

TimelineWidget::~TimelineWidget() = default;

void TimelineWidget::set_document(DocumentPointer document, ViewState* state) {
  if (state_ != nullptr) disconnect(state_, nullptr, this, nullptr);
  build_work_.cancel();
  search_work_.cancel();
  statistics_work_.cancel();
  document_ = std::move(document);
  state_ = state;
  const Theme theme = scene_.theme;
  const double height_factor = scene_.height_factor;
  // What is built of a large profile takes a while to be given back.
  if (scene_.timeline != nullptr)
    in_background([held = std::move(scene_.timeline)]() mutable { held.reset(); });
  scene_ = Scene{};
  scene_.theme = theme;
  scene_.height_factor = height_factor;
  beside_ = std::nullopt;
  take_marks();
  scene_.palette = make_palette(theme, {});
  hover_details_ = measured_details_ = {};
  without_memory_ = hide_empty_ = false;
  color_ = std::nullopt;
  pattern_.clear();
  kept_ = {};
  folded_at_first_.clear();
  hits_text_.clear();
  painter_->forget_labels();
  if (state_ != nullptr) {
    connect(state_, &ViewState::visible_changed, this, &TimelineWidget::take_state);
    connect(state_, &ViewState::hovered_changed, this, &TimelineWidget::take_state);
    connect(state_, &ViewState::selection_changed, this, &TimelineWidget::selection_changed);
    connect(state_, &ViewState::highlighted_changed, this, &TimelineWidget::highlighted_changed);
    connect(state_, &ViewState::measured_changed, this, &TimelineWidget::measured_changed);
  }
  update_scene_size();
  if (document_ != nullptr) build({});
  viewport()->update();
}

TimeRange TimelineWidget::limits() const { return beside_ ? *beside_ : scene_.timeline->range; }

void TimelineWidget::set_beside(std::int64_t zero_ns, TimeRange limits) {
  beside_ = limits;
  scene_.with_overview = false;
  scene_.zero_ns = zero_ns;
  update_scene_size();
  take_state();
}

void TimelineWidget::build(const BuildOptions& options) {
  // Keeps the document alive while anything is left that points into its profile.
  const std::shared_ptr<const Profile> profile(document_, &document_->profile());
  if (pattern_.isEmpty()) {
    if (auto known = built_timelines()[profile.get()].lock()) return take(std::move(known));
  }
  if (spans_of(*profile) <= spans_at_once) {
    take(build_timeline(profile, options));
    return;
  }
  build_work_.start(
      this,
      [profile, options](const std::stop_token& stop) {
        BuildOptions stoppable = options;
        stoppable.stop = stop;
        return build_timeline(profile, stoppable);
      },
      [this](std::shared_ptr<const Timeline> built) { take(std::move(built)); },
      [this] {
        without_memory_ = true;
        viewport()->update();
      });
}

void TimelineWidget::take(std::shared_ptr<const Timeline> built) {
  if (built == nullptr) return;
  if (pattern_.isEmpty()) built_timelines()[built->profile.get()] = built;
  // A filtered timeline has other tracks: what was folded, pinned and moved stays so.
  const bool first = scene_.timeline == nullptr;
  if (!first) kept_ = kept_tracks();
  scene_.timeline = std::move(built);
  depths_.clear();
  if (first) find_first_states();
  arrange();
  scene_.hits = nullptr;
  if (color_) show_only(color_);  // of the new tracks
  scene_.palette = make_palette(scene_.theme, scene_.timeline->own_colors);
  relayout();
  if (state_ != nullptr && first) {
    // Programs load and build for long before they compute: what is looked at first is the calls.
    const TimeRange whole = scene_.timeline->range, seen = state_->visible();
    const bool untouched = seen.length() <= 0 || (seen.begin_ns <= whole.begin_ns + 1000 &&
                                                  seen.length() * 10 >= whole.length() * 9);
    if (untouched) state_->set_visible(first_range(*scene_.timeline));
    scene_.highlighted = state_->highlighted();
  }
  take_state();
  fit_depths(true);
  measured_changed();
  emit ready_changed();
  emit bar_changed();
}

void TimelineWidget::set_theme(const Theme& theme) {
  scene_.theme = theme;
  static const std::vector<std::uint32_t> none;
  scene_.palette =
      make_palette(theme, scene_.timeline != nullptr ? scene_.timeline->own_colors : none);
  search_bar_->set_theme(theme);
  viewport()->update();
}

void TimelineWidget::take_state() {
  if (state_ == nullptr) return;
  if (ready()) {
    const auto visible = clamped(state_->visible(), limits());
    if (std::exchange(scene_.visible, visible) != visible) fit_depths(false);
  }
  scene_.selection = state_->selection();
  scene_.hovered = state_->hovered();
  scene_.measured = state_->measured();
  viewport()->update();
}

// Levels that nothing visible uses would be a hole. Room is made at once, and taken away once what
// is visible stands still: rows that jump while one drags cannot be read.
void TimelineWidget::fit_depths(bool settled) {
  if (!ready()) return;
  const auto needed = depths_in(*scene_.timeline, scene_.visible, hide_empty_);
  const bool fresh = depths_.size() != needed.size();
  bool changes = fresh;
  for (std::size_t i = 0; i < needed.size() && !fresh; ++i) {
    const bool grows = needed[i] > depths_[i];
    if (!grows && !(settled && needed[i] < depths_[i])) continue;
    depths_[i] = needed[i];
    changes = true;
  }
  if (fresh) depths_ = needed;
  if (changes) relayout();
  if (!settled) settled_.start();
}

void TimelineWidget::relayout() {
  if (!ready()) return;
  scene_.layout = lay_out(*scene_.timeline, scene_.states, scene_.arrangement,
                          scaled(Metrics{}, scene_.height_factor), depths_);
  update_scene_size();
  viewport()->update();
}

void TimelineWidget::update_scene_size() {
  scene_.size = viewport()->size();
  scene_.device_ratio = devicePixelRatioF();
  scene_.header_width = std::clamp(scene_.size.width() / 5, 150, 260);
  const int room = scene_.rows_height();
  verticalScrollBar()->setPageStep(room);
  verticalScrollBar()->setRange(0, std::max(0, scene_.layout.height - room));
  scene_.scroll = verticalScrollBar()->value();
  const QSize bar = search_bar_->sizeHint();
  search_bar_->setGeometry(scene_.size.width() - bar.width() - 8, scene_.top_height() + 6,
                           bar.width(), bar.height());
}

void TimelineWidget::selection_changed() {
  const Item before = scene_.selection;
  take_state();
  describe_selection();
  if (!from_here_ && scene_.selection != before) reveal(scene_.selection);
}

void TimelineWidget::highlighted_changed() {
  scene_.highlighted = state_->highlighted();
  viewport()->update();
  if (!ready() || scene_.highlighted.empty()) return;
  // Evidence out of sight is none: what is visible moves to it unless some of it is there.
  TimeRange whole;
  bool any = false;
  for (const Item& item : scene_.highlighted) {
    if (!place_of(*scene_.timeline, item)) continue;
    const TimeRange one = item_range(*scene_.timeline, item);
    if (one.end_ns >= scene_.visible.begin_ns && one.begin_ns < scene_.visible.end_ns) return;
    whole =
        any ? TimeRange{std::min(whole.begin_ns, one.begin_ns), std::max(whole.end_ns, one.end_ns)}
            : one;
    any = true;
  }
  if (any) look_at(with_margin(whole, 0.1, limits()));
}

void TimelineWidget::measured_changed() {
  take_state();
  statistics_work_.cancel();
  measured_details_ = {};
  if (!ready() || !scene_.measured) return;
  const auto timeline = scene_.timeline;
  const TimeRange range = *scene_.measured;
  const auto quick = quick_statistics(*timeline, range);
  measured_details_ = details_of_range(*timeline, quick);
  if (drag_ == Drag::measure || drag_ == Drag::edge) return;
  if (quick.kernels + quick.transfers <= static_cast<std::int64_t>(spans_at_once)) {
    measured_details_ = details_of_range(*timeline, full_statistics(*timeline, range));
    return;
  }
  statistics_work_.start(
      this,
      [timeline, range](const std::stop_token& stop) {
        return full_statistics(*timeline, range, stop);
      },
      [this, timeline](const RangeStatistics& all) {
        measured_details_ = details_of_range(*timeline, all);
        viewport()->update();
      },
      [] {});  // what was quick to count stays
}

QString TimelineWidget::described_content() const {
  if (!ready() || scene_.timeline->tracks.empty()) return empty_text();
  const auto& all = *scene_.timeline;
  const auto text = [](std::int64_t ns) { return QString::fromStdString(duration_text(ns)); };
  const std::int64_t origin = all.range.begin_ns;
  QString content = tr("%1 to %2 of %3 are visible, on %4 tracks.")
                        .arg(text(scene_.visible.begin_ns - origin),
                             text(scene_.visible.end_ns - origin), text(all.range.length()))
                        .arg(scene_.layout.rows.size());
  const auto current = static_cast<std::size_t>(scene_.current_track);
  if (scene_.current_track >= 0 && current < all.tracks.size()) {
    const auto& track = all.tracks[current];
    const QString more = track_subtitle(all, track);
    content +=
        QLatin1Char(' ') + tr("The track is %1.")
                               .arg(track_title(all, track) +
                                    (more.isEmpty() ? QString() : QStringLiteral(", ") + more));
  }
  if (!scene_.highlighted.empty())
    content += QLatin1Char(' ') + tr("%n (is|are) marked as evidence of a finding.", nullptr,
                                     many(scene_.highlighted.size()));
  if (scene_.measured)
    content += QLatin1Char(' ') + tr("%1 are measured.").arg(text(scene_.measured->length()));
  return content;
}

QString TimelineWidget::described_selection() const {
  return ready() && !scene_.selection.empty()
             ? details_of(*scene_.timeline, scene_.selection).text()
             : QString();
}

void TimelineWidget::describe_selection() {
  // Screen readers say the description when it changes.
  setAccessibleDescription(ready() && !scene_.selection.empty()
                               ? details_of(*scene_.timeline, scene_.selection).text()
                               : QString());
}

void TimelineWidget::reveal(Item item) {
  if (!ready()) return;
  const auto place = place_of(*scene_.timeline, item);
  if (!place) return;
  const auto& heading = scene_.timeline->tracks[static_cast<std::size_t>(place->track)].parent;
  if (heading >= 0 && state_of(heading).folded) set_folded(heading, false);
  if (state_of(place->track).hidden) set_hidden(place->track, false);
  const TimeRange range = item_range(*scene_.timeline, item);
  const TimeRange& seen = scene_.visible;
  const bool outside = range.end_ns <= seen.begin_ns || range.begin_ns >= seen.end_ns;
  if (range.length() > seen.length()) {
    if (outside || range.begin_ns > seen.begin_ns || range.end_ns < seen.end_ns)
      set_visible(with_margin(range, 0.2, limits()));
  } else if (range.begin_ns < seen.begin_ns || range.end_ns > seen.end_ns) {
    const std::int64_t middle = range.begin_ns + range.length() / 2;
    set_visible(moved(seen, middle - (seen.begin_ns + seen.length() / 2), limits()));
  }
  const Row* row = scene_.layout.row_of(place->track);
  if (row == nullptr || state_of(place->track).pinned) return;
  const int top = row->y + place->lane * row->lane_height;
  const int room = scene_.rows_height();
  auto* bar = verticalScrollBar();
  if (top < bar->value() || top + row->lane_height > bar->value() + room)
    bar->setValue(top - room / 3);
}

TrackState& TimelineWidget::state_of(int track) {
  return scene_.states[static_cast<std::size_t>(track)];
}

void TimelineWidget::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  if (!ready() || scene_.timeline->tracks.empty()) {
    paint_empty(painter);
  } else {
    scene_.device_ratio = devicePixelRatioF();
    painter.drawImage(QPoint(0, 0), painter_->paint(scene_));
    paint_cards(painter);
  }
  if (hasFocus() && ready()) {
    painter.setPen(scene_.theme.accent);
    painter.drawLine(0, 0, viewport()->width(), 0);
  }
}

QString TimelineWidget::empty_text() const {
  if (ready())
    return pattern_.isEmpty() ? tr("This profile has no records with times")
                              : tr("Nothing matches the filter");
  if (without_memory_)
    return tr("There is not enough memory on this machine for the tracks of this profile");
  return build_work_.busy() ? tr("Laying out the tracks…") : tr("No profile is open");
}

void TimelineWidget::paint_empty(QPainter& painter) {
  painter.fillRect(viewport()->rect(), scene_.theme.window);
  const QString text = empty_text();
  painter.setFont(font());
  painter.setPen(scene_.theme.dim_text);
  painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24),
                   Qt::AlignCenter | Qt::TextWordWrap, text);
}

void TimelineWidget::paint_cards(QPainter& painter) {
  QFont small = font();
  if (small.pointSizeF() > 0) small.setPointSizeF(small.pointSizeF() * 0.92);
  if (document_ != nullptr && document_->outline()) {
    const Card card({tr("Kernels are still being read"), {}}, small);
    card.paint(painter,
               QPoint(scene_.header_width + (scene_.spans_width() - card.size().width()) / 2,
                      viewport()->height() - card.size().height() - 14),
               scene_.theme);
  }
  const QRect area(scene_.header_width, scene_.top_height(), scene_.spans_width(),
                   scene_.size.height() - scene_.top_height());
  if (scene_.measured && !measured_details_.empty()) {
    const Card card(measured_details_, small, std::min(560, area.width() - 16));
    // Beside what it speaks of, where there is room: at its right, else at its left.
    const int begin = static_cast<int>(scene_.x_of(scene_.measured->begin_ns)),
              end = static_cast<int>(scene_.x_of(scene_.measured->end_ns));
    const int width = card.size().width();
    int x = area.right() - width - 10;
    if (end + 12 > area.left() && end + 12 <= x)
      x = end + 12;
    else if (const int left = begin - 12 - width; left >= area.left() + 4 && left <= x)
      x = left;
    const int y = area.bottom() - card.size().height() - 10;
    card.paint(painter, QPoint(std::max(x, area.left() + 4), std::max(y, scene_.top_height())),
               scene_.theme);
  }
  if (!hover_details_.empty() && drag_ == Drag::none && !mark_editor_->isVisible()) {
    const Card card(hover_details_, small, std::min(560, viewport()->width() - 16));
    const auto bar = scene_.rect_of(scene_.hovered);
    card.paint(
        painter,
        card.beside(pointer_.toPoint(), viewport()->rect(), bar ? bar->toAlignedRect() : QRect()),
        scene_.theme);
  }
}

void TimelineWidget::resizeEvent(QResizeEvent*) { update_scene_size(); }

void TimelineWidget::scrollContentsBy(int, int) {
  scene_.scroll = verticalScrollBar()->value();
  viewport()->update();
}

}  // namespace rnnadvisor::gui
