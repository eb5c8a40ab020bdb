#include "advisor/report/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rnnadvisor::advisor::chart {
namespace {

TEST(Scale, MapsTheEndsAndTheMiddle) {
  const Scale linear{ScaleKind::linear, 0, 10, 100, 0};
  EXPECT_DOUBLE_EQ(linear(0), 100);
  EXPECT_DOUBLE_EQ(linear(10), 0);
  EXPECT_DOUBLE_EQ(linear(5), 50);
  const Scale log2{ScaleKind::log2, 8, 512, 0, 60};
  EXPECT_DOUBLE_EQ(log2(8), 0);
  EXPECT_DOUBLE_EQ(log2(64), 30);
  EXPECT_DOUBLE_EQ(log2(512), 60);
  const Scale log10{ScaleKind::log10, 1, 100, 0, 2};
  EXPECT_DOUBLE_EQ(log10(10), 1);
}

TEST(Scale, WhatHasNoLogarithmGoesToTheNearEnd) {
  const Scale log10{ScaleKind::log10, 1, 100, 7, 9};
  EXPECT_DOUBLE_EQ(log10(0), 7);
  EXPECT_DOUBLE_EQ(log10(-3), 7);
}

TEST(Scale, OneValueStandsInTheMiddle) {
  const Scale flat{ScaleKind::linear, 3, 3, 0, 10};
  EXPECT_DOUBLE_EQ(flat(3), 5);
}

TEST(LinearAxis, StepsAreOneTwoOrFive) {
  EXPECT_EQ(linear_axis(4.2, 5, 0, 1).ticks, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(linear_axis(10, 5, 0, 1).ticks, (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(linear_axis(37, 4, 0, 1).ticks, (std::vector<double>{0, 10, 20, 30, 40}));
  const auto small = linear_axis(0.0031, 5, 0, 1);
  EXPECT_GE(small.scale.high, 0.0031);
  EXPECT_LE(small.ticks.size(), 6U);
}

TEST(LinearAxis, HoldsForEverySize) {
  for (double most = 1e-6; most < 1e9; most *= 1.37) {
    for (const int count : {3, 5, 8}) {
      const auto axis = linear_axis(most, count, 0, 100);
      ASSERT_GE(axis.ticks.back(), most * (1 - 1e-9)) << most;
      ASSERT_LE(axis.ticks.size(), static_cast<std::size_t>(count) + 1) << most;
      ASSERT_GE(axis.ticks.size(), 2U);
      ASSERT_EQ(axis.ticks.size(), axis.labels.size());
      ASSERT_GT(axis.ticks[1], 0);
    }
  }
}

TEST(LinearAxis, NonsenseGivesAnAxisAllTheSame) {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(linear_axis(bad, 5, 0, 1).ticks.back(), 1);
  }
}

TEST(LogAxis, BeginsAndEndsOnTicks) {
  const auto axis = log10_axis(3, 42000, 0, 1);
  EXPECT_DOUBLE_EQ(axis.scale.low, 2);
  EXPECT_DOUBLE_EQ(axis.scale.high, 50000);
  EXPECT_EQ(axis.labels[0], "");  // 2: no room for it over four decades
  EXPECT_EQ(axis.labels[2], "10");
  const auto narrow = log10_axis(1, 10, 0, 1);
  EXPECT_EQ(narrow.ticks, (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(narrow.labels, (std::vector<std::string>{"1", "2", "5", "10"}));
  const auto below_one = log10_axis(0.03, 0.04, 0, 1);
  EXPECT_DOUBLE_EQ(below_one.scale.low, 0.02);
  EXPECT_DOUBLE_EQ(below_one.scale.high, 0.2);
}

TEST(LogAxis, HoldsForEveryRange) {
  for (double least = 1e-7; least < 1e7; least *= 3.7) {
    for (const double factor : {1.0, 1.9, 10.0, 33.0, 1e4}) {
      const auto axis = log10_axis(least, least * factor, 0, 1);
      ASSERT_LE(axis.ticks.front(), least * (1 + 1e-6));
      ASSERT_GE(axis.ticks.back(), least * factor * (1 - 1e-6));
      ASSERT_GE(axis.ticks.back() / axis.ticks.front(), 10 * (1 - 1e-9));
      ASSERT_TRUE(std::is_sorted(axis.ticks.begin(), axis.ticks.end()));
      ASSERT_EQ(axis.ticks.size(), axis.labels.size());
    }
  }
}

TEST(LogAxis, NonsenseGivesOneDecade) {
  EXPECT_DOUBLE_EQ(log10_axis(0, 10, 0, 1).scale.low, 1);
  EXPECT_DOUBLE_EQ(log10_axis(-1, std::numeric_limits<double>::infinity(), 0, 1).scale.high, 10);
}

TEST(ValueAxis, TicksAreTheValuesAndLabelsKeepTheirDistance) {
  const std::vector<double> values = {8, 512, 16, 32, 64, 96, 128, 256, 8};
  const auto axis = value_axis(ScaleKind::log2, values, 0, 600, 30);
  EXPECT_EQ(axis.ticks, (std::vector<double>{8, 16, 32, 64, 96, 128, 256, 512}));
  double last = -1e9;
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    if (axis.labels[i].empty()) continue;
    EXPECT_GE(axis.scale(axis.ticks[i]) - last, 30);
    last = axis.scale(axis.ticks[i]);
  }
  EXPECT_EQ(axis.labels.front(), "8");
  EXPECT_EQ(axis.labels.back(), "512");
  const auto tight = value_axis(ScaleKind::log2, values, 0, 100, 60);
  EXPECT_EQ(tight.labels.front(), "8");
  EXPECT_EQ(tight.labels.back(), "512");
  EXPECT_EQ(tight.labels[4], "");
}

TEST(ValueAxis, NoValues) {
  EXPECT_EQ(value_axis(ScaleKind::linear, {}, 0, 1, 1).ticks.size(), 1U);
}

TEST(Doubles, SizesThatGrowByDoubling) {
  EXPECT_TRUE(doubles(std::vector<double>{8, 16, 32, 64, 96, 128, 256, 512}));
  EXPECT_TRUE(doubles(std::vector<double>{512, 8, 8, 16, 32, 64, 128, 256}));
  EXPECT_FALSE(
      doubles(std::vector<double>{256, 512, 768, 896, 1000, 1024, 1152, 1280, 1536, 2048}));
  EXPECT_FALSE(doubles(std::vector<double>{1, 10, 100}));
  EXPECT_FALSE(doubles(std::vector<double>{4, 8}));
  EXPECT_FALSE(doubles(std::vector<double>{0, 1, 2}));
  EXPECT_FALSE(doubles({}));
}

TEST(TickLabel, ReadsWell) {
  EXPECT_EQ(tick_label(0), "0");
  EXPECT_EQ(tick_label(0.25), "0.25");
  EXPECT_EQ(tick_label(1024), "1024");
  EXPECT_EQ(tick_label(20000), "20\u202F000");
  EXPECT_EQ(tick_label(1e6), "1e+06");
  EXPECT_EQ(tick_label(1e-5), "1e-05");
}

TEST(Spread, KeepsOrderGapAndRange) {
  const std::vector<double> wanted = {50, 52, 51, 10, 99};
  const auto placed = spread(wanted, 10, 0, 100);
  ASSERT_EQ(placed.size(), wanted.size());
  EXPECT_DOUBLE_EQ(placed[3], 10);  // alone, so it stays
  EXPECT_LE(placed[0] + 10, placed[2] + 1e-9);
  EXPECT_LE(placed[2] + 10, placed[1] + 1e-9);
  EXPECT_NEAR((placed[0] + placed[1] + placed[2]) / 3, 51,
              1e-9);  // a cluster stays around where it wants to be
  EXPECT_LE(placed[4], 100);
}

TEST(Spread, AtTheEdges) {
  const auto placed = spread(std::vector<double>{0, 0, 0}, 10, 0, 100);
  EXPECT_EQ(placed, (std::vector<double>{0, 10, 20}));
  const auto low = spread(std::vector<double>{100, 100, 99}, 10, 0, 100);
  EXPECT_DOUBLE_EQ(low[2], 80);
  EXPECT_DOUBLE_EQ(low[1], 100);
  EXPECT_TRUE(spread({}, 10, 0, 1).empty());
}

TEST(Spread, RandomPositionsNeverOverlap) {
  unsigned state = 1;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> wanted;
    for (int i = 0; i < 8; ++i)
      wanted.push_back(static_cast<double>((state = state * 1664525U + 1013904223U) >> 16U) /
                       655.36);
    auto placed = spread(wanted, 9, 0, 100);
    std::sort(placed.begin(), placed.end());
    EXPECT_GE(placed.front(), -1e-9);
    EXPECT_LE(placed.back(), 100 + 1e-9);
    for (std::size_t i = 1; i < placed.size(); ++i) ASSERT_GE(placed[i] - placed[i - 1], 9 - 1e-9);
  }
}

TEST(Coordinate, IsShortAndNeverOdd) {
  EXPECT_EQ(coordinate(1.5), "1.5");
  EXPECT_EQ(coordinate(2), "2");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(1.0 / 3), "0.33");
  EXPECT_EQ(coordinate(std::numeric_limits<double>::infinity()), "0");
  EXPECT_EQ(coordinate(std::nan("")), "0");
  EXPECT_EQ(coordinate(1e7), "10000000");
}

}  // namespace
}  // namespace rnnadvisor::advisor::chart
