// Recent files and samples in the menu, the size of text, the documents, and what program this is.
#include <QAction>
#include <QApplication>
#include <QFile>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QToolButton>

#include "gui/views/findings_view.h"
#include "gui/views/help_window.h"
#include "gui/views/text_size.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class HelpTest : public WindowTest {
 protected:
  void TearDown() override {
    if (window_) window_->change_text_size(100);
  }
  QMenu* menu(const char* title) {
    for (auto* each : window_->menuBar()->findChildren<QMenu*>())
      if (QString(each->title()).remove(QLatin1Char('&')) == QString::fromUtf8(title)) return each;
    return nullptr;
  }
  void run(const char* command) {
    for (auto* action : window_->commands())
      if (QString(action->text()).remove(QLatin1Char('&')) == QString::fromUtf8(command))
        return action->trigger();
    FAIL() << command;
  }
};

TEST_F(HelpTest, RecentFilesAndSamplesAreInTheMenu) {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a & b.rnnprof"));
  ASSERT_TRUE(QFile::copy(
      QStringLiteral(RNNADVISOR_SOURCE_DIR "/samples/recorded/ptb-large.rnnprof"), path));
  ASSERT_NE(menu("Open recent"), nullptr);
  EXPECT_FALSE(menu("Open recent")->isEnabled());
  open(path);
  menu("Samples")->actions().front()->trigger();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 60000));
  QTest::qWait(20);
  EXPECT_TRUE(window_->document()->path().startsWith(QLatin1String("sample:")));
  const auto recent = menu("Open recent")->actions();
  ASSERT_EQ(recent.size(), 1);
  EXPECT_EQ(recent.front()->toolTip(), path);
  recent.front()->trigger();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 60000));
  QTest::qWait(20);
  EXPECT_EQ(window_->document()->path(), path);
}

TEST_F(HelpTest, StepsOfTextSizeEndAtEitherEnd) {
  int percent = text_percents.front();
  EXPECT_EQ(next_text_percent(percent, -1), percent);
  for (std::size_t i = 1; i < text_percents.size(); ++i) {
    percent = next_text_percent(percent, 1);
    EXPECT_EQ(percent, text_percents[i]);
    EXPECT_EQ(next_text_percent(percent, -1), text_percents[i - 1]);
  }
  EXPECT_EQ(next_text_percent(percent, 1), percent);
  EXPECT_EQ(next_text_percent(104, 1), 110);
  EXPECT_EQ(next_text_percent(104, -1), 100);
}

TEST_F(HelpTest, AllTextFollowsItsSizeAndItIsKept) {
  open(two_layers);
  window_->go(QStringLiteral("findings"));
  auto* page = window_->findChild<FindingsView*>()->page();
  auto* rail = window_->findChild<QToolButton*>(QStringLiteral("rail_button"));
  const auto sizes = [&] {
    page->document()->adjustSize();
    return std::vector<double>{QApplication::font().pointSizeF(), page->font().pointSizeF(),
                               page->document()->defaultFont().pointSizeF(),
                               rail->font().pointSizeF()};
  };
  const auto before = sizes();
  run("Text: larger");
  run("Text: larger");
  EXPECT_EQ(text_percent(), 125);
  const auto larger = sizes();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(larger[i] / before[i], 1.25, 0.03) << i;
  picture("text-125");
  for (const auto* view : {"timeline", "overview", "explorer", "start"}) {
    window_->go(QString::fromUtf8(view));
    picture((std::string("text-125-") + view).c_str());
  }
  window_->go(QStringLiteral("findings"));
  // A window that is opened later has it too, and it is gone with one command.
  MainWindow other;
  EXPECT_EQ(text_percent(), 125);
  run("Text: as the system has it");
  EXPECT_EQ(sizes(), before);
  for (int i = 0; i < 3; ++i) run("Text: smaller");
  EXPECT_EQ(text_percent(), text_percents.front());
}

TEST_F(HelpTest, DocumentsAreReadInTheWindow) {
  const QString folder = QStringLiteral(RNNADVISOR_SOURCE_DIR "/docs");
  // The tests are built in the tree.
  EXPECT_FALSE(documents_folder().isEmpty());
  HelpWindow help(folder);
  help.show();
  EXPECT_TRUE(help.text()->source().path().endsWith(QLatin1String("guide.md")));
  EXPECT_GT(help.text()->toPlainText().size(), 1000);
  EXPECT_GT(help.pages()->count(), 10);
  for (int i = 0; i < help.pages()->count(); ++i) {
    help.pages()->setCurrentRow(i);
    EXPECT_TRUE(help.text()->source().path().endsWith(
        help.pages()->item(i)->data(Qt::UserRole).toString()));
    EXPECT_FALSE(help.text()->toPlainText().isEmpty());
  }
  if (const QString out = qEnvironmentVariable("RNNADVISOR_PICTURES"); !out.isEmpty())
    help.grab().save(out + QStringLiteral("/help.png"));
  EXPECT_FALSE(help.show_page(QStringLiteral("none.md")));
}

TEST_F(HelpTest, AboutSaysWhichVersionsTheseAre) {
  EXPECT_TRUE(window_->about_text().contains(QString::fromLatin1(qVersion())));
  open(two_layers);
  const auto& environment = window_->document()->profile().environment;
  EXPECT_TRUE(window_->about_text().contains(QStringLiteral("cuDNN ") +
                                             QString::fromStdString(environment.cudnn_version)));
}

}  // namespace
}  // namespace rnnadvisor::gui
