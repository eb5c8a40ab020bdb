#include "gui/views/trace_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "gui/models/exploration_pages.h"
#include "gui/models/pages.h"
#include "gui/recurrence/recurrence_widget.h"
#include "gui/texts.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/timeline/track_store.h"
#include "gui/views/events_panel.h"
#include "gui/views/marks_panel.h"
#include "gui/views/palette.h"
#include "gui/views/summary_panel.h"
#include "gui/views/timeline_bar.h"
#include "gui/views/view_name.h"

namespace rnnadvisor::gui {
namespace {

constexpr int usual_bottom = 250;
// Of the dock with layers: as high as they are, within these; and with details beside it.
constexpr int least_bottom = 110, least_bottom_beside = 200, most_bottom_percent = 45;
// Code in it needs room, and a large screen has it.
constexpr int least_side = 360, side_percent = 22;
// In less the timeline needs all of the width: what is known of the selection stands below it.
constexpr int room_for_side = 1100;

// Dragging makes many changes in a row.
constexpr int store_after_ms = 500;

}  // namespace

TraceView::TraceView(ViewState* state, Marks* marks, QWidget* parent)
    : View(parent), state_(state) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  area_ = new QMainWindow(this);
  area_->setWindowFlags(Qt::Widget);
  area_->installEventFilter(this);
  area_->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  stack_ = new QStackedWidget;
  empty_ = new EmptyState;
  stack_->addWidget(area_);
  stack_->addWidget(empty_);
  layout->addWidget(stack_);
  connect(empty_, &EmptyState::chosen, this, [this] {
    if (document_)
      QApplication::clipboard()->setText(trace_command(*document_));
    else
      emit link_activated(Link::to_view(view_name::start));
  });
  timeline_ = new TimelineWidget(area_);
  timeline_->setAccessibleName(tr("Timeline"));
  timeline_->set_marks(marks);
  auto* center = new QWidget(area_);
  auto* under_bar = new QVBoxLayout(center);
  under_bar->setContentsMargins(0, 0, 0, 0);
  under_bar->setSpacing(0);
  bar_ = new TimelineBar(timeline_);
  under_bar->addWidget(bar_);
  under_bar->addWidget(timeline_, 1);
  area_->setCentralWidget(center);
  area_->setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
  area_->setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  details_ = new PageBrowser;
  details_->setAccessibleName(tr("Details"));
  details_->setMinimumWidth(240);
  details_dock_ = add_dock(tr("Details"), "details", details_, Qt::RightDockWidgetArea);
  marks_panel_ = new MarksPanel(marks);
  marks_dock_ = add_dock(tr("Marks"), "marks", marks_panel_, Qt::RightDockWidgetArea);
  recurrence_ = new RecurrenceWidget;
  recurrence_->setAccessibleName(tr("Recurrence"));
  recurrence_dock_ =
      add_dock(tr("Recurrence"), "recurrence", recurrence_, Qt::BottomDockWidgetArea);
  events_ = new EventsPanel(state_);
  events_dock_ = add_dock(tr("Table"), "events", events_, Qt::BottomDockWidgetArea);
  events_->events().set_track_of([this](Item item) { return timeline_->track_of(item); });
  const auto list_hits = [this] {
    const auto hits = timeline_->scene().hits;
    events_->show_found(hits ? hits->listed : std::vector<Item>(), hits ? hits->hits : 0);
  };
  connect(timeline_, &TimelineWidget::hit_list_requested, this, [this, list_hits] {
    list_hits();
    events_dock_->show();
    events_dock_->raise();
  });
  connect(timeline_, &TimelineWidget::hits_changed, this, [this, list_hits] {
    if (events_->shows_found()) list_hits();
  });
  summary_ = new SummaryPanel(timeline_, state_);
  summary_dock_ = add_dock(tr("Summary"), "summary", summary_, Qt::BottomDockWidgetArea);
  connect(summary_dock_, &QDockWidget::visibilityChanged, summary_, &SummaryPanel::refresh);
  area_->tabifyDockWidget(details_dock_, marks_dock_);
  area_->tabifyDockWidget(recurrence_dock_, summary_dock_);
  area_->tabifyDockWidget(summary_dock_, events_dock_);
  details_dock_->raise();
  recurrence_dock_->raise();
  area_->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  update_titles();
  show_what_there_is();
  connect(details_, &PageBrowser::link_activated, this, &View::link_activated);
  connect(timeline_, &TimelineWidget::link_activated, this, &View::link_activated);
  connect(timeline_, &TimelineWidget::table_requested, this, [this](Item item) {
    events_->show_like(item);
    events_dock_->show();
    events_dock_->raise();
  });
  connect(summary_, &SummaryPanel::problem, this, &TraceView::problem);
  connect(marks_panel_, &MarksPanel::chosen, timeline_, &TimelineWidget::show_mark);
  connect(marks_panel_, &MarksPanel::add_requested, timeline_, &TimelineWidget::add_mark);
  connect(state_, &ViewState::selection_changed, this, &TraceView::follow_selection);
  connect(recurrence_, &RecurrenceWidget::height_changed, this, &TraceView::fit_recurrence,
          Qt::QueuedConnection);
  unstored_.setSingleShot(true);
  unstored_.setInterval(store_after_ms);
  connect(timeline_, &TimelineWidget::tracks_changed, &unstored_, qOverload<>(&QTimer::start));
  connect(&unstored_, &QTimer::timeout, this, [this] {
    unstored_.start();  // counts as not stored
    store_tracks();
  });
}

void TraceView::store_tracks() {
  if (!unstored_.isActive()) return;
  unstored_.stop();
  if (!document_) return;
  const auto stored = timeline::store_tracks(document_->path(), timeline_->kept_tracks());
  if (!stored) emit problem(to_qt(to_text(stored.error())));
}

QDockWidget* TraceView::add_dock(const QString& title, const char* name, QWidget* content,
                                 Qt::DockWidgetArea where) {
  auto* dock = new QDockWidget(title);
  dock->setObjectName(QString::fromLatin1(name));
  dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                    QDockWidget::DockWidgetFloatable);
  dock->setWidget(content);
  dock->setAccessibleName(title);
  area_->addDockWidget(where, dock);
  for (const auto changed : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
    connect(dock, changed, this, &TraceView::update_titles);
  connect(dock, &QDockWidget::dockLocationChanged, this, &TraceView::update_titles);
  return dock;
}

// A dock that has a tab needs no title of its own.
void TraceView::update_titles() {
  for (auto* dock : docks()) {
    if (dock == nullptr) continue;
    const bool has_tab = !dock->isFloating() && !area_->tabifiedDockWidgets(dock).isEmpty();
    QWidget* own = dock->titleBarWidget();
    if (has_tab && own == nullptr) {
      dock->setTitleBarWidget(new QWidget(dock));
    } else if (!has_tab && own != nullptr) {
      dock->setTitleBarWidget(nullptr);
      own->deleteLater();
    }
  }
}

void TraceView::find_track() {
  QList<QAction*> tracks;
  auto* palette = new CommandPalette({}, this);
  for (const auto& [track, name] : timeline_->track_names()) {
    auto* action = new QAction(name, palette);
    connect(action, &QAction::triggered, timeline_, [this, chosen = track] {
      timeline_->show_track(chosen);
      timeline_->setFocus();
    });
    tracks << action;
  }
  palette->set_actions(tracks, tr("Find a track"));
  palette->setAttribute(Qt::WA_DeleteOnClose);
  palette->show();
}

bool TraceView::search() {
  if (stack_->currentWidget() != area_) return false;
  timeline_->show_search();
  return true;
}

QString TraceView::table_text() const {
  if (stack_->currentWidget() != area_) return {};
  // A dock behind the tab of another is not hidden to Qt, but nothing of it is seen.
  const auto seen = [](const QWidget* widget) {
    return widget->isVisible() && !widget->visibleRegion().isEmpty();
  };
  if (seen(events_) && events_->model().rowCount() > 0) return table_text_of(events_->table());
  if (seen(summary_) && summary_->model().rowCount() > 0) return table_text_of(summary_->table());
  if (const QString measured = timeline_->measured_text(); !measured.isEmpty()) return measured;
  return seen(recurrence_) ? recurrence_->table_text() : QString();
}

QWidget* TraceView::first_focus() {
  return stack_->currentWidget() == area_ ? static_cast<QWidget*>(timeline_) : empty_->button();
}

// Tracks, their height and what stands beside them only where there is something to be shown.
void TraceView::show_what_there_is() {
  const bool tracks = document_ && (document_->has_times() || document_->outline());
  stack_->setCurrentWidget(tracks ? static_cast<QWidget*>(area_) : empty_);
  if (tracks) return;
  if (!document_) {
    empty_->set_no_profile(
        tr("The timeline shows when the host made calls and when the GPU ran kernels."));
    return;
  }
  const auto& all = document_->profile().configurations;
  const auto timed = std::count_if(all.begin(), all.end(),
                                   [](const Configuration& c) { return !c.timings.empty(); });
  if (timed > 0) {
    empty_->set_state(
        tr("Timed without tracing"),
        tr("%1 of %n configuration(s) (was|were) measured on the GPU, but no kernels were "
           "recorded, so there is no timeline. This traces one of them:",
           nullptr, many(all.size()))
            .arg(timed),
        trace_command(*document_), tr("Copy the command"));
  } else if (!all.empty()) {
    empty_->set_state(tr("Checked, not run"),
                      tr("Nothing of this profile ran on a GPU. This runs one configuration of it "
                         "and traces it:"),
                      trace_command(*document_), tr("Copy the command"));
  } else {
    empty_->set_state(
        tr("Nothing was recorded"),
        tr("No record of this profile has a time. The overview says why that may be."));
  }
}

QString trace_command(const Document& document) {
  const auto& all = document.profile().configurations;
  const auto timed = std::find_if(all.begin(), all.end(),
                                  [](const Configuration& c) { return !c.timings.empty(); });
  const auto described =
      std::find_if(all.begin(), all.end(), [](const Configuration& c) { return c.described(); });
  const auto& one = timed != all.end() ? timed : described;
  if (one == all.end()) return {};
  const auto& device = document.profile().devices[static_cast<std::size_t>(one->device)];
  return command_of({one->config, one->program, {}}, device, QStringLiteral("run")) +
         QStringLiteral(" -o traced.rnnprof");
}
QList<QDockWidget*> TraceView::docks() const {
  return {details_dock_, marks_dock_, recurrence_dock_, summary_dock_, events_dock_};
}
QByteArray TraceView::save_layout() const { return area_->saveState(1); }
void TraceView::restore_layout(const QByteArray& layout) {
  sized_ = area_->restoreState(layout, 1);
}

// Sizes of docks mean nothing before the window has one.
void TraceView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  if (std::exchange(sized_, true)) return;
  if (area_->width() < room_for_side) {
    // A dock that stands in tabs is not split but gets one more tab.
    for (auto* dock : {events_dock_, summary_dock_, marks_dock_}) area_->removeDockWidget(dock);
    area_->splitDockWidget(recurrence_dock_, details_dock_, Qt::Horizontal);
    area_->tabifyDockWidget(details_dock_, marks_dock_);
    area_->tabifyDockWidget(recurrence_dock_, summary_dock_);
    area_->tabifyDockWidget(summary_dock_, events_dock_);
    for (auto* dock : {events_dock_, summary_dock_, marks_dock_}) dock->show();
    details_dock_->raise();
    recurrence_dock_->raise();
    update_titles();
  }
  const int side = std::max(least_side, area_->width() * side_percent / 100);
  area_->resizeDocks({details_dock_, marks_dock_}, {side, side}, Qt::Horizontal);
  area_->resizeDocks({recurrence_dock_, summary_dock_, events_dock_},
                     {usual_bottom, usual_bottom, usual_bottom}, Qt::Vertical);
  QTimer::singleShot(0, this, &TraceView::fit_recurrence);
}

// The dock with layers is as high as they are, until its edge is moved.
void TraceView::fit_recurrence() {
  if (!sized_ || divided_by_hand_ || recurrence_dock_->isFloating() ||
      recurrence_->visibleRegion().isEmpty() ||
      area_->dockWidgetArea(recurrence_dock_) != Qt::BottomDockWidgetArea)
    return;
  const bool beside = area_->dockWidgetArea(details_dock_) == Qt::BottomDockWidgetArea;
  const int least = beside ? least_bottom_beside : least_bottom;
  const int wanted = std::clamp(recurrence_->sizeHint().height(), least,
                                std::max(least, area_->height() * most_bottom_percent / 100));
  // Above the layers is the title of the dock, or the tabs that have its place with it.
  int around = recurrence_->y();
  for (const auto* tabs : area_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (!area_->tabifiedDockWidgets(recurrence_dock_).isEmpty() && tabs->isVisible())
      around = std::max(around, tabs->height());
  }
  area_->resizeDocks({recurrence_dock_}, {wanted + around}, Qt::Vertical);
}

// Nothing but what is between docks is the area's own.
bool TraceView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == area_ && event->type() == QEvent::MouseButtonPress) divided_by_hand_ = true;
  return View::eventFilter(watched, event);
}

std::vector<std::pair<QString, std::function<void()>>> TraceView::commands() {
  auto* t = timeline_;
  return {{tr("Timeline: zoom in"), [t] { t->zoom(0.5); }},
          {tr("Timeline: zoom out"), [t] { t->zoom(2); }},
          {tr("Timeline: show everything"), [t] { t->show_all(); }},
          {tr("Timeline: focus the selection"), [t] { t->focus_on_selection(); }},
          {tr("Timeline: measure the selection"), [t] { t->measure_selection(); }},
          {tr("Timeline: taller tracks"), [t] { t->make_taller(1); }},
          {tr("Timeline: lower tracks"), [t] { t->make_taller(-1); }},
          {tr("Timeline: search…"), [t] { t->show_search(); }},
          {tr("Timeline: next hit"), [t] { t->next_hit(1); }},
          {tr("Timeline: previous hit"), [t] { t->next_hit(-1); }},
          {tr("Timeline: list the hits"), [t] { emit t->hit_list_requested(); }},
          {tr("Timeline: copy the selection as text"), [t] { t->copy_selection(); }},
          {tr("Timeline: next kernel of the call"), [t] { t->step_in_call(1); }},
          {tr("Timeline: previous kernel of the call"), [t] { t->step_in_call(-1); }},
          {tr("Timeline: mark this place"), [t] { t->add_mark(); }},
          {tr("Timeline: next mark"), [t] { t->step_mark(1); }},
          {tr("Timeline: previous mark"), [t] { t->step_mark(-1); }}};
}

void TraceView::show_recurrence() {
  // An empty dock would explain nothing.
  if (document_ && recurrence_->calls().empty()) {
    const Item now = state_->selection();
    const auto& findings = document_->judgement().findings;
    const int of = now.kind == ItemKind::finding
                       ? findings[static_cast<std::size_t>(now.index)].configuration
                       : -1;
    if (const int call = document_->typical_call(of); call >= 0)
      state_->select({ItemKind::call, call});
  }
  recurrence_dock_->show();
  recurrence_dock_->raise();
  recurrence_->focus_steps();
}

void TraceView::set_document(DocumentPointer document) {
  store_tracks();
  document_ = document;
  timeline_->set_document(document, state_);
  if (document_) timeline_->restore_tracks(timeline::stored_tracks(document_->path()));
  recurrence_->set_document(document, state_);
  events_->set_document(document);
  summary_->set_document(document);
  marks_panel_->set_origin(document ? document->extent().begin_ns : 0);
  show_what_there_is();
  follow_selection();
}

void TraceView::set_theme(const Theme& theme) {
  theme_ = theme;
  timeline_->set_theme(theme);
  bar_->set_theme(theme);
  recurrence_->set_theme(theme);
  marks_panel_->set_theme(theme);
  summary_->set_theme(theme);
  follow_selection();
}

void TraceView::follow_selection() {
  if (!document_) {
    details_->show_page({});
    return;
  }
  const Item item = state_->selection();
  QString html = item_page(*document_, item, theme_);
  if (html.isEmpty()) {
    Page page(theme_);
    page.paragraph(
        page.dim(tr("Select a call, a kernel or a finding to see what is known of it.")));
    html = page.take();
  }
  details_->show_page(html);
}

}  // namespace rnnadvisor::gui
