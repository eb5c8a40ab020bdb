// The bar below a finding: whether it is to be done, was tried or rejected, and a note.
#pragma once

#include <QFrame>
#include <QTimer>
#include <vector>

#include "gui/models/notes.h"

class QLineEdit;
class QPushButton;

namespace rnnadvisor::gui {

class NoteBar : public QFrame {
  Q_OBJECT
 public:
  explicit NoteBar(QWidget* parent = nullptr);
  void set_notes(Notes* notes);
  // What was typed about the one before is saved first. -1: none.
  void show_finding(int finding);
  void save();
  QPushButton* button(FindingNote::State state);
  QLineEdit* text() { return text_; }

 private:
  void follow();

  Notes* notes_ = nullptr;
  int finding_ = -1;
  std::vector<QPushButton*> buttons_;  // to do, tried, rejected
  QLineEdit* text_;
  QTimer typing_;
};

}  // namespace rnnadvisor::gui
