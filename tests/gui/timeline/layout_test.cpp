#include "gui/timeline/layout.h"

#include <gtest/gtest.h>

#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

TEST(Layout, RowsFollowOneAnother) {
  const auto t = timeline_of_streams(5);
  const auto layout = lay_out(*t, {});
  ASSERT_EQ(layout.rows.size(), t->tracks.size());
  for (std::size_t i = 1; i < layout.rows.size(); ++i)
    EXPECT_GT(layout.rows[i].y, layout.rows[i - 1].y + layout.rows[i - 1].height);
  EXPECT_GE(layout.height, layout.rows.back().y + layout.rows.back().height);
}

TEST(Layout, TheRowAtAHeightIsFound) {
  const auto t = timeline_of_streams(10'000);
  const auto layout = lay_out(*t, {});
  for (const std::size_t i : {0U, 1U, 77U, 9999U}) {
    EXPECT_EQ(layout.row_at(layout.rows[i].y), i);
    EXPECT_EQ(layout.row_at(layout.rows[i].y + layout.rows[i].height - 1), i);
    EXPECT_EQ(layout.row_of(layout.rows[i].track)->y, layout.rows[i].y);
  }
  EXPECT_EQ(layout.row_at(layout.height), layout.rows.size());
}

TEST(Layout, PinnedRowsStandAboveAndOnlyThere) {
  const auto t = timeline_of_streams(5);
  std::vector<TrackState> states(t->tracks.size());
  states[3].pinned = true;
  const auto layout = lay_out(*t, states);
  ASSERT_EQ(layout.pinned.size(), 1U);
  EXPECT_EQ(layout.pinned[0].track, 3);
  EXPECT_EQ(layout.rows.size(), t->tracks.size() - 1);
}

TEST(Layout, AFoldedHeadingTakesItsTracksAlongButForPinnedOnes) {
  const auto t = timeline_of_streams(5);
  std::vector<TrackState> states(t->tracks.size());
  states[1].folded = true;
  states[4].pinned = true;
  const auto layout = lay_out(*t, states);
  EXPECT_EQ(layout.rows.size(), 2U);  // the device and the heading
  EXPECT_EQ(layout.pinned.size(), 1U);
}

TEST(Layout, HiddenTracksAreGone) {
  const auto t = timeline_of_streams(2);
  std::vector<TrackState> states(t->tracks.size());
  states[2].hidden = true;
  EXPECT_EQ(lay_out(*t, states).row_of(2), nullptr);
}

TEST(Layout, FollowsTheOrderOfAPerson) {
  const auto t = timeline_of_streams(4);  // 0: the device, 1: the process, 2 to 5: its streams
  Arrangement a;
  ASSERT_TRUE(move_track(*t, a.order, 4, -1));
  EXPECT_EQ(a.order, (TrackOrder{0, 1, 2, 4, 3, 5}));
  ASSERT_TRUE(move_track_to(*t, a.order, 5, 2));
  EXPECT_EQ(a.order, (TrackOrder{0, 1, 5, 2, 4, 3}));
  const auto layout = lay_out(*t, {}, a);
  ASSERT_EQ(layout.rows.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(layout.rows[i].track, a.order[i]);
    EXPECT_EQ(layout.row_of(a.order[i]), &layout.rows[i]);
  }
  // A process moves with what is its own; a stream stays within it.
  ASSERT_TRUE(move_track(*t, a.order, 1, -1));
  EXPECT_EQ(a.order, (TrackOrder{1, 5, 2, 4, 3, 0}));
  EXPECT_FALSE(move_track(*t, a.order, 1, -1));
  EXPECT_FALSE(move_track(*t, a.order, 3, 1));
  EXPECT_FALSE(move_track_to(*t, a.order, 3, 0));
  EXPECT_FALSE(move_track(*t, a.order, 99, 1));
}

TEST(Layout, PinnedTracksKeepTheirOwnOrder) {
  const auto t = timeline_of_streams(4);
  std::vector<TrackState> states(t->tracks.size());
  for (const std::size_t i : {2U, 3U, 5U}) states[i].pinned = true;
  Arrangement a;
  a.pinned = {5, 2, 77, 5};  // what is not there, or there twice, does no harm
  const auto layout = lay_out(*t, states, a);
  ASSERT_EQ(layout.pinned.size(), 3U);
  EXPECT_EQ(layout.pinned[0].track, 5);
  EXPECT_EQ(layout.pinned[1].track, 2);
  EXPECT_EQ(layout.pinned[2].track, 3);
  EXPECT_EQ(layout.row_of(2)->track, 2);
}

TEST(Layout, RowsGrowAndShrink) {
  const auto t = timeline_of_streams(2);
  const auto usual = lay_out(*t, {}), tall = lay_out(*t, {}, {}, scaled({}, 2)),
             low = lay_out(*t, {}, {}, scaled({}, 0.01));
  EXPECT_EQ(tall.row_of(2)->height, 2 * usual.row_of(2)->height);
  EXPECT_EQ(tall.row_of(1)->height, usual.row_of(1)->height);  // a heading has one line of text
  EXPECT_EQ(low.row_of(2)->height, static_cast<int>(usual.row_of(2)->height * least_height));
}

// Ranges nest three deep at first and are alone later: there two levels would be a hole.
TEST(Layout, ATrackIsAsDeepAsWhatIsVisible) {
  SmallProfile p;
  p.nvtx(0, 100, "outer");
  p.nvtx(10, 90, "middle");
  p.nvtx(20, 80, "inner");
  p.nvtx(1000, 1100, "alone");
  p.kernel(0, 10, "k");
  const auto t = build_timeline(p.finish());
  int nvtx = -1;
  for (std::size_t i = 0; i < t->tracks.size(); ++i)
    if (t->tracks[i].kind == TrackKind::nvtx) nvtx = static_cast<int>(i);
  ASSERT_GE(nvtx, 0);
  const auto height = [&](TimeRange range) {
    return lay_out(*t, {}, {}, {}, depths_in(*t, range)).row_of(nvtx)->height;
  };
  EXPECT_EQ(height({0, 2000}), 3 * Metrics{}.lane);
  EXPECT_EQ(height({50, 60}), 3 * Metrics{}.lane);
  EXPECT_EQ(height({82, 88}), 2 * Metrics{}.lane);
  EXPECT_EQ(height({950, 1200}), Metrics{}.lane);
  EXPECT_EQ(height({200, 300}), Metrics{}.lane);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
