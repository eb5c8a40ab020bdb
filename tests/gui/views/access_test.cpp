// For everybody: every control has a name that is read out and can be reached with the Tab key, no
// text is cut at any size of the window, in either direction of writing.
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <set>

#include "gui/views/flat_style.h"
#include "gui/views/main_window.h"
#include "gui/views/run_dialog.h"
#include "gui/views/trace_view.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

const QString sample_path = QStringLiteral("sample:programs/pytorch-two-layers");

std::string describe(const QWidget* widget) {
  std::string text;
  for (int n = 0; widget != nullptr && n < 4; widget = widget->parentWidget(), ++n)
    text += std::string(widget->metaObject()->className()) + ' ' +
            widget->objectName().toStdString() + " < ";
  return text;
}

bool is_interactive(const QWidget& widget) {
  if (qobject_cast<const QScrollBar*>(&widget) != nullptr) return false;  // by keys of its view
  // The field inside a spin box or a combo box is that box's.
  if (qobject_cast<const QAbstractSpinBox*>(widget.parentWidget()) != nullptr ||
      qobject_cast<const QComboBox*>(widget.parentWidget()) != nullptr)
    return false;
  return qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSlider*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
         qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QLineEdit*>(&widget) != nullptr ||
         qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
         (widget.focusPolicy() & Qt::TabFocus) != 0;
}

// Parts of Qt's own that a person never meets as a control.
bool is_inner(const QWidget& widget) {
  return widget.inherits("QTabBar") || widget.inherits("QHeaderView") ||
         widget.inherits("QTableCornerButton") || widget.inherits("QMenuBar") ||
         widget.inherits("QScrollArea") || widget.inherits("QMainWindowTabBar") ||
         widget.inherits("QToolBarExtension") || widget.inherits("QTabWidget") ||
         widget.parentWidget()->inherits("QTabBar") ||
         widget.parentWidget()->inherits("QLineEdit") ||
         widget.parentWidget()->inherits("QDockWidget");
}

std::vector<QWidget*> controls_of(QWidget& window) {
  std::vector<QWidget*> found;
  for (auto* widget : window.findChildren<QWidget*>()) {
    if (widget->isVisible() && widget->isEnabled() && is_interactive(*widget) && !is_inner(*widget))
      found.push_back(widget);
  }
  return found;
}

void expect_names(QWidget& window, const std::string& where) {
  for (auto* widget : controls_of(window)) {
    auto* access = QAccessible::queryAccessibleInterface(widget);
    ASSERT_NE(access, nullptr);
    EXPECT_FALSE(access->text(QAccessible::Name).isEmpty()) << where << ": " << describe(widget);
  }
}

void expect_reachable(QWidget& window, const std::string& where) {
  QApplication::setActiveWindow(&window);
  std::set<const QWidget*> reached;
  constexpr int most = 600;
  for (int n = 0; n < most; ++n) {
    QWidget* now = QApplication::focusWidget();
    if (now != nullptr) reached.insert(now);
    QTest::keyClick(now != nullptr ? now : &window, Qt::Key_Tab);
  }
  for (const auto* widget : controls_of(window)) {
    const QWidget* proxy = widget->focusProxy() != nullptr ? widget->focusProxy() : widget;
    bool found = reached.contains(proxy);
    // One button of an exclusive group stands for all: arrows move between them.
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget);
        button != nullptr &&
        (button->autoExclusive() || (button->group() != nullptr && button->group()->exclusive())))
      found = true;
    EXPECT_TRUE(found) << where << ": " << describe(widget);
  }
}

void expect_uncut(QWidget& window, const std::string& where) {
  for (const auto* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    // Pages do not scroll sideways.
    if (const auto* page = qobject_cast<const PageBrowser*>(widget)) {
      EXPECT_LE(page->document()->size().width(), page->viewport()->width() + 1)  // rounded
          << where << ": " << describe(widget);
    }
    const auto* label = qobject_cast<const QLabel*>(widget);
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    if (label == nullptr && button == nullptr) continue;
    // These are cut on purpose, with a hint that says all.
    if (widget->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored) continue;
    if (label != nullptr && (label->wordWrap() || label->text().isEmpty())) continue;
    EXPECT_GE(widget->width(),
              std::min(widget->minimumSizeHint().width(), widget->sizeHint().width()))
        << where << ": " << (label != nullptr ? label->text() : button->text()).toStdString()
        << " in " << describe(widget);
    if (label != nullptr) {
      EXPECT_GE(widget->height() + 1, label->fontMetrics().height())
          << where << ": " << label->text().toStdString();
    }
  }
}

class AccessTest : public WindowTest {
 protected:
  void SetUp() override {
    QApplication::setStyle(new FlatStyle);
    WindowTest::SetUp();
    open(sample_path);
    window_->state()->select({ItemKind::call, 12});
  }
};

TEST_F(AccessTest, EveryControlHasANameAndIsReachedByTab) {
  for (const auto& view : MainWindow::view_names()) {
    window_->go(view);
    QTest::qWait(20);
    expect_names(*window_, view.toStdString());
    expect_reachable(*window_, view.toStdString());
  }
  // The docks that lie behind others.
  window_->go(QStringLiteral("timeline"));
  for (const char* name : {"marks", "events"}) {
    auto* dock = window_->findChild<QWidget*>(QString::fromUtf8(name));
    ASSERT_NE(dock, nullptr);
    dock->raise();
    QTest::qWait(20);
    expect_names(*window_, name);
    expect_reachable(*window_, name);
  }
}

// The Tab key goes through the window as the eye does: views, tools, then what is shown.
TEST_F(AccessTest, TheTabKeyFollowsTheEye) {
  window_->go(QStringLiteral("timeline"));
  QTest::qWait(20);
  std::vector<QToolButton*> rail;
  for (auto* button : window_->findChildren<QToolButton*>()) {
    if (button->objectName() == QLatin1String("rail_button")) rail.push_back(button);
  }
  ASSERT_EQ(rail.size(), 7U);
  rail.front()->setFocus();
  for (std::size_t i = 1; i < rail.size(); ++i) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    EXPECT_EQ(QApplication::focusWidget(), rail[i]) << i;
  }
  for (int n = 0; n < 6; ++n) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    if (QApplication::focusWidget()->objectName() != QLatin1String("tool")) break;
  }
  EXPECT_TRUE(window_->findChild<TraceView*>()->isAncestorOf(QApplication::focusWidget()))
      << describe(QApplication::focusWidget());
}

TEST_F(AccessTest, TheDialogOfARunToo) {
  RunDialog dialog{ConfigInput{}};
  dialog.show();
  const auto check = [&](const char* where) {
    QTest::qWait(20);
    expect_names(dialog, where);
    expect_reachable(dialog, where);
    expect_uncut(dialog, where);
  };
  check("a configuration");
  dialog.show_sweep();
  check("a sweep");
  dialog.show_program();
  check("a program");
}

TEST_F(AccessTest, NothingIsCutAtAnySize) {
  for (const auto direction : {Qt::LeftToRight, Qt::RightToLeft}) {
    QApplication::setLayoutDirection(direction);
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080), QSize(3840, 2160)}) {
      window_->resize(size);
      for (const auto& view : MainWindow::view_names()) {
        window_->go(view);
        QTest::qWait(10);
        EXPECT_EQ(window_->size(), size) << view.toStdString();
        expect_uncut(*window_, view.toStdString() + " at " + std::to_string(size.width()) +
                                   (direction == Qt::RightToLeft ? ", right to left" : ""));
      }
    }
  }
  QApplication::setLayoutDirection(Qt::LeftToRight);
}

}  // namespace
}  // namespace rnnadvisor::gui
