// Lines of the program: in an editor, or in the pane below the view.
#include <QActionGroup>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenu>
#include <QProcess>

#include "gui/models/source_file.h"
#include "gui/texts.h"
#include "gui/views/main_window.h"
#include "gui/views/source_pane.h"

namespace rnnadvisor::gui {
namespace {

constexpr int usual_source_height = 240;

}  // namespace

void MainWindow::make_source_pane() {
  source_ = new SourcePane;
  source_dock_ = new QDockWidget(tr("Source"), this);
  source_dock_->setObjectName(QStringLiteral("source"));
  source_dock_->setWidget(source_);
  addDockWidget(Qt::BottomDockWidgetArea, source_dock_);
  source_dock_->hide();
  connect(source_, &SourcePane::file_requested, this, [this](const SourceLine& line) {
    const QString here = QFileDialog::getOpenFileName(this, tr("Where %1 is").arg(to_string(line)),
                                                      QFileInfo(line.file).fileName());
    if (here.isEmpty() || !document_) return;
    remember_source_folder(folder_of(line.file, here));
    source_->show_source(document_, line, here);
  });
}

void MainWindow::open_source(int site) {
  const auto line = document_ ? source_line(document_->profile(), site) : std::nullopt;
  if (!line) return;
  const QString path = find_source(line->file, document_->path(), source_folders());
  const EditorChoice choice = editor_choice();
  const QString editor = choice.kind == EditorChoice::Kind::command       ? choice.command
                         : choice.kind == EditorChoice::Kind::environment ? environment_editor()
                                                                          : QString();
  if (!path.isEmpty() && !editor.isEmpty()) {
    auto words = editor_words(editor, path, line->line);
    if (words) {
      const QString program = words->takeFirst();
      if (QProcess::startDetached(program, *words)) return;
      show_notice(tr("The editor %1 could not be started; the line is shown here.").arg(program));
    } else {
      show_notice(tr("The editor's command “%1”: %2. The line is shown here.")
                      .arg(editor, to_qt(words.error().message)));
    }
  }
  const bool was_hidden = source_dock_->isHidden();
  source_dock_->show();
  if (was_hidden) resizeDocks({source_dock_}, {usual_source_height}, Qt::Vertical);
  source_->show_source(document_, *line, path);
}

void MainWindow::make_source_actions(QMenu* menu) {
  auto* pane = source_dock_->toggleViewAction();
  pane->setText(tr("Source"));
  menu->addAction(pane);
  commands_ << pane;
  auto* lines = menu->addMenu(tr("Source &lines open"));
  auto* group = new QActionGroup(this);
  const auto add = [&](const QString& title, EditorChoice::Kind kind) {
    auto* action = add_action(lines, title, {}, [this, kind] {
      EditorChoice choice = editor_choice();
      choice.kind = kind;
      if (kind == EditorChoice::Kind::command) {
        bool given = false;
        const QString command = QInputDialog::getText(
            this, tr("Editor"),
            tr("The command that opens a line. {file} and {line} stand for it:"), QLineEdit::Normal,
            choice.command.isEmpty() ? QStringLiteral("code --goto {file}:{line}") : choice.command,
            &given);
        if (!given) return;
        if (const auto words = editor_words(command, QStringLiteral("file"), 1); !words) {
          show_notice(to_qt(to_text(words.error())));
          return;
        }
        choice.command = command;
      }
      set_editor_choice(choice);
    });
    action->setCheckable(true);
    action->setChecked(editor_choice().kind == kind);
    group->addAction(action);
  };
  add(tr("Source lines: in the editor of $VISUAL or $EDITOR, else here"),
      EditorChoice::Kind::environment);
  add(tr("Source lines: in this window"), EditorChoice::Kind::window);
  add(tr("Source lines: by a command…"), EditorChoice::Kind::command);
}

}  // namespace rnnadvisor::gui
