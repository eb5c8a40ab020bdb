// The marks of the profile as a list: go there, rename, recolour, delete.
#pragma once

#include <QWidget>

#include "gui/models/marks.h"
#include "gui/theme.h"

class QLabel;
class QListWidget;
class QListWidgetItem;
class QPushButton;

namespace rnnadvisor::gui {

class MarksPanel : public QWidget {
  Q_OBJECT
 public:
  explicit MarksPanel(Marks* marks, QWidget* parent = nullptr);
  void set_origin(std::int64_t origin);  // from which times are counted
  void set_theme(const Theme& theme);
  QListWidget* list() { return list_; }

 signals:
  void chosen(int mark);  // go there
  void add_requested();

 private:
  void fill();
  void rename(QListWidgetItem* item);
  void recolor();
  void remove();

  Marks* marks_;
  std::int64_t origin_ = 0;
  Theme theme_ = light_theme();
  bool filling_ = false;
  QLabel* empty_;
  QListWidget* list_;
  QPushButton *rename_, *recolor_, *remove_;
};

}  // namespace rnnadvisor::gui
