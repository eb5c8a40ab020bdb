// The window on several screens of a real X server. Run by screens_test.sh, which makes two
// screens, `left` and `right`, beside each other, or one of 4K.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QTest>
#include <QToolTip>

#include "gui/views/main_window.h"

namespace rnnadvisor::gui {
namespace {

const QScreen* screen_named(const char* name) {
  const auto screens = QGuiApplication::screens();
  for (const auto* screen : screens) {
    if (screen->name() == QLatin1String(name)) return screen;
  }
  return nullptr;
}

bool lies_in(const QScreen* screen, const QWidget& widget) {
  return screen != nullptr && screen->availableGeometry().contains(widget.frameGeometry());
}

bool lies_in_one_screen(const QWidget& widget) {
  const auto screens = QGuiApplication::screens();
  return std::any_of(screens.begin(), screens.end(),
                     [&](const QScreen* screen) { return lies_in(screen, widget); });
}

std::string where(const QWidget& widget) {
  const QRect r = widget.frameGeometry();
  return fmt::format("{},{} {}x{}", r.x(), r.y(), r.width(), r.height());
}

// With the arguments that make or end the right screen.
bool set_right(bool there) {
  const QStringList how =
      there ? QString::fromLocal8Bit(qgetenv("RNNADVISOR_RIGHT_SCREEN")).split(QLatin1Char(' '))
            : QStringList{QStringLiteral("--delmonitor"), QStringLiteral("right")};
  if (QProcess::execute(QStringLiteral("xrandr"), how) != 0) return false;
  return QTest::qWaitFor([&] { return (screen_named("right") != nullptr) == there; }, 10000);
}

class ScreensTest : public testing::Test {
 protected:
  void SetUp() override {
    QSettings().clear();
    left_ = screen_named("left");
    right_ = screen_named("right");
    ASSERT_NE(left_, nullptr) << "is this run by screens_test.sh?";
    ASSERT_NE(right_, nullptr);
  }
  static void open(MainWindow& window) {
    window.fit_to_screen();
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    QTest::qWait(50);
  }
  // On the right screen, nearly as large as that.
  void open_on_right(MainWindow& window) {
    open(window);
    const QRect right = right_->availableGeometry();
    const QRect wanted = right.adjusted(20, 30, -20, -30);
    // In two steps: at scale 2, Qt 6.8 leaves a window where it is when one call gives it a place
    // and a size on another screen.
    window.move(wanted.topLeft());
    QTest::qWait(100);
    window.resize(wanted.size());
    QTest::qWait(100);
    ASSERT_TRUE(lies_in(right_, window)) << where(window);
  }
  // So that `share` of its width is on the left screen and the rest on the right one.
  void open_between(MainWindow& window, double share) {
    open(window);
    const QRect right = right_->availableGeometry();
    const int over = static_cast<int>(window.width() * share);
    window.move(right.x() - over, right.y() + right.height() - window.height());
    QTest::qWait(100);
  }
  // Every dialog that the window can open, one after the other.
  void expect_dialogs_within(MainWindow& window, const QScreen* screen) {
    const std::vector<std::pair<const char*, std::function<void()>>> dialogs = {
        {"commands", [&] { window.open_palette(); }},
        {"keys", [&] { window.open_shortcuts(); }},
        {"run", [&] { window.new_run(); }}};
    for (const auto& [name, show] : dialogs) {
      show();
      auto* dialog = window.findChild<QDialog*>();
      ASSERT_NE(dialog, nullptr) << name;
      ASSERT_TRUE(QTest::qWaitForWindowExposed(dialog)) << name;
      QTest::qWait(50);
      EXPECT_TRUE(lies_in(screen, *dialog))
          << name << " at " << where(*dialog) << ", window at " << where(window);
      delete dialog;
    }
  }
  const QScreen* left_ = nullptr;
  const QScreen* right_ = nullptr;
};

TEST_F(ScreensTest, TheWindowOpensWithinOneScreen) {
  MainWindow window;
  open(window);
  EXPECT_TRUE(lies_in_one_screen(window)) << where(window);
}

TEST_F(ScreensTest, AWindowStaysOnItsScreenFromOneStartToTheNext) {
  QRect left_at;
  {
    MainWindow window;
    open_on_right(window);
    left_at = window.geometry();
    window.close();
  }
  MainWindow window;
  open(window);
  EXPECT_EQ(window.geometry(), left_at) << where(window);
}

TEST_F(ScreensTest, AWindowFromAScreenThatIsGoneComesBack) {
  {
    MainWindow window;
    open_on_right(window);
    window.close();
  }
  ASSERT_TRUE(set_right(false));
  {
    MainWindow window;
    open(window);
    EXPECT_TRUE(lies_in(screen_named("left"), window)) << where(window);
  }
  ASSERT_TRUE(set_right(true));
}

TEST_F(ScreensTest, DialogsOpenOnTheScreenOfTheWindow) {
  MainWindow window;
  open(window);
  window.move(right_->availableGeometry().topLeft());
  QTest::qWait(100);
  ASSERT_EQ(window.screen(), right_);
  expect_dialogs_within(window, right_);
  window.move(left_->availableGeometry().topLeft());
  QTest::qWait(100);
  ASSERT_EQ(window.screen(), left_);
  expect_dialogs_within(window, left_);
}

TEST_F(ScreensTest, DialogsOfAWindowBetweenScreensAreOnOne) {
  for (const double share : {0.3, 0.5, 0.7}) {
    MainWindow window;
    open_between(window, share);
    expect_dialogs_within(window, window.screen());
  }
}

TEST_F(ScreensTest, DialogsOfAWindowHalfBelowAreSeenWhole) {
  MainWindow window;
  open(window);
  const QRect left = left_->availableGeometry();
  window.move(left.x() + left.width() - 300, left.y() + left.height() - 120);
  QTest::qWait(100);
  expect_dialogs_within(window, window.screen());
}

// The description of an event is painted in the timeline itself; tooltips are windows.
TEST_F(ScreensTest, TooltipsAreOnTheScreenOfWhatTheyAreAbout) {
  MainWindow window;
  open(window);
  window.move(right_->availableGeometry().topLeft());
  QTest::qWait(100);
  for (const QPoint at : {QPoint(5, 5), QPoint(window.width() - 5, window.height() - 5)}) {
    QToolTip::showText(window.mapToGlobal(at), QString(60, QLatin1Char('m')), &window);
    QTest::qWait(100);
    const auto widgets = QApplication::topLevelWidgets();
    const auto tip = std::find_if(widgets.begin(), widgets.end(), [](const QWidget* w) {
      return w->isVisible() && w->inherits("QTipLabel");
    });
    ASSERT_NE(tip, widgets.end());
    EXPECT_TRUE(lies_in(right_, **tip)) << where(**tip);
    QToolTip::hideText();
    QTest::qWait(400);
  }
}

// A label or a button that is narrower or lower than its text is cut off.
std::string cut_off(MainWindow& window) {
  std::string found;
  const auto check = [&](const QWidget& w, const QString& text) {
    const bool ignored = w.sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
    const QSize need = w.minimumSizeHint();
    if (!w.isVisible() || text.isEmpty()) return;
    if ((!ignored && w.width() < need.width()) || w.height() < need.height())
      found += fmt::format("'{}' has {}x{} and needs {}x{}\n", text.toStdString(), w.width(),
                           w.height(), need.width(), need.height());
  };
  const auto labels = window.findChildren<QLabel*>();
  for (const auto* label : labels) check(*label, label->text());
  const auto buttons = window.findChildren<QAbstractButton*>();
  for (const auto* button : buttons) check(*button, button->text());
  return found;
}

TEST(FourKTest, NothingIsCutOffInAnyView) {
  QSettings().clear();
  ASSERT_EQ(QGuiApplication::screens().size(), 1);
  ASSERT_EQ(QGuiApplication::primaryScreen()->geometry(), QRect(0, 0, 1920, 1080));
  MainWindow window;
  window.open(QStringLiteral("sample:programs/pytorch-two-layers"));
  window.setGeometry(QGuiApplication::primaryScreen()->availableGeometry());
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window.loading(); }, 30000));
  ASSERT_NE(window.document(), nullptr);
  {
    QPushButton narrow(QStringLiteral("Too long for its width"), &window);
    narrow.setFixedWidth(10);
    narrow.show();
    ASSERT_NE(cut_off(window), "") << "this test sees nothing";
  }
  for (const auto& view : MainWindow::view_names()) {
    window.go(view);
    QTest::qWait(100);
    EXPECT_EQ(cut_off(window), "") << view.toStdString();
    // Sharp: a pixel of the screen for each of the picture.
    const QPixmap picture = window.grab();
    EXPECT_EQ(picture.size(), QSize(3840, 2160)) << view.toStdString();
    EXPECT_EQ(picture.devicePixelRatio(), 2) << view.toStdString();
  }
}

}  // namespace
}  // namespace rnnadvisor::gui
