#include "gui/timeline/background.h"

#include <gtest/gtest.h>

#include <QTest>
#include <new>

namespace rnnadvisor::gui::timeline {
namespace {

// The owner hears of it on its own thread, and the next piece of work runs.
TEST(BackgroundWork, WithoutMemoryEndsTheWorkAlone) {
  QObject owner;
  Background background;
  int done = 0, without_memory = 0;
  const auto start = [&](bool fails) {
    background.start(
        &owner,
        [fails](const std::stop_token&) -> int {
          if (fails) throw std::bad_alloc();
          return 7;
        },
        [&](int result) { done += result; }, [&] { ++without_memory; });
  };
  start(true);
  EXPECT_TRUE(background.busy());
  EXPECT_EQ(without_memory, 0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !background.busy(); }, 20000));
  EXPECT_EQ(without_memory, 1);
  start(false);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !background.busy(); }, 20000));
  EXPECT_EQ(done, 7);
  EXPECT_EQ(without_memory, 1);
  // Whose work was replaced hears nothing.
  start(true);
  start(false);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !background.busy(); }, 20000));
  EXPECT_EQ(done, 14);
  EXPECT_EQ(without_memory, 1);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
