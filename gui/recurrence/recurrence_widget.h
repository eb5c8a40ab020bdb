// RecurrenceWidget: the RNN call that is selected, unrolled into layer x direction x time step;
// and, when one was kept to compare with, that one above it, aligned by time step.
#pragma once

#include <QWidget>
#include <optional>

#include "gui/models/document.h"
#include "gui/models/view_state.h"
#include "gui/recurrence/unroll.h"
#include "gui/theme.h"

class QLabel;
class QScrollArea;
class QToolButton;

namespace rnnadvisor::gui {

namespace recurrence {
class Canvas;
}

class RecurrenceWidget : public QWidget {
  Q_OBJECT
 public:
  explicit RecurrenceWidget(QWidget* parent = nullptr);

  void focus_steps();  // the keyboard goes to the picture
  void set_document(DocumentPointer document, ViewState* state);
  void set_theme(const Theme& theme);

  // Cells where they lie in time, which shows the wavefront over layers, or one column for each
  // time step, as tall as it took, which is what two calls are compared by.
  void set_by_step(bool by_step);
  // Keeps the call that is shown, to compare others with it; again: lets it go.
  void keep(bool on);

  // -1: none.
  int shown_call() const { return shown_; }
  const std::vector<recurrence::Unrolled>& calls() const;
  // A row of cells for each step, tabs between; empty where no steps are shown.
  QString table_text() const;
  // As high as its rows.
  QSize sizeHint() const override;

 signals:
  void height_changed();  // sizeHint() may be another

 private:
  void take_selection();
  void rebuild();
  QString heading() const;

  DocumentPointer document_;
  ViewState* state_ = nullptr;
  Theme theme_;
  int shown_ = -1, kept_ = -1;
  QLabel* title_;
  QToolButton *by_time_, *by_step_, *keep_;
  QScrollArea* area_;
  recurrence::Canvas* canvas_;
};

}  // namespace rnnadvisor::gui
