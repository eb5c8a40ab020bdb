// What the window remembers, over the end of one window and the start of the next.
#include "gui/models/session.h"

#include <gtest/gtest.h>

#include <QDockWidget>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "gui/timeline/timeline_widget.h"
#include "gui/views/main_window.h"
#include "gui/views/start_view.h"
#include "gui/views/trace_view.h"

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
    if (dock->objectName() == QLatin1String("source")) continue;  // of the window, and not kept
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

TEST_F(WindowSessionTest, TracksStandAsTheyWereLeft) {
  timeline::KeptTracks left;
  const auto track = [](const TimelineWidget& timeline, timeline::TrackKind kind) {
    for (const auto& [name, index] : timeline.scene().timeline->track_of)
      if (name.first == kind) return index;
    return -1;
  };
  {
    MainWindow window;
    window.show();
    window.open(file_);
    wait(window);
    auto* timeline = window.findChild<TraceView*>()->timeline();
    EXPECT_TRUE(timeline->kept_tracks().empty());
    timeline->set_pinned(track(*timeline, timeline::TrackKind::kernels), true);
    timeline->set_folded(track(*timeline, timeline::TrackKind::memory), true);
    timeline->set_hidden(track(*timeline, timeline::TrackKind::host_calls), true);
    timeline->move_track(track(*timeline, timeline::TrackKind::transfers), -1);
    timeline->set_height_factor(1.44);
    left = timeline->kept_tracks();
    EXPECT_FALSE(left.order.empty());
    // A filter that leaves nothing of them forgets nothing.
    timeline->filter_by(QStringLiteral("no such kernel"), false);
    EXPECT_EQ(timeline->kept_tracks(), left);
    window.close();
  }
  MainWindow window;
  window.show();
  window.open(QStringLiteral("sample:ptb-large"));  // another has its own
  wait(window);
  auto* timeline = window.findChild<TraceView*>()->timeline();
  EXPECT_TRUE(timeline->kept_tracks().empty());
  window.open(file_);
  wait(window);
  EXPECT_EQ(timeline->kept_tracks(), left);
  const auto& scene = timeline->scene();
  EXPECT_EQ(scene.height_factor, 1.44);
  ASSERT_EQ(scene.layout.pinned.size(), 1U);
  EXPECT_EQ(scene.layout.pinned[0].track, track(*timeline, timeline::TrackKind::kernels));
  EXPECT_EQ(scene.layout.row_of(track(*timeline, timeline::TrackKind::host_calls)), nullptr);
}

}  // namespace
}  // namespace rnnadvisor::gui
