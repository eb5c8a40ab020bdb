#include "gui/models/source_file.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QTemporaryDir>

#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

class SourceFileTest : public testing::Test {
 protected:
  void SetUp() override {
    QSettings().clear();
    qunsetenv("VISUAL");
    qunsetenv("EDITOR");
  }
  void TearDown() override { SetUp(); }
  QString write(const QString& name, const QByteArray& bytes = "a\nb\n") {
    const QString path = folder_.filePath(name);
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return path;
  }
  QTemporaryDir folder_;
};

TEST_F(SourceFileTest, IsFoundWhereItWasRecordedAndAroundTheProfile) {
  const QString train = write(QStringLiteral("project/src/train.py"));
  const QString profile = folder_.filePath(QStringLiteral("project/out/deep/run.rnnprof"));
  QDir().mkpath(QFileInfo(profile).absolutePath());
  EXPECT_EQ(find_source(train, profile, {}), train);
  EXPECT_EQ(find_source(QStringLiteral("src/train.py"), profile, {}), train);
  EXPECT_EQ(find_source(QStringLiteral("src/other.py"), profile, {}), QString());
  EXPECT_EQ(find_source(QStringLiteral("/nowhere/src/train.py"), profile, {}), QString());
  EXPECT_EQ(find_source(QString(), profile, {}), QString());
  // A folder is no file.
  EXPECT_EQ(find_source(QStringLiteral("src"), profile, {}), QString());
}

// One file that the user has shown leads to all others of the program.
TEST_F(SourceFileTest, AFolderThatIsElsewhereIsLearned) {
  const QString here = write(QStringLiteral("mine/app/model/layers.py"));
  const QString other = write(QStringLiteral("mine/app/train.py"));
  struct Case {
    const char *shown, *asked;
  };
  for (const auto& each :
       {Case{"/home/them/app/model/layers.py", "/home/them/app/train.py"},
        Case{"app/model/layers.py", "app/train.py"}, Case{"model/layers.py", "train.py"}}) {
    QSettings().clear();
    remember_source_folder(folder_of(QString::fromUtf8(each.shown), here));
    EXPECT_EQ(find_source(QString::fromUtf8(each.shown), {}, source_folders()), here) << each.shown;
    EXPECT_EQ(find_source(QString::fromUtf8(each.asked), {}, source_folders()), other)
        << each.asked;
  }
  // All of the path is alike: the other machine's root.
  const auto root = folder_of(here, QStringLiteral("/mnt") + here);
  EXPECT_EQ(root, (SourceFolder{QStringLiteral("/"), QStringLiteral("/mnt/")}));
  // The latest counts, and none twice.
  const SourceFolder first{QStringLiteral("/a"), QStringLiteral("/b/")},
      second{QStringLiteral("/a"), QStringLiteral("/c/")};
  QSettings().clear();
  remember_source_folder(first);
  remember_source_folder(second);
  EXPECT_EQ(source_folders(), std::vector<SourceFolder>{second});
}

TEST_F(SourceFileTest, OnlyTextsAreRead) {
  const auto lines = read_source(write(QStringLiteral("a.py"), "one\r\ntwo\n\nthree"));
  ASSERT_TRUE(lines.has_value());
  EXPECT_EQ(*lines, (QStringList{QStringLiteral("one"), QStringLiteral("two"), QString(),
                                 QStringLiteral("three")}));
  EXPECT_FALSE(read_source(write(QStringLiteral("a.so"), QByteArray("\x7f"
                                                                    "ELF\0",
                                                                    5))));
  EXPECT_FALSE(read_source(write(QStringLiteral("big"), QByteArray(9 << 20, 'x'))));
  EXPECT_FALSE(read_source(folder_.path()));
  EXPECT_FALSE(read_source(QStringLiteral("/dev/zero")));
  EXPECT_FALSE(read_source(folder_.filePath(QStringLiteral("none"))));
}

// Also of the framework's line that the calls passed through.
TEST_F(SourceFileTest, TimesOfLinesAreThoseOfTheCallsMadeThere) {
  const auto document = sample("programs/pytorch-two-layers");
  const auto& profile = document->profile();
  std::int64_t recorded = 0;
  for (const auto& call : profile.calls) recorded += call.site >= 0 ? 1 : 0;
  ASSERT_GT(recorded, 0);
  for (int site = 0; site < static_cast<int>(profile.call_sites.size()); ++site) {
    const auto line = source_line(profile, site);
    ASSERT_TRUE(line.has_value());
    const auto times = line_times(*document, line->file);
    std::int64_t calls = 0;
    for (const auto& [number, time] : times) calls += time.calls;
    EXPECT_EQ(calls, recorded) << line->file.toStdString();
    EXPECT_GT(times.at(line->line).gpu_ms, 0);
  }
  EXPECT_TRUE(line_times(*document, QStringLiteral("other.py")).empty());
  EXPECT_FALSE(source_line(profile, -1));
  EXPECT_FALSE(source_line(profile, 99));
}

QStringList words_of(const char* command) {
  const auto words = editor_words(QString::fromUtf8(command), QStringLiteral("/a b/{line}.py"), 12);
  EXPECT_TRUE(words.has_value()) << command;
  return words.value_or(QStringList());
}

TEST_F(SourceFileTest, EditorsGetTheirWordsWithoutAShell) {
  const QString file = QStringLiteral("/a b/{line}.py");
  const auto list = [](const char* text) {
    return QString::fromUtf8(text).split(QLatin1Char('|'));
  };
  EXPECT_EQ(words_of("code"), list("code|--goto|/a b/{line}.py:12"));
  EXPECT_EQ(words_of("/usr/bin/subl -n"), list("/usr/bin/subl|-n|/a b/{line}.py:12"));
  EXPECT_EQ(words_of("gvim --servername x"), list("gvim|--servername|x|+12|/a b/{line}.py"));
  EXPECT_EQ(words_of("mine -l {line} '{file}'"), list("mine|-l|12|/a b/{line}.py"));
  EXPECT_EQ(words_of("mine"), list("mine|/a b/{line}.py"));
  EXPECT_FALSE(editor_words(QStringLiteral("code; rm x"), file, 1));
  EXPECT_FALSE(editor_words(QStringLiteral("  "), file, 1));
}

TEST_F(SourceFileTest, AnEditorThatNeedsATerminalIsNotStarted) {
  struct Case {
    const char *visual, *editor, *taken;
  };
  for (const auto& each :
       {Case{"code -r", "vim", "code -r"}, Case{"vim", "nano", ""}, Case{"", "gvim", "gvim"},
        Case{"", "something", ""}, Case{"something", "", "something"},
        Case{"emacs -nw", "kate", "kate"}, Case{"'", "", ""}}) {
    qputenv("VISUAL", each.visual);
    qputenv("EDITOR", each.editor);
    EXPECT_EQ(environment_editor(), QString::fromUtf8(each.taken))
        << each.visual << ", " << each.editor;
  }
}

TEST_F(SourceFileTest, TheChoiceIsKept) {
  EXPECT_EQ(editor_choice(), EditorChoice{});
  const EditorChoice choice{EditorChoice::Kind::command, QStringLiteral("kate {file}")};
  set_editor_choice(choice);
  EXPECT_EQ(editor_choice(), choice);
}

}  // namespace
}  // namespace rnnadvisor::gui
