// The real widget, without a screen: keys and mouse do what they are expected to, and what is
// visible and selected goes through the ViewState both ways.
#include "gui/timeline/timeline_widget.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include "gui/timeline/cards.h"
#include "gui/timeline/scene.h"
#include "gui/timeline/track_store.h"
#include "tests/gui/pictures.h"
#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui {
namespace {

using timeline::Row;
using timeline::SmallProfile;

// Two calls of twenty kernels each, on one stream, with their launches and a range around.
Profile calls_and_kernels() {
  SmallProfile p;
  std::int64_t correlation = 1;
  for (int c = 0; c < 2; ++c) {
    const std::int64_t begin = 1'000'000 + c * 2'000'000;
    const int call = p.call(begin, begin + 400'000);
    p.nvtx(begin - 1000, begin + 1'900'000, "step");
    for (int k = 0; k < 20; ++k) {
      p.api(begin + k * 10'000, begin + k * 10'000 + 5000, "cudaLaunchKernel", correlation);
      p.kernel(begin + 50'000 + k * 50'000, begin + 90'000 + k * 50'000,
               k % 2 == 0 ? "void elemWiseRNNcell<__half>(int)" : "nvjet_sm90_hsh", 3, call,
               correlation);
      ++correlation;
    }
  }
  p.copy(100'000, 300'000, 1, 1 << 20);
  p.allocate(10'000, 1 << 30);
  p.allocate(4'000'000, 1 << 29);
  return p.builder.finish();
}

struct TimelineWidgetTest : testing::Test {
  TimelineWidgetTest() {
    document = std::make_shared<const Document>(calls_and_kernels(), *load_rules(),
                                                QStringLiteral("test.rnnprof"));
    state.reset(document->extent());
    widget.resize(1000, 600);
    widget.show();
    widget.set_document(document, &state);
    widget.show_all();
    QTest::qWait(1);
  }
  void key(Qt::Key k, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(&widget, k, modifiers);
  }
  void wheel(QPointF at, int angle, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(at, widget.viewport()->mapToGlobal(at), {}, {0, angle}, Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget.viewport(), &event);
  }
  QPoint on(Item item) { return widget.scene().rect_of(item)->center().toPoint(); }
  const timeline::Scene& scene() const { return widget.scene(); }
  TimeRange all() const { return scene().timeline->range; }

  DocumentPointer document;
  ViewState state;
  TimelineWidget widget;
};

TEST_F(TimelineWidgetTest, ZoomByWheelKeepsTheTimeUnderThePointer) {
  const QPointF at(631, 300);
  for (int i = 0; i < 30; ++i) {
    const auto before = scene().time_at(at.x());
    wheel(at, 120, Qt::ControlModifier);
    EXPECT_NEAR(scene().x_of(before), at.x(), 1.01 + scene().scale().pixels_per_ns()) << i;
  }
  EXPECT_LT(state.visible().length(), all().length() / 100);
  for (int i = 0; i < 60; ++i) wheel(at, -120, Qt::ControlModifier);
  EXPECT_EQ(state.visible(), all());
}

TEST_F(TimelineWidgetTest, ZoomByKeysKeepsTheTimeUnderThePointer) {
  QTest::mouseMove(widget.viewport(), QPoint(700, 400));
  QMouseEvent move(QEvent::MouseMove, QPointF(700, 400),
                   widget.viewport()->mapToGlobal(QPointF(700, 400)), Qt::NoButton, Qt::NoButton,
                   Qt::NoModifier);
  QCoreApplication::sendEvent(widget.viewport(), &move);
  const auto before = scene().time_at(700);
  for (int i = 0; i < 8; ++i) key(Qt::Key_W);
  EXPECT_NEAR(scene().x_of(before), 700, 2);
  EXPECT_LT(state.visible().length(), all().length() / 10);
  for (int i = 0; i < 20; ++i) key(Qt::Key_S);
  EXPECT_EQ(state.visible(), all());
}

TEST_F(TimelineWidgetTest, PansByKeysWheelAndDrag) {
  for (int i = 0; i < 6; ++i) key(Qt::Key_W);
  const TimeRange before = state.visible();
  key(Qt::Key_D);
  EXPECT_GT(state.visible().begin_ns, before.begin_ns);
  key(Qt::Key_A);
  EXPECT_NEAR(static_cast<double>(state.visible().begin_ns - before.begin_ns), 0, 2);
  wheel({600, 300}, -120, Qt::ShiftModifier);
  EXPECT_GT(state.visible().begin_ns, before.begin_ns);
  EXPECT_EQ(state.visible().length(), before.length());
  const auto grabbed = scene().time_at(600);
  QTest::mousePress(widget.viewport(), Qt::RightButton, {}, {600, 500});
  QTest::mouseMove(widget.viewport(), {500, 500});
  QMouseEvent move(QEvent::MouseMove, QPointF(500, 500),
                   widget.viewport()->mapToGlobal(QPointF(500, 500)), Qt::NoButton, Qt::RightButton,
                   Qt::NoModifier);
  QCoreApplication::sendEvent(widget.viewport(), &move);
  EXPECT_NEAR(scene().x_of(grabbed), 500, 2);
  QTest::mouseRelease(widget.viewport(), Qt::RightButton, {}, {500, 500});
}

TEST_F(TimelineWidgetTest, AClickSelectsAndASelectionFromElsewhereIsBroughtIntoView) {
  const Item call{ItemKind::call, 1};
  QTest::mouseClick(widget.viewport(), Qt::LeftButton, {}, on(call));
  EXPECT_EQ(state.selection(), call);
  EXPECT_TRUE(widget.accessibleDescription().contains(QLatin1String("LSTM 2x1024")));

  state.set_visible({all().begin_ns, all().begin_ns + 50'000});
  state.select({ItemKind::kernel, 39});
  const auto rect = scene().rect_of(Item{ItemKind::kernel, 39});
  ASSERT_TRUE(rect);
  EXPECT_GE(rect->left(), scene().header_width);
  EXPECT_LE(rect->right(), scene().size.width());
  EXPECT_GE(rect->top(), scene().rows_top());
}

TEST_F(TimelineWidgetTest, FFocusesAndAgainShowsAllAndBackGoesBack) {
  state.select({ItemKind::call, 0});
  key(Qt::Key_F);
  const TimeRange focused = state.visible();
  EXPECT_LT(focused.length(), all().length() / 2);
  key(Qt::Key_F);
  EXPECT_EQ(state.visible(), all());
  key(Qt::Key_0);
  state.back();
  state.back();
  EXPECT_NE(state.visible(), focused);
  state.forward();
  EXPECT_EQ(state.selection(), (Item{ItemKind::call, 0}));
}

TEST_F(TimelineWidgetTest, ArrowsStepAlongTheTrackAndBetweenTracks) {
  key(Qt::Key_Down);
  EXPECT_EQ(state.selection(), (Item{ItemKind::call, 0}));
  key(Qt::Key_BracketRight);
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 0}));
  key(Qt::Key_Right);
  key(Qt::Key_Period);
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 2}));
  key(Qt::Key_Comma);
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 1}));
  key(Qt::Key_BracketLeft);
  EXPECT_EQ(state.selection().kind, ItemKind::api);
  key(Qt::Key_Up);
  EXPECT_EQ(state.selection().kind, ItemKind::call);
}

TEST_F(TimelineWidgetTest, ADragMeasuresARangeAndItsEdgesMove) {
  auto* port = widget.viewport();
  QTest::mousePress(port, Qt::LeftButton, {}, {400, 560});
  QMouseEvent move(QEvent::MouseMove, QPointF(600, 560), port->mapToGlobal(QPointF(600, 560)),
                   Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(port, &move);
  QTest::mouseRelease(port, Qt::LeftButton, {}, {600, 560});
  ASSERT_TRUE(state.measured());
  EXPECT_NEAR(scene().x_of(state.measured()->begin_ns), 400, 1);
  EXPECT_NEAR(scene().x_of(state.measured()->end_ns), 600, 1);

  QTest::mousePress(port, Qt::LeftButton, {}, {600, 560});
  QMouseEvent further(QEvent::MouseMove, QPointF(800, 560), port->mapToGlobal(QPointF(800, 560)),
                      Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(port, &further);
  QTest::mouseRelease(port, Qt::LeftButton, {}, {800, 560});
  EXPECT_NEAR(scene().x_of(state.measured()->begin_ns), 400, 1);
  EXPECT_NEAR(scene().x_of(state.measured()->end_ns), 800, 1);
  key(Qt::Key_Escape);
  EXPECT_FALSE(state.measured());
}

// Wherever the track of a GPU says that it is idle there is something to select.
TEST_F(TimelineWidgetTest, AGapIsSelectedByAClickAndLeftByKeys) {
  const Row& row = scene().layout.rows.front();
  ASSERT_EQ(scene().timeline->tracks[static_cast<std::size_t>(row.track)].kind,
            timeline::TrackKind::busy);
  widget.look_at({1'050'000, 1'350'000});
  const int y = scene().top_of(row, false) + row.lane_height + row.lane_height / 2;
  const int x = static_cast<int>(scene().x_of(1'190'000 + 5'000));
  QTest::mouseMove(widget.viewport(), {x, y});
  QTest::mouseClick(widget.viewport(), Qt::LeftButton, {}, {x, y});
  EXPECT_EQ(state.selection(), (Item{ItemKind::gap, 3}));
  EXPECT_FALSE(state.measured());
  const auto rect = scene().rect_of(state.selection());
  ASSERT_TRUE(rect);
  EXPECT_NEAR(rect->left(), scene().x_of(1'190'000), 1);
  EXPECT_NEAR(rect->right(), scene().x_of(1'200'000), 1);
  EXPECT_TRUE(rect->contains(QPointF(x, y)));
  EXPECT_TRUE(widget.described_selection().startsWith(QStringLiteral("GPU idle")));
  key(Qt::Key_Period);
  EXPECT_EQ(state.selection(), (Item{ItemKind::gap, 4}));
  key(Qt::Key_Comma);
  key(Qt::Key_Comma);
  EXPECT_EQ(state.selection(), (Item{ItemKind::gap, 2}));
  key(Qt::Key_R);
  EXPECT_EQ(state.measured(), (TimeRange{1'140'000, 1'150'000}));
  key(Qt::Key_Escape);
  key(Qt::Key_Down);
  EXPECT_NE(state.selection().kind, ItemKind::gap);

  // Every pixel of the lane of gaps that is between two kernels selects something.
  for (int at = static_cast<int>(scene().x_of(1'150'000)); at < scene().size.width(); at += 7) {
    QTest::mouseClick(widget.viewport(), Qt::LeftButton, {}, {at, y});
    const auto time = scene().time_at(at);
    if ((time - 1'050'000) % 50'000 >= 40'000) {
      EXPECT_EQ(state.selection().kind, ItemKind::gap) << at;
    }
  }
}

TEST_F(TimelineWidgetTest, ACardStandsBesideItsBar) {
  widget.look_at({1'050'000, 1'350'000});
  const timeline::Details details{QStringLiteral("A title"),
                                  {{QStringLiteral("a"), QStringLiteral("b")}}};
  const timeline::Card card(details, widget.font());
  const QRect area(0, 0, 900, 600);
  for (const QRect bar :
       {QRect(100, 100, 300, 19), QRect(100, 560, 700, 19), QRect(0, 10, 900, 40)}) {
    for (int x = bar.left() + 1; x < bar.right(); x += 37) {
      const QRect at(card.beside({x, bar.center().y()}, area, bar), card.size());
      EXPECT_FALSE(at.intersects(bar)) << x;
      EXPECT_TRUE(area.contains(at)) << x;
    }
  }
}

TEST_F(TimelineWidgetTest, TracksWithNothingInSightCanBeHidden) {
  QSignalSpy changed(&widget, &TimelineWidget::tracks_changed);
  const auto shown = [&](timeline::TrackKind kind) {
    for (const auto& row : scene().layout.rows)
      if (scene().timeline->tracks[static_cast<std::size_t>(row.track)].kind == kind) return true;
    return false;
  };
  widget.look_at({2'950'000, 3'300'000});
  EXPECT_TRUE(shown(timeline::TrackKind::transfers));
  widget.set_hide_empty(true);
  EXPECT_EQ(changed.size(), 1);
  EXPECT_FALSE(shown(timeline::TrackKind::transfers));
  EXPECT_TRUE(shown(timeline::TrackKind::kernels));
  EXPECT_TRUE(shown(timeline::TrackKind::busy));
  // As soon as there is something again.
  widget.look_at({50'000, 3'300'000});
  EXPECT_TRUE(shown(timeline::TrackKind::transfers));
  const auto kept = widget.kept_tracks();
  EXPECT_TRUE(kept.hide_empty);
  EXPECT_FALSE(kept.empty());
  EXPECT_EQ(timeline::read_kept_tracks(timeline::write_kept_tracks(kept)), kept);
  widget.set_document(document, &state);
  EXPECT_FALSE(widget.hides_empty());
  widget.restore_tracks(kept);
  EXPECT_TRUE(widget.hides_empty());
}

TEST_F(TimelineWidgetTest, AColourIsShownAlone) {
  widget.show_only(timeline::color_id(KernelRole::pointwise));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !widget.searching(); }));
  ASSERT_NE(scene().hits, nullptr);
  EXPECT_EQ(scene().hits->hits, 20);
  EXPECT_EQ(widget.shown_color(), timeline::color_id(KernelRole::pointwise));
  // What has it is painted in it, what has not steps back.
  widget.look_at({1'050'000, 1'250'000});
  const auto color_at = [&](std::int64_t time) {
    const auto rect =
        scene().rect_of({ItemKind::kernel, static_cast<int>((time - 1'050'000) / 50'000)});
    return widget.grab().toImage().pixel(static_cast<int>(scene().x_of(time)),
                                         static_cast<int>(rect->bottom()) - 2);
  };
  EXPECT_EQ(color_at(1'085'000), scene().palette.fill[timeline::color_id(KernelRole::pointwise)]);
  EXPECT_NE(color_at(1'135'000),
            scene().palette.fill[timeline::color_of(*scene().timeline, {ItemKind::kernel, 1})]);
  key(Qt::Key_Escape);
  EXPECT_FALSE(widget.shown_color());
  EXPECT_EQ(scene().hits, nullptr);
}

TEST_F(TimelineWidgetTest, SearchCountsStepsAndCanBeClosed) {
  key(Qt::Key_Slash);
  widget.search_for(QStringLiteral("elemwise"), false);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !widget.searching(); }));
  EXPECT_EQ(widget.hits_text(), QStringLiteral("20 hits"));
  widget.next_hit(1);
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 0}));
  widget.next_hit(1);
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 2}));
  EXPECT_EQ(widget.hits_text(), QStringLiteral("2 of 20"));
  widget.next_hit(-1);
  widget.next_hit(-1);
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 38}));
  widget.search_for(QStringLiteral("^nvjet_sm\\d+"), true);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !widget.searching(); }));
  EXPECT_EQ(widget.hits_text(), QStringLiteral("20 hits"));
  widget.search_for(QStringLiteral("("), true);
  EXPECT_EQ(widget.hits_text(), QStringLiteral("Not an expression"));
  widget.setFocus();
  key(Qt::Key_Escape);
  EXPECT_EQ(widget.scene().hits, nullptr);
}

TEST_F(TimelineWidgetTest, AFilterShowsOnlyWhatMatchesAndGoesAgain) {
  const auto tracks = scene().timeline->tracks.size();
  widget.filter_by(QStringLiteral("nvjet"), false);
  EXPECT_LT(scene().timeline->tracks.size(), tracks);
  widget.filter_by({}, false);
  EXPECT_EQ(scene().timeline->tracks.size(), tracks);
}

TEST_F(TimelineWidgetTest, TracksFoldPinAndHide) {
  const auto rows = scene().layout.rows.size();
  widget.set_folded(1, true);
  EXPECT_EQ(scene().layout.rows.size(), 2U);
  widget.set_pinned(3, true);
  EXPECT_EQ(scene().layout.pinned.size(), 1U);
  widget.set_folded(1, false);
  EXPECT_EQ(scene().layout.rows.size(), rows - 1);
  widget.set_hidden(4, true);
  EXPECT_EQ(scene().layout.rows.size(), rows - 2);
  // What a finding points to must be seen, whatever was folded away.
  widget.set_folded(1, true);
  state.select({ItemKind::api, 3});
  EXPECT_TRUE(scene().rect_of(Item{ItemKind::api, 3}));
}

TEST_F(TimelineWidgetTest, ThreadsThatMakeNoCallsAreFoldedAtFirst) {
  SmallProfile p;
  p.call(0, 100'000, 7);
  for (const int thread : {7, 8}) {
    p.nvtx(0, 90'000, "outer", 0, thread);
    p.nvtx(0, 50'000, "inner", 0, thread);
  }
  ViewState other;
  widget.set_document(
      std::make_shared<const Document>(p.builder.finish(), *load_rules(), QString()), &other);
  std::vector<bool> folded;
  for (std::size_t i = 0; i < scene().states.size(); ++i) {
    if (scene().timeline->tracks[i].kind == timeline::TrackKind::nvtx)
      folded.push_back(scene().states[i].folded);
  }
  EXPECT_EQ(folded, (std::vector<bool>{false, true}));
}

TEST_F(TimelineWidgetTest, EvidenceOutOfSightIsBroughtIntoSight) {
  state.set_visible({all().begin_ns, all().begin_ns + 20'000});
  state.highlight({{ItemKind::kernel, 30}, {ItemKind::kernel, 39}});
  const TimeRange seen = state.visible();
  EXPECT_LT(seen.begin_ns, document->profile().kernels.start_ns[30]);
  EXPECT_GT(seen.end_ns, document->profile().kernels.end_ns[39]);
}

TEST_F(TimelineWidgetTest, WhatIsHoveredIsShared) {
  const Item call{ItemKind::call, 0};
  QMouseEvent move(QEvent::MouseMove, QPointF(on(call)),
                   widget.viewport()->mapToGlobal(QPointF(on(call))), Qt::NoButton, Qt::NoButton,
                   Qt::NoModifier);
  QCoreApplication::sendEvent(widget.viewport(), &move);
  EXPECT_EQ(state.hovered(), call);
  widget.copy_selection();
  state.select(call);
  widget.copy_selection();
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(QLatin1String("LSTM 2x1024")));
}

TEST_F(TimelineWidgetTest, NothingToShowHasAWordForIt) {
  widget.set_document(nullptr, nullptr);
  widget.grab();
  const auto empty = std::make_shared<const Document>(Profile{}, *load_rules(), QString());
  ViewState other;
  widget.set_document(empty, &other);
  widget.grab();
  for (const auto k : {Qt::Key_W, Qt::Key_F, Qt::Key_Down, Qt::Key_Right, Qt::Key_R, Qt::Key_P})
    key(k);
  SUCCEED();
}

TEST_F(TimelineWidgetTest, CallsAreShownBeforeTheirKernels) {
  SmallProfile p;
  p.call(1000, 90'000);
  ViewState other;
  widget.set_document(
      std::make_shared<const Document>(p.builder.finish(), *load_rules(), QString(), true), &other);
  EXPECT_TRUE(scene().rect_of(Item{ItemKind::call, 0}));
  widget.grab();
}

const QString pictures = QStringLiteral(RNNADVISOR_SOURCE_DIR "/tests/gui/timeline/pictures/");

TEST_F(TimelineWidgetTest, LooksAsItDid) {
  for (const bool dark : {false, true}) {
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPixelSize(12);
    timeline::ScenePainter painter(font);
    timeline::Scene picture = scene();
    picture.theme = dark ? dark_theme() : light_theme();
    picture.palette = timeline::make_palette(picture.theme, {});
    picture.size = {800, 330};
    picture.header_width = 160;
    picture.device_ratio = 1;
    picture.visible = {0, 5'000'000};
    picture.selection = {ItemKind::call, 1};
    picture.measured = TimeRange{1'000'000, 2'000'000};
    picture.marks = {{{1'500'000, 1'500'000}, QStringLiteral("warm"), 0},
                     {{3'000'000, 4'000'000}, QStringLiteral("a range"), 1}};
    compare_picture(painter.paint(picture),
                    pictures + (dark ? QStringLiteral("dark.png") : QStringLiteral("light.png")));
  }
}

TEST_F(TimelineWidgetTest, TwiceThePixelsIsTheSamePictureSharper) {
  QFont font(QStringLiteral("DejaVu Sans"));
  font.setPixelSize(12);
  timeline::ScenePainter painter(font);
  timeline::Scene picture = scene();
  picture.size = {800, 330};
  const QImage once = painter.paint(picture);
  picture.device_ratio = 2;
  const QImage twice = painter.paint(picture);
  EXPECT_EQ(twice.size(), QSize(1600, 660));
  int different = 0;
  for (int y = scene().top_height(); y < 330; y += 3) {
    for (int x = picture.header_width; x < 800; ++x) {
      const QColor a(once.pixel(x, y)), b(twice.pixel(2 * x, 2 * y));
      if (std::abs(a.lightness() - b.lightness()) > 40) ++different;
    }
  }
  EXPECT_LT(different, 600 * 90 / 15);
}

TEST_F(TimelineWidgetTest, TracksAreMovedByDragAndByKeys) {
  const auto rows = [&] {
    std::vector<int> order;
    for (const auto& row : scene().layout.rows) order.push_back(row.track);
    return order;
  };
  const auto before = rows();
  // The last two rows of the process change places.
  const auto last = scene().layout.rows.back(), above = scene().layout.rows[before.size() - 2];
  const QPoint from(40, scene().top_of(last, false) + last.height / 2);
  const QPoint to(40, scene().top_of(above, false) + above.height / 2);
  QTest::mousePress(widget.viewport(), Qt::LeftButton, {}, from);
  for (const QPoint& at : {from + QPoint(0, -7), to}) {
    QMouseEvent move(QEvent::MouseMove, QPointF(at), widget.viewport()->mapToGlobal(QPointF(at)),
                     Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(widget.viewport(), &move);
  }
  QTest::mouseRelease(widget.viewport(), Qt::LeftButton, {}, to);
  auto expected = before;
  std::swap(expected[before.size() - 1], expected[before.size() - 2]);
  EXPECT_EQ(rows(), expected);
  // The track that was moved is the one that keys move.
  key(Qt::Key_Down, Qt::AltModifier);
  EXPECT_EQ(rows(), before);
  // A filter keeps the order.
  key(Qt::Key_Up, Qt::AltModifier);
  widget.filter_by(QStringLiteral("."), true);
  EXPECT_EQ(rows(), expected);
  // A drag of a header does not fold it.
  for (const auto& track : scene().states) EXPECT_FALSE(track.folded);
}

TEST_F(TimelineWidgetTest, PinnedTracksKeepTheOrderOfPinning) {
  std::vector<int> streams;
  for (const auto& row : scene().layout.rows) {
    if (scene().timeline->tracks[static_cast<std::size_t>(row.track)].parent >= 0)
      streams.push_back(row.track);
  }
  ASSERT_GE(streams.size(), 3U);
  for (const std::size_t i : {2U, 0U, 1U}) widget.set_pinned(streams[i], true);
  const auto pinned = [&] {
    std::vector<int> order;
    for (const auto& row : scene().layout.pinned) order.push_back(row.track);
    return order;
  };
  EXPECT_EQ(pinned(), (std::vector<int>{streams[2], streams[0], streams[1]}));
  widget.move_track(streams[1], -1);
  EXPECT_EQ(pinned(), (std::vector<int>{streams[2], streams[1], streams[0]}));
  widget.set_pinned(streams[2], false);
  EXPECT_EQ(pinned(), (std::vector<int>{streams[1], streams[0]}));
}

TEST_F(TimelineWidgetTest, TracksAreFoundByName) {
  widget.resize(1000, 200);
  const auto names = widget.track_names();
  ASSERT_EQ(names.size(), scene().timeline->tracks.size());
  const auto& [track, name] = names.back();
  EXPECT_TRUE(name.contains(QStringLiteral("thread 7"))) << name.toStdString();
  widget.set_hidden(track, true);
  widget.show_track(track);
  const auto* row = scene().layout.row_of(track);
  ASSERT_NE(row, nullptr);
  EXPECT_GE(scene().top_of(*row, false), scene().rows_top());
  EXPECT_LE(scene().top_of(*row, false) + row->height, scene().size.height());
  EXPECT_EQ(scene().current_track, track);
}

TEST_F(TimelineWidgetTest, TracksGrowByKeysAndWheel) {
  const int before = scene().layout.height;
  key(Qt::Key_H);
  EXPECT_GT(scene().layout.height, before);
  key(Qt::Key_H, Qt::ShiftModifier);
  EXPECT_EQ(scene().layout.height, before);
  wheel({500, 300}, 120, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_GT(scene().layout.height, before);
  for (int i = 0; i < 100; ++i) key(Qt::Key_H);
  EXPECT_DOUBLE_EQ(widget.height_factor(), timeline::most_height);
}

TEST_F(TimelineWidgetTest, KernelsOfACallAreSteppedThrough) {
  state.select({ItemKind::call, 1});
  key(Qt::Key_Right, Qt::ControlModifier);
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 20}));
  key(Qt::Key_Greater);
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 21}));
  key(Qt::Key_Less);
  key(Qt::Key_Left, Qt::ControlModifier);  // nothing before the first
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 20}));
}

TEST_F(TimelineWidgetTest, PlacesAreMarkedNamedAndFoundAgain) {
  Marks marks;
  widget.set_marks(&marks);
  const int top = scene().rows_top();
  state.measure(TimeRange{1'000'000, 2'000'000});
  key(Qt::Key_M);
  ASSERT_EQ(marks.all().size(), 1U);
  EXPECT_EQ(marks.all()[0].range, (TimeRange{1'000'000, 2'000'000}));
  // Marks have a line of their own.
  EXPECT_GT(scene().rows_top(), top);
  ASSERT_TRUE(widget.mark_editor()->isVisible());
  QTest::keyClicks(widget.mark_editor(), QStringLiteral("warm up"));
  QTest::keyClick(widget.mark_editor(), Qt::Key_Return);
  EXPECT_FALSE(widget.mark_editor()->isVisible());
  EXPECT_EQ(marks.all()[0].text, QStringLiteral("warm up"));
  EXPECT_EQ(marks.all().size(), 1U);  // the letters are not keys of the timeline
  // Its flag is where it begins, and a double click on it renames it.
  const QPointF flag(scene().x_of(1'000'000) + 4,
                     timeline::overview_height + timeline::ruler_height + 6);
  EXPECT_EQ(timeline::under(scene(), flag, widget.font()).mark, 0);
  QTest::mouseDClick(widget.viewport(), Qt::LeftButton, {}, flag.toPoint());
  EXPECT_TRUE(widget.mark_editor()->isVisible());
  QTest::keyClick(widget.mark_editor(), Qt::Key_Return);
  // From far away they are come back to.
  marks.add({{3'000'000, 3'000'000}, QStringLiteral("late"), 1});
  state.set_visible({100'000, 200'000});
  key(Qt::Key_J);
  EXPECT_TRUE(state.visible().contains(1'500'000));
  key(Qt::Key_J);
  EXPECT_TRUE(state.visible().contains(3'000'000));
  key(Qt::Key_J, Qt::ShiftModifier);
  EXPECT_TRUE(state.visible().contains(1'500'000));
  widget.set_marks(nullptr);
}

// What the program calls its threads, streams and GPUs stands beside their numbers.
TEST(TrackNames, AreThoseThatTheProgramGave) {
  SmallProfile small;
  small.kernel(0, 10, "one", 3);
  small.kernel(0, 10, "two", 4);
  small.api(0, 1, "cudaLaunchKernel", 0, 7);
  small.builder.add_thread_name(small.process, 7, "loader");
  small.builder.add_resource_name(small.process, 0, 3, "side\nstream");
  small.builder.add_resource_name(small.process, 0, -1, "trainer");
  const auto t = timeline::build_timeline(std::make_shared<const Profile>(small.builder.finish()));
  QStringList names;
  for (const auto& track : t->tracks) names << timeline::track_subtitle(*t, track);
  for (const auto* wanted :
       {"stream 3 (side stream)", "stream 4", "thread 7 (loader)", "Test GPU (trainer)"})
    EXPECT_TRUE(names.contains(QString::fromUtf8(wanted)))
        << wanted << " in " << names.join(QStringLiteral(", ")).toStdString();
}

// Where the pointer is, to the nanosecond, and how far from what is selected.
TEST_F(TimelineWidgetTest, TheCrosshairTellsTheMomentAndTheDistance) {
  const Item kernel{ItemKind::kernel, 3};
  const TimeRange range = timeline::item_range(*scene().timeline, kernel);
  const auto at = [&](std::int64_t time) {
    QTest::mouseMove(widget.viewport(),
                     QPoint(static_cast<int>(std::lround(scene().x_of(time))), 300));
    QTest::qWait(1);
    return scene().time_at(scene().pointer_x);
  };
  const auto moment = at(range.end_ns + 100'000);
  EXPECT_EQ(timeline::crosshair_text(scene()), exact_text(moment - all().begin_ns));
  state.select(kernel);
  const auto after = at(range.end_ns + 200'000);
  EXPECT_TRUE(timeline::crosshair_text(scene()).contains(exact_text(after - range.end_ns) +
                                                         QStringLiteral(" after")));
  const auto before = at(range.begin_ns - 200'000);
  EXPECT_TRUE(timeline::crosshair_text(scene()).contains(exact_text(range.begin_ns - before) +
                                                         QStringLiteral(" before")));
}

}  // namespace
}  // namespace rnnadvisor::gui
