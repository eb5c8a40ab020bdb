// Start: recent profiles, samples, open, new run.
#pragma once

#include "gui/views/view.h"

class QVBoxLayout;

namespace rnnadvisor::gui {

class ProblemCard;

class StartView : public View {
  Q_OBJECT
 public:
  explicit StartView(QWidget* parent = nullptr);
  void set_recent(const QStringList& paths);
  // What went wrong with the last file.
  ProblemCard* problem() { return problem_; }
  QWidget* first_focus() override;

 signals:
  void open_requested();
  void run_requested();
  void path_chosen(const QString& path);

 private:
  QVBoxLayout* recent_ = nullptr;
  ProblemCard* problem_ = nullptr;
  QWidget* open_ = nullptr;
};

}  // namespace rnnadvisor::gui
