#include "gui/views/main_window.h"

#include <gtest/gtest.h>

#include <QTest>

namespace rnnadvisor::gui {
namespace {

TEST(MainWindow, OpensAProfile) {
  MainWindow window;
  window.open(QStringLiteral("sample:ptb-large"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return window.document() != nullptr; }, 20000));
  EXPECT_TRUE(window.windowTitle().contains(QStringLiteral("ptb-large")));
}

}  // namespace
}  // namespace rnnadvisor::gui
