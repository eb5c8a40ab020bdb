// Timeline with docks beside it: the finding whose evidence is looked at, and the call unrolled.
#pragma once

#include <QTimer>
#include <functional>

#include "gui/models/marks.h"
#include "gui/models/view_state.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

class QMainWindow;
class QDockWidget;
class QStackedWidget;

namespace rnnadvisor::gui {

class EventsPanel;
class MarksPanel;
class RecurrenceWidget;
class SummaryPanel;
class TimelineBar;
class TimelineWidget;

// What records a timeline of a configuration of a profile that has none; empty: it has no
// configuration that could be run.
QString trace_command(const Document& document);

class TraceView : public View {
  Q_OBJECT
 public:
  TraceView(ViewState* state, Marks* marks, QWidget* parent = nullptr);
  void set_document(DocumentPointer document) override;
  void set_theme(const Theme& theme) override;
  QWidget* first_focus() override;
  bool search() override;
  // The table where it is seen and has rows, else the details of the measured range, else the
  // steps of the unrolled call.
  QString table_text() const override;
  QByteArray save_layout() const;
  void restore_layout(const QByteArray& layout);
  QList<QDockWidget*> docks() const;
  void show_recurrence();
  // Stores what was made of the tracks, if that was not done yet.
  void store_tracks();
  TimelineWidget* timeline() { return timeline_; }
  EventsPanel* events() { return events_; }
  SummaryPanel* summary() { return summary_; }
  // Ctrl+P: a palette of the tracks.
  void find_track();
  // What the timeline can do, for menus and the palette; its own keys do the same.
  std::vector<std::pair<QString, std::function<void()>>> commands();

 signals:
  void problem(const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QDockWidget* add_dock(const QString& title, const char* name, QWidget* content,
                        Qt::DockWidgetArea where);
  void update_titles();
  void follow_selection();
  void fit_recurrence();
  void show_what_there_is();

  ViewState* state_;
  DocumentPointer document_;
  QTimer unstored_;  // runs while something of the tracks is not stored
  Theme theme_ = light_theme();
  QStackedWidget* stack_ = nullptr;  // the area, or why there is nothing on it
  EmptyState* empty_ = nullptr;
  QMainWindow* area_ = nullptr;
  TimelineWidget* timeline_ = nullptr;
  TimelineBar* bar_ = nullptr;
  RecurrenceWidget* recurrence_ = nullptr;
  EventsPanel* events_ = nullptr;
  MarksPanel* marks_panel_ = nullptr;
  SummaryPanel* summary_ = nullptr;
  bool divided_by_hand_ = false;  // the edge of a dock was moved
  bool sized_ = false;            // docks have sizes, of a layout that was kept or the usual ones
  QDockWidget *details_dock_ = nullptr, *recurrence_dock_ = nullptr, *events_dock_ = nullptr,
              *marks_dock_ = nullptr, *summary_dock_ = nullptr;
  PageBrowser* details_ = nullptr;
};

}  // namespace rnnadvisor::gui
