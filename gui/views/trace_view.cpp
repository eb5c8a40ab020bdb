#include "gui/views/trace_view.h"

#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QVBoxLayout>

#include "gui/models/pages.h"
#include "gui/recurrence/recurrence_widget.h"
#include "gui/timeline/timeline_widget.h"

namespace rnnadvisor::gui {
namespace {

QDockWidget* make_dock(const QString& title, const char* name, QWidget* content) {
  auto* dock = new QDockWidget(title);
  dock->setObjectName(QString::fromLatin1(name));
  dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                    QDockWidget::DockWidgetFloatable);
  dock->setWidget(content);
  dock->setAccessibleName(title);
  return dock;
}

}  // namespace

TraceView::TraceView(ViewState* state, QWidget* parent) : View(parent), state_(state) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  area_ = new QMainWindow(this);
  area_->setWindowFlags(Qt::Widget);
  area_->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  layout->addWidget(area_);
  timeline_ = new TimelineWidget(area_);
  timeline_->setAccessibleName(tr("Timeline"));
  area_->setCentralWidget(timeline_);
  details_ = new PageBrowser;
  details_->setAccessibleName(tr("Details"));
  details_->setMinimumWidth(240);
  details_dock_ = make_dock(tr("Details"), "details", details_);
  area_->addDockWidget(Qt::RightDockWidgetArea, details_dock_);
  recurrence_ = new RecurrenceWidget;
  recurrence_->setAccessibleName(tr("Recurrence"));
  recurrence_dock_ = make_dock(tr("Recurrence"), "recurrence", recurrence_);
  area_->addDockWidget(Qt::BottomDockWidgetArea, recurrence_dock_);
  area_->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  area_->resizeDocks({details_dock_}, {360}, Qt::Horizontal);
  area_->resizeDocks({recurrence_dock_}, {260}, Qt::Vertical);
  connect(details_, &PageBrowser::link_activated, this, &View::link_activated);
  connect(state_, &ViewState::selection_changed, this, &TraceView::follow_selection);
}

QWidget* TraceView::first_focus() { return timeline_; }
QList<QDockWidget*> TraceView::docks() const { return {details_dock_, recurrence_dock_}; }
QByteArray TraceView::save_layout() const { return area_->saveState(1); }
void TraceView::restore_layout(const QByteArray& layout) { area_->restoreState(layout, 1); }

std::vector<std::pair<QString, std::function<void()>>> TraceView::commands() {
  auto* t = timeline_;
  return {{tr("Timeline: zoom in"), [t] { t->zoom(0.5); }},
          {tr("Timeline: zoom out"), [t] { t->zoom(2); }},
          {tr("Timeline: show everything"), [t] { t->show_all(); }},
          {tr("Timeline: focus the selection"), [t] { t->focus_on_selection(); }},
          {tr("Timeline: measure the selection"), [t] { t->measure_selection(); }},
          {tr("Timeline: search…"), [t] { t->show_search(); }},
          {tr("Timeline: next hit"), [t] { t->next_hit(1); }},
          {tr("Timeline: previous hit"), [t] { t->next_hit(-1); }},
          {tr("Timeline: copy the selection as text"), [t] { t->copy_selection(); }}};
}

void TraceView::show_recurrence() {
  recurrence_dock_->show();
  recurrence_dock_->raise();
  recurrence_->setFocus();
}

void TraceView::set_document(DocumentPointer document) {
  document_ = document;
  timeline_->set_document(document, state_);
  recurrence_->set_document(document, state_);
  follow_selection();
}

void TraceView::set_theme(const Theme& theme) {
  theme_ = theme;
  timeline_->set_theme(theme);
  recurrence_->set_theme(theme);
  follow_selection();
}

void TraceView::follow_selection() {
  if (!document_) {
    details_->clear();
    return;
  }
  const Item item = state_->selection();
  QString html = item_page(*document_, item, theme_);
  if (html.isEmpty()) {
    Page page(theme_);
    page.paragraph(
        page.dim(tr("Select a call, a kernel or a finding to see what is known of it.")));
    if (!document_->has_times())
      page.paragraph(page.dim(tr("Nothing was recorded on a GPU in this profile.")));
    html = page.take();
  }
  details_->show_page(html);
}

}  // namespace rnnadvisor::gui
