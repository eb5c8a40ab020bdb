#include <gtest/gtest.h>

#include <QComboBox>
#include <QSpinBox>
#include <QTest>
#include <chrono>

#include "core/model/time_for_device.h"
#include "gui/views/explorer_view.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

class ExplorerTest : public testing::Test {
 protected:
  void SetUp() override {
    view_.set_rules(test_rules());
    view_.resize(1190, 650);
    view_.show();
  }
  bool set(const char* key, const char* value) {
    return view_.set_parameter(QString::fromUtf8(key), QString::fromUtf8(value));
  }
  const RnnConfig& config() const { return view_.exploration().config(); }
  ExplorerView view_;
};

TEST_F(ExplorerTest, WhatFollowsFollows) {
  ASSERT_TRUE(set("hidden_size", "1001"));
  EXPECT_EQ(config().hidden_size, 1001);
  EXPECT_EQ(config().input_size, 1001);
  EXPECT_EQ(config().proj_size, 1001);
  ASSERT_TRUE(set("input_size", "80"));
  ASSERT_TRUE(set("hidden_size", "512"));
  EXPECT_EQ(config().input_size, 80);
  EXPECT_EQ(config().proj_size, 512);
  ASSERT_TRUE(set("data_type", "double"));
  EXPECT_EQ(config().math_precision, DataType::float64);
  ASSERT_TRUE(set("layout", "seq_major_packed"));
  EXPECT_FALSE(config().padded_io);
}

TEST_F(ExplorerTest, WhatIsWrongIsNotTaken) {
  EXPECT_FALSE(set("hidden_size", "0"));
  EXPECT_FALSE(set("hidden_size", "many"));
  EXPECT_FALSE(set("cell", "transformer"));
  EXPECT_EQ(config().hidden_size, 1024);
}

TEST_F(ExplorerTest, LengthsDecideTheBatch) {
  ASSERT_TRUE(set("seq_lengths", "9,7,3"));
  EXPECT_EQ(config().batch_size, 3);
  EXPECT_EQ(config().seq_length, 9);
  ASSERT_TRUE(set("batch_size", "8"));
  EXPECT_TRUE(config().seq_lengths.empty());
  EXPECT_EQ(config().batch_size, 8);
}

TEST_F(ExplorerTest, EveryParameterHasAControl) {
  int controls = 0;
  for (const char* key :
       {"cell",           "algo",       "direction",   "bias_mode",   "input_mode", "data_type",
        "math_precision", "math_type",  "input_size",  "hidden_size", "proj_size",  "num_layers",
        "dropout",        "clip_mode",  "clip_left",   "clip_right",  "layout",     "padded_io",
        "seq_length",     "batch_size", "seq_lengths", "mode"}) {
    for (const auto* widget : view_.findChildren<QWidget*>())
      controls += widget->accessibleName() == QString::fromUtf8(key) ? 1 : 0;
  }
  EXPECT_EQ(controls, 22);
}

TEST_F(ExplorerTest, HoldsOneBesideTheOther) {
  view_.hold();
  ASSERT_TRUE(set("algo", "persist_static"));
  ASSERT_TRUE(view_.held().has_value());
  EXPECT_EQ(view_.held()->config().algo, Algo::standard);
  EXPECT_EQ(config().algo, Algo::persist_static);
  bool both = false;
  for (const auto* page : view_.findChildren<PageBrowser*>()) {
    const QString text = page->toPlainText();
    both = both || (text.contains(QStringLiteral("Before")) &&
                    text.contains(QStringLiteral("persist_static")));
  }
  EXPECT_TRUE(both);
  view_.release();
  EXPECT_FALSE(view_.held().has_value());
}

// Labels of bars say what they are, in the narrowest window too.
TEST_F(ExplorerTest, LabelsOfBarsAreNotCut) {
  view_.hold();
  ASSERT_TRUE(set("hidden_size", "512"));
  view_.resize(1190, 650);
  QCoreApplication::processEvents();
  int bars = 0;
  for (const auto* widget : view_.findChildren<ChartWidget*>()) {
    const auto* chart = dynamic_cast<const chart::Bars*>(widget->chart());
    if (chart == nullptr) continue;
    ++bars;
    const auto canvas = canvas_of(widget->width(), widget->font());
    const double room = chart->label_width(canvas);
    for (const auto& row : chart->rows) EXPECT_LE(canvas.width_of(row.label), room) << row.label;
  }
  EXPECT_EQ(bars, 2);
}

// A change with everything that is shown of it, painted, with the product's predicted times. How
// long it takes is measured by window_benchmark --explorer; what hangs is caught here.
TEST_F(ExplorerTest, FollowsAChangeAtOnce) {
  view_.set_predict_for(model::predict_time_for);
  for (int hidden = 700; hidden < 720; ++hidden) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(view_.set_parameter(QStringLiteral("hidden_size"), QString::number(hidden)));
    view_.repaint();
    QCoreApplication::processEvents();
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(std::chrono::duration<double>(took).count(), 2.0);
  }
}

}  // namespace
}  // namespace rnnadvisor::gui
