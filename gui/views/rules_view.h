// Rules: the cards, searchable; those of a folder of the user's are read again when it changes.
#pragma once

#include <QFileSystemWatcher>

#include "gui/models/item_models.h"
#include "gui/views/parts.h"
#include "gui/views/view.h"

class QListView;
class QLineEdit;

namespace rnnadvisor::gui {

class RulesView : public View {
  Q_OBJECT
 public:
  explicit RulesView(QWidget* parent = nullptr);
  void set_rules(std::shared_ptr<const advisor::RuleSet> rules, const QString& folder);
  // What is wrong with the cards of the folder; they are then left out.
  void set_errors(const std::vector<Error>& errors);
  void set_document(DocumentPointer document) override;
  void set_theme(const Theme& theme) override;
  QWidget* first_focus() override;
  bool search() override;
  QString table_text() const override;
  bool show_rule(const QString& id);  // false: there is none of this name
  QString shown_rule() const;         // its id; empty: none
  const PageBrowser* page() const { return page_; }

 signals:
  void folder_requested();
  void folder_changed();  // something in it: to be read again

 private:
  void show_current(bool same = false);

  DocumentPointer document_;
  Theme theme_ = light_theme();
  RulesModel rules_;
  WordsFilter filter_;
  QFileSystemWatcher watcher_;
  TitleDelegate* delegate_ = nullptr;
  QLineEdit* search_ = nullptr;
  QListView* list_ = nullptr;
  PageBrowser* page_ = nullptr;
  QLabel *count_ = nullptr, *errors_ = nullptr;
};

}  // namespace rnnadvisor::gui
