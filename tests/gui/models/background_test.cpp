#include "gui/models/background.h"

#include <gtest/gtest.h>

#include <QTest>
#include <QThread>
#include <memory>
#include <vector>

namespace rnnadvisor::gui {
namespace {

// What one thread writes the other reads, without a lock of theirs.
TEST(Background, CarriesValuesThereAndBackInTheirOrder) {
  QThread* const window = QThread::currentThread();
  constexpr int jobs = 200, answers = 5;
  std::vector<std::vector<int>> heard(jobs);
  int ended = 0;
  for (int job = 0; job < jobs; ++job) {
    auto value = std::make_shared<int>(job);
    in_background([&, value, job] {
      EXPECT_NE(QThread::currentThread(), window);
      for (int i = 0; i < answers; ++i) {
        auto answer = std::make_shared<int>(*value * answers + i);
        on_window_thread([&, answer, job] {
          EXPECT_EQ(QThread::currentThread(), window);
          heard[static_cast<std::size_t>(job)].push_back(*answer);
        });
      }
      on_window_thread([&] { ++ended; });
    });
  }
  EXPECT_EQ(ended, 0) << "nothing happens before events are handled";
  ASSERT_TRUE(QTest::qWaitFor([&] { return ended == jobs; }, 20000));
  for (int job = 0; job < jobs; ++job) {
    std::vector<int> expected;
    for (int i = 0; i < answers; ++i) expected.push_back(job * answers + i);
    EXPECT_EQ(heard[static_cast<std::size_t>(job)], expected);
  }
}

}  // namespace
}  // namespace rnnadvisor::gui
