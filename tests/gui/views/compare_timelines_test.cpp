// Before and after on two timelines: aligned where a matched call or step begins, with one zoom,
// joined as the comparison pairs them. On recordings.
#include "gui/views/compare_timelines.h"

#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <random>
#include <set>
#include <string>

#include "gui/timeline/timeline_widget.h"
#include "gui/views/compare_view.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"
#include "tests/effort.h"
#include "tests/gui/documents.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

const QString split_layers = QStringLiteral("sample:programs/pytorch-two-layers-split");

class CompareTimelinesTest : public WindowTest {
 protected:
  CompareView* view() { return window_->findChild<CompareView*>(); }
  CompareTimelines* timelines() { return view()->timelines(); }
  void compare(const QString& after, const QString& before, QSize size = {1600, 900}) {
    window_->resize(size);
    open(after);
    window_->go(QStringLiteral("compare"));
    view()->compare_with(before);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !view()->comparing(); }, 60000));
    ASSERT_TRUE(QTest::qWaitFor([&] { return timelines()->ready(); }, 60000));
    QTest::qWait(50);
  }
  // What is seen, counted from where both are aligned.
  TimeRange seen(TimelineWidget* of) {
    const auto& scene = of->scene();
    return {scene.visible.begin_ns - scene.zero(), scene.visible.end_ns - scene.zero()};
  }
  double left_of(TimelineWidget* of, int call) {
    return of->scene().rect_of(Item{ItemKind::call, call}).value_or(QRectF(-1, 0, 0, 0)).left();
  }
};

TEST_F(CompareTimelinesTest, MatchedCallsBeginAtTheSamePixel) {
  for (const auto& [after, before] : {std::pair{split_layers, two_layers},
                                      {QStringLiteral("sample:programs/pytorch-speech-encoder"),
                                       QStringLiteral("sample:programs/pytorch-speech-encoder")}}) {
    compare(after, before);
    const auto& c = view()->model().comparison();
    ASSERT_TRUE(timelines()->has_pairs());
    int met = 0;
    const std::size_t stride = std::max<std::size_t>(1, c.calls.size() / 40);
    for (std::size_t row = 0; row < c.calls.size(); row += stride) {
      const auto& match = c.calls[row];
      const Pair* pair = c.pairs->of_row(static_cast<int>(row));
      if (pair == nullptr) continue;
      timelines()->show_call(static_cast<int>(row));
      const double x = left_of(timelines()->before(), match.before);
      EXPECT_EQ(x, left_of(timelines()->after(), match.after)) << row;
      // Time zero of both rulers is there, and all of the pair is seen.
      EXPECT_EQ(timelines()->before()->scene().zero(), pair->before.begin_ns);
      EXPECT_EQ(timelines()->after()->scene().zero(), pair->after.begin_ns);
      EXPECT_GT(x, timelines()->before()->scene().header_width);
      EXPECT_LE(seen(timelines()->before()).begin_ns, 0);
      EXPECT_GE(seen(timelines()->before()).end_ns,
                std::max(pair->before.length(), pair->after.length()));
      EXPECT_EQ(timelines()->before()->scene().selection, (Item{ItemKind::call, match.before}));
      EXPECT_EQ(timelines()->after()->scene().selection, (Item{ItemKind::call, match.after}));
      ++met;
    }
    EXPECT_GT(met, 5) << from_qt(after);
    for (std::size_t step = 0; step < c.pairs->steps().size(); ++step) {
      timelines()->chooser()->setValue(static_cast<int>(step) + 1);
      EXPECT_EQ(timelines()->shown_step(), static_cast<int>(step));
      const auto& match = c.calls[static_cast<std::size_t>(c.pairs->steps()[step].row)];
      EXPECT_EQ(left_of(timelines()->before(), match.before),
                left_of(timelines()->after(), match.after));
    }
  }
}

// Another layer: no call has a partner, and the steps are matched in their order.
TEST_F(CompareTimelinesTest, StepsAreAlignedWhereNoCallHasAPartner) {
  compare(QStringLiteral("sample:programs/pytorch-gru"), two_layers);
  const auto& c = view()->model().comparison();
  ASSERT_TRUE(c.pairs->calls().empty());
  ASSERT_FALSE(c.pairs->steps().empty());
  for (std::size_t step = 0; step < c.pairs->steps().size(); ++step) {
    timelines()->show_step(static_cast<int>(step));
    const auto& pair = c.pairs->steps()[step];
    const auto &above = timelines()->before()->scene(), &below = timelines()->after()->scene();
    EXPECT_EQ(above.x_of(pair.before.begin_ns), below.x_of(pair.after.begin_ns));
    EXPECT_TRUE(timelines()->joints().empty());
    EXPECT_FALSE(timelines()->pair_text().isEmpty());
    EXPECT_TRUE(timelines()->prediction_text().isEmpty());
  }
}

TEST_F(CompareTimelinesTest, BothHaveOneZoom) {
  compare(split_layers, two_layers);
  auto* before = timelines()->before();
  auto* after = timelines()->after();
  const TimeRange at_first = seen(before);
  std::mt19937 random(5);
  const auto below = [&](int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random);
  };
  std::set<std::int64_t> lengths;
  for (int i = 0; i < 300; ++i) {
    auto* one = below(2) == 0 ? before : after;
    const double x = one->scene().header_width + below(one->scene().spans_width());
    switch (below(6)) {
      case 0:
        one->zoom_at(x, 0.5 + below(100) / 60.0);
        break;
      case 1:
        one->pan(below(2000) - 1000);
        break;
      case 2: {
        QWheelEvent wheel({x, 80}, one->mapToGlobal(QPointF(x, 80)), {}, {0, 120 * (below(5) - 2)},
                          Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(one->viewport(), &wheel);
        break;
      }
      case 3:
        QTest::keyClick(one, below(2) == 0 ? Qt::Key_A : Qt::Key_D);
        break;
      case 4:
        if (below(10) == 0) one->show_all();
        break;
      default:
        if (below(5) == 0) timelines()->show_step(below(timelines()->chooser()->maximum()));
    }
    ASSERT_EQ(seen(before), seen(after)) << i;
    lengths.insert(seen(before).length());
  }
  EXPECT_GT(lengths.size(), 30U);
  // Everything of both can be seen, also where one begins long before the other.
  after->show_all();
  EXPECT_EQ(seen(before), seen(after));
  for (auto* each : {before, after}) {
    EXPECT_LE(each->scene().visible.begin_ns, each->scene().timeline->range.begin_ns);
    EXPECT_GE(each->scene().visible.end_ns, each->scene().timeline->range.end_ns);
  }
  EXPECT_GT(seen(before).length(), at_first.length());
}

TEST_F(CompareTimelinesTest, JointsAreThePairsOfTheComparison) {
  compare(split_layers, two_layers);
  const auto& c = view()->model().comparison();
  auto* before = timelines()->before();
  auto* after = timelines()->after();
  int drawn = 0;
  for (int step = 0; step < timelines()->chooser()->maximum(); ++step) {
    timelines()->show_step(step);
    for (int out = 0; out < 6; ++out) {
      bool too_many = false;
      const auto joints = timelines()->joints(&too_many);
      std::set<int> rows;
      for (const auto& joint : joints) {
        ASSERT_TRUE(rows.insert(joint.row).second);
        const auto& match = c.calls.at(static_cast<std::size_t>(joint.row));
        ASSERT_TRUE(match.before >= 0 && match.after >= 0);
        // Where the calls are drawn; of several calls that stand for one, from the first on.
        EXPECT_EQ(joint.before_left, left_of(before, match.before));
        EXPECT_EQ(joint.after_left, left_of(after, match.after));
        ++drawn;
      }
      EXPECT_LE(joints.size(), CompareTimelines::most_joints);
      if (!too_many) {
        for (std::size_t row = 0; row < c.calls.size(); ++row) {
          const Pair* pair = c.pairs->of_row(static_cast<int>(row));
          const auto meets = [](TimeRange range, const timeline::Scene& scene) {
            return range.begin_ns < scene.visible.end_ns && range.end_ns > scene.visible.begin_ns;
          };
          const bool in_sight = pair != nullptr && meets(pair->before, before->scene()) &&
                                meets(pair->after, after->scene());
          EXPECT_EQ(rows.count(static_cast<int>(row)), in_sight ? 1U : 0U) << row;
        }
      }
      before->zoom(2.5);
    }
  }
  EXPECT_GT(drawn, 50);
  // Of a recording with many calls, all at once are too many.
  compare(QStringLiteral("sample:programs/pytorch-speech-encoder"),
          QStringLiteral("sample:programs/pytorch-speech-encoder"));
  timelines()->before()->show_all();
  bool too_many = false;
  const auto joints = timelines()->joints(&too_many);
  const bool many_calls =
      view()->model().comparison().pairs->calls().size() > CompareTimelines::most_joints;
  EXPECT_EQ(too_many, many_calls);
}

TEST_F(CompareTimelinesTest, RowsAndCallsLeadToEachOther) {
  compare(split_layers, two_layers, {2560, 1440});
  const auto& c = view()->model().comparison();
  auto* tabs = view()->findChild<QTabWidget*>();
  ASSERT_EQ(tabs->indexOf(timelines()), -1);  // there is room for both
  auto* phases = view()->findChild<QTableView*>(QStringLiteral("phases"));
  auto* calls = view()->findChild<QTableView*>(QStringLiteral("calls"));
  ASSERT_TRUE(phases != nullptr && calls != nullptr);
  // A phase is shown by a call of it.
  phases->setFocus();
  QTest::keyClick(phases, Qt::Key_Down);
  const int match = phases->currentIndex().data(ItemIndexRole).toInt();
  ASSERT_GE(timelines()->shown_call(), 0);
  EXPECT_EQ(c.calls[static_cast<std::size_t>(timelines()->shown_call())].match, match);
  EXPECT_TRUE(timelines()->prediction_text().contains(QStringLiteral("predicted")))
      << from_qt(timelines()->prediction_text());
  // A click on a call shows its row; its partner comes beside it, and it stays where it was.
  const TimeRange stays = timelines()->after()->scene().visible;
  const int other = c.calls[static_cast<std::size_t>(timelines()->shown_call())].after;
  int clicked = -1;
  for (int call = other + 1; clicked < 0 && call < 1000; ++call)
    if (const int row = c.pairs->row_of(call, false); row >= 0 && c.pairs->of_row(row) != nullptr)
      clicked = call;
  ASSERT_GE(clicked, 0);
  timelines()->after()->select({ItemKind::call, clicked}, false);
  const int row = c.pairs->row_of(clicked, false);
  EXPECT_EQ(timelines()->shown_call(), row);
  EXPECT_EQ(timelines()->after()->scene().visible, stays);
  EXPECT_EQ(seen(timelines()->before()), seen(timelines()->after()));
  EXPECT_EQ(tabs->currentWidget(), calls);
  EXPECT_EQ(calls->currentIndex().data(ItemIndexRole).toInt(), row);
  EXPECT_FALSE(timelines()->pair_text().isEmpty());
}

TEST_F(CompareTimelinesTest, SaysWhatWasPredictedOfTheStep) {
  compare(split_layers, two_layers);
  EXPECT_GE(timelines()->shown_step(), 0);
  EXPECT_TRUE(timelines()->pair_text().contains(QStringLiteral("faster")));
  const auto& predictions = view()->model().comparison().predictions;
  ASSERT_FALSE(predictions.empty());
  const QString text = timelines()->prediction_text();
  EXPECT_TRUE(text.contains(QStringLiteral("measured 4.43×"))) << from_qt(text);
  bool seen_in_label = false;
  for (const auto* label : timelines()->findChildren<QLabel*>())
    seen_in_label = seen_in_label || (label->isVisible() && label->text() == text);
  EXPECT_TRUE(seen_in_label);
}

// The one that was recorded later is after, whichever of both is open.
TEST_F(CompareTimelinesTest, WhatIsChosenIsPutInOrderByItsTime) {
  for (const auto& [first, second] :
       {std::pair{two_layers, split_layers}, {split_layers, two_layers}}) {
    open(first);
    window_->go(QStringLiteral("compare"));
    auto* list = view()->chooser()->list();
    ASSERT_TRUE(list->isVisible());
    EXPECT_TRUE(list->hasFocus());
    EXPECT_EQ(view()->chooser()->model().rows().front().path, second);
    QTest::keyClick(list, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !view()->comparing(); }, 60000));
    const auto& c = view()->model().comparison();
    ASSERT_NE(c.before, nullptr);
    EXPECT_EQ(c.before->path(), two_layers);
    EXPECT_EQ(c.after->path(), split_layers);
    // Another can be chosen, and the comparison is still there.
    view()->show_chooser();
    EXPECT_TRUE(list->isVisible());
    window_ = std::make_unique<MainWindow>();
    window_->resize(1280, 720);
    window_->show();
  }
}

TEST_F(CompareTimelinesTest, HasRoomInEveryWindow) {
  for (const QSize size : {QSize(1024, 700), QSize(1600, 900), QSize(2560, 1440)}) {
    compare(split_layers, two_layers, size);
    auto* tabs = view()->findChild<QTabWidget*>();
    if (tabs->indexOf(timelines()) >= 0) tabs->setCurrentWidget(timelines());
    QTest::qWait(50);
    for (auto* each : {timelines()->before(), timelines()->after()}) {
      ASSERT_TRUE(each->isVisible()) << size.width();
      EXPECT_GE(each->scene().rows_height(), 60) << size.width();
      EXPECT_GE(each->scene().spans_width(), 400) << size.width();
      // Nothing of it lies outside of the window.
      const QRect box(each->mapTo(window_.get(), QPoint(0, 0)), each->size());
      EXPECT_TRUE(window_->rect().contains(box)) << size.width();
      // The chosen call is in sight.
      const auto rect = each->scene().rect_of(each->scene().selection);
      ASSERT_TRUE(rect.has_value());
      EXPECT_GE(rect->top(), each->scene().rows_top());
      EXPECT_LE(rect->bottom(), each->viewport()->height() + 1);
    }
    EXPECT_EQ(timelines()->before()->viewport()->width(),
              timelines()->after()->viewport()->width());
    picture("compare-timelines");
  }
}

// More kernels than are laid out at once: their profiles are matched and laid out on threads. How
// long the window's thread is busy meanwhile, window_benchmark measures.
TEST_F(CompareTimelinesTest, LargeProfilesAreComparedOnAnotherThread) {
  if (test::sanitized()) GTEST_SKIP() << "takes minutes there";
  const QTemporaryDir folder;
  QStringList paths;
  for (const int shift : {0, 7}) {
    ProfileBuilder builder;
    const int device = builder.add_device(find_device("h200").value());
    Process of;
    of.pid = 42;
    const int process = builder.add_process(of);
    Configuration configuration;
    configuration.device = device;
    configuration.origin = Origin::captured;
    builder.add_configuration(configuration);
    KernelRecord record;
    record.process = process;
    record.name = "gemm";
    std::int64_t time = 1000;
    for (int i = 0; i < 1200; ++i) {
      RnnCall call;
      call.configuration = 0;
      call.process = process;
      call.phase = Phase::forward_training;
      call.host_start_ns = time;
      call.host_end_ns = time + 500;
      record.call = builder.add_call(call);
      for (int kernel = 0; kernel < 200; ++kernel) {
        record.start_ns = time += 600;
        record.end_ns = time += 400 + (i * 31 + kernel * shift) % 300;
        builder.add_kernel(record);
      }
    }
    paths << folder.filePath(QStringLiteral("%1.rnnprof").arg(shift));
    ASSERT_TRUE(write_profile(builder.finish(), paths.back().toStdString()).has_value());
  }
  window_->resize(1600, 900);
  window_->open(paths[1]);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 300000));
  window_->go(QStringLiteral("compare"));
  QTest::qWait(500);
  view()->compare_with(paths[0]);
  EXPECT_TRUE(view()->comparing()) << "another thread does it";
  ASSERT_TRUE(QTest::qWaitFor([&] { return !view()->comparing(); }, 300000));
  ASSERT_TRUE(QTest::qWaitFor([&] { return timelines()->ready(); }, 300000));
  for (int i = 0; i < 10; ++i) {
    timelines()->before()->zoom(i < 5 ? 3 : 0.3);
    QTest::qWait(10);
    timelines()->chooser()->stepUp();
    QTest::qWait(10);
  }
  timelines()->before()->show_all();
  QTest::qWait(100);
  EXPECT_EQ(view()->model().comparison().pairs->calls().size(), 1200U);
  EXPECT_GT(timelines()->joints().size(), 0U);
}

TEST_F(CompareTimelinesTest, ProfilesWithoutTimesHaveTablesAlone) {
  open(QStringLiteral("sample:deepbench"));
  window_->go(QStringLiteral("compare"));
  view()->compare_with(QStringLiteral("sample:deepbench"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !view()->comparing(); }, 60000));
  EXPECT_FALSE(timelines()->has_pairs());
  EXPECT_FALSE(timelines()->isVisible());
  EXPECT_EQ(view()->findChild<QTabWidget*>()->indexOf(timelines()), -1);
}

}  // namespace
}  // namespace rnnadvisor::gui
