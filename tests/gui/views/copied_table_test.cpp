// Ctrl+Shift+C: what is on the screen, as rows of cells on the clipboard.
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QTableView>

#include "advisor/report/phase_times.h"
#include "gui/models/overview_charts.h"
#include "gui/models/pages.h"
#include "gui/recurrence/recurrence_widget.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/events_panel.h"
#include "gui/views/explorer_view.h"
#include "gui/views/trace_view.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class CopiedTableTest : public WindowTest {
 protected:
  // The tables that the command puts on the clipboard, each as rows of cells; none: nothing was.
  std::vector<QList<QStringList>> copy() {
    QApplication::clipboard()->setText(QString());
    for (auto* command : window_->commands()) {
      if (command->shortcut() == QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)) command->trigger();
    }
    std::vector<QList<QStringList>> tables;
    QString text = QApplication::clipboard()->text();
    if (text.isEmpty()) return tables;
    while (text.endsWith(QLatin1Char('\n'))) text.chop(1);
    for (const auto& table : text.split(QStringLiteral("\n\n"))) {
      auto& rows = tables.emplace_back();
      for (const auto& line : table.split(QLatin1Char('\n'))) rows << line.split(QLatin1Char('\t'));
    }
    return tables;
  }
  // Every row has the cells of the first.
  static void expect_even(const QList<QStringList>& table) {
    for (const auto& row : table) EXPECT_EQ(row.size(), table.front().size());
  }
  TimelineWidget* timeline() { return window_->findChild<TraceView*>()->timeline(); }
};

TEST_F(CopiedTableTest, TheOverviewOfOneConfiguration) {
  open(QStringLiteral("sample:programs/pytorch-two-layers"));
  const auto tables = copy();
  ASSERT_EQ(tables.size(), 2U);
  for (const auto& table : tables) expect_even(table);
  const auto times = advisor::phase_times(window_->document()->report().configurations.at(0));
  ASSERT_EQ(tables[0].size(), static_cast<qsizetype>(times.size()) + 1);
  // The parts are those of the chart, and come to the time of the kernels.
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto& row = tables[0][static_cast<qsizetype>(i) + 1];
    double sum = 0;
    for (qsizetype cell = 5; cell < row.size(); ++cell) sum += row[cell].toDouble();
    EXPECT_NEAR(sum, times[i].kernel_ms, 1e-3 * times[i].kernel_ms);
    EXPECT_NEAR(row[3].toDouble(), times[i].kernel_ms, 1e-3 * times[i].kernel_ms);
    EXPECT_NEAR(row[4].toDouble(), times[i].idle_ms, 1e-3 * times[i].idle_ms);
  }
  const auto& report = window_->document()->report();
  ASSERT_EQ(tables[1].size(),
            static_cast<qsizetype>(report.actions.size() + report.remarks.size()) + 1);
  EXPECT_EQ(tables[1][1][1], to_qt(report.actions.front().first().rule_id));
}

TEST_F(CopiedTableTest, TheOverviewOfASweepHasItsConfigurationsToo) {
  open(QStringLiteral("sample:guide-figure-10"));
  const auto tables = copy();
  ASSERT_GE(tables.size(), 2U);
  EXPECT_EQ(tables.back().size(),
            static_cast<qsizetype>(window_->document()->profile().configurations.size()) + 1);
}

TEST_F(CopiedTableTest, TheTimelineGivesTableRangeOrSteps) {
  open(QStringLiteral("sample:programs/pytorch-two-layers"));
  window_->go(QStringLiteral("timeline"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return timeline()->ready(); }, 20000));
  auto* trace = window_->findChild<TraceView*>();
  // The call unrolled is what is seen beside the timeline at first.
  const auto& call = window_->document()->profile().calls.at(0);
  window_->state()->select({ItemKind::call, 0});
  QTest::qWait(20);
  auto tables = copy();
  ASSERT_EQ(tables.size(), 1U);
  expect_even(tables[0]);
  const auto& unrolled = window_->findChild<RecurrenceWidget*>()->calls();
  ASSERT_FALSE(unrolled.empty());
  std::size_t steps = 0;
  for (const auto& row : unrolled.front().rows) steps += row.steps.size();
  ASSERT_EQ(tables[0].size(), static_cast<qsizetype>(steps) + 1);
  EXPECT_GT(steps, static_cast<std::size_t>(1));
  for (const auto& row : tables[0].mid(1))
    EXPECT_NEAR(row[7].toDouble(), row[8].toDouble() + row[9].toDouble() + row[10].toDouble(),
                2e-3);
  // A measured range goes before it …
  window_->state()->measure(TimeRange{call.host_start_ns, call.host_end_ns});
  QTest::qWait(20);
  tables = copy();
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(QApplication::clipboard()->text(), timeline()->measured_text());
  // … and the table before both.
  trace->events()->show_like({ItemKind::kernel, 0});
  for (auto* dock : trace->docks()) {
    if (dock->objectName() != QLatin1String("events")) continue;
    dock->show();
    dock->raise();
  }
  QTest::qWait(20);
  tables = copy();
  ASSERT_EQ(tables.size(), 1U);
  expect_even(tables[0]);
  EXPECT_EQ(tables[0].size(), trace->events()->model().rowCount() + 1);
}

TEST_F(CopiedTableTest, TheExplorerGivesCells) {
  window_->go(QStringLiteral("explorer"));
  auto* explorer = window_->findChild<ExplorerView*>();
  explorer->hold();
  ASSERT_TRUE(explorer->set_parameter(QStringLiteral("hidden_size"), QStringLiteral("1000")));
  const auto tables = copy();
  ASSERT_GE(tables.size(), 2U);
  for (const auto& table : tables) expect_even(table);
  EXPECT_TRUE(tables[0].contains(QStringLiteral("hidden_size,1024,1000").split(QLatin1Char(','))));
  auto* tabs = explorer->findChild<QTabWidget*>();
  for (int i = 0; i < tabs->count(); ++i) {
    if (tabs->tabText(i) == QStringLiteral("Products")) tabs->setCurrentIndex(i);
  }
  const auto products = copy();
  ASSERT_EQ(products.size(), 1U);
  expect_even(products[0]);
  std::size_t gemms = 0;
  for (const auto& phase : explorer->exploration().phases) gemms += phase.gemms.size();
  EXPECT_EQ(products[0].size(), static_cast<qsizetype>(gemms) + 1);
}

}  // namespace
}  // namespace rnnadvisor::gui
