// Start: recent profiles, samples, open, new run.
#pragma once

#include "gui/views/view.h"

class QVBoxLayout;
class QLabel;
class QFrame;

namespace rnnadvisor::gui {

class StartView : public View {
  Q_OBJECT
 public:
  explicit StartView(QWidget* parent = nullptr);
  void set_recent(const QStringList& paths);
  // What went wrong with the last file, or nothing.
  void set_error(const Error* error, const QString& path);
  QWidget* first_focus() override;

 signals:
  void open_requested();
  void run_requested();
  void path_chosen(const QString& path);

 private:
  QVBoxLayout* recent_ = nullptr;
  QFrame* notice_ = nullptr;
  QLabel *notice_title_ = nullptr, *notice_text_ = nullptr;
  QWidget* open_ = nullptr;
};

}  // namespace rnnadvisor::gui
