#include "gui/timeline/search.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rnnadvisor::gui::timeline
