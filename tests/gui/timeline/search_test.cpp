#include "gui/timeline/search.h"

#include <gtest/gtest.h>

#include "gui/timeline/density.h"
#include "gui/timeline/hit.h"
#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui::timeline {
namespace {

struct Search : testing::Test {
  Search() {
    p.call(5, 9);
    p.nvtx(0, 100, "gemm range");
    p.kernel(10, 20, "gemm");
    p.kernel(30, 40, "pointwise");
    p.kernel(50, 60, "gemm");
    p.copy(70, 80, 1, 100);
    timeline = build_timeline(p.finish());
  }
  SearchResult find(const std::string& text) {
    return search(*timeline,
                  [&](std::string_view name) { return name.find(text) != std::string_view::npos; })
        .value();
  }
  SmallProfile p;
  std::shared_ptr<const Timeline> timeline;
};

TEST_F(Search, CountsEveryKindOfHit) {
  EXPECT_EQ(find("gemm").hits, 3);
  EXPECT_EQ(find("LSTM 2x1024").hits, 1);
  EXPECT_EQ(find("host to device").hits, 1);
  EXPECT_EQ(find("nothing").hits, 0);
}

TEST_F(Search, StepsThroughHitsInTheOrderOfTimeAndGoesRound) {
  const auto result = find("gemm");
  std::vector<Item> order;
  Item at;
  for (int i = 0; i < 4; ++i) {
    at = next_hit(*timeline, result, at, -1, 1).value();
    order.push_back(at);
  }
  EXPECT_EQ(
      order,
      (std::vector<Item>{
          {ItemKind::nvtx, 0}, {ItemKind::kernel, 0}, {ItemKind::kernel, 2}, {ItemKind::nvtx, 0}}));
  EXPECT_EQ(next_hit(*timeline, result, {ItemKind::nvtx, 0}, 0, -1), (Item{ItemKind::kernel, 2}));
  EXPECT_EQ(next_hit(*timeline, result, {}, 25, 1), (Item{ItemKind::kernel, 2}));
  EXPECT_EQ(next_hit(*timeline, result, {}, 25, -1), (Item{ItemKind::kernel, 0}));
  EXPECT_FALSE(next_hit(*timeline, find("nothing"), {}, 0, 1));
}

TEST_F(Search, HitsHaveNumbers) {
  const auto result = find("gemm");
  EXPECT_EQ(hit_number(*timeline, result, {ItemKind::nvtx, 0}), 1);
  EXPECT_EQ(hit_number(*timeline, result, {ItemKind::kernel, 2}), 3);
  EXPECT_EQ(hit_number(*timeline, result, {ItemKind::kernel, 1}), 0);
}

TEST_F(Search, CanBeStopped) {
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(search(*timeline, [](std::string_view) { return true; }, source.get_token()));
}

// However many spans share a pixel, those with a hit among them are marked, and no others.
TEST(LaneHits, AHitIsSeenInAMergedPixel) {
  SmallProfile p;
  constexpr std::int64_t count = 100'000, rare = 71'234;
  for (std::int64_t i = 0; i < count; ++i)
    p.kernel(i * 100, i * 100 + 60, i == rare ? "needle" : "hay");
  const auto timeline = build_timeline(p.finish());
  const auto result = search(*timeline, [](std::string_view name) { return name == "needle"; });
  ASSERT_EQ(result->hits, 1);
  const auto place = place_of(*timeline, {ItemKind::kernel, static_cast<int>(rare)});
  const auto& lane = timeline->tracks[static_cast<std::size_t>(place->track)]
                         .lanes[static_cast<std::size_t>(place->lane)];
  const LaneHits* hits = result->lane(place->track, place->lane);
  ASSERT_NE(hits, nullptr);
  EXPECT_EQ(hits->count(), 1);
  for (const double width : {100.0, 997.0, 4000.0}) {
    Picture picture;
    const Scale scale{timeline->range, width};
    draw_lane(lane.spans, *lane.pyramid, scale, picture, hits);
    int marked = 0;
    for (std::size_t x = 0; x < picture.columns.size(); ++x) {
      if (!picture.columns[x].hit) continue;
      ++marked;
      EXPECT_NEAR(static_cast<double>(x), scale.x_of(rare * 100), 1.001) << width;
    }
    EXPECT_EQ(marked, 1) << width;
    // A frame costs what it did before.
    EXPECT_LT(picture.visited, static_cast<std::int64_t>(width) * 60);
  }
  const auto none = search(*timeline, [](std::string_view) { return false; });
  EXPECT_EQ(none->lane(place->track, place->lane), nullptr);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
