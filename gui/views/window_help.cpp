// Menus for what there is beside the open profile: recent files and samples, the size of text, the
// documents, and what program this is.
#include <QApplication>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QProcess>
#include <QVBoxLayout>

#include "advisor/report/words.h"
#include "gui/models/session.h"
#include "gui/texts.h"
#include "gui/views/help_window.h"
#include "gui/views/main_window.h"
#include "gui/views/parts.h"
#include "gui/views/text_size.h"

namespace rnnadvisor::gui {
void MainWindow::make_file_menus(QMenu* file) {
  recent_menu_ = file->addMenu(tr("Open &recent"));
  auto* samples_menu = file->addMenu(tr("&Samples"));
  for (const auto& sample : samples()) {
    if (sample.description.isEmpty()) continue;
    auto* action =
        add_action(samples_menu, tr("Sample: %1").arg(sample.title), {},
                   [this, path = QStringLiteral("sample:") + sample.name] { open(path); });
    action->setToolTip(sample.description);
  }
  samples_menu->setToolTipsVisible(true);
}

void MainWindow::show_recent(const QList<SeenFile>& files) {
  recent_menu_->clear();
  for (const auto& seen : files) {
    const QFileInfo info(seen.path);
    if (!info.exists()) continue;
    QString name = info.fileName();
    auto* action = recent_menu_->addAction(name.replace(QLatin1Char('&'), QLatin1String("&&")));
    action->setToolTip(seen.path);
    connect(action, &QAction::triggered, this, [this, seen] {
      open(seen.path, seen.place == Place{} ? std::nullopt : std::optional(seen.place));
    });
  }
  recent_menu_->setToolTipsVisible(true);
  recent_menu_->setEnabled(!recent_menu_->isEmpty());
}

void MainWindow::change_text_size(int percent) {
  set_text_percent(percent);
  // Sizes in style sheets do not follow the application's font.
  for (auto* widget : QApplication::topLevelWidgets())
    if (auto* window = qobject_cast<MainWindow*>(widget)) window->apply_theme();
}

void MainWindow::make_text_size_actions(QMenu* view) {
  auto* size = view->addMenu(tr("Te&xt size"));
  auto* larger = add_action(size, tr("Text: &larger"), QKeySequence(Qt::CTRL | Qt::Key_Plus),
                            [this] { change_text_size(next_text_percent(text_percent(), 1)); });
  larger->setShortcuts(
      {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)});
  add_action(size, tr("Text: &smaller"), QKeySequence(Qt::CTRL | Qt::Key_Minus),
             [this] { change_text_size(next_text_percent(text_percent(), -1)); });
  add_action(size, tr("Text: as the system has it"), QKeySequence(Qt::CTRL | Qt::Key_0),
             [this] { change_text_size(100); });
}

void MainWindow::make_help_actions(QMenu* help) {
  add_action(help, tr("&Documentation…"), {}, [this] { open_documentation(); });
  add_action(help, tr("&About rnnadvisor…"), {}, [this] { open_about(); });
}

void MainWindow::open_documentation() {
  const QString folder = documents_folder();
  if (folder.isEmpty()) {
    show_notice(
        tr("The documents are not installed here: share/doc/rnnadvisor is not beside the "
           "program. They come with the packages and with the source."));
    return;
  }
  auto* window = new HelpWindow(folder, this);
  window->setAttribute(Qt::WA_DeleteOnClose);
  window->show();
}

// This program, and what the open profile was recorded with.
QString MainWindow::about_text() const {
  QStringList lines;
  lines << tr("rnnadvisor-gui %1").arg(QApplication::applicationVersion());
  lines << tr("Qt %1, built with %2")
               .arg(QString::fromLatin1(qVersion()), QLatin1String(QT_VERSION_STR));
#ifdef NDEBUG
  lines << tr("Build: release, compiler %1").arg(QLatin1String(__VERSION__));
#else
  lines << tr("Build: debug, compiler %1").arg(QLatin1String(__VERSION__));
#endif
  lines << tr("Apache License 2.0. Qt is used under the LGPL, version 3.");
  if (!document_) return lines.join(QLatin1Char('\n'));
  const auto& e = document_->profile().environment;
  lines << QString() << tr("%1 was recorded with").arg(document_->name());
  const auto line = [&](const QString& what, const std::string& value) {
    if (!value.empty()) lines << what.arg(to_qt(advisor::words::clean(value)));
  };
  line(tr("rnnadvisor %1"), e.rnnadvisor_version);
  line(tr("cuDNN %1"), e.cudnn_version);
  line(tr("CUDA runtime %1"), e.cuda_runtime_version);
  line(tr("CUDA of the driver %1"), e.cuda_driver_version);
  line(tr("Driver %1"), e.driver_version);
  line(tr("Framework %1"),
       e.framework + (e.framework_version.empty() ? "" : " " + e.framework_version));
  return lines.join(QLatin1Char('\n'));
}

void MainWindow::open_about() {
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("About rnnadvisor"));
  auto* column = new QVBoxLayout(dialog);
  column->setContentsMargins(24, 20, 24, 16);
  column->setSpacing(10);
  column->addWidget(make_label(tr("Why is my recurrent network slow?"), "title"));
  auto* text = make_label(about_text(), "");
  text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  column->addWidget(text);
  // The command that records is another program, which may be of another version.
  auto* command = make_label({}, "dim");
  command->setTextInteractionFlags(Qt::TextSelectableByMouse);
  command->setWordWrap(true);
  column->addWidget(command);
  const QString runner = find_runner();
  command->setText(runner.isEmpty() ? tr("The command rnnadvisor was not found.") : runner);
  if (!runner.isEmpty()) {
    auto* version = new QProcess(dialog);
    connect(version, &QProcess::finished, command, [version, command, runner] {
      command->setText(runner + QLatin1Char('\n') +
                       QString::fromUtf8(version->readAllStandardOutput()).trimmed());
    });
    version->start(runner, {QStringLiteral("version")}, QIODevice::ReadOnly);
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  column->addWidget(buttons);
  dialog->show();
}

}  // namespace rnnadvisor::gui
