// Findings: the list on the left, everything about one on the right; rules that did not fire in a
// second tab.
#pragma once

#include "gui/models/item_models.h"
#include "gui/models/trial.h"
#include "gui/models/view_state.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

class QLineEdit;
class QListView;
class QPushButton;
class QStackedWidget;
class QTableView;
class QTabWidget;

namespace rnnadvisor::gui {

class NoteBar;
class Notes;
class TrialStrip;

class FindingsView : public View {
  Q_OBJECT
 public:
  explicit FindingsView(ViewState* state, QWidget* parent = nullptr);
  void set_document(DocumentPointer document) override;
  void set_theme(const Theme& theme) override;
  QWidget* first_focus() override;
  bool search() override;
  QString table_text() const override;
  int shown_finding() const { return shown_; }
  PageBrowser* page() const { return page_; }
  QListView* list() { return list_; }
  // What is tried, or was last; shown beside its suggestion.
  void set_trial(const TrialState& state);
  TrialStrip* strip() { return strip_; }
  void set_notes(Notes* notes);
  NoteBar* note_bar() { return note_bar_; }

 private:
  void follow_selection();
  void show_finding(int finding, bool same = false);
  QWidget* make_findings();
  QWidget* make_verdicts();
  void arrange_verdicts();

  ViewState* state_;
  DocumentPointer document_;
  Theme theme_ = light_theme();
  FindingsModel findings_;
  WordsFilter filter_;
  VerdictsModel verdicts_;
  WordsFilter verdict_filter_;
  int shown_ = -1;
  QStackedWidget* whole_ = nullptr;  // the tabs, or why there is nothing
  EmptyState* nothing_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QListView* list_ = nullptr;
  TitleDelegate* delegate_ = nullptr;
  TrialState trial_;
  TrialStrip* strip_ = nullptr;
  NoteBar* note_bar_ = nullptr;
  PageBrowser* page_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  QLabel *empty_ = nullptr, *order_ = nullptr;
  QTableView* verdict_table_ = nullptr;
  std::vector<QPushButton*> kinds_;
};

}  // namespace rnnadvisor::gui
