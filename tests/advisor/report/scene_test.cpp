// Charts as scenes, at any width: what both the HTML report and the window draw.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "advisor/report/charts.h"
#include "tests/advisor/report/fixture.h"

namespace rnnadvisor::advisor::chart {
namespace {

Canvas canvas_of(double width) {
  Canvas canvas;
  canvas.width = width;
  canvas.measure = [](std::string_view text, bool bold) {
    return (bold ? 7.0 : 6.4) * static_cast<double>(text.size());
  };
  return canvas;
}

// Nothing is drawn beside the scene, where a renderer would cut it off.
void expect_inside(const Scene& scene, const Canvas& canvas) {
  constexpr double slack = 13;  // a tick at the end of an axis stands half outside of the plot
  for (const auto& item : scene.items) {
    double left = 1e9, right = -1e9;
    for (const auto& p : item.points) {
      left = std::min(left, p.x);
      right = std::max(right, p.x);
      EXPECT_GE(p.y, -1) << item.text;
      EXPECT_LE(p.y, scene.height + 1) << item.text;
    }
    if (item.shape == Item::label) {
      const double width = canvas.width_of(item.text, item.bold);
      if (item.anchor == Anchor::start) right += width;
      if (item.anchor == Anchor::end) left -= width;
    }
    EXPECT_GE(left, -slack) << item.text;
    EXPECT_LE(right, scene.width + slack) << item.text;
  }
}

TEST(Scenes, StayInsideAtAnyWidth) {
  const auto judged = fixture::sweep();
  const auto report = judged->report();
  int drawn = 0;
  const auto check = [&](const Chart& chart) {
    for (const double width : {420.0, 560.0, 760.0, 1400.0}) {
      SCOPED_TRACE(chart.description() + " at " + std::to_string(width));
      const Canvas canvas = canvas_of(width);
      expect_inside(chart.scene(canvas), canvas);
      ++drawn;
    }
  };
  for (const auto& each : report.configurations) {
    if (const auto bars = phase_times(each)) check(*bars);
    if (const auto marks = roofline(each)) check(*marks);
    if (const auto bars = memory(each)) check(*bars);
  }
  for (const auto& figure : report.figures)
    for (const auto& each : figure_charts(figure)) check(each.lines);
  EXPECT_GT(drawn, 20);
}

// Each phase that was timed is found once, by pointer or keyboard, and said.
TEST(Scenes, EveryPhaseIsFoundOnce) {
  const auto judged = fixture::sweep();
  const auto report = judged->report();
  int found = 0;
  for (const auto& each : report.configurations) {
    const auto bars = phase_times(each);
    if (!bars) continue;
    const auto scene = bars->scene(canvas_of(560));
    std::set<std::string> hints;
    for (const auto& item : scene.items)
      if (!item.hint.empty()) {
        EXPECT_TRUE(hints.insert(item.hint).second) << item.hint;
      }
    EXPECT_EQ(hints.size(), bars->rows.size());
    found += static_cast<int>(hints.size());
  }
  EXPECT_GT(found, 3);
}

TEST(Scenes, MarksOfSeriesDifferWithoutColour) {
  std::set<std::vector<std::pair<double, double>>> outlines;
  std::set<int> dashes;
  for (int series = 0; series < 4; ++series) {
    std::vector<std::pair<double, double>> outline;
    for (const auto& p : mark_outline(series, {})) outline.emplace_back(p.x, p.y);
    EXPECT_TRUE(outlines.insert(outline).second) << series;
    EXPECT_TRUE(dashes.insert(dash_of_series(static_cast<std::size_t>(series))).second) << series;
  }
}

TEST(Bars, PartsOfTheMemoryAreTheWhole) {
  const auto judged = fixture::sweep();
  const auto report = judged->report();
  for (const auto& each : report.configurations) {
    std::int64_t sum = 0;
    for (const auto& part : memory_parts(each.memory)) sum += part.bytes;
    EXPECT_EQ(sum, each.memory.total);
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor::chart
