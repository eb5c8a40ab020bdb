#include "gui/timeline/scale.h"

#include <gtest/gtest.h>

#include <random>

#include "gui/timeline/ticks.h"

namespace rnnadvisor::gui::timeline {
namespace {

// CUPTI's clock: nanoseconds since 1970, beyond what a double can tell apart.
constexpr std::int64_t now = 1'790'000'000'123'456'789;

TEST(Scale, ANanosecondKeepsItsPixelYearsAfterTheEpoch) {
  const Scale scale{{now, now + 1000}, 2000};
  for (std::int64_t i = 0; i < 1000; ++i) {
    EXPECT_DOUBLE_EQ(scale.x_of(now + i), static_cast<double>(2 * i));
    EXPECT_EQ(scale.time_at(scale.x_of(now + i)), now + i);
  }
}

TEST(Scale, ThereAndBackIsWithinAPixelAtEveryZoom) {
  std::mt19937_64 random(1);
  for (std::int64_t length = 1000; length < 1'000'000'000'000'000'000; length *= 7) {
    const Scale scale{{now, now + length}, 1357};
    for (int i = 0; i < 50; ++i) {
      const auto time =
          now + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
      const double x = scale.x_of(time);
      EXPECT_GE(x, 0);
      EXPECT_LE(x, 1357);
      EXPECT_NEAR(scale.x_of(scale.time_at(x)), x, 1.0 + scale.pixels_per_ns()) << length;
    }
  }
}

TEST(Scale, WhatIsFarOutsideStaysJustOutside) {
  const Scale scale{{now, now + 1000}, 100};
  EXPECT_LT(scale.x_of(0), 0);
  EXPECT_GT(scale.x_of(std::numeric_limits<std::int64_t>::max()), 100);
  EXPECT_LT(scale.x_of(std::numeric_limits<std::int64_t>::max()), 1000);
}

TEST(Zoom, TheAnchorKeepsItsPixel) {
  const TimeRange limits{now, now + 60'000'000'000};
  TimeRange range = limits;
  const double share = 0.3;
  const auto anchor = now + 18'000'000'000;
  for (int i = 0; i < 100; ++i) {
    range = zoomed(range, anchor, 0.8, limits);
    const Scale scale{range, 1000};
    EXPECT_NEAR(scale.x_of(anchor), share * 1000, 1.0) << range.length();
  }
  EXPECT_EQ(range.length(), shortest_visible_ns);
}

TEST(Zoom, OutAgainEndsAtTheWhole) {
  const TimeRange limits{now, now + 5'000'000};
  TimeRange range{now + 10, now + 1500};
  for (int i = 0; i < 60; ++i) range = zoomed(range, now + 700, 1.25, limits);
  EXPECT_EQ(range, limits);
}

TEST(Zoom, NeverLeavesTheLimitsNorOverflows) {
  const TimeRange limits{0, std::numeric_limits<std::int64_t>::max()};
  TimeRange range = limits;
  for (const double factor : {1e-30, 1e30, 0.5, 2.0, 1e-3}) {
    range = zoomed(range, limits.end_ns - 1, factor, limits);
    EXPECT_GE(range.begin_ns, limits.begin_ns);
    EXPECT_LE(range.end_ns, limits.end_ns);
    EXPECT_GE(range.length(), shortest_visible_ns);
  }
}

TEST(Move, StopsAtTheEdgesWithItsLength) {
  const TimeRange limits{1000, 100000};
  EXPECT_EQ(moved({2000, 4000}, -5000, limits), (TimeRange{1000, 3000}));
  EXPECT_EQ(moved({2000, 4000}, 1'000'000, limits), (TimeRange{98000, 100000}));
  EXPECT_EQ(moved({2000, 4000}, std::numeric_limits<std::int64_t>::max(), limits),
            (TimeRange{98000, 100000}));
  EXPECT_EQ(with_margin({5000, 6000}, 0.1, limits), (TimeRange{4900, 6100}));
  EXPECT_EQ(clamped({5000, 5000}, limits).length(), shortest_visible_ns);
}

TEST(Ticks, AreRoundAndFarEnoughApart) {
  const Scale scale{{now, now + 2'000'000}, 1000};
  const auto marks = ticks(scale, now, 100);
  std::vector<std::string> labels;
  for (const auto& mark : marks)
    if (!mark.label.empty()) labels.push_back(mark.label);
  EXPECT_EQ(labels.size(), 11U);
  EXPECT_EQ(labels[0], "0 \u00b5s");
  EXPECT_EQ(labels[1], "200 \u00b5s");
  EXPECT_EQ(labels[5], "1.0 ms");
}

TEST(Ticks, ShowTheDigitsThatTheStepNeeds) {
  EXPECT_EQ(tick_label(12'345'000, 1000), "12.345 ms");
  EXPECT_EQ(tick_label(12'345'678'900, 100), "12.3456789 s");
  EXPECT_EQ(tick_label(900, 100), "900 ns");
  EXPECT_EQ(tick_label(3'000'000'000, 1'000'000'000), "3 s");
  EXPECT_EQ(tick_label(-1500, 500), "-1.5 \u00b5s");
}

}  // namespace
}  // namespace rnnadvisor::gui::timeline
