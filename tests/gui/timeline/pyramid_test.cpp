#include "gui/timeline/pyramid.h"

#include <gtest/gtest.h>

#include <random>

#include "gui/timeline/density.h"

namespace rnnadvisor::gui::timeline {
namespace {

struct Columns {
  std::vector<std::int64_t> start, end;
  std::vector<ColorId> color;
  Spans spans() const {
    return {start.data(),
            end.data(),
            color.data(),
            nullptr,
            0,
            static_cast<std::uint32_t>(start.size()),
            0};
  }
};

Columns random_columns(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Columns c;
  std::int64_t time = 1'790'000'000'000'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    time += static_cast<std::int64_t>(random() % 5000) * (random() % 97 == 0 ? 1000 : 1);
    c.start.push_back(time);
    time += static_cast<std::int64_t>(random() % 9000);
    c.end.push_back(time);
    c.color.push_back(static_cast<ColorId>(random() % 3));
  }
  return c;
}

Occupancy counted(const Columns& c, TimeRange range) {
  Occupancy sum;
  for (std::size_t i = 0; i < c.start.size(); ++i) {
    const auto begin = std::max(c.start[i], range.begin_ns), end = std::min(c.end[i], range.end_ns);
    const bool mark = c.start[i] == c.end[i] && range.contains(c.start[i]);
    if (end <= begin && !mark) continue;
    ++sum.count;
    sum.busy_ns += end - begin;
  }
  return sum;
}

TEST(Pyramid, OccupancyIsThatOfCountingOneByOne) {
  for (const std::size_t count : {0U, 1U, 16U, 17U, 256U, 257U, 5000U}) {
    const auto c = random_columns(count, static_cast<unsigned>(count));
    const Spans spans = c.spans();
    const Pyramid pyramid(spans);
    std::mt19937_64 random(2);
    const std::int64_t first = count > 0 ? c.start.front() : 0;
    const std::int64_t length = count > 0 ? c.end.back() - first + 1000 : 1000;
    for (int i = 0; i < 200; ++i) {
      auto a =
          first - 500 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
      auto b =
          first - 500 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
      if (a > b) std::swap(a, b);
      const auto expected = counted(c, {a, b}), found = occupancy(spans, pyramid, {a, b});
      EXPECT_EQ(found.count, expected.count);
      EXPECT_EQ(found.busy_ns, expected.busy_ns);
    }
  }
}

TEST(Pyramid, CostsAboutTwoBytesASpan) {
  const auto c = random_columns(100'000, 1);
  EXPECT_LT(Pyramid(c.spans()).bytes(), 220'000U);
}

TEST(Pyramid, AWholeOfOneColourHasIt) {
  auto c = random_columns(1000, 3);
  c.color.assign(1000, 7);
  const Pyramid pyramid(c.spans());
  EXPECT_EQ(pyramid.node(pyramid.levels(), 0).color, 7);
}

double painted(const Picture& picture) {
  double sum = 0;
  for (const auto& column : picture.columns) sum += static_cast<double>(column.covered);
  for (const auto& bar : picture.bars) sum += bar.end - bar.begin;
  return sum;
}

TEST(Density, PaintsTheTimeThatThereIsAtEveryZoom) {
  const auto c = random_columns(50'000, 4);
  const Spans spans = c.spans();
  const Pyramid pyramid(spans);
  Picture picture;
  const auto middle = c.start[25'000];
  for (std::int64_t length = 2000; length < c.end.back() - c.start.front(); length *= 3) {
    const Scale scale{{middle, middle + length}, 1600};
    draw_lane(spans, pyramid, scale, picture);
    const double expected =
        static_cast<double>(counted(c, scale.visible).busy_ns) * scale.pixels_per_ns();
    // Summaries at the two edges may reach a pixel outside.
    EXPECT_NEAR(painted(picture), expected, 2.5) << length;
  }
}

TEST(Density, NothingVanishes) {
  // One kernel of a microsecond in the middle of an hour.
  Columns c;
  const std::int64_t hour = 3'600'000'000'000;
  c.start = {hour / 2};
  c.end = {hour / 2 + 1000};
  c.color = {5};
  Picture picture;
  draw_lane(c.spans(), Pyramid(c.spans()), {{0, hour}, 1000}, picture);
  EXPECT_TRUE(picture.columns[500].any);
  EXPECT_EQ(picture.columns[500].color, 5);
  EXPECT_GT(opacity(picture.columns[500]), 0.25);
  EXPECT_EQ(opacity(picture.columns[499]), 0);
  // A mark, which has no duration at all.
  c.end = c.start;
  draw_lane(c.spans(), Pyramid(c.spans()), {{0, hour}, 1000}, picture);
  EXPECT_GT(opacity(picture.columns[500]), 0.25);
}

TEST(Density, EverySpanIsSeenWhereItIsBeAloneOrSummarised) {
  const auto c = random_columns(20'000, 6);
  const Spans spans = c.spans();
  Picture picture;
  const Scale scale{{c.start.front(), c.end.back() + 1}, 700};
  draw_lane(spans, Pyramid(spans), scale, picture);
  std::vector<bool> seen(700);
  for (std::size_t x = 0; x < 700; ++x) seen[x] = picture.columns[x].any;
  for (const auto& bar : picture.bars) {
    for (int x = bar.begin; x < bar.end; ++x) seen[static_cast<std::size_t>(x)] = true;
  }
  for (std::size_t i = 0; i < c.start.size(); ++i) {
    const auto x = static_cast<std::size_t>(scale.x_of(c.start[i]));
    EXPECT_TRUE(seen[x] || (x > 0 && seen[x - 1]) || seen[x + 1]) << i;
  }
}

TEST(Density, TheCostOfAFrameDependsOnPixelsNotOnSpans) {
  Picture picture;
  std::int64_t most = 0;
  for (const std::size_t count : {20'000U, 200'000U, 2'000'000U}) {
    const auto c = random_columns(count, 8);
    const Spans spans = c.spans();
    const Pyramid pyramid(spans);
    for (double share = 1; share > 1e-4; share /= 3) {
      const auto length = static_cast<double>(c.end.back() - c.start.front());
      const auto end = c.start.front() + static_cast<std::int64_t>(length * share);
      draw_lane(spans, pyramid, {{c.start.front(), end}, 1000}, picture);
      most = std::max(most, picture.visited);
    }
  }
  EXPECT_LT(most, 1000 * 2 * static_cast<std::int64_t>(Pyramid::fanout) * 3);
}

TEST(Density, WideSpansAreBarsThatTouchWhatTheyTouch) {
  Columns c;
  c.start = {0, 400, 500};
  c.end = {300, 500, 505};
  c.color = {1, 2, 3};
  Picture picture;
  draw_lane(c.spans(), Pyramid(c.spans()), {{0, 1000}, 100}, picture);
  ASSERT_EQ(picture.bars.size(), 2U);
  EXPECT_EQ(picture.bars[0].begin, 0);
  EXPECT_EQ(picture.bars[0].end, 30);
  EXPECT_EQ(picture.bars[1].begin, 40);
  EXPECT_EQ(picture.bars[1].end, 50);
  EXPECT_EQ(picture.bars[1].span, 1U);
  EXPECT_NEAR(static_cast<double>(picture.columns[50].covered), 0.5, 1e-6);
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
