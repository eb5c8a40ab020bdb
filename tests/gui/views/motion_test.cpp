#include "gui/views/motion.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QProgressBar>
#include <QSettings>
#include <QStyle>
#include <QTemporaryDir>
#include <QWindow>

#include "gui/views/flat_style.h"
#include "gui/views/style.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class MotionTest : public WindowTest {
 protected:
  void TearDown() override { qunsetenv("RNNADVISOR_LESS_MOTION"); }
  QTemporaryDir config_;
  void write(const char* name, const char* text) {
    const QString path = config_.filePath(QString::fromUtf8(name));
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
};

TEST_F(MotionTest, TheDesktopIsAsked) {
  EXPECT_FALSE(system_wants_less_motion(config_.path()));
  write("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=0\n");
  EXPECT_TRUE(system_wants_less_motion(config_.path()));
  write("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=true\n");
  EXPECT_FALSE(system_wants_less_motion(config_.path()));
  write("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n");
  EXPECT_TRUE(system_wants_less_motion(config_.path()));
  write("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n");
  EXPECT_FALSE(system_wants_less_motion(config_.path()));
}

TEST_F(MotionTest, NothingMovesByItself) {
  FlatStyle style;
  for (const bool less : {false, true}) {
    qputenv("RNNADVISOR_LESS_MOTION", less ? "1" : "0");
    EXPECT_EQ(style.styleHint(QStyle::SH_Widget_Animation_Duration) == 0, less);
    window_->open(QStringLiteral("sample:deepbench"));
    bool bar = false;
    for (const auto* each : window_->findChildren<QProgressBar*>()) {
      if (!each->isVisible()) continue;
      bar = true;
      EXPECT_EQ(each->maximum() != 0, less);
    }
    EXPECT_TRUE(bar);
    EXPECT_TRUE(words().contains(QStringLiteral("Opening")));
    window_->cancel_opening();
  }
}

TEST_F(MotionTest, TheMenuIsKept) {
  EXPECT_FALSE(less_motion());
  for (auto* command : window_->commands())
    if (command->text() == QStringLiteral("Less motion")) command->trigger();
  EXPECT_TRUE(less_motion());
}

// The desktop of the tests is light. Qt passes its change on to the windows.
TEST_F(MotionTest, TheThemeFollowsTheDesktop) {
  const QColor ours = palette_of(light_theme()).color(QPalette::Window);
  ASSERT_EQ(QApplication::palette().color(QPalette::Window), ours);
  QApplication::setPalette(palette_of(dark_theme()));
  QEvent change(QEvent::ThemeChange);
  QCoreApplication::sendEvent(window_->windowHandle(), &change);
  EXPECT_EQ(QApplication::palette().color(QPalette::Window), ours);

  window_->set_theme_choice(ThemeChoice::dark);
  QCoreApplication::sendEvent(window_->windowHandle(), &change);
  EXPECT_TRUE(window_->theme().dark) << "chosen here";
  window_->set_theme_choice(ThemeChoice::system);
  EXPECT_FALSE(window_->theme().dark);
}

}  // namespace
}  // namespace rnnadvisor::gui
