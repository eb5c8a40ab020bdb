// What kept a file from being opened, and what can be done about it.
#pragma once

#include <QFrame>
#include <optional>

#include "gui/models/open_problem.h"

class QLabel;
class QPushButton;

namespace rnnadvisor::gui {

class ProblemCard : public QFrame {
  Q_OBJECT
 public:
  explicit ProblemCard(QWidget* parent = nullptr);
  // Nothing hides it.
  void set_problem(const std::optional<OpenProblem>& problem);
  const std::optional<OpenProblem>& problem() const { return problem_; }
  // While it is waited for or worked on: what is known by now.
  void set_state(const QString& text);
  void set_busy(bool busy);  // what can be done is being done

 signals:
  void collect_requested(const QString& folder);
  void again_requested(const QString& path);
  void dismissed();

 private:
  std::optional<OpenProblem> problem_;
  QLabel *mark_, *title_, *path_, *text_, *remedy_, *state_;
  QPushButton *collect_, *again_, *dismiss_;
};

}  // namespace rnnadvisor::gui
