#include <gtest/gtest.h>

#include <QImage>
#include <QKeyEvent>
#include <QSignalSpy>
#include <QTest>

#include "gui/charts/chart.h"

namespace rnnadvisor::gui {
namespace {

using chart::Ink;

std::vector<ChartHit> paint(const chart::Chart& chart, QSize size, QImage* image = nullptr,
                            const Theme& theme = light_theme()) {
  QImage own(size, QImage::Format_ARGB32_Premultiplied);
  own.fill(theme.panel);
  QPainter painter(&own);
  const auto hits =
      gui::paint(painter, chart.scene(canvas_of(size.width(), QFont())), {theme, QFont()});
  painter.end();
  if (image != nullptr) *image = own;
  return hits;
}

chart::Bars two_rows() {
  chart::Bars bars;
  bars.rows = {
      {"a",
       "8 ms",
       {{6, {Ink::series, 0}, "x", "6 ms", "view:rules"}, {2, {Ink::series, 1}, "y", "2 ms"}}},
      {"b", "4 ms", {{4, {Ink::series, 0}, "x", "4 ms"}}}};
  return bars;
}

TEST(Bars, LengthsAreProportional) {
  for (const auto& theme : {light_theme(), dark_theme()}) {
    QImage image;
    const auto hits = paint(two_rows(), {600, 120}, &image, theme);
    ASSERT_EQ(hits.size(), 3U);
    EXPECT_NEAR(hits[0].area.width() / hits[1].area.width(), 3, 0.01);
    EXPECT_NEAR(hits[0].area.width() / hits[2].area.width(), 1.5, 0.01);
    EXPECT_NEAR(hits[0].area.right(), hits[1].area.left(), 0.01);
    EXPECT_GT(hits[2].area.top(), hits[0].area.bottom());
    EXPECT_EQ(image.pixel(hits[1].area.topLeft().toPoint() + QPoint(8, 2)), theme.series(1).rgb());
  }
}

TEST(Bars, WhatIsThereIsSeen) {
  chart::Bars bars;
  bars.rows = {{{}, {}, {{1e9, {Ink::series, 0}, {}, "1"}, {1, {Ink::series, 1}, {}, "2"}}}};
  const auto hits = paint(bars, {400, 60});
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_GE(hits[0].area.width() + hits[1].area.width(), 300);
}

TEST(Bars, AWholeOfItsOwn) {
  chart::Bars bars = two_rows();
  bars.rows[1].whole = 8;
  const auto hits = paint(bars, {600, 120});
  EXPECT_NEAR(hits[0].area.width() / hits[2].area.width(), 1.5, 0.01);
}

TEST(Charts, NothingToShowIsNoCrash) {
  for (const QSize size : {QSize(1, 1), QSize(30, 20), QSize(600, 300)}) {
    paint(chart::Bars(), size);
    paint(chart::Lines(), size);
    paint(chart::Roofline(), size);
    paint(two_rows(), size);
    chart::Lines lines;
    lines.series = {{"s", {Ink::series, 0}, 0, {{1, 0, 0, 0}}}};
    paint(lines, size);
    lines.log_y = true;
    paint(lines, size);
  }
}

TEST(Lines, LargerIsHigherAndLaterIsToTheRight) {
  chart::Lines lines;
  lines.series = {{"s", {Ink::series, 0}, 0, {{8, 1, 0.9, 1.1, "one"}, {16, 3, 0, 0, "three"}}}};
  for (const bool log : {false, true}) {
    lines.log_y = log;
    const auto hits = paint(lines, {500, 300});
    ASSERT_EQ(hits.size(), 2U);
    EXPECT_LT(hits[1].area.top(), hits[0].area.top());
    EXPECT_GT(hits[1].area.left(), hits[0].area.left());
  }
}

TEST(Roofline, TheRoofBendsAtTheRidge) {
  chart::Roofline roofline;
  roofline.peak_flops = 100;
  roofline.bandwidth = 10;
  EXPECT_DOUBLE_EQ(roofline.roof(5), 50);
  EXPECT_DOUBLE_EQ(roofline.roof(10), 100);
  EXPECT_DOUBLE_EQ(roofline.roof(1000), 100);
}

// Phases of one call have nearly one intensity: which is which, colours and a legend say.
TEST(Roofline, MarksStandAtTheirRateAndInALegend) {
  chart::Roofline roofline;
  roofline.peak_flops = 800e12;
  roofline.bandwidth = 4e12;
  roofline.marks = {{1000, 50e12, "forward training", {Ink::series, 0}},
                    {1000, 0, "backward data", {Ink::series, 1}}};
  QImage image;
  const auto hits = paint(roofline, {500, 320}, &image);
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_GT(hits[0].area.top(), hits[1].area.bottom());  // below the roof, where the other stands
  const auto color = [&](const ChartHit& hit) {
    return image.pixelColor(hit.area.center().toPoint());
  };
  EXPECT_EQ(color(hits[0]), light_theme().series(0));
  EXPECT_NE(color(hits[1]), light_theme().series(1));  // a ring
  const auto tall = [&] { return roofline.scene(canvas_of(400, QFont())).height; };
  const double with = tall();
  roofline.marks.clear();
  EXPECT_LT(tall(), with);
}

TEST(ChartWidget, KeyboardReachesWhatTheMouseReaches) {
  ChartWidget widget;
  widget.resize(600, 120);
  widget.set_chart(std::make_unique<chart::Bars>(two_rows()));
  widget.show();
  widget.grab();
  QSignalSpy spy(&widget, &ChartWidget::link_activated);
  QTest::mouseClick(&widget, Qt::LeftButton, {}, widget.hits().front().area.center().toPoint());
  EXPECT_EQ(spy.count(), 1);
  QTest::keyClick(&widget, Qt::Key_Right);
  QTest::keyClick(&widget, Qt::Key_Return);
  EXPECT_EQ(spy.count(), 2);
  EXPECT_EQ(spy.at(1).at(0).toString(), QStringLiteral("view:rules"));
  EXPECT_TRUE(widget.accessibleDescription().contains(QStringLiteral("6 ms")));
}

}  // namespace
}  // namespace rnnadvisor::gui
