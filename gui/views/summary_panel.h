// The table of what is measured, else of what is visible: kernels, roles, RNN calls, NVTX ranges or
// copies, with their counts and durations. It follows the timeline; a row leads back to it.
#pragma once

#include <QSortFilterProxyModel>
#include <QTimer>
#include <QWidget>

#include "gui/models/view_state.h"
#include "gui/timeline/background.h"
#include "gui/timeline/summary_table.h"

class QComboBox;
class QLabel;
class QTableView;
class QToolButton;

namespace rnnadvisor::gui {

class TimelineWidget;

class SummaryPanel : public QWidget {
  Q_OBJECT
 public:
  SummaryPanel(TimelineWidget* timeline, ViewState* state, QWidget* parent = nullptr);
  void set_document(DocumentPointer document);
  void set_theme(const Theme& theme);
  QTableView* table() { return table_; }
  QComboBox* chooser() { return by_; }
  QToolButton* filter_button() { return filter_; }
  const timeline::SummaryModel& model() const { return model_; }
  // Counts anew where it is seen; what changes while it counts is counted after it.
  void refresh();
  bool busy() const { return due_.isActive() || work_.busy(); }
  // To the next or previous one of the chosen row.
  void step(int by);
  void save(const QString& path);

 signals:
  void problem(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void count();
  void show_summary(timeline::Summary summary);
  void tell();
  void choose();
  const timeline::SummaryRow* chosen() const;
  void search_done();
  void choose_file();
  void menu_at(QPoint position);

  TimelineWidget* timeline_;
  DocumentPointer document_;
  timeline::SummaryModel model_;
  QSortFilterProxyModel sorted_;
  timeline::HistogramDelegate histogram_;
  QComboBox* by_;
  QLabel* told_;
  QToolButton *previous_, *next_, *filter_, *save_;
  QTableView* table_;
  QTimer due_;
  bool again_ = false;  // something has changed since counting began
  std::string name_;    // of the row that was chosen; empty: none
  int step_ = 0;        // that waits for the search of the chosen row

  timeline::Background work_;  // last, so that it is gone first
};

}  // namespace rnnadvisor::gui
