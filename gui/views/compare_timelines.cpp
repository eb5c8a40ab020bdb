#include "gui/views/compare_timelines.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "advisor/compare/comparison_words.h"
#include "advisor/report/words.h"
#include "gui/models/link.h"
#include "gui/texts.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

constexpr double margin = 0.08;  // of what is framed, on both sides
constexpr int least_track_height = 96;

// What is compared: where calls ran, their kernels, and what the program marked.
bool is_compared(timeline::TrackKind kind) {
  using timeline::TrackKind;
  return kind == TrackKind::busy || kind == TrackKind::calls || kind == TrackKind::kernels ||
         kind == TrackKind::nvtx;
}

TimeRange moved_by(TimeRange range, std::int64_t by) {
  return {range.begin_ns + by, range.end_ns + by};
}

}  // namespace

// Over both timelines and what lies between them; it takes no part of the mouse.
class CompareTimelines::Overlay : public QWidget {
 public:
  Overlay(CompareTimelines* owner, QWidget* parent) : QWidget(parent), owner_(owner) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    owner_->paint_joints(painter);
  }

 private:
  CompareTimelines* owner_;
};

CompareTimelines::CompareTimelines(QWidget* parent)
    : QWidget(parent),
      before_(new TimelineWidget),
      after_(new TimelineWidget),
      area_(new QWidget),
      between_(new QWidget),
      bar_(new QWidget),
      overlay_(new Overlay(this, area_)),
      chooser_(new QSpinBox),
      text_(make_label({})),
      predicted_(make_label({}, "heading")) {
  Described::install();
  setAccessibleName(tr("Before and after on two timelines"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout(bar_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  chooser_->setAccessibleName(tr("Aligned at"));
  chooser_->setKeyboardTracking(false);
  chooser_->setWrapping(true);
  row->addWidget(chooser_);
  for (auto* label : {text_, predicted_}) {
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
  }
  auto* texts = new QVBoxLayout;
  texts->setSpacing(0);
  texts->addWidget(text_);
  texts->addWidget(predicted_);
  row->addLayout(texts, 1);
  const auto add = [&](const QString& text, const QString& tip, auto act) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    connect(button, &QToolButton::clicked, this, act);
    row->addWidget(button);
  };
  add(QStringLiteral("−"), tr("Zoom out (S)"), [this] { before_->zoom(2); });
  add(QStringLiteral("+"), tr("Zoom in (W)"), [this] { before_->zoom(0.5); });
  add(tr("Pair"), tr("Show all of the pair that both are aligned at"), [this] {
    if (const Pair* pair = shown_pair()) align(*pair, true, true);
  });
  add(tr("All"), tr("Show both recordings (0)"), [this] { before_->show_all(); });
  column->addWidget(bar_);

  auto* both = new QVBoxLayout(area_);
  both->setContentsMargins(0, 0, 0, 0);
  both->setSpacing(0);
  before_->setAccessibleName(tr("Timeline before"));
  after_->setAccessibleName(tr("Timeline after"));
  const int line = fontMetrics().height();
  // The bands are less flat where there is room.
  between_->setMinimumHeight(2 * line + 10);
  between_->setMaximumHeight(6 * line);
  between_->setCursor(Qt::PointingHandCursor);
  both->addWidget(before_, 5);
  both->addWidget(between_, 1);
  both->addWidget(after_, 5);
  column->addWidget(area_, 1);
  area_->installEventFilter(this);
  between_->installEventFilter(this);

  before_side_.timeline = before_;
  after_side_.timeline = after_;
  for (const bool of_before : {true, false}) {
    auto* side = of_before ? &before_side_ : &after_side_;
    auto* timeline = side->timeline;
    timeline->setMinimumSize(360, least_track_height);
    // Both are equally wide, so that a pixel is the same time in both.
    timeline->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    connect(timeline->verticalScrollBar(), &QScrollBar::valueChanged, overlay_,
            qOverload<>(&QWidget::update));
    connect(timeline, &TimelineWidget::ready_changed, this, [this, side] {
      arrange(*side);
      begin();
    });
    connect(timeline, &TimelineWidget::tracks_changed, overlay_, qOverload<>(&QWidget::update));
    connect(&side->state, &ViewState::visible_changed, this,
            [this, of_before] { follow(of_before); });
    connect(&side->state, &ViewState::selection_changed, this,
            [this, of_before] { take_selection(of_before); });
  }
  connect(chooser_, &QSpinBox::valueChanged, this, [this](int number) {
    if (choosing_ || !has_pairs()) return;
    if (!pairs_->steps().empty())
      show_step(number - 1);
    else
      show_call(pairs_->calls()[static_cast<std::size_t>(number - 1)].row);
  });
  overlay_->raise();
}

bool CompareTimelines::has_pairs() const {
  return pairs_ != nullptr && (!pairs_->calls().empty() || !pairs_->steps().empty());
}

bool CompareTimelines::ready() const { return begun_ && before_->ready() && after_->ready(); }

void CompareTimelines::set_comparison(const Comparison* comparison) {
  const auto pairs = comparison != nullptr ? comparison->pairs : nullptr;
  comparison_ = comparison;
  if (pairs == pairs_) return;  // the same, shown anew
  pairs_ = pairs;
  for (auto* side : {&before_side_, &after_side_}) {
    side->timeline->set_document(nullptr, nullptr);
    side->state.reset({});
    side->zero_ns = 0;
    side->arranged = false;
  }
  begun_ = shown_ = false;
  row_ = step_ = -1;
  if (has_pairs()) {
    const bool steps = !pairs_->steps().empty();
    const auto count = steps ? pairs_->steps().size() : pairs_->calls().size();
    choosing_ = true;
    chooser_->setRange(1, many(count));
    chooser_->setPrefix(steps ? tr("Step ") : tr("Call "));
    chooser_->setSuffix(tr(" of %L1").arg(count));
    chooser_->setValue(1);
    choosing_ = false;
    if (isVisible()) begin();
  }
  show_texts();
}

// The tracks of both are laid out when they are seen for the first time.
void CompareTimelines::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  begin();
}

void CompareTimelines::begin() {
  if (!has_pairs() || !isVisible()) return;
  if (!begun_) {
    begun_ = true;
    before_->set_document(comparison_->before, &before_side_.state);
    after_->set_document(comparison_->after, &after_side_.state);
  }
  if (!ready() || shown_) return;
  if (step_ >= 0) return show_step(step_);
  if (row_ >= 0) return show_call(row_);
  const auto& steps = pairs_->steps();
  // The first steps load libraries: one behind them says more.
  if (!steps.empty())
    show_step(static_cast<int>(std::min(warm_up_of(steps.size()), steps.size() - 1)));
  else
    show_call(pairs_->calls().front().row);
}

void CompareTimelines::arrange(Side& side) {
  if (std::exchange(side.arranged, true)) return;
  auto* timeline = side.timeline;
  const auto& tracks = timeline->scene().timeline->tracks;
  const auto headings = std::count_if(tracks.begin(), tracks.end(), [](const auto& track) {
    return track.kind == timeline::TrackKind::process;
  });
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const bool heading = tracks[i].kind == timeline::TrackKind::process;
    if (heading ? headings < 2 : !is_compared(tracks[i].kind))
      timeline->set_hidden(static_cast<int>(i), true);
  }
}

const Pair* CompareTimelines::shown_pair() const {
  if (!has_pairs()) return nullptr;
  return step_ >= 0 ? &pairs_->steps()[static_cast<std::size_t>(step_)] : pairs_->of_row(row_);
}

void CompareTimelines::show_step(int step) {
  if (!has_pairs() || step < 0 || step >= static_cast<int>(pairs_->steps().size())) return;
  step_ = step;
  const Pair& pair = pairs_->steps()[static_cast<std::size_t>(step)];
  row_ = pair.row;
  choosing_ = true;
  chooser_->setValue(step + 1);
  choosing_ = false;
  if (ready()) {
    shown_ = true;
    align(pair, true, true);
    select_row(row_, true);
  }
  show_texts();
}

void CompareTimelines::show_call(int row) {
  if (!has_pairs()) return;
  row_ = row;
  step_ = -1;
  const Pair* pair = pairs_->of_row(row);
  if (pair != nullptr && pairs_->steps().empty()) {
    choosing_ = true;
    chooser_->setValue(static_cast<int>(pair - pairs_->calls().data()) + 1);
    choosing_ = false;
  }
  if (ready()) {
    shown_ = true;
    if (pair != nullptr) align(*pair, true, true);
    select_row(row, true);
  }
  show_texts();
}

// In the clock of a side, what of either recording can be seen.
TimeRange CompareTimelines::limits_of(const Side& side) const {
  const auto of = [](const Side& each) {
    return moved_by(each.timeline->scene().timeline->range, -each.zero_ns);
  };
  const TimeRange a = of(before_side_), b = of(after_side_);
  return moved_by({std::min(a.begin_ns, b.begin_ns), std::max(a.end_ns, b.end_ns)}, side.zero_ns);
}

// `framed`: what is seen becomes the pair; else the one that is kept stays as it is.
void CompareTimelines::align(const Pair& pair, bool framed, bool keep_before) {
  const bool was = std::exchange(moving_, true);
  before_side_.zero_ns = pair.before.begin_ns;
  after_side_.zero_ns = pair.after.begin_ns;
  for (auto* side : {&before_side_, &after_side_})
    side->timeline->set_beside(side->zero_ns, limits_of(*side));
  const Side& kept = keep_before ? before_side_ : after_side_;
  TimeRange range = moved_by(kept.state.visible(), -kept.zero_ns);
  if (framed) {
    const std::int64_t length = std::max(pair.before.length(), pair.after.length());
    const auto around = static_cast<std::int64_t>(static_cast<double>(length) * margin);
    range = {-around, length + around};
  }
  for (auto* side : {&before_side_, &after_side_})
    side->timeline->look_at(moved_by(range, side->zero_ns));
  moving_ = was;
  overlay_->update();
}

void CompareTimelines::follow(bool from_before) {
  overlay_->update();
  if (moving_ || !ready()) return;
  moving_ = true;
  const Side& from = from_before ? before_side_ : after_side_;
  const Side& to = from_before ? after_side_ : before_side_;
  to.timeline->look_at(moved_by(from.state.visible(), to.zero_ns - from.zero_ns));
  moving_ = false;
}

void CompareTimelines::select_row(int row, bool reveal) {
  const bool was = std::exchange(choosing_, true);
  const auto match =
      row < 0 ? compare::CallMatch{} : comparison_->calls[static_cast<std::size_t>(row)];
  const auto select = [&](TimelineWidget* timeline, int call) {
    timeline->select(call < 0 ? Item{} : Item{ItemKind::call, call}, reveal && call >= 0);
  };
  select(before_, match.before);
  select(after_, match.after);
  choosing_ = was;
  overlay_->update();
}

// A click on a call, or on one of its kernels: its partner is brought beside it.
void CompareTimelines::take_selection(bool of_before) {
  if (choosing_ || !ready()) return;
  const Side& side = of_before ? before_side_ : after_side_;
  const auto& document = of_before ? *comparison_->before : *comparison_->after;
  const Item item = side.state.selection();
  const int call = item.kind == ItemKind::call ? item.index
                   : item.kind == ItemKind::kernel
                       ? document.profile().kernels.call[static_cast<std::size_t>(item.index)]
                       : -1;
  const int row = pairs_->row_of(call, of_before);
  if (row < 0) return;
  row_ = row;
  step_ = -1;
  if (const Pair* pair = pairs_->of_row(row)) {
    align(*pair, false, of_before);
    const auto& match = comparison_->calls[static_cast<std::size_t>(row)];
    choosing_ = true;
    (of_before ? after_ : before_)
        ->select({ItemKind::call, of_before ? match.after : match.before}, false);
    choosing_ = false;
  }
  show_texts();
  emit call_chosen(row);
}

QString CompareTimelines::pair_text() const {
  const Pair* pair = shown_pair();
  if (pair == nullptr) {
    return row_ >= 0 ? tr("This call is in one of the two only.") : QString();
  }
  double before_ms = static_cast<double>(pair->before.length()) / 1e6,
         after_ms = static_cast<double>(pair->after.length()) / 1e6;
  QString name;
  if (step_ >= 0) {
    name = tr("step %L1").arg(step_ + 1);
  } else {
    const auto& match = comparison_->calls[static_cast<std::size_t>(row_)];
    if (match.before_ms > 0 && match.after_ms > 0) {
      before_ms = match.before_ms;
      after_ms = match.after_ms;
    }
    const auto& profile = comparison_->after->profile();
    const auto& call = profile.calls[static_cast<std::size_t>(match.after)];
    name = to_qt(advisor::words::phase(call.phase));
    if (match.match >= 0)
      name = with_times_sign(tr("%1, %2").arg(
          to_qt(comparison_->matches[static_cast<std::size_t>(match.match)].name), name));
  }
  return tr("%1: %2 → %3, %4")
      .arg(name, format_ms(before_ms), format_ms(after_ms), difference_text(before_ms, after_ms));
}

const compare::Prediction* CompareTimelines::prediction() const {
  if (step_ >= 0) return prediction_for(*comparison_, -1);
  const int match =
      has_pairs() && row_ >= 0 ? comparison_->calls[static_cast<std::size_t>(row_)].match : -1;
  return match < 0 ? nullptr : prediction_for(*comparison_, match);
}

QString CompareTimelines::prediction_text() const {
  const auto* predicted = prediction();
  return predicted == nullptr
             ? QString()
             : tr("%1: %2").arg(
                   step_ >= 0 ? tr("All steps") : to_qt(advisor::words::scope(predicted->scope)),
                   to_qt(compare::prediction_in_words(*predicted)));
}

void CompareTimelines::show_texts() {
  text_->setText(pair_text());
  const QString predicted = prediction_text();
  predicted_->setText(predicted);
  predicted_->setVisible(!predicted.isEmpty());
  const auto* of = prediction();
  predicted_->setToolTip(of == nullptr ? QString()
                                       : tr("Of %1. With its interval: %2.")
                                             .arg(to_qt(compare::predicted_for(*of)),
                                                  to_qt(compare::prediction_in_words(*of, true))));
  overlay_->update();
}

QString CompareTimelines::described_content() const {
  if (!has_pairs()) return tr("Nothing that both have has times.");
  bool too_many = false;
  const auto drawn = joints(&too_many);
  return tr("Two timelines, before above after, aligned where the chosen pair begins. ") +
         (too_many ? tr("Too many matched calls are in sight to be joined.")
                   : tr("%n matched call(s) (is|are) joined.", nullptr, many(drawn.size())));
}

void CompareTimelines::set_theme(const Theme& theme) {
  theme_ = theme;
  before_->set_theme(theme);
  after_->set_theme(theme);
  overlay_->update();
}

void CompareTimelines::place_overlay() {
  overlay_->setGeometry(area_->rect());
  overlay_->raise();
}

void CompareTimelines::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place_overlay();
}

bool CompareTimelines::eventFilter(QObject* watched, QEvent* event) {
  if (watched == area_ && event->type() == QEvent::Resize) {
    place_overlay();
    // Once the timelines have their sizes.
    QMetaObject::invokeMethod(this, &CompareTimelines::scroll_up, Qt::QueuedConnection);
  }
  if (watched == between_ && event->type() == QEvent::MouseButtonRelease) {
    const QPointF at = static_cast<QMouseEvent*>(event)->position();
    const double share = at.y() / std::max(1, between_->height());
    const auto along = [share](double top, double bottom) { return top + share * (bottom - top); };
    for (const auto& joint : joints()) {
      if (at.x() < along(joint.before_left, joint.after_left) - 2 ||
          at.x() > along(joint.before_right, joint.after_right) + 2)
        continue;
      show_call(joint.row);
      emit call_chosen(joint.row);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

// Rows that are scrolled away and have room now come back, unless the chosen call would go.
void CompareTimelines::scroll_up() {
  for (auto* side : {&before_side_, &after_side_}) {
    const auto& scene = side->timeline->scene();
    const auto rect = scene.rect_of(scene.selection);
    if (rect && rect->bottom() + scene.scroll <= scene.size.height())
      side->timeline->verticalScrollBar()->setValue(0);
  }
}

Joint CompareTimelines::joint_of(const Pair& pair) const {
  const auto &above = before_->scene(), &below = after_->scene();
  return {pair.row, above.x_of(pair.before.begin_ns), above.x_of(pair.before.end_ns),
          below.x_of(pair.after.begin_ns), below.x_of(pair.after.end_ns)};
}

std::vector<Joint> CompareTimelines::joints(bool* too_many) const {
  if (too_many != nullptr) *too_many = false;
  if (!ready() || !has_pairs()) return {};
  const auto found =
      pairs_->in_sight(before_side_.state.visible(), after_side_.state.visible(), most_joints);
  std::vector<Joint> drawn;
  if (found.size() > most_joints) {
    if (too_many != nullptr) *too_many = true;
    if (const Pair* chosen = pairs_->of_row(row_)) drawn.push_back(joint_of(*chosen));
    return drawn;
  }
  for (const auto at : found) drawn.push_back(joint_of(pairs_->calls()[at]));
  return drawn;
}

}  // namespace rnnadvisor::gui
