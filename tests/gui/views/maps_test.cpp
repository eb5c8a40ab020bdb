// Maps in the explorer, with times from a formula (tests/core/model/cliff_times.h).
#include <gtest/gtest.h>

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <chrono>
#include <thread>

#include "core/model/time_for_device.h"
#include "gui/views/explorer_view.h"
#include "gui/views/flat_style.h"
#include "gui/views/main_window.h"
#include "gui/views/map_panel.h"
#include "tests/core/model/cliff_times.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

using advisor::MapLayer;
using model::MapAxes;

class MapsTest : public testing::Test {
 protected:
  void SetUp() override {
    view_.set_rules(test_rules());
    view_.set_predict_for(model::test::cliff_times);
    view_.resize(1190, 650);
    view_.show();
    ASSERT_TRUE(set("batch_size", "33"));
  }
  bool set(const char* key, const char* value) {
    return view_.set_parameter(QString::fromUtf8(key), QString::fromUtf8(value));
  }
  // The map of what is set now.
  const model::ConfigurationMap& map() {
    view_.show_maps();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !panel().busy() && panel().map(); }, 20000));
    return *panel().map();
  }
  MapPanel& panel() { return *view_.maps(); }
  QString text() {
    QString all;
    for (const auto* label : panel().findChildren<QLabel*>()) {
      if (label->isVisibleTo(&panel())) all += label->text() + QLatin1Char('\n');
    }
    return all;
  }
  QRectF cell(int row, int column) {
    const auto& hits = panel().chart()->hits();
    EXPECT_TRUE(QTest::qWaitFor([&] {
      panel().chart()->grab();
      return hits.size() == panel().map()->cells.size();
    }));
    const auto columns = panel().map()->columns.ticks.size();
    return hits[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)].area;
  }
  ExplorerView view_;
};

TEST_F(MapsTest, AreMadeOnlyWhileTheyAreSeen) {
  QTest::qWait(20);
  EXPECT_FALSE(panel().busy());
  EXPECT_FALSE(panel().map().has_value());
  EXPECT_EQ(map().here, view_.exploration().config());
  view_.findChild<QTabWidget*>()->setCurrentIndex(0);
  ASSERT_TRUE(set("batch_size", "65"));
  QTest::qWait(20);
  EXPECT_EQ(panel().map()->here.batch_size, 33);
  EXPECT_EQ(map().here.batch_size, 65);
}

TEST_F(MapsTest, TheLastOfManyChangesIsWhatIsShown) {
  map();
  for (int hidden = 500; hidden < 540; ++hidden) {
    ASSERT_TRUE(view_.set_parameter(QStringLiteral("hidden_size"), QString::number(hidden)));
    QCoreApplication::processEvents();
  }
  EXPECT_EQ(map().here.hidden_size, 539);
}

TEST_F(MapsTest, AClickedCellBecomesTheConfiguration) {
  const auto made = map();
  ASSERT_EQ(made.here.batch_size, 33);
  const int row = made.rows.here - 1, column = made.columns.here - 1;
  const RnnConfig wanted = model::config_at(made, row, column);
  ASSERT_EQ(wanted.batch_size, 32);
  ASSERT_NE(wanted.hidden_size, 1024);
  QTest::mouseClick(panel().chart(), Qt::LeftButton, {}, cell(row, column).center().toPoint());
  EXPECT_EQ(view_.exploration().config(), wanted);
  EXPECT_EQ(map().here, wanted);
  // The input size went on following.
  EXPECT_EQ(wanted.input_size, wanted.hidden_size);
  ASSERT_TRUE(set("hidden_size", "640"));
  EXPECT_EQ(view_.exploration().config().input_size, 640);
}

TEST_F(MapsTest, EveryCellOfEveryMapCanBeTaken) {
  ASSERT_TRUE(set("seq_lengths", "90,70,50,30,10"));
  for (const auto axes : model::all_map_axes) {
    panel().set_axes(axes);
    const auto made = map();
    for (int row = 0; row < static_cast<int>(made.rows.ticks.size()); ++row) {
      for (int column = 0; column < static_cast<int>(made.columns.ticks.size()); column += 3) {
        const RnnConfig wanted = model::config_at(made, row, column);
        emit panel().configuration_chosen(wanted);
        ASSERT_EQ(view_.exploration().config(), wanted) << row << ' ' << column;
      }
    }
  }
}

TEST_F(MapsTest, KeysReachWhatTheMouseReaches) {
  const auto made = map();
  auto* chart = panel().chart();
  cell(0, 0);  // laid out and painted
  EXPECT_TRUE(chart->accessibleDescription().contains(QStringLiteral("you are here")));
  chart->setFocus();
  QTest::qWait(1);
  if (!chart->hasFocus()) QTest::keyClick(chart, Qt::Key_Right);
  QTest::keyClick(chart, Qt::Key_Left);
  EXPECT_TRUE(chart->accessibleDescription().contains(QStringLiteral("batch 32")));
  QTest::keyClick(chart, Qt::Key_Return);
  EXPECT_EQ(view_.exploration().config().batch_size, 32);
}

TEST_F(MapsTest, EveryControlHasANameAndRoom) {
  for (const QSize size : {QSize(900, 560), QSize(1190, 650), QSize(1900, 1000)}) {
    view_.resize(size);
    map();
    QCoreApplication::processEvents();
    for (const auto* button : panel().findChildren<QToolButton*>()) {
      if (button->objectName() != QLatin1String("choice")) continue;
      EXPECT_FALSE(button->accessibleName().isEmpty());
      EXPECT_FALSE(button->toolTip().isEmpty());
      EXPECT_GE(button->width(), button->minimumSizeHint().width());
      // Nothing but the chart may leave the panel at its right.
      EXPECT_LE(button->mapTo(&panel(), QPoint(button->width(), 0)).x(), panel().width());
    }
    for (const auto* label : panel().findChildren<QLabel*>()) {
      EXPECT_LE(label->mapTo(&panel(), QPoint(label->width(), 0)).x(), panel().width());
      EXPECT_GE(label->height(), label->heightForWidth(label->width()));
    }
    if (size.width() > 1000) {
      EXPECT_LE(panel().chart()->mapTo(&panel(), QPoint(panel().chart()->width(), 0)).x(),
                panel().width());
    }
    EXPECT_FALSE(panel().findChild<QComboBox*>()->accessibleName().isEmpty());
    EXPECT_FALSE(panel().chart()->accessibleName().isEmpty());
    EXPECT_TRUE((panel().chart()->focusPolicy() & Qt::TabFocus) != 0);
  }
}

TEST_F(MapsTest, TheNearestBetterIsNamed) {
  map();
  EXPECT_TRUE(text().contains(QStringLiteral("batch 32 instead of 33"))) << text().toStdString();
  EXPECT_TRUE(text().contains(QStringLiteral("estimate")));
}

TEST_F(MapsTest, LayersAndAxesAreChosen) {
  map();
  const auto chart = [&] { return dynamic_cast<const chart::HeatMap*>(panel().chart()->chart()); };
  const auto& own = panel().map()->own();
  const auto here = static_cast<std::size_t>(chart()->first());
  const auto face = [&] { return chart()->layers.front().faces[here]; };
  EXPECT_EQ(face().text, advisor::MapScale(*panel().map(), MapLayer::time).text(own));
  for (auto* button : panel().findChildren<QToolButton*>()) {
    if (button->accessibleName().endsWith(QStringLiteral("Kernels"))) button->click();
  }
  EXPECT_EQ(panel().layer(), MapLayer::implementation);
  EXPECT_EQ(face().text, "S");
  EXPECT_EQ(face().ink, chart::ink_of(model::Implementation::standard));
  panel().findChild<QComboBox*>()->setCurrentIndex(2);
  EXPECT_EQ(map().axes, MapAxes::length_batch);
  EXPECT_EQ(chart()->row_title, "length");
  EXPECT_TRUE(view_.table_text().startsWith(QStringLiteral("length\t")));
}

TEST_F(MapsTest, WithoutAPredictorThereIsNoTimeAndItSaysWhy) {
  view_.set_predict_for({});
  EXPECT_FALSE(view_.exploration().predicted.has_value());
  EXPECT_FALSE(map().has_times);
  EXPECT_TRUE(text().contains(QStringLiteral("calibrate"))) << text().toStdString();
  int enabled = 0;
  for (const auto* button : panel().findChildren<QToolButton*>())
    enabled += button->isEnabled() ? 1 : 0;
  EXPECT_EQ(enabled, 1);
  const auto* shown = dynamic_cast<const chart::HeatMap*>(panel().chart()->chart());
  for (const auto& each : shown->cells) EXPECT_EQ(each.hint.find(" ms"), std::string::npos);
}

TEST_F(MapsTest, ThePredictedTimeIsAmongTheResults) {
  const auto& now = view_.exploration();
  ASSERT_TRUE(now.predicted.has_value());
  double seconds = 0;
  for (const auto& phase : now.phases)
    seconds +=
        model::test::cliff_seconds(now.config(), phase.phase, model::Implementation::standard);
  EXPECT_NEAR(now.predicted->seconds, seconds, 1e-12);
  bool noted = false, written = false;
  for (const auto* page : view_.findChildren<PageBrowser*>()) {
    written =
        written || page->toPlainText().contains(to_qt(advisor::words::map_time(*now.predicted)));
  }
  EXPECT_TRUE(written);
  for (const auto* label : view_.findChildren<QLabel*>())
    noted = noted || label->text().contains(QStringLiteral("a formula of the tests"));
  EXPECT_TRUE(noted);
}

// A change with its map asked for, while the maps are seen; the map itself is made on another
// thread. How long it takes is measured by window_benchmark --explorer; what hangs is caught here.
TEST_F(MapsTest, FollowsAChangeAtOnce) {
  map();
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

// However slow a predictor is, the window answers, and leaving does not wait for the whole map.
TEST_F(MapsTest, ASlowPredictorHoldsNothingUp) {
  std::atomic<int> asked = 0;
  auto view = std::make_unique<ExplorerView>();
  view->set_rules(test_rules());
  view->set_predict_for([&asked](const DeviceSpec&) -> model::PredictTime {
    return [&asked, own = std::this_thread::get_id()](const RnnConfig&, Phase) {
      if (std::this_thread::get_id() != own) {
        ++asked;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      return std::optional(model::TimePrediction{1e-3, 1e-3, 1e-3, false, "slow"});
    };
  });
  view->resize(1000, 600);
  view->show();
  view->show_maps();
  ASSERT_TRUE(QTest::qWaitFor([&] { return asked > 3; }, 20000));
  const auto start = std::chrono::steady_clock::now();
  view.reset();
  const auto waited = std::chrono::steady_clock::now() - start;
  // One cell asks at most 12 times.
  EXPECT_LT(std::chrono::duration<double>(waited).count(), 2);
  EXPECT_LT(asked, 300);
}

TEST(MapShades, CanBeReadAndToldApart) {
  for (const auto& theme : {light_theme(), dark_theme()}) {
    for (const auto layer : {MapLayer::time, MapLayer::speedup}) {
      const auto shades = map_shades(layer, theme);
      for (std::size_t i = 0; i < shades.size(); ++i) {
        EXPECT_GE(contrast(text_on(shades[i]), shades[i]), 4.5) << i;
        // Lighter and lighter, or darker and darker: towards what is far from the ground.
        if (i > 0) {
          EXPECT_GT(contrast(shades[i], theme.panel), contrast(shades[i - 1], theme.panel)) << i;
        }
      }
    }
  }
}

TEST(MapChart, LinksAreReadBack) {
  EXPECT_EQ(cell_of(QStringLiteral("cell/3/14"))->column, 14);
  for (const char* wrong :
       {"", "cell", "cell/1", "cell/a/2", "cell/-1/2", "view/1/2", "cell/1/2/3"})
    EXPECT_FALSE(cell_of(QString::fromUtf8(wrong)).has_value()) << wrong;
}

// As people start the program: the predictor of the product, whatever it knows.
TEST(MapWindow, TheWindowHandsThePredictorOn) {
  MainWindow window;
  window.set_predict_for(model::test::cliff_times);
  EXPECT_TRUE(window.findChild<ExplorerView*>()->exploration().predicted.has_value());
}

// RNNADVISOR_PICTURES=FOLDER: the maps to look at, for no GPU has these times.
TEST(MapPictures, ToLookAt) {
  const QString folder = qEnvironmentVariable("RNNADVISOR_PICTURES");
  if (folder.isEmpty()) GTEST_SKIP() << "RNNADVISOR_PICTURES is not set: no picture was written";
  QDir().mkpath(folder);
  QApplication::setStyle(new FlatStyle);
  for (const bool dark : {false, true}) {
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
      MainWindow window;
      window.set_predict_for(model::test::cliff_times);
      window.resize(size);
      window.set_theme_choice(dark ? ThemeChoice::dark : ThemeChoice::light);
      window.show();
      window.go(QStringLiteral("explorer"));
      auto* explorer = window.findChild<ExplorerView*>();
      explorer->set_parameter(QStringLiteral("hidden_size"), QStringLiteral("1001"));
      explorer->set_parameter(QStringLiteral("batch_size"), QStringLiteral("33"));
      const auto save = [&](const QString& what) {
        QTest::qWait(50);
        window.grab().save(
            QStringLiteral("%1/maps-%2-%3-%4.png")
                .arg(folder, what, dark ? QStringLiteral("dark") : QStringLiteral("light"))
                .arg(size.height()));
      };
      save(QStringLiteral("verdict"));
      explorer->show_maps();
      auto* panel = explorer->maps();
      for (const auto axes : model::all_map_axes) {
        panel->set_axes(axes);
        ASSERT_TRUE(QTest::qWaitFor([&] { return !panel->busy(); }, 20000));
        for (const auto layer : advisor::all_map_layers) {
          panel->set_layer(layer);
          save(QString::fromUtf8(model::to_string(axes).data()) + QLatin1Char('-') +
               QString::fromUtf8(advisor::to_string(layer).data()));
        }
      }
      window.set_predict_for({});
      ASSERT_TRUE(QTest::qWaitFor([&] { return !panel->busy(); }, 20000));
      save(QStringLiteral("no-times"));
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::gui
