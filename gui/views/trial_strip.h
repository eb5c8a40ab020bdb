// The strip below a finding while one of its suggestions, or another, is tried: what is being done,
// for how long, and a button that ends it. Hidden while nothing is.
#pragma once

#include <QFrame>

#include "gui/models/trial.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace rnnadvisor::gui {

class TrialStrip : public QFrame {
  Q_OBJECT
 public:
  explicit TrialStrip(QWidget* parent = nullptr);
  void set_state(const TrialState& state);
  void show_progress(const QString& text, qint64 elapsed_ms);
  QPushButton* cancel_button() { return cancel_; }
  QLabel* text() { return text_; }

 signals:
  void cancelled();

 private:
  QLabel *text_, *elapsed_;
  int budget_ = 0;  // seconds
  QProgressBar* bar_;
  QPushButton* cancel_;
};

}  // namespace rnnadvisor::gui
