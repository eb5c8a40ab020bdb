#include <gtest/gtest.h>

#include <QImage>
#include <QKeyEvent>
#include <QSignalSpy>
#include <QTest>

#include "gui/charts/chart.h"

namespace rnnadvisor::gui {
namespace {

std::vector<ChartHit> paint(const Chart& chart, QSize size, QImage* image = nullptr) {
  QImage own(size, QImage::Format_ARGB32_Premultiplied);
  own.fill(light_theme().panel);
  QPainter painter(&own);
  const auto hits = chart.paint(painter, own.rect(), {light_theme(), QFont()});
  painter.end();
  if (image != nullptr) *image = own;
  return hits;
}

StackedBars two_rows() {
  StackedBars bars;
  bars.rows = {
      {QStringLiteral("a"),
       QStringLiteral("8 ms"),
       {{6, Qt::red, QStringLiteral("x"), QStringLiteral("6 ms"), QStringLiteral("view:rules")},
        {2, Qt::blue, QStringLiteral("y"), QStringLiteral("2 ms"), {}}},
       {},
       0},
      {QStringLiteral("b"),
       QStringLiteral("4 ms"),
       {{4, Qt::red, QStringLiteral("x"), QStringLiteral("4 ms"), {}}},
       {},
       0}};
  return bars;
}

TEST(StackedBars, LengthsAreProportional) {
  QImage image;
  const auto hits = paint(two_rows(), {600, 120}, &image);
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_NEAR(hits[0].area.width() / hits[1].area.width(), 3, 0.01);
  EXPECT_NEAR(hits[0].area.width() / hits[2].area.width(), 1.5, 0.01);
  EXPECT_NEAR(hits[0].area.right(), hits[1].area.left(), 0.01);
  EXPECT_GT(hits[2].area.top(), hits[0].area.bottom());
  EXPECT_EQ(image.pixelColor(hits[1].area.topLeft().toPoint() + QPoint(8, 2)), QColor(Qt::blue));
}

TEST(StackedBars, WhatIsThereIsSeen) {
  StackedBars bars;
  bars.rows = {{{}, {}, {{1e9, Qt::red, {}, {}, {}}, {1, Qt::blue, {}, {}, {}}}, {}, 0}};
  const auto hits = paint(bars, {400, 60});
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_GE(hits[0].area.width() + hits[1].area.width(), 300);
}

TEST(StackedBars, AWholeOfItsOwn) {
  StackedBars bars = two_rows();
  bars.rows[1].whole = 8;
  const auto hits = paint(bars, {600, 120});
  EXPECT_NEAR(hits[0].area.width() / hits[2].area.width(), 1.5, 0.01);
}

TEST(Charts, NothingToShowIsNoCrash) {
  for (const QSize size : {QSize(1, 1), QSize(30, 20), QSize(600, 300)}) {
    paint(StackedBars(), size);
    paint(LineChart(), size);
    paint(Roofline(), size);
    paint(two_rows(), size);
    LineChart line;
    line.series = {{QStringLiteral("s"), Qt::red, {{1, 0, 0, 0, {}, {}}}}};
    paint(line, size);
    line.log_y = true;
    paint(line, size);
  }
}

TEST(LineChart, LargerIsHigherAndLaterIsToTheRight) {
  LineChart chart;
  chart.series = {
      {QStringLiteral("s"),
       Qt::red,
       {{8, 1, 0.9, 1.1, QStringLiteral("one"), {}}, {16, 3, 0, 0, QStringLiteral("three"), {}}}}};
  for (const bool log : {false, true}) {
    chart.log_y = log;
    const auto hits = paint(chart, {500, 300});
    ASSERT_EQ(hits.size(), 2U);
    EXPECT_LT(hits[1].area.top(), hits[0].area.top());
    EXPECT_GT(hits[1].area.left(), hits[0].area.left());
  }
}

TEST(Roofline, TheRoofBendsAtTheRidge) {
  Roofline chart;
  chart.peak_flops = 100;
  chart.bandwidth = 10;
  EXPECT_DOUBLE_EQ(chart.roof(5), 50);
  EXPECT_DOUBLE_EQ(chart.roof(10), 100);
  EXPECT_DOUBLE_EQ(chart.roof(1000), 100);
}

// Phases of one call have nearly one intensity: which is which, colours and a legend say.
TEST(Roofline, PointsStandAtTheirRateAndInALegend) {
  Roofline chart;
  chart.peak_flops = 800e12;
  chart.bandwidth = 4e12;
  chart.points = {{1000, 50e12, QStringLiteral("forward training"), Qt::red, {}},
                  {1000, 0, QStringLiteral("backward data"), Qt::blue, {}}};
  QImage image;
  const auto hits = paint(chart, {500, 320}, &image);
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_GT(hits[0].area.top(), hits[1].area.bottom());  // below the roof, where the other stands
  EXPECT_EQ(image.pixelColor(hits[0].area.center().toPoint()), QColor(Qt::red));
  EXPECT_NE(image.pixelColor(hits[1].area.center().toPoint()), QColor(Qt::blue));  // a ring
  const auto tall = [&chart] { return chart.height_for(400, {light_theme(), QFont()}); };
  const double with = tall();
  chart.points.clear();
  EXPECT_LT(tall(), with);
}

TEST(ChartWidget, KeyboardReachesWhatTheMouseReaches) {
  ChartWidget widget;
  widget.resize(600, 120);
  widget.set_chart(std::make_unique<StackedBars>(two_rows()));
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
