// A list of recordings that the open profile can be compared with, and a button for any other file.
#pragma once

#include <QWidget>

#include "gui/models/document.h"
#include "gui/models/item_models.h"
#include "gui/models/partners.h"
#include "gui/timeline/background.h"
#include "gui/views/parts.h"

class QListView;
class QPushButton;

namespace rnnadvisor::gui {

class PartnerChooser : public QWidget {
  Q_OBJECT
 public:
  explicit PartnerChooser(QWidget* parent = nullptr);
  // What is offered anew, also of recent files; nothing without a document. Other recordings of the
  // same command are looked for on a thread once the list is seen, and come when they are found.
  void set_document(const DocumentPointer& document);
  void set_theme(const Theme& theme);
  QWidget* first_focus();
  QListView* list() { return list_; }
  const PartnersModel& model() const { return model_; }
  bool looking() const { return work_.busy(); }

 signals:
  void chosen(const QString& path);
  void file_requested();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void look_for_others();
  void show_partners(const std::vector<Partner>& beside);

  QString path_;
  std::string command_;  // of what is open, until others of it are looked for
  PartnersModel model_;
  WordsFilter filter_;
  TitleDelegate* delegate_;
  QListView* list_;
  QPushButton* other_;
  timeline::Background work_;  // last, so that it is gone first
};

}  // namespace rnnadvisor::gui
