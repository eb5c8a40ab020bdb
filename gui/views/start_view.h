// Start: recent profiles, samples, open, new run.
#pragma once

#include "gui/models/session.h"
#include "gui/views/view.h"

class QVBoxLayout;

namespace rnnadvisor::gui {

class ProblemCard;

class StartView : public View {
  Q_OBJECT
 public:
  explicit StartView(QWidget* parent = nullptr);
  void set_recent(const QList<SeenFile>& files);
  // What was open last, to go on with.
  void set_last(const std::optional<SeenFile>& last);
  // What went wrong with the last file.
  ProblemCard* problem() { return problem_; }
  QWidget* first_focus() override;

 signals:
  void open_requested();
  void run_requested();
  // Empty place: its beginning.
  void path_chosen(const QString& path, const rnnadvisor::gui::Place& place);

 private:
  QVBoxLayout *recent_ = nullptr, *last_ = nullptr;
  ProblemCard* problem_ = nullptr;
  QWidget* open_ = nullptr;
};

}  // namespace rnnadvisor::gui
