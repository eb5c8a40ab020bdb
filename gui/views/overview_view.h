// Overview: the verdict, where the time goes, what to do first, memory, the record's own state.
#pragma once

#include "gui/charts/chart.h"
#include "gui/models/item_models.h"
#include "gui/models/view_state.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

class QBoxLayout;
class QLabel;
class QScrollArea;
class QTableView;

namespace rnnadvisor::gui {

class OverviewView : public View {
  Q_OBJECT
 public:
  explicit OverviewView(ViewState* state, QWidget* parent = nullptr);
  void set_document(DocumentPointer document) override;
  void set_theme(const Theme& theme) override;
  QString table_text() const override;
  // Of a profile that is still being read: how far it is, in the place of a verdict.
  void tell_reading(const QString& text);
  QWidget* first_focus() override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  QString configurations_counted() const;
  QWidget* make_verdict();
  QWidget* make_end();    // nullptr: no exception ended the program
  QWidget* make_step();   // nullptr: no program was recorded with its kernels
  QWidget* make_steps();  // nullptr: no steps were recorded with their kernels
  QWidget* make_time();
  chart::Bars bars_of_kernels() const;
  chart::Bars bars_of_phases(const std::vector<int>& configurations) const;
  chart::Bars bars_of_configurations(const std::vector<int>& configurations) const;
  QWidget* make_actions();
  QWidget* make_remarks();  // null where there are none
  QWidget* make_memory();
  QWidget* make_record();
  QWidget* make_gaps();       // nullptr: the record is whole
  QWidget* make_emptiness();  // of a record without any RNN
  QWidget* make_configurations();
  std::vector<QWidget*> make_figures();
  ChartWidget* make_chart(std::unique_ptr<chart::Chart> chart, const QString& name);
  void arrange();

  ViewState* state_;
  DocumentPointer document_;
  Theme theme_ = light_theme();
  ConfigurationsModel configurations_;
  WordsFilter sorted_;
  QScrollArea* scroll_ = nullptr;
  QString reading_;
  QLabel* headline_ = nullptr;
  QBoxLayout* columns_ = nullptr;
  QTableView* table_ = nullptr;
};

}  // namespace rnnadvisor::gui
