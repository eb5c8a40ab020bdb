#include "gui/timeline/hit.h"

#include <gtest/gtest.h>

#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

struct Hit : testing::Test {
  Hit() {
    const int call = p.call(0, 90);
    p.kernel(100, 200, "a", 3, call, 1);
    p.kernel(200, 210, "b", 3, call, 2);
    p.kernel(300, 302, "c", 3);
    p.kernel(303, 304, "d", 3);
    p.api(10, 20, "cudaLaunchKernel", 1);
    p.api(20, 30, "cudaLaunchKernel", 2);
    timeline = build_timeline(p.finish());
    for (const auto& track : timeline->tracks) {
      if (track.kind == TrackKind::kernels) kernels = &track.lanes[0].spans;
    }
  }
  SmallProfile p;
  std::shared_ptr<const Timeline> timeline;
  const Spans* kernels = nullptr;
};

TEST_F(Hit, ASpanIsFoundByItsTimes) {
  EXPECT_EQ(span_at(*kernels, 100, 0), 0U);
  EXPECT_EQ(span_at(*kernels, 199, 0), 0U);
  EXPECT_EQ(span_at(*kernels, 200, 0), 1U);
  EXPECT_FALSE(span_at(*kernels, 250, 0));
  EXPECT_FALSE(span_at(*kernels, 99, 0));
}

TEST_F(Hit, WhatIsThinnerThanAPixelCanBeHit) {
  EXPECT_EQ(span_at(*kernels, 302, 5), 2U);
  EXPECT_EQ(span_at(*kernels, 310, 7), 3U);
}

TEST_F(Hit, AGapKnowsItsEnds) {
  const TimeRange limits{0, 1000};
  EXPECT_EQ(gap_at(*kernels, 250, limits), (TimeRange{210, 300}));
  EXPECT_EQ(gap_at(*kernels, 50, limits), (TimeRange{0, 100}));
  EXPECT_EQ(gap_at(*kernels, 500, limits), (TimeRange{304, 1000}));
  EXPECT_FALSE(gap_at(*kernels, 150, limits));
}

TEST_F(Hit, EveryItemIsFoundWhereItIsShown) {
  for (int i = 0; i < 4; ++i) {
    const auto place = place_of(*timeline, {ItemKind::kernel, i});
    ASSERT_TRUE(place);
    const auto& track = timeline->tracks[static_cast<std::size_t>(place->track)];
    EXPECT_EQ(item_of(track, track.lanes[static_cast<std::size_t>(place->lane)], place->span),
              (Item{ItemKind::kernel, i}));
  }
  EXPECT_FALSE(place_of(*timeline, {}));
  EXPECT_FALSE(place_of(*timeline, {ItemKind::finding, 0}));
}

TEST_F(Hit, StepsAlongTheTrackEndAtItsEnds) {
  EXPECT_EQ(neighbour(*timeline, {ItemKind::kernel, 0}, 1), (Item{ItemKind::kernel, 1}));
  EXPECT_EQ(neighbour(*timeline, {ItemKind::kernel, 2}, -1), (Item{ItemKind::kernel, 1}));
  EXPECT_EQ(neighbour(*timeline, {ItemKind::kernel, 0}, -1), (Item{ItemKind::kernel, 0}));
  EXPECT_EQ(neighbour(*timeline, {ItemKind::kernel, 3}, 1), (Item{ItemKind::kernel, 3}));
}

TEST_F(Hit, StepsGoThroughLanesThatOverlap) {
  SmallProfile overlapping;
  for (int i = 0; i < 6; ++i) overlapping.kernel(i * 10, i * 10 + 25, "k");
  const auto t = build_timeline(overlapping.finish());
  Item item{ItemKind::kernel, 0};
  for (int i = 1; i < 6; ++i) {
    item = neighbour(*t, item, 1);
    EXPECT_EQ(item.index, i);
  }
}

TEST_F(Hit, TheTracksAboveAndBelowAreReached) {
  const Item above = beside(*timeline, {ItemKind::kernel, 0}, -1);
  EXPECT_EQ(above, (Item{ItemKind::call, 0}));
  EXPECT_EQ(beside(*timeline, above, 1).kind, ItemKind::kernel);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
