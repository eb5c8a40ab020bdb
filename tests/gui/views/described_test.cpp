// Descriptions of painted widgets for screen readers, and the window from right to left.
#include <QAccessible>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextLayout>
#include <QTextTable>

#include "gui/charts/chart.h"
#include "gui/recurrence/canvas.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/overview_view.h"
#include "gui/views/parts.h"
#include "gui/views/trace_view.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class DescribedTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(QStringLiteral("sample:programs/pytorch-two-layers"));
  }
  void TearDown() override { QApplication::setLayoutDirection(Qt::LeftToRight); }
  static QString said(QWidget* widget, QAccessible::Text what) {
    auto* interface = QAccessible::queryAccessibleInterface(widget);
    return interface != nullptr ? interface->text(what) : QStringLiteral("no interface");
  }
  static QAccessible::Role role(QWidget* widget) {
    auto* interface = QAccessible::queryAccessibleInterface(widget);
    return interface != nullptr ? interface->role() : QAccessible::NoRole;
  }
};

TEST_F(DescribedTest, TheTimelineSaysWhatItShowsAndWhatIsSelected) {
  window_->go(QStringLiteral("timeline"));
  QTest::qWait(20);
  auto* timeline = window_->findChild<TraceView*>()->timeline();
  window_->state()->select({});
  EXPECT_EQ(role(timeline), QAccessible::Canvas);
  EXPECT_EQ(said(timeline, QAccessible::Name), QStringLiteral("Timeline"));
  const QString before = said(timeline, QAccessible::Description);
  EXPECT_TRUE(before.contains(QStringLiteral("are visible, on "))) << before.toStdString();
  EXPECT_FALSE(before.contains(QStringLiteral("Selected")));
  window_->follow(Link::to({ItemKind::call, 12}));
  QTest::qWait(20);
  const QString after = said(timeline, QAccessible::Description);
  EXPECT_TRUE(after.startsWith(QStringLiteral("Selected: "))) << after.toStdString();
  EXPECT_TRUE(after.contains(QStringLiteral("forward"), Qt::CaseInsensitive))
      << after.toStdString();
  EXPECT_EQ(said(timeline, QAccessible::Value), timeline->described_selection());
  // The description of what is visible is updated when that changes.
  timeline->show_all();
  EXPECT_NE(said(timeline, QAccessible::Description), after);
}

TEST_F(DescribedTest, TheRecurrenceSaysItsSteps) {
  window_->go(QStringLiteral("timeline"));
  auto* canvas = window_->findChild<recurrence::Canvas*>();
  ASSERT_NE(canvas, nullptr);
  EXPECT_EQ(role(canvas), QAccessible::Chart);
  EXPECT_FALSE(said(canvas, QAccessible::Name).isEmpty());
  EXPECT_TRUE(said(canvas, QAccessible::Description).contains(QStringLiteral("No RNN call")));
  window_->follow(Link::to({ItemKind::call, 12}));
  window_->go(QStringLiteral("recurrence"));
  QTest::qWait(20);
  const QString steps = said(canvas, QAccessible::Description);
  // Call 12 is one of two layers over 128 steps.
  EXPECT_TRUE(steps.contains(QStringLiteral("128 time steps in 2 rows"))) << steps.toStdString();
  EXPECT_TRUE(said(canvas, QAccessible::Value).isEmpty());
  canvas->setFocus();
  QTest::keyClick(canvas, Qt::Key_Right);
  EXPECT_TRUE(said(canvas, QAccessible::Value).contains(QStringLiteral("step")));
  EXPECT_TRUE(said(canvas, QAccessible::Description).startsWith(QStringLiteral("Selected: ")));
}

TEST_F(DescribedTest, ChartsSayAllOfThemAndTheBarThatIsChosen) {
  window_->go(QStringLiteral("overview"));
  QTest::qWait(20);
  int charts = 0;
  for (auto* chart : window_->findChildren<ChartWidget*>()) {
    if (!chart->isVisible() || chart->chart() == nullptr) continue;
    ++charts;
    EXPECT_EQ(role(chart), QAccessible::Chart);
    EXPECT_FALSE(said(chart, QAccessible::Name).isEmpty());
    EXPECT_TRUE(
        said(chart, QAccessible::Description).contains(to_qt(chart->chart()->description())));
    static_cast<void>(chart->grab());
    QTest::keyClick(chart, Qt::Key_Right);
    const QString value = said(chart, QAccessible::Value);
    EXPECT_FALSE(value.isEmpty());
    EXPECT_TRUE(said(chart, QAccessible::Description).contains(value));
  }
  EXPECT_GT(charts, 0);
  ChartWidget empty;
  EXPECT_FALSE(said(&empty, QAccessible::Description).isEmpty());
}

// Everything that begins at the left begins at the right.
TEST_F(DescribedTest, FromRightToLeftTextsGoWithTheirWindow) {
  window_->go(QStringLiteral("overview"));
  for (const auto direction : {Qt::RightToLeft, Qt::LeftToRight}) {
    QApplication::setLayoutDirection(direction);
    QTest::qWait(20);
    const bool mirrored = direction == Qt::RightToLeft;
    auto* overview = window_->findChild<OverviewView*>();
    int labels = 0;
    for (const auto* label : overview->findChildren<QLabel*>()) {
      if (label->property("look") != QStringLiteral("headline")) continue;
      EXPECT_EQ((label->alignment() & Qt::AlignRight) != 0, mirrored);
      ++labels;
    }
    EXPECT_EQ(labels, 1);
    int pages = 0, tables = 0, tables_of_names = 0;
    QStringList firsts, lasts;
    for (auto* page : overview->findChildren<PageBrowser*>()) {
      ++pages;
      for (QTextBlock block = page->document()->begin(); block.isValid(); block = block.next()) {
        const bool own = block.blockFormat().hasProperty(QTextFormat::BlockAlignment);
        if (block.text().trimmed().isEmpty() || own) continue;
        EXPECT_EQ((block.layout()->textOption().alignment() & Qt::AlignRight) != 0, mirrored)
            << block.text().toStdString();
      }
      for (auto* frame : page->document()->rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (table == nullptr || table->columns() < 2) continue;
        ++tables;
        // The column of names is where reading begins.
        const auto text = [&](int column) {
          QTextCursor cursor = table->cellAt(0, column).firstCursorPosition();
          return cursor.block().text();
        };
        if (text(mirrored ? table->columns() - 1 : 0) == QStringLiteral("rnnadvisor")) {
          const auto block =
              table->cellAt(0, mirrored ? table->columns() - 1 : 0).firstCursorPosition().block();
          EXPECT_EQ((block.layout()->textOption().alignment() & Qt::AlignRight) != 0, mirrored);
          ++tables_of_names;
        }
        firsts << text(0);
        lasts << text(table->columns() - 1);
      }
    }
    // "rnnadvisor" heads the names of the record's table.
    EXPECT_EQ(firsts.contains(QStringLiteral("rnnadvisor")), !mirrored);
    EXPECT_EQ(lasts.contains(QStringLiteral("rnnadvisor")), mirrored);
    EXPECT_GT(pages, 0);
    EXPECT_GT(tables, 0);
    EXPECT_EQ(tables_of_names, 1);
  }
}

}  // namespace
}  // namespace rnnadvisor::gui
