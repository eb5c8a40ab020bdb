// The field to search and filter by: a part of the timeline, over its tracks.
#pragma once

#include <QFrame>

#include "gui/theme.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace rnnadvisor::gui::timeline {

class SearchBar : public QFrame {
  Q_OBJECT
 public:
  explicit SearchBar(QWidget* parent);
  void open(bool filter = false);  // `filter`: shows only what matches
  void set_result(const QString& text, bool wrong);
  void set_theme(const Theme& theme);
  void set_text(const QString& pattern, bool is_expression);

 signals:
  void searched(const QString& pattern, bool is_expression);
  void filtered(const QString& pattern, bool is_expression);
  void stepped(int by);
  void listed();  // all hits are wanted as a list
  void closed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void changed();

  QLineEdit* field_;
  QToolButton *expression_, *filter_;
  QLabel* result_;
  bool wrong_ = false;
  Theme theme_;
};

}  // namespace rnnadvisor::gui::timeline
