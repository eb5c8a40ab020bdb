// Compare: the open profile with another one.
#pragma once

#include <QSortFilterProxyModel>

#include "gui/charts/chart.h"
#include "gui/models/comparison.h"
#include "gui/models/file_follower.h"
#include "gui/models/item_models.h"
#include "gui/models/loader.h"
#include "gui/timeline/background.h"
#include "gui/views/compare_timelines.h"
#include "gui/views/partner_chooser.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;
class QTabWidget;

namespace rnnadvisor::gui {

class ProblemCard;

class CompareView : public View {
  Q_OBJECT
 public:
  explicit CompareView(QWidget* parent = nullptr);
  void set_document(DocumentPointer document) override;
  void set_rules(std::shared_ptr<const advisor::RuleSet> rules) { rules_ = std::move(rules); }
  void set_theme(const Theme& theme) override;
  QWidget* first_focus() override;
  QString table_text() const override;
  // `path` is compared as what was before.
  void compare_with(const QString& path);
  // `path` is compared as what it is: the one of both that was recorded later is after.
  void choose(const QString& path);
  void show_chooser();
  PartnerChooser* chooser() { return chooser_; }
  CompareTimelines* timelines() { return timelines_; }
  // The path of what is set beside the open profile, also when that could not be opened; empty:
  // nothing was.
  QString partner() const { return partner_; }
  const ComparisonModel& model() const { return model_; }
  // Predicts times where the other profile is judged.
  void set_predict_for(advisor::PredictFor predict_for) {
    loader_.set_predict_for(std::move(predict_for));
  }
  // What keeps the partner from being opened; nothing once another is.
  const std::optional<Error>& problem() const { return problem_; }
  bool comparing() const { return loader_.busy() || work_.busy(); }

 signals:
  void choose_requested();  // by a dialog

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_chooser_page();
  void make_tables();
  void place_timelines();
  QTableView* table() const;  // the one that is seen, or was
  void follow_timelines(int row);
  void open_partner(const QString& path);
  void show_failure(const Error& error, const QString& path);
  void show_comparison();
  void show_result(Comparison comparison);
  void show_selected();
  void align_at_selected();
  void fit_rows();
  QString match_page(const compare::Match& match) const;
  QString call_page(const compare::CallMatch& call) const;
  void set_before(const DocumentPointer& before);

  Theme theme_ = light_theme();
  std::shared_ptr<const advisor::RuleSet> rules_;
  DocumentPointer before_, after_;
  QString partner_;
  std::optional<Error> problem_;
  FileFollower follower_;
  Loader loader_;
  ComparisonModel model_;
  CallMatchesModel calls_;
  WordsFilter sorted_;
  QSortFilterProxyModel sorted_calls_;
  bool swapped_ = false;
  bool by_time_ = false;  // the one recorded first is before
  bool filling_ = false;  // rows are chosen here, not by a person
  QStackedWidget* stack_ = nullptr;
  PartnerChooser* chooser_ = nullptr;
  QPushButton* to_comparison_ = nullptr;
  CompareTimelines* timelines_ = nullptr;
  QSplitter* body_ = nullptr;  // the timelines, where there is room, above the tables
  QLabel *empty_ = nullptr, *headline_ = nullptr, *steps_ = nullptr, *names_ = nullptr,
         *changes_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QTableView *table_ = nullptr, *call_table_ = nullptr, *last_table_ = nullptr;
  PageBrowser* match_ = nullptr;
  ProblemCard* card_ = nullptr;
  ChartWidget* chart_ = nullptr;
  Card* chart_card_ = nullptr;
  timeline::Background work_;  // last, so that it is gone first
};

}  // namespace rnnadvisor::gui
