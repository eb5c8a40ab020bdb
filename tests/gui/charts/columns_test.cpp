#include <gtest/gtest.h>

#include <QFont>

#include "gui/charts/chart.h"

namespace rnnadvisor::gui {
namespace {

chart::Columns some_columns() {
  chart::Columns columns;
  for (const double value : {900.0, 10.0, 20.0, 40.0}) {
    chart::Columns::Column column;
    column.value = value;
    column.ink = {chart::Ink::series, 0};
    column.hint = "step of " + std::to_string(static_cast<int>(value));
    column.link = "view:timeline";
    columns.columns.push_back(column);
  }
  columns.columns[0].aside = true;
  columns.columns[3].marked = true;
  columns.middle = 20;
  columns.middle_note = "median 20";
  return columns;
}

TEST(ColumnsChart, HeightsAreProportionalButOfWhatStandsAside) {
  const auto columns = some_columns();
  const auto scene = columns.scene(canvas_of(400, QFont()));
  std::vector<double> heights;
  std::vector<double> lefts;
  for (const auto& item : scene.items) {
    if (item.hint.empty()) continue;
    EXPECT_EQ(item.link, "view:timeline");
    heights.push_back(std::abs(item.points[1].y - item.points[0].y));
    lefts.push_back(item.points[0].x);
    for (const auto& point : item.points) {
      EXPECT_GE(point.y, 0);
      EXPECT_LE(point.y, scene.height);
    }
  }
  ASSERT_EQ(heights.size(), 4U);  // one each, so that the keyboard comes to each
  EXPECT_TRUE(std::is_sorted(lefts.begin(), lefts.end()));
  EXPECT_NEAR(heights[2] / heights[1], 2, 0.01);
  EXPECT_NEAR(heights[3] / heights[1], 4, 0.01);
  EXPECT_NEAR(heights[0], heights[3], 0.01);  // cut at the highest of the others
  EXPECT_NE(columns.description().find("step of 40"), std::string::npos);
  EXPECT_EQ(columns.description().find("step of 10"), std::string::npos);
}

TEST(ColumnsChart, ThousandsFitIntoAnyWidth) {
  chart::Columns columns;
  columns.columns.resize(3000);
  for (auto& column : columns.columns) column.value = 1;
  for (const double width : {100.0, 500.0, 2000.0})
    for (const auto& item : columns.scene(canvas_of(width, QFont())).items)
      for (const auto& point : item.points) EXPECT_LE(point.x, width + 1);
}

}  // namespace
}  // namespace rnnadvisor::gui
