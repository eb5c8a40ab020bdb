#include "gui/models/steps.h"

#include <QTest>

#include "gui/charts/chart.h"
#include "gui/timeline/timeline_widget.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class StepStripTest : public WindowTest {
 protected:
  std::vector<ChartWidget*> strips() {
    std::vector<ChartWidget*> found;
    for (auto* chart : window_->findChildren<ChartWidget*>())
      if (dynamic_cast<const chart::Columns*>(chart->chart()) != nullptr && chart->isVisible())
        found.push_back(chart);
    return found;
  }
};

TEST_F(StepStripTest, AStepLeadsToTheTimelineAndItsAccount) {
  open(two_layers, Place{QStringLiteral("overview"), {}, {}});
  ASSERT_EQ(strips().size(), 1U);
  auto* strip = strips().front();
  EXPECT_FALSE(strip->accessibleName().isEmpty());
  strip->grab();
  ASSERT_GT(strip->hits().size(), 3U);
  const auto link = parse_link(strip->hits()[2].link);
  ASSERT_TRUE(link);
  ASSERT_EQ(link->kind, LinkKind::step);
  const auto step = step_of(*window_->document(), link->configuration, link->item.index);
  ASSERT_TRUE(step);
  // By keys alone.
  strip->setFocus();
  QTest::keyClick(strip, Qt::Key_Right);
  QTest::keyClick(strip, Qt::Key_Right);
  QTest::keyClick(strip, Qt::Key_Return);
  EXPECT_EQ(window_->current_view(), QStringLiteral("timeline"));
  ASSERT_TRUE(window_->state()->measured());
  EXPECT_EQ(*window_->state()->measured(), (TimeRange{step->from_ns, step->to_ns}));
  const auto seen = window_->state()->visible();
  EXPECT_LE(seen.begin_ns, step->from_ns);
  EXPECT_GE(seen.end_ns, step->to_ns);
  QTest::qWait(50);
  EXPECT_TRUE(
      words().contains(step_account_text(*window_->document(), link->configuration, *step)));
}

TEST_F(StepStripTest, RanksHaveAStripEachAndTheSlowestIsNamed) {
  open(QStringLiteral("sample:programs/pytorch-distributed"),
       Place{QStringLiteral("overview"), {}, {}});
  EXPECT_EQ(strips().size(), 2U);
  const auto all = recorded_steps(window_->document()->profile());
  ASSERT_GE(all.slowest, 0);
  const auto made = step_strips(*window_->document());
  ASSERT_EQ(made.strips.size(), 2U);
  const int rank = window_->document()
                       ->profile()
                       .processes[static_cast<std::size_t>(
                           all.processes[static_cast<std::size_t>(all.slowest)].process)]
                       .rank;
  EXPECT_TRUE(made.strips.front().title.startsWith(QStringLiteral("rank %1").arg(rank)));
}

TEST_F(StepStripTest, WithoutStepsThereIsNone) {
  open(QStringLiteral("sample:guide-figure-10"), Place{QStringLiteral("overview"), {}, {}});
  EXPECT_TRUE(strips().empty());
}

}  // namespace
}  // namespace rnnadvisor::gui
