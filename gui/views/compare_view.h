// Compare: the open profile with another one.
#pragma once

#include "gui/charts/chart.h"
#include "gui/models/comparison.h"
#include "gui/models/item_models.h"
#include "gui/models/loader.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

class QStackedWidget;
class QTableView;

namespace rnnadvisor::gui {

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
  const ComparisonModel& model() const { return model_; }

 signals:
  void choose_requested();

 private:
  void show_comparison();
  void show_match();
  void set_before(const DocumentPointer& before);

  Theme theme_ = light_theme();
  std::shared_ptr<const advisor::RuleSet> rules_;
  DocumentPointer before_, after_;
  Loader loader_;
  ComparisonModel model_;
  WordsFilter sorted_;
  bool swapped_ = false;
  QStackedWidget* stack_ = nullptr;
  QLabel *empty_ = nullptr, *headline_ = nullptr, *names_ = nullptr, *changes_ = nullptr;
  QTableView* table_ = nullptr;
  PageBrowser* match_ = nullptr;
  ChartWidget* chart_ = nullptr;
};

}  // namespace rnnadvisor::gui
