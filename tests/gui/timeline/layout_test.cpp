#include "gui/timeline/layout.h"

#include <gtest/gtest.h>

#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

std::shared_ptr<const Timeline> streams(int count) {
  SmallProfile p;
  for (int i = 0; i < count; ++i) p.kernel(i * 10, i * 10 + 5, "k", i);
  return build_timeline(p.finish());
}

TEST(Layout, RowsFollowOneAnother) {
  const auto t = streams(5);
  const auto layout = lay_out(*t, {});
  ASSERT_EQ(layout.rows.size(), t->tracks.size());
  for (std::size_t i = 1; i < layout.rows.size(); ++i)
    EXPECT_GT(layout.rows[i].y, layout.rows[i - 1].y + layout.rows[i - 1].height);
  EXPECT_GE(layout.height, layout.rows.back().y + layout.rows.back().height);
}

TEST(Layout, TheRowAtAHeightIsFound) {
  const auto t = streams(10'000);
  const auto layout = lay_out(*t, {});
  for (const std::size_t i : {0U, 1U, 77U, 9999U}) {
    EXPECT_EQ(layout.row_at(layout.rows[i].y), i);
    EXPECT_EQ(layout.row_at(layout.rows[i].y + layout.rows[i].height - 1), i);
    EXPECT_EQ(layout.row_of(layout.rows[i].track)->y, layout.rows[i].y);
  }
  EXPECT_EQ(layout.row_at(layout.height), layout.rows.size());
}

TEST(Layout, PinnedRowsStandAboveAndOnlyThere) {
  const auto t = streams(5);
  std::vector<TrackState> states(t->tracks.size());
  states[3].pinned = true;
  const auto layout = lay_out(*t, states);
  ASSERT_EQ(layout.pinned.size(), 1U);
  EXPECT_EQ(layout.pinned[0].track, 3);
  EXPECT_EQ(layout.rows.size(), t->tracks.size() - 1);
}

TEST(Layout, AFoldedHeadingTakesItsTracksAlongButForPinnedOnes) {
  const auto t = streams(5);
  std::vector<TrackState> states(t->tracks.size());
  states[1].folded = true;
  states[4].pinned = true;
  const auto layout = lay_out(*t, states);
  EXPECT_EQ(layout.rows.size(), 2U);  // the device and the heading
  EXPECT_EQ(layout.pinned.size(), 1U);
}

TEST(Layout, HiddenTracksAreGone) {
  const auto t = streams(2);
  std::vector<TrackState> states(t->tracks.size());
  states[2].hidden = true;
  EXPECT_EQ(lay_out(*t, states).row_of(2), nullptr);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
