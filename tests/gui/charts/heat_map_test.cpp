#include <gtest/gtest.h>

#include <QImage>
#include <QSignalSpy>
#include <QTest>

#include "gui/charts/chart.h"

namespace rnnadvisor::gui {
namespace {

using chart::HeatMap;
using chart::Ink;

HeatMap three_by_four() {
  HeatMap map;
  map.rows = {"8", "16", "32"};
  map.columns = {"1", "2", "4", "8"};
  map.row_title = "rows";
  map.column_title = "columns";
  HeatMap::Layer layer;
  for (int i = 0; i < 12; ++i) {
    map.cells.push_back({"cell " + std::to_string(i), "cell/" + std::to_string(i)});
    layer.faces.push_back({std::to_string(i), {Ink::series, i % 3}});
  }
  layer.legend = {{chart::LegendEntry::frame, {}, "you are here"}};
  map.layers.push_back(std::move(layer));
  map.here = HeatMap::Place{1, 2};
  return map;
}

ChartStyle style(bool dark = false) { return {dark ? dark_theme() : light_theme(), QFont()}; }

std::vector<ChartHit> paint(const HeatMap& map, QSize size, QImage* image = nullptr,
                            bool dark = false) {
  QImage own(size, QImage::Format_ARGB32_Premultiplied);
  own.fill(style(dark).theme.panel);
  QPainter painter(&own);
  const auto hits = paint(painter, map.scene(canvas_of(size.width(), QFont())), style(dark));
  painter.end();
  if (image != nullptr) *image = own;
  return hits;
}

TEST(HeatMap, CellsAreATableRowByRow) {
  const HeatMap map = three_by_four();
  QImage image;
  const auto hits = paint(map, {500, 240}, &image);
  ASSERT_EQ(hits.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(hits[i].text, QStringLiteral("cell %1").arg(i));
    EXPECT_NEAR(hits[i].area.width(), hits[0].area.width(), 0.01);
    if (i % 4 > 0) {
      EXPECT_NEAR(hits[i].area.left(), hits[i - 1].area.right(), 0.01);
    }
    if (i >= 4) {
      EXPECT_NEAR(hits[i].area.top(), hits[i - 4].area.bottom(), 0.01);
    }
    // The fill, beside text and frames.
    const QPoint inside = (hits[i].area.topLeft() + QPointF(7, 6)).toPoint();
    EXPECT_EQ(image.pixelColor(inside), light_theme().series(static_cast<int>(i) % 3)) << i;
  }
}

TEST(HeatMap, ALineLiesBetweenItsCells) {
  for (const bool dark : {false, true}) {
    HeatMap map = three_by_four();
    map.here.reset();
    QImage without, with;
    const auto hits = paint(map, {500, 240}, &without, dark);
    map.lines = {{0, 1, false, true}, {1, 0, true, true}};
    paint(map, {500, 240}, &with, dark);
    const QPoint right(static_cast<int>(hits[1].area.right()),
                       static_cast<int>(hits[1].area.center().y()));
    const QPoint below(static_cast<int>(hits[4].area.center().x()),
                       static_cast<int>(hits[4].area.bottom()));
    for (const QPoint at : {right, below}) {
      EXPECT_EQ(with.pixelColor(at), style(dark).theme.text);
      EXPECT_NE(without.pixelColor(at), with.pixelColor(at));
    }
    // Elsewhere nothing changed.
    const QPoint other = (hits[11].area.topLeft() + QPointF(7, 6)).toPoint();
    EXPECT_EQ(with.pixelColor(other), without.pixelColor(other));
  }
}

TEST(HeatMap, TheOwnCellIsFramed) {
  HeatMap map = three_by_four();
  QImage image;
  const auto hits = paint(map, {500, 240}, &image);
  const QRectF own = hits[6].area;
  EXPECT_EQ(image.pixelColor(QPoint(static_cast<int>(own.center().x()),
                                    static_cast<int>(std::round(own.top() + 1)))),
            light_theme().evidence);
  EXPECT_EQ(map.first(), 6);
  EXPECT_NE(map.description().find("cell 6"), std::string::npos);
}

TEST(HeatMap, AnySizeAndNothingToShowIsNoCrash) {
  HeatMap broken = three_by_four();
  broken.cells.pop_back();
  for (const QSize size : {QSize(1, 1), QSize(40, 20), QSize(200, 100), QSize(2000, 900)}) {
    EXPECT_TRUE(paint(HeatMap(), size).empty());
    EXPECT_TRUE(paint(broken, size).empty());
    EXPECT_EQ(paint(three_by_four(), size).size(), 12U);
  }
}

TEST(HeatMap, HeightHoldsTheLegend) {
  HeatMap map = three_by_four();
  const auto height = [&] { return map.scene(canvas_of(300, QFont())).height; };
  const double one = height();
  for (int i = 0; i < 12; ++i)
    map.layers[0].legend.push_back({chart::LegendEntry::plain, {}, "some words"});
  EXPECT_GT(height(), one);
}

TEST(HeatMap, KeysGoInAllFourDirections) {
  ChartWidget widget;
  widget.resize(500, 260);
  widget.set_chart(std::make_unique<HeatMap>(three_by_four()));
  widget.show();
  widget.grab();
  QSignalSpy spy(&widget, &ChartWidget::link_activated);
  const auto link_after = [&](std::initializer_list<Qt::Key> keys) {
    for (const auto key : keys) QTest::keyClick(&widget, key);
    QTest::keyClick(&widget, Qt::Key_Return);
    return spy.isEmpty() ? QString() : spy.takeLast().at(0).toString();
  };
  // The first key reaches the own cell, cell 6, if the focus has not.
  EXPECT_TRUE(widget.accessibleDescription().contains(QStringLiteral("cell 6")));
  widget.setFocus();
  QTest::qWait(1);
  if (!widget.hasFocus()) QTest::keyClick(&widget, Qt::Key_Right);
  EXPECT_EQ(link_after({Qt::Key_Up}), QStringLiteral("cell/2"));
  EXPECT_EQ(link_after({Qt::Key_Up}), QStringLiteral("cell/2"));  // the edge
  EXPECT_EQ(link_after({Qt::Key_Right}), QStringLiteral("cell/3"));
  EXPECT_EQ(link_after({Qt::Key_Right}), QStringLiteral("cell/3"));
  EXPECT_EQ(link_after({Qt::Key_Down, Qt::Key_Down, Qt::Key_Left}), QStringLiteral("cell/10"));
  EXPECT_TRUE(widget.accessibleDescription().contains(QStringLiteral("cell 10")));
}

}  // namespace
}  // namespace rnnadvisor::gui
