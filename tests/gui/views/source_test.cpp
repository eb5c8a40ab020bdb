// Lines of the program: in the pane of the window, and in an editor.
#include <QCheckBox>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTemporaryDir>

#include "gui/models/source_file.h"
#include "gui/views/findings_view.h"
#include "gui/views/run_dialog.h"
#include "gui/views/run_page.h"
#include "gui/views/source_pane.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

// The program of the sample, as it is in this tree.
constexpr auto program_line = "site:1";

class SourceTest : public WindowTest {
 protected:
  void SetUp() override {
    qunsetenv("VISUAL");
    qunsetenv("EDITOR");
    WindowTest::SetUp();
    open(two_layers);
  }
  void TearDown() override {
    window_.reset();
    qunsetenv("VISUAL");
    qunsetenv("STAND_IN_ARGUMENTS");
    qunsetenv("RNNADVISOR");
  }
  void know_the_tree() {
    remember_source_folder(
        {QStringLiteral("samples"), QStringLiteral(RNNADVISOR_SOURCE_DIR "/samples/")});
  }
  void follow(const char* link) { window_->follow(*parse_link(QString::fromUtf8(link))); }
  bool pane_shown() { return window_->source_pane()->isVisible(); }
  QString file_text(const QString& name) const {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  QTemporaryDir folder_;
};

TEST_F(SourceTest, AFindingLeadsToItsLineWithItsTime) {
  know_the_tree();
  window_->go(QStringLiteral("findings"));
  auto* page = window_->findChild<FindingsView*>()->page();
  EXPECT_TRUE(page->toHtml().contains(QLatin1String("href=\"site:1\"")));
  EXPECT_FALSE(pane_shown());
  follow(program_line);
  ASSERT_TRUE(pane_shown());
  auto* text = window_->source_pane()->text();
  EXPECT_TRUE(text->toPlainText().contains(QStringLiteral("import torch")));
  const int line = window_->source_pane()->line().line;
  EXPECT_EQ(text->textCursor().blockNumber() + 1, line);
  EXPECT_TRUE(text->beside(line).contains(QStringLiteral("call")));
  EXPECT_TRUE(text->beside(line + 1).isEmpty());
  picture("source");
  // Another profile has other programs.
  open(QStringLiteral("sample:ptb-large"));
  EXPECT_FALSE(pane_shown());
}

TEST_F(SourceTest, AFileThatIsNotHereIsNamed) {
  const QString here = QDir::currentPath();
  ASSERT_TRUE(QDir::setCurrent(folder_.path()));
  follow(program_line);
  ASSERT_TRUE(pane_shown());
  EXPECT_TRUE(window_->source_pane()->problem()->isVisible());
  EXPECT_TRUE(window_->source_pane()->problem()->text().contains(QStringLiteral("two_layers.py")));
  follow("site:4711");
  QDir::setCurrent(here);
}

TEST_F(SourceTest, TheEditorIsStartedWithTheLine) {
  know_the_tree();
  const QString out = folder_.filePath(QStringLiteral("arguments"));
  const QString editor = folder_.filePath(QStringLiteral("my editor"));
  QFile script(editor);
  ASSERT_TRUE(script.open(QIODevice::WriteOnly));
  script.write("#!/bin/sh\nprintf '%s|' \"$@\" >\"" + out.toUtf8() + ".part\"; mv \"" +
               out.toUtf8() + ".part\" \"" + out.toUtf8() + "\"\n");
  script.close();
  ASSERT_TRUE(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
  set_editor_choice(
      {EditorChoice::Kind::command, QStringLiteral("'%1' -l {line} {file}").arg(editor)});
  follow(program_line);
  ASSERT_TRUE(QTest::qWaitFor([&] { return QFile::exists(out); }, 20000));
  EXPECT_EQ(file_text(QStringLiteral("arguments")),
            QStringLiteral("-l|17|%1/samples/programs/pytorch/two_layers.py|")
                .arg(QStringLiteral(RNNADVISOR_SOURCE_DIR)));
  EXPECT_FALSE(pane_shown());
  // One that cannot be started is named, and the line is shown all the same.
  set_editor_choice({EditorChoice::Kind::command, QStringLiteral("/no/such/editor")});
  follow(program_line);
  EXPECT_TRUE(pane_shown());
  EXPECT_TRUE(words().contains(QStringLiteral("/no/such/editor")));
}

// The command that the finding tells is run again; its report stays to be read.
TEST_F(SourceTest, TheProgramIsAcceleratedFromItsFinding) {
  qputenv("RNNADVISOR", RNNADVISOR_SOURCE_DIR "/tests/gui/stand_in_runner.sh");
  qputenv("STAND_IN", "finish");
  qputenv("STAND_IN_PROFILE",
          RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers-split.rnnprof");
  const QString arguments = folder_.filePath(QStringLiteral("arguments"));
  qputenv("STAND_IN_ARGUMENTS", arguments.toUtf8());
  window_->go(QStringLiteral("findings"));
  auto* page = window_->findChild<FindingsView*>()->page();
  ASSERT_TRUE(page->toHtml().contains(QLatin1String("href=\"accelerate:0/0\"")));
  follow("accelerate:0/0");
  auto* dialog = window_->findChild<RunDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_TRUE(dialog->accelerate()->isChecked());
  EXPECT_EQ(dialog->program()->text(), QStringLiteral("python3 pytorch/two_layers.py"));
  const QString out = folder_.filePath(QStringLiteral("accelerated.rnnprof"));
  dialog->output()->setText(out);
  dialog->start();
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return !window_->loading() && window_->document()->path() == out; }, 30000));
  EXPECT_TRUE(dialog->isVisible());
  const QString said = file_text(QStringLiteral("arguments"));
  EXPECT_TRUE(said.startsWith(QStringLiteral("accelerate "))) << said.toStdString();
  EXPECT_TRUE(said.contains(QStringLiteral("-- python3 pytorch/two_layers.py")))
      << said.toStdString();
  // Others have no command to run.
  window_->follow(*parse_link(QStringLiteral("accelerate:0/99")));
}

}  // namespace
}  // namespace rnnadvisor::gui
