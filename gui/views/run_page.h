// How a run goes: what it does, how far it is, what rnnadvisor says, and what became of it.
#pragma once

#include <QWidget>

#include "gui/models/runner.h"

class QFrame;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QToolButton;

namespace rnnadvisor::gui {

class RunPage : public QWidget {
  Q_OBJECT
 public:
  explicit RunPage(QWidget* parent = nullptr);
  void begin(const QString& title, const QString& command);
  void show_progress(const RunProgress& progress, qint64 elapsed_ms);
  void add_output(const QString& text);
  void tell(const QString& text);  // until the next state
  void stopping();
  // `errors` is what it wrote on standard error.
  void end(Runner::End end, const QString& profile, const QString& message, qint64 elapsed_ms);

  QLabel* state() { return state_; }
  QProgressBar* bar() { return bar_; }
  QLabel* elapsed() { return elapsed_; }
  QLabel* problem() { return problem_; }

 private:
  QLabel *title_, *state_, *elapsed_, *told_, *problem_, *remedy_, *kept_;
  QProgressBar* bar_;
  QFrame* card_;
  QToolButton* log_button_;
  QPlainTextEdit* log_;
};

}  // namespace rnnadvisor::gui
