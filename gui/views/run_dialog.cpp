#include "gui/views/run_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "advisor/report/words.h"
#include "core/base/shell_words.h"
#include "core/config/validate.h"
#include "gui/models/document.h"
#include "gui/views/config_form.h"
#include "gui/views/parts.h"
#include "gui/views/run_page.h"

namespace rnnadvisor::gui {
namespace {

enum Tab { configuration_tab, sweep_tab, program_tab };

QString parameters_text(const ConfigInput& input) {
  QString text;
  for (const auto& [key, value] : advisor::words::parameters(input.config))
    text += to_qt(key) + QStringLiteral(" = ") + to_qt(value) + QLatin1Char('\n');
  return text;
}

QLabel* make_hint(const QString& text) {
  auto* hint = make_label(text, "dim");
  hint->setWordWrap(true);
  return hint;
}

// A field with a button that fills it.
QWidget* with_button(QLineEdit* field, const QString& text, const QString& name,
                     const std::function<QString()>& choose) {
  auto* box = new QWidget;
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  auto* button = new QPushButton(text);
  button->setAccessibleName(name);
  row->addWidget(field, 1);
  row->addWidget(button);
  QObject::connect(button, &QPushButton::clicked, field, [field, choose] {
    const QString chosen = choose();
    if (!chosen.isEmpty()) field->setText(chosen);
  });
  return box;
}

}  // namespace

RunDialog::RunDialog(const ConfigInput& configuration, QWidget* parent)
    : QDialog(parent),
      runner_path_(find_runner()),
      pages_(new QStackedWidget),
      ways_(new QStackedWidget),
      tabs_(new QTabWidget),
      form_page_(new QWidget),
      form_(new ConfigForm(ConfigForm::Style::two_columns)),
      text_(new QPlainTextEdit),
      wrong_(make_label({}, "error")),
      status_(make_label({}, "error")),
      program_(new QLineEdit),
      folder_(new QLineEdit),
      host_(new QLineEdit),
      environment_(new QLineEdit),
      sweep_(new QLineEdit),
      output_(new QLineEdit),
      mode_(new QComboBox),
      steps_(new QSpinBox),
      accelerate_(new QCheckBox(tr("Accelerate it: use faster cuDNN algorithms"))),
      numerics_(
          new QCheckBox(tr("Also products in half precision where the program permits TF32"))),
      run_page_(new RunPage),
      start_(new QPushButton(tr("Run"))),
      cancel_(new QPushButton(tr("Close"))),
      back_(new QPushButton(tr("Back"))),
      explore_(new QPushButton(tr("Look at it in the explorer"))),
      as_text_(new QPushButton(tr("Edit as text"))) {
  setWindowTitle(tr("New run"));
  resize(820, 680);
  editor_.take(configuration);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(20, 16, 20, 16);
  layout->setSpacing(10);

  auto* form = new QVBoxLayout(form_page_);
  form->setContentsMargins(0, 0, 0, 0);
  form->setSpacing(10);
  tabs_->setDocumentMode(true);
  tabs_->addTab(make_configuration_page(), tr("A configuration"));
  tabs_->addTab(make_sweep_page(), tr("A sweep"));
  tabs_->addTab(make_program_page(), tr("A program"));
  form->addWidget(tabs_, 1);
  output_->setAccessibleName(tr("Profile to write"));
  output_->setText(QDir::current().filePath(
      QStringLiteral("rnnadvisor-%1.rnnprof")
          .arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")))));
  auto* row = new QHBoxLayout;
  auto* label = make_label(tr("Profile"), "dim");
  label->setBuddy(output_);
  row->setSpacing(12);
  row->addWidget(label);
  row->addWidget(with_button(output_, tr("Choose…"), tr("Choose the profile to write"),
                             [this] {
                               return QFileDialog::getSaveFileName(this, tr("Profile to write"),
                                                                   output_->text(),
                                                                   tr("Profiles (*.rnnprof)"));
                             }),
                 1);
  form->addLayout(row);
  status_->setWordWrap(true);
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  form->addWidget(status_);
  pages_->addWidget(form_page_);
  pages_->addWidget(run_page_);
  layout->addWidget(pages_, 1);
  make_buttons(layout);

  form_->show_values(editor_.input().config);
  show_wrong();
  show_form(true);
  show_what_is_missing();
  // A message about a field goes once the field has changed.
  for (auto* field : {program_, folder_, host_, environment_, sweep_, output_})
    connect(field, &QLineEdit::textChanged, this, &RunDialog::show_what_is_missing);
  connect(tabs_, &QTabWidget::currentChanged, this, &RunDialog::show_what_is_missing);
  connect(&runner_, &Runner::output, run_page_, &RunPage::add_output);
  connect(&runner_, &Runner::progress, this, [this](const RunProgress& progress, qint64 elapsed) {
    if (runner_.running() && !runner_.cancelling()) run_page_->show_progress(progress, elapsed);
  });
  connect(&runner_, &Runner::ended, this, &RunDialog::show_end);
}

QWidget* RunDialog::make_configuration_page() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 12, 0, 0);
  layout->setSpacing(8);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(form_);
  text_->setObjectName(QStringLiteral("parameters"));
  text_->setAccessibleName(tr("Parameters, one a line"));
  text_->setTabChangesFocus(true);
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  ways_->addWidget(scroll);
  ways_->addWidget(text_);
  layout->addWidget(ways_, 1);
  auto* row = new QHBoxLayout;
  wrong_->setWordWrap(true);
  wrong_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row->addWidget(wrong_, 1);
  as_text_->setCheckable(true);
  set_look(as_text_, "chip");
  row->addWidget(as_text_, 0, Qt::AlignTop);
  layout->addLayout(row);
  connect(as_text_, &QPushButton::toggled, this, &RunDialog::edit_as_text);
  connect(form_, &ConfigForm::edited, this, [this](const QString& key, const QString& value) {
    const auto good = editor_.set(key.toStdString(), value.toStdString());
    form_->show_values(editor_.input().config);
    show_wrong();
    if (!good) wrong_->setText(to_qt(to_text(good.error())));
  });
  return page;
}

QWidget* RunDialog::make_sweep_page() {
  auto* page = new QWidget;
  auto* fields = new QFormLayout(page);
  fields->setContentsMargins(0, 14, 0, 0);
  fields->setHorizontalSpacing(12);
  fields->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  sweep_->setPlaceholderText(QStringLiteral("sample:guide-figure-10"));
  sweep_->setAccessibleName(tr("Sweep file"));
  auto* label = make_label(tr("Sweep file"), "dim");
  label->setBuddy(sweep_);
  fields->addRow(label, with_button(sweep_, tr("Choose…"), tr("Choose the sweep file"), [this] {
                   return QFileDialog::getOpenFileName(this, tr("Sweep file"), {},
                                                       tr("Sweeps (*.toml);;All files (*)"));
                 }));
  fields->addRow(QString(),
                 make_hint(tr("Runs every configuration of the file. An existing profile is "
                              "resumed: finished configurations are not run again.")));
  return page;
}

QWidget* RunDialog::make_program_page() {
  auto* page = new QWidget;
  auto* fields = new QFormLayout(page);
  fields->setContentsMargins(0, 14, 0, 0);
  fields->setHorizontalSpacing(12);
  fields->setVerticalSpacing(8);
  fields->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  program_->setPlaceholderText(QStringLiteral("python train.py --steps 20"));
  program_->setObjectName(QStringLiteral("program"));
  program_->setAccessibleName(tr("Program and its arguments"));
  folder_->setPlaceholderText(QDir::currentPath());
  folder_->setAccessibleName(tr("Folder to run it in"));
  for (const auto& [text, field] : {std::pair{tr("Program"), program_}, {tr("Folder"), folder_}}) {
    auto* label = make_label(text, "dim");
    label->setBuddy(field);
    if (field == folder_) {
      fields->addRow(label, with_button(folder_, tr("Choose…"), tr("Choose the folder"), [this] {
                       return QFileDialog::getExistingDirectory(this, tr("Folder"));
                     }));
    } else {
      fields->addRow(label, field);
    }
  }
  host_->setPlaceholderText(tr("this machine; another: me@server, by ssh"));
  host_->setAccessibleName(tr("Machine to run it on"));
  environment_->setPlaceholderText(QStringLiteral("CUDA_VISIBLE_DEVICES=0"));
  environment_->setAccessibleName(tr("Variables for the program"));
  environment_->setToolTip(
      tr("NAME=VALUE, separated by blanks. On another machine also PATH, "
         "where rnnadvisor is not found there"));
  mode_->addItem(tr("kernels and copies"), QStringLiteral("kernels"));
  mode_->addItem(tr("also CUDA calls, memory and hardware counters"), QStringLiteral("full"));
  mode_->addItem(tr("RNN calls alone, without tracing"), QStringLiteral("calls"));
  mode_->setAccessibleName(tr("What is recorded"));
  steps_->setRange(0, 1'000'000);
  steps_->setSpecialValueText(tr("all steps"));
  steps_->setSuffix(tr(" steps"));
  steps_->setAccessibleName(tr("Steps to record"));
  steps_->setToolTip(tr("The program goes on after them, without being recorded"));
  auto* what = new QHBoxLayout;
  what->setSpacing(8);
  what->addWidget(mode_, 1);
  what->addWidget(steps_);
  for (const auto& [text, field] :
       {std::pair{tr("Machine"), host_}, {tr("Environment"), environment_}}) {
    auto* label = make_label(text, "dim");
    label->setBuddy(field);
    fields->addRow(label, field);
  }
  auto* what_label = make_label(tr("Record"), "dim");
  what_label->setBuddy(mode_);
  fields->addRow(what_label, what);
  for (auto* each : {static_cast<QWidget*>(mode_), static_cast<QWidget*>(steps_)})
    connect(accelerate_, &QCheckBox::toggled, each, &QWidget::setDisabled);
  accelerate_->setToolTip(
      tr("rnnadvisor accelerate: the program stays as it is; each call uses the algorithm that "
         "measures fastest in it, where the results are the same within rounding"));
  numerics_->setToolTip(tr("--allow numerics: results then differ a little"));
  numerics_->setEnabled(false);
  connect(accelerate_, &QCheckBox::toggled, numerics_, &QWidget::setEnabled);
  fields->addRow(QString(), accelerate_);
  fields->addRow(QString(), numerics_);
  fields->addRow(QString(), make_hint(tr("Twenty steps are enough: every recurrent call, its "
                                         "kernels and its arguments are recorded.")));
  return page;
}

void RunDialog::make_buttons(QVBoxLayout* layout) {
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(back_);
  buttons->addStretch();
  set_look(start_, "primary");
  start_->setDefault(true);
  for (auto* button : {explore_, cancel_, start_}) buttons->addWidget(button);
  layout->addLayout(buttons);
  connect(start_, &QPushButton::clicked, this, &RunDialog::start);
  connect(cancel_, &QPushButton::clicked, this,
          [this] { runner_.running() ? cancel() : reject(); });
  connect(back_, &QPushButton::clicked, this, [this] { show_form(true); });
  connect(explore_, &QPushButton::clicked, this, [this] {
    emit explore_requested(editor_.input());
    QDialog::reject();
  });
}

void RunDialog::show_what_is_missing() {
  status_->setText(runner_path_.isEmpty() && host_->text().isEmpty()
                       ? tr("The program rnnadvisor was not found beside this one or in PATH.")
                       : QString());
}

void RunDialog::show_form(bool form) {
  pages_->setCurrentWidget(form ? form_page_ : run_page_);
  start_->setVisible(form);
  back_->hide();
  explore_->hide();
}

void RunDialog::show_program() {
  tabs_->setCurrentIndex(program_tab);
  program_->setFocus();
}

void RunDialog::show_accelerate(const AccelerateCommand& command) {
  show_program();
  std::vector<std::string> words;
  for (const auto& word : command.program) words.push_back(word.toStdString());
  program_->setText(to_qt(shell_words(words)));
  accelerate_->setChecked(true);
  numerics_->setChecked(command.options.contains(QLatin1String("numerics")));
  // It runs where its files are, which the profile does not say.
  folder_->setFocus();
}

void RunDialog::show_sweep() {
  tabs_->setCurrentIndex(sweep_tab);
  sweep_->setFocus();
}

void RunDialog::show_wrong() {
  const auto violations = validate(editor_.input().config);
  std::map<std::string, QString, std::less<>> marks;
  QStringList lines;
  for (const auto& violation : violations) {
    for (const auto& key : violation.keys) marks[key] = to_qt(violation.message);
    lines << to_qt(violation.message) + (violation.remedy.empty()
                                             ? QString()
                                             : QStringLiteral(": ") + to_qt(violation.remedy));
  }
  form_->mark(marks);
  constexpr int most = 2;
  if (lines.size() > most) {
    const auto more = lines.size() - most;
    lines = lines.mid(0, most);
    lines << tr("and %1 more").arg(more);
  }
  wrong_->setText(lines.join(QLatin1Char('\n')));
}

void RunDialog::edit_as_text(bool as_text) {
  const QSignalBlocker quiet(as_text_);
  if (as_text) {
    text_->setPlainText(parameters_text(editor_.input()));
  } else if (!take_text()) {
    as_text_->setChecked(true);
    return;
  }
  as_text_->setChecked(as_text);
  ways_->setCurrentIndex(as_text ? 1 : 0);
  if (as_text) {
    text_->setFocus();
  } else {
    form_->show_values(editor_.input().config);
  }
  show_wrong();
}

bool RunDialog::take_text() {
  // Words need no quotes here: each line is a flag without its dashes.
  ConfigInput input;
  input.program = editor_.input().program;
  std::vector<std::string> keys;
  for (const auto& line : text_->toPlainText().split(QLatin1Char('\n'))) {
    if (line.trimmed().isEmpty() || line.trimmed().startsWith(QLatin1Char('#'))) continue;
    const auto equals = line.indexOf(QLatin1Char('='));
    if (equals < 0) {
      status_->setText(tr("“%1” is no “key = value”.").arg(line.trimmed()));
      return false;
    }
    const QString key = line.left(equals).trimmed();
    const QString value = line.mid(equals + 1).trimmed().remove(QLatin1Char('"'));
    if (const auto good = set_field(input, key.toStdString(), value.toStdString()); !good) {
      status_->setText(to_qt(to_text(good.error())));
      return false;
    }
    keys.push_back(key.toStdString());
  }
  resolve_defaults(input.config, std::vector<std::string_view>(keys.begin(), keys.end()));
  editor_.take(input);
  status_->clear();
  return true;
}

bool RunDialog::make_request(RunRequest& request, QString& title) {
  request.output = output_->text();
  switch (tabs_->currentIndex()) {
    case program_tab: {
      const auto words = split_words(program_->text().toStdString());
      if (!words) {
        status_->setText(to_qt(to_text(words.error())));
        program_->setFocus();
        return false;
      }
      for (const auto& word : *words) request.program << to_qt(word);
      request.folder = folder_->text();
      request.host = host_->text().trimmed();
      const auto variables = split_words(environment_->text().toStdString());
      for (const auto& word : variables.value_or(std::vector<std::string>())) {
        if (word.find('=') != std::string::npos && word.front() != '=')
          request.environment << to_qt(word);
        else
          status_->setText(tr("“%1” is no variable: NAME=VALUE.").arg(to_qt(word)));
      }
      if (!variables) status_->setText(to_qt(to_text(variables.error())));
      if (!status_->text().isEmpty()) {
        environment_->setFocus();
        return false;
      }
      request.accelerate = accelerate_->isChecked();
      if (!request.accelerate && mode_->currentIndex() > 0)
        request.options << QStringLiteral("--mode") << mode_->currentData().toString();
      if (!request.accelerate && steps_->value() > 0)
        request.options << QStringLiteral("--iterations") << QString::number(steps_->value());
      if (request.accelerate && numerics_->isChecked())
        request.options << QStringLiteral("--allow") << QStringLiteral("numerics");
      title =
          (request.accelerate ? tr("Accelerating %1") : tr("Recording %1")).arg(program_->text());
      if (!request.program.isEmpty()) return true;
      status_->setText(tr("Name the program to record."));
      program_->setFocus();
      return false;
    }
    case sweep_tab:
      request.sweep = sweep_->text().trimmed();
      title = tr("Sweep %1").arg(request.sweep);
      if (!request.sweep.isEmpty()) return true;
      status_->setText(tr("Name the sweep file."));
      sweep_->setFocus();
      return false;
    default:
      if (ways_->currentIndex() == 1 && !take_text()) return false;
      request.configurations.push_back(editor_.input());
      title = to_qt(summary(editor_.input().config));
      return true;
  }
}

void RunDialog::start() {
  RunRequest request;
  QString title;
  status_->clear();
  if (!make_request(request, title)) return;
  if (const auto started = runner_.start(runner_path_, request); !started) {
    status_->setText(to_qt(to_text(started.error())));
    return;
  }
  accelerating_ = request.accelerate;
  run_page_->begin(title, runner_.command());
  show_form(false);
  cancel_->setText(tr("Stop it"));
  cancel_->setFocus();
}

void RunDialog::cancel() {
  run_page_->stopping();
  runner_.cancel();
}

// Escape, or the frame's button: a recording of an hour is not ended by a key that was meant for
// something else. The button that ends it has the focus already.
void RunDialog::reject() {
  if (!runner_.running()) return QDialog::reject();
  run_page_->tell(tr("It still runs. “Stop it” ends it and keeps what was recorded."));
  cancel_->setFocus();
}

void RunDialog::show_end(Runner::End end, const QString& profile, const QString& message) {
  run_page_->end(end, profile, message, runner_.elapsed_ms());
  cancel_->setText(tr("Close"));
  back_->show();
  explore_->setVisible(end == Runner::End::failed && tabs_->currentIndex() == configuration_tab);
  if (!profile.isEmpty()) emit recorded(profile);
  // What `accelerate` says at its end is read here.
  if (end == Runner::End::finished && !accelerating_) accept();
}

}  // namespace rnnadvisor::gui
