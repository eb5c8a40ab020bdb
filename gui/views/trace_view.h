// Timeline with docks beside it: the finding whose evidence is looked at, and the call unrolled.
#pragma once

#include <functional>

#include "gui/models/view_state.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

class QMainWindow;
class QDockWidget;

namespace rnnadvisor::gui {

class RecurrenceWidget;
class TimelineWidget;

class TraceView : public View {
  Q_OBJECT
 public:
  explicit TraceView(ViewState* state, QWidget* parent = nullptr);
  void set_document(DocumentPointer document) override;
  void set_theme(const Theme& theme) override;
  QWidget* first_focus() override;
  QByteArray save_layout() const;
  void restore_layout(const QByteArray& layout);
  QList<QDockWidget*> docks() const;
  void show_recurrence();
  // What the timeline can do, for menus and the palette; its own keys do the same.
  std::vector<std::pair<QString, std::function<void()>>> commands();

 private:
  void follow_selection();

  ViewState* state_;
  DocumentPointer document_;
  Theme theme_ = light_theme();
  QMainWindow* area_ = nullptr;
  TimelineWidget* timeline_ = nullptr;
  RecurrenceWidget* recurrence_ = nullptr;
  QDockWidget *details_dock_ = nullptr, *recurrence_dock_ = nullptr;
  PageBrowser* details_ = nullptr;
  QString shown_;
};

}  // namespace rnnadvisor::gui
