// New run: a configuration, a sweep or a program, what it is recorded to, and how it goes.
#pragma once

#include <QDialog>

#include "gui/models/config_editor.h"
#include "gui/models/runner.h"
#include "gui/models/trial.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QTabWidget;
class QVBoxLayout;

namespace rnnadvisor::gui {

class ConfigForm;
class RunPage;

class RunDialog : public QDialog {
  Q_OBJECT
 public:
  explicit RunDialog(const ConfigInput& configuration, QWidget* parent = nullptr);
  void set_runner(const QString& path) { runner_path_ = path; }
  void show_program();  // begins at the program's page
  // The program's page with this one, to be run under `rnnadvisor accelerate`.
  void show_accelerate(const AccelerateCommand& command);
  void show_sweep();
  QLineEdit* program() { return program_; }
  QLineEdit* host() { return host_; }
  QLineEdit* environment() { return environment_; }
  QLineEdit* folder() { return folder_; }
  QComboBox* mode() { return mode_; }
  QSpinBox* steps() { return steps_; }
  QCheckBox* accelerate() { return accelerate_; }
  QLineEdit* sweep() { return sweep_; }
  QLineEdit* output() { return output_; }
  QLabel* status() { return status_; }
  RunPage* run_page() { return run_page_; }
  ConfigForm* form() { return form_; }
  const ConfigInput& configuration() const { return editor_.input(); }
  void edit_as_text(bool as_text);
  void start();
  void cancel();
  bool running() const { return runner_.running(); }

 signals:
  void recorded(const QString& profile);
  // The configuration, where it cannot be run here but can be looked at.
  void explore_requested(const rnnadvisor::ConfigInput& input);

 protected:
  void reject() override;

 private:
  QWidget* make_configuration_page();
  QWidget* make_sweep_page();
  QWidget* make_program_page();
  void make_buttons(QVBoxLayout* layout);
  void show_what_is_missing();
  void show_form(bool form);
  void show_wrong();
  // The text of the parameters becomes the configuration. False: something in it is wrong, and was
  // said.
  bool take_text();
  bool make_request(RunRequest& request, QString& title);
  void show_end(Runner::End end, const QString& profile, const QString& message);

  ConfigEditor editor_;
  Runner runner_;
  QString runner_path_;
  QStackedWidget *pages_, *ways_;
  QTabWidget* tabs_;
  QWidget* form_page_;
  ConfigForm* form_;
  QPlainTextEdit* text_;
  QLabel *wrong_, *status_;
  QLineEdit *program_, *folder_, *host_, *environment_, *sweep_, *output_;
  QComboBox* mode_;
  QSpinBox* steps_;
  QCheckBox *accelerate_, *numerics_;
  RunPage* run_page_;
  bool accelerating_ = false;  // what runs, or ran last
  QPushButton *start_, *cancel_, *back_, *explore_, *as_text_;
};

}  // namespace rnnadvisor::gui
