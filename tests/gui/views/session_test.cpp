// What the window remembers, over the end of one window and the start of the next.
#include "gui/models/session.h"

#include <gtest/gtest.h>

#include <QDockWidget>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "gui/views/main_window.h"
#include "gui/views/start_view.h"

namespace rnnadvisor::gui {
namespace {

class WindowSessionTest : public testing::Test {
 protected:
  void SetUp() override {
    QSettings().clear();
    file_ = folder_.filePath(QStringLiteral("two.rnnprof"));
    ASSERT_TRUE(QFile::copy(QStringLiteral(RNNADVISOR_SOURCE_DIR
                                           "/samples/recorded/programs/pytorch-two-layers.rnnprof"),
                            file_));
  }
  static void wait(MainWindow& window) {
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window.loading(); }, 30000));
    QTest::qWait(20);
  }
  // Opens the file, goes somewhere, and closes the window.
  Place leave() {
    MainWindow window;
    window.show();
    window.open(file_);
    wait(window);
    window.go(QStringLiteral("timeline"));
    window.state()->select({ItemKind::call, 5});
    const auto call = window.document()->range_of({ItemKind::call, 5});
    window.state()->set_visible({call.begin_ns - 2'000'000, call.end_ns + 2'000'000});
    for (auto* dock : window.findChildren<QDockWidget*>())
      if (dock->objectName() == QLatin1String("recurrence")) dock->hide();
    const Place place = window.place();
    window.close();
    return place;
  }
  QTemporaryDir folder_;
  QString file_;
};

TEST_F(WindowSessionTest, OffersTheLastFileAtItsPlace) {
  const Place left = leave();
  MainWindow window;
  window.show();
  window.begin();
  EXPECT_EQ(window.current_view(), QStringLiteral("start"));
  auto* last = window.findChild<QPushButton*>(QStringLiteral("last"));
  ASSERT_NE(last, nullptr);
  EXPECT_TRUE(last->accessibleName().contains(QStringLiteral("two.rnnprof")));
  EXPECT_TRUE(last->accessibleName().contains(QStringLiteral("call 5")));
  last->click();
  wait(window);
  EXPECT_EQ(window.place(), left);
  for (auto* dock : window.findChildren<QDockWidget*>()) {
    EXPECT_EQ(dock->isHidden(), dock->objectName() == QLatin1String("recurrence"));
  }
  // Once it is open there is nothing to go on with.
  EXPECT_EQ(window.findChild<QPushButton*>(QStringLiteral("last")), nullptr);
}

TEST_F(WindowSessionTest, OpensTheLastFileWhereThatIsWanted) {
  const Place left = leave();
  set_reopen_choice(Reopen::always);
  MainWindow window;
  window.show();
  window.begin();
  wait(window);
  ASSERT_NE(window.document(), nullptr);
  EXPECT_EQ(window.place(), left);
}

TEST_F(WindowSessionTest, ForgetsItWhereThatIsWanted) {
  leave();
  set_reopen_choice(Reopen::never);
  MainWindow window;
  window.show();
  window.begin();
  EXPECT_FALSE(window.loading());
  EXPECT_EQ(window.findChild<QPushButton*>(QStringLiteral("last")), nullptr);
}

TEST_F(WindowSessionTest, RemembersThePlaceInAFileThatAnotherFollows) {
  MainWindow window;
  window.show();
  window.open(file_);
  wait(window);
  window.go(QStringLiteral("findings"));
  window.state()->select({ItemKind::finding, 2});
  const Place left = window.place();
  window.open(QStringLiteral("sample:ptb-large"));
  wait(window);
  ASSERT_EQ(recent_files().size(), 1);
  EXPECT_EQ(recent_files().front().place, left);
}

}  // namespace
}  // namespace rnnadvisor::gui
