#include "gui/views/run_dialog.h"

#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "advisor/report/words.h"
#include "gui/models/document.h"
#include "gui/views/parts.h"

namespace rnnadvisor::gui {
namespace {

QString parameters_text(const ConfigInput& input) {
  QString text;
  for (const auto& [key, value] : advisor::words::parameters(input.config))
    text += to_qt(key) + QStringLiteral(" = ") + to_qt(value) + QLatin1Char('\n');
  return text;
}

}  // namespace

RunDialog::RunDialog(const ConfigInput& configuration, QWidget* parent)
    : QDialog(parent),
      configuration_(configuration),
      runner_path_(find_runner()),
      tabs_(new QTabWidget),
      program_(new QLineEdit),
      folder_(new QLineEdit),
      output_(new QLineEdit),
      parameters_(new QPlainTextEdit),
      log_(new QPlainTextEdit),
      status_(make_label({}, "")),
      progress_(new QProgressBar),
      start_(new QPushButton(tr("Run"))),
      cancel_(new QPushButton(tr("Close"))) {
  setWindowTitle(tr("New run"));
  resize(680, 600);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(18, 16, 18, 16);
  layout->setSpacing(10);

  tabs_->setDocumentMode(true);
  auto* configuration_page = new QWidget;
  auto* form = new QVBoxLayout(configuration_page);
  form->setContentsMargins(0, 10, 0, 0);
  auto* hint =
      make_label(tr("One parameter a line. The explorer has a control for each, and “Run it” there "
                    "brings it here."),
                 "dim");
  hint->setWordWrap(true);
  form->addWidget(hint);
  parameters_->setPlainText(parameters_text(configuration));
  parameters_->setObjectName(QStringLiteral("parameters"));
  parameters_->setAccessibleName(tr("Parameters"));
  parameters_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  form->addWidget(parameters_);
  tabs_->addTab(configuration_page, tr("A configuration"));

  auto* program_page = new QWidget;
  auto* fields = new QFormLayout(program_page);
  fields->setContentsMargins(0, 10, 0, 0);
  fields->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  program_->setPlaceholderText(QStringLiteral("python train.py --steps 20"));
  folder_->setPlaceholderText(QDir::currentPath());
  fields->addRow(tr("Program"), program_);
  fields->addRow(tr("Folder"), folder_);
  auto* advice = make_label(tr("Twenty steps are enough: every recurrent call, its kernels and its "
                               "arguments are recorded."),
                            "dim");
  advice->setWordWrap(true);
  fields->addRow(QString(), advice);
  tabs_->addTab(program_page, tr("A program"));
  layout->addWidget(tabs_);

  auto* row = new QHBoxLayout;
  auto* label = make_label(tr("Profile"), "");
  label->setBuddy(output_);
  output_->setAccessibleName(tr("Profile to write"));
  output_->setText(QDir::current().filePath(
      QStringLiteral("rnnadvisor-%1.rnnprof")
          .arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")))));
  auto* choose = new QPushButton(tr("Choose…"));
  row->addWidget(label);
  row->addWidget(output_, 1);
  row->addWidget(choose);
  layout->addLayout(row);

  log_->setReadOnly(true);
  log_->setMaximumBlockCount(5000);
  log_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  log_->setAccessibleName(tr("What rnnadvisor says"));
  log_->setPlaceholderText(tr("What rnnadvisor says appears here."));
  layout->addWidget(log_, 1);
  progress_->setRange(0, 0);
  progress_->setTextVisible(false);
  progress_->hide();
  layout->addWidget(progress_);
  status_->setWordWrap(true);
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(status_);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch();
  set_look(start_, "primary");
  start_->setDefault(true);
  buttons->addWidget(cancel_);
  buttons->addWidget(start_);
  layout->addLayout(buttons);

  if (runner_path_.isEmpty())
    status_->setText(tr("The program rnnadvisor was not found beside this one or in PATH."));
  connect(start_, &QPushButton::clicked, this, &RunDialog::start);
  connect(cancel_, &QPushButton::clicked, this, &RunDialog::reject);
  connect(choose, &QPushButton::clicked, this, [this] {
    const QString path = QFileDialog::getSaveFileName(this, tr("Profile to write"), output_->text(),
                                                      tr("Profiles (*.rnnprof)"));
    if (!path.isEmpty()) output_->setText(path);
  });
  connect(&runner_, &Runner::output, this, [this](const QString& text) {
    log_->moveCursor(QTextCursor::End);
    log_->insertPlainText(to_qt(advisor::words::clean_lines(text.toStdString())));
    log_->verticalScrollBar()->setValue(log_->verticalScrollBar()->maximum());
  });
  connect(&runner_, &Runner::ended, this, &RunDialog::show_end);
}

void RunDialog::show_program() {
  tabs_->setCurrentIndex(1);
  program_->setFocus();
}

void RunDialog::start() {
  RunRequest request;
  request.output = output_->text();
  if (tabs_->currentIndex() == 1) {
    request.program = QProcess::splitCommand(program_->text());
    request.folder = folder_->text();
    if (request.program.isEmpty()) {
      status_->setText(tr("Name the program to record."));
      program_->setFocus();
      return;
    }
  } else {
    // Words need no quotes here: each line is a flag without its dashes.
    ConfigInput input;
    std::vector<std::string> keys;
    for (const auto& line : parameters_->toPlainText().split(QLatin1Char('\n'))) {
      if (line.trimmed().isEmpty() || line.trimmed().startsWith(QLatin1Char('#'))) continue;
      const auto equals = line.indexOf(QLatin1Char('='));
      const QString key = line.left(equals).trimmed();
      const QString value = line.mid(equals + 1).trimmed().remove(QLatin1Char('"'));
      if (equals < 0) {
        status_->setText(tr("“%1” is no “key = value”.").arg(line.trimmed()));
        return;
      }
      if (const auto good = set_field(input, key.toStdString(), value.toStdString()); !good) {
        status_->setText(to_qt(to_text(good.error())));
        return;
      }
      keys.push_back(key.toStdString());
    }
    resolve_defaults(input.config, std::vector<std::string_view>(keys.begin(), keys.end()));
    request.configurations.push_back(input);
  }
  log_->clear();
  if (const auto started = runner_.start(runner_path_, request); !started) {
    status_->setText(to_qt(to_text(started.error())));
    return;
  }
  log_->appendPlainText(QStringLiteral("$ ") + runner_.command() + QLatin1Char('\n'));
  status_->setText(tr("Running…"));
  progress_->show();
  start_->setEnabled(false);
  tabs_->setEnabled(false);
  cancel_->setText(tr("Cancel"));
}

void RunDialog::cancel() { runner_.cancel(); }

void RunDialog::reject() {
  if (runner_.running()) {
    status_->setText(tr("Ending…"));
    runner_.cancel();
    return;
  }
  QDialog::reject();
}

void RunDialog::show_end(Runner::End end, const QString& profile, const QString& message) {
  progress_->hide();
  start_->setEnabled(true);
  tabs_->setEnabled(true);
  cancel_->setText(tr("Close"));
  QString text = end == Runner::End::finished    ? tr("Finished.")
                 : end == Runner::End::cancelled ? tr("Cancelled.")
                                                 : tr("It failed.");
  if (!message.isEmpty()) text += QLatin1Char(' ') + message;
  status_->setText(text);
  if (!profile.isEmpty()) emit recorded(profile);
  if (end == Runner::End::finished) accept();
}

}  // namespace rnnadvisor::gui
