#include "gui/timeline/kept_tracks.h"

#include <gtest/gtest.h>

#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

TrackState untouched(const TrackName&) { return {}; }

TEST(KeptTracks, NothingChangedIsNothingKept) {
  const auto t = timeline_of_streams(3);
  const std::vector<TrackState> states(t->tracks.size());
  EXPECT_TRUE(keep_tracks(*t, states, {}, 1, untouched, {}).empty());
  EXPECT_FALSE(keep_tracks(*t, states, {}, 1.2, untouched, {}).empty());
}

TEST(KeptTracks, StandAsTheyWereLeft) {
  const auto t = timeline_of_streams(4);
  std::vector<TrackState> states(t->tracks.size());
  states[2].folded = true;
  states[3].pinned = states[5].pinned = true;
  states[4].hidden = true;
  Arrangement a;
  ASSERT_TRUE(move_track(*t, a.order, 4, -1));
  a.pinned = {5, 3};
  const auto kept = keep_tracks(*t, states, a, 1.44, untouched, {});
  EXPECT_EQ(kept.states.size(), 4U);
  const auto restored = restore_tracks(*t, kept, untouched);
  EXPECT_EQ(restored.arrangement.order, a.order);
  EXPECT_EQ(restored.arrangement.pinned, a.pinned);
  EXPECT_TRUE(restored.states[2].folded);
  EXPECT_TRUE(restored.states[4].hidden);
  EXPECT_EQ(keep_tracks(*t, restored.states, restored.arrangement, 1.44, untouched, {}), kept);
}

TEST(KeptTracks, ATrackThatIsFoldedAtFirstStaysUnfoldedWhereAPersonUnfoldedIt) {
  const auto t = timeline_of_streams(2);
  const FirstState folded = [](const TrackName& name) {
    return TrackState{name.first == TrackKind::kernels, false, false};
  };
  EXPECT_TRUE(restore_tracks(*t, {}, folded).states[2].folded);
  std::vector<TrackState> states(t->tracks.size());
  states[2].folded = true;
  const auto kept = keep_tracks(*t, states, {}, 1, folded, {});
  const auto restored = restore_tracks(*t, kept, folded);
  EXPECT_TRUE(restored.states[2].folded);
  EXPECT_FALSE(restored.states[3].folded);
}

TEST(KeptTracks, OutliveATimelineThatLeavesSomeOut) {
  const auto all = timeline_of_streams(4), some = timeline_of_streams(4, 1);
  std::vector<TrackState> states(all->tracks.size());
  states[3].pinned = true;  // stream 1
  states[4].folded = true;  // stream 2
  Arrangement a;
  ASSERT_TRUE(move_track_to(*all, a.order, 5, 2));  // streams 3, 0, 1, 2
  a.pinned = {3};
  const auto kept = keep_tracks(*all, states, a, 1, untouched, {});
  auto filtered = restore_tracks(*some, kept, untouched);
  EXPECT_EQ(filtered.arrangement.order, (TrackOrder{0, 1, 4, 2, 3}));  // streams 3, 0, 2
  EXPECT_TRUE(filtered.arrangement.pinned.empty());
  EXPECT_TRUE(filtered.states[3].folded);
  // Something is changed meanwhile.
  filtered.states[2].folded = true;
  const auto later = keep_tracks(*some, filtered.states, filtered.arrangement, 1, untouched, kept);
  const auto restored = restore_tracks(*all, later, untouched);
  EXPECT_EQ(restored.arrangement.order, a.order);
  EXPECT_EQ(restored.arrangement.pinned, a.pinned);
  EXPECT_TRUE(restored.states[2].folded);
  EXPECT_TRUE(restored.states[3].pinned);
  EXPECT_TRUE(restored.states[4].folded);
}

TEST(KeptTracks, UnknownTracksStandAfterTheOneTheyWereBuiltAfter) {
  const auto some = timeline_of_streams(4, 2), all = timeline_of_streams(4);
  Arrangement a;
  ASSERT_TRUE(move_track_to(*some, a.order, 4, 2));  // streams 3, 0, 1
  const auto kept = keep_tracks(*some, std::vector<TrackState>(5), a, 1, untouched, {});
  const auto restored = restore_tracks(*all, kept, untouched);
  EXPECT_EQ(restored.arrangement.order, (TrackOrder{0, 1, 5, 2, 3, 4}));
}

TEST(KeptTracks, AHostileFileMakesNoTrackStandTwiceOrOutsideItsProcess) {
  const auto t = timeline_of_streams(3);
  KeptTracks kept;
  const auto name = [&](std::size_t i) { return TrackName{t->tracks[i].kind, t->tracks[i].key}; };
  kept.order = {name(4), name(4), name(0), {TrackKind::api, {9, 9, 9, 9}}, name(1), name(2)};
  kept.pinned = {name(2), name(2), name(1)};
  kept.states[name(1)].pinned = true;
  kept.states[name(2)].pinned = true;
  const auto restored = restore_tracks(*t, kept, untouched);
  EXPECT_EQ(restored.arrangement.order, (TrackOrder{0, 1, 4, 2, 3}));
  EXPECT_EQ(restored.arrangement.pinned, (std::vector<int>{2}));
  EXPECT_FALSE(restored.states[1].pinned);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
