// New run: a configuration or a program, what it is recorded to, and how it goes.
#pragma once

#include <QDialog>

#include "gui/models/runner.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QTabWidget;

namespace rnnadvisor::gui {

class RunDialog : public QDialog {
  Q_OBJECT
 public:
  explicit RunDialog(const ConfigInput& configuration, QWidget* parent = nullptr);
  void set_runner(const QString& path) { runner_path_ = path; }
  void show_program();  // begins at the program's page
  QLineEdit* program() { return program_; }
  QLineEdit* output() { return output_; }
  QLabel* status() { return status_; }
  void start();
  void cancel();

 signals:
  void recorded(const QString& profile);

 protected:
  void reject() override;

 private:
  void show_end(Runner::End end, const QString& profile, const QString& message);

  ConfigInput configuration_;
  Runner runner_;
  QString runner_path_;
  QTabWidget* tabs_;
  QLineEdit *program_, *folder_, *output_;
  QPlainTextEdit *parameters_, *log_;
  QLabel* status_;
  QProgressBar* progress_;
  QPushButton *start_, *cancel_;
};

}  // namespace rnnadvisor::gui
