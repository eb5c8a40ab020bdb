#include "gui/recurrence/recurrence_widget.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "gui/recurrence/canvas.h"

namespace rnnadvisor::gui {
namespace {

struct RecurrenceWidgetTest : testing::Test {
  RecurrenceWidgetTest() {
    document = *open_document(QStringLiteral("sample:programs/pytorch-two-layers"), *load_rules());
    state.reset(document->extent());
    widget.resize(1000, 400);
    widget.set_document(document, &state);
    widget.show();
  }
  DocumentPointer document;
  ViewState state;
  RecurrenceWidget widget;
};

TEST_F(RecurrenceWidgetTest, ShowsTheCallThatIsSelectedOrThatOfTheKernel) {
  EXPECT_EQ(widget.shown_call(), -1);
  state.select({ItemKind::call, 3});
  EXPECT_EQ(widget.shown_call(), 3);
  const auto& of = document->profile().kernels.call;
  const auto kernel = std::find(of.begin(), of.end(), 7) - of.begin();
  state.select({ItemKind::kernel, static_cast<int>(kernel)});
  EXPECT_EQ(widget.shown_call(), 7);
  // What is of no call leaves it where it was.
  state.select({ItemKind::transfer, 0});
  EXPECT_EQ(widget.shown_call(), 7);
}

TEST_F(RecurrenceWidgetTest, KeepsACallToCompareTheNextWith) {
  state.select({ItemKind::call, 0});
  widget.keep(true);
  state.select({ItemKind::call, 3});
  ASSERT_EQ(widget.calls().size(), 2U);
  EXPECT_EQ(widget.calls()[0].call, 0);
  EXPECT_EQ(widget.calls()[1].call, 3);
  widget.set_by_step(true);
  widget.grab();
  widget.keep(false);
  EXPECT_EQ(widget.calls().size(), 1U);
}

TEST_F(RecurrenceWidgetTest, TheButtonSaysWhatItWouldDo) {
  state.select({ItemKind::call, 0});
  QToolButton* keep = nullptr;
  for (auto* button : widget.findChildren<QToolButton*>())
    if (button->text() == QLatin1String("Keep to compare")) keep = button;
  ASSERT_NE(keep, nullptr);
  keep->click();
  EXPECT_EQ(keep->text(), QStringLiteral("Stop comparing"));
  keep->click();
  EXPECT_EQ(keep->text(), QStringLiteral("Keep to compare"));
  EXPECT_EQ(widget.calls().size(), 1U);
}

// The steps of a backward call wait for each other: a fifth that took a hundred times as long must
// not flatten the others.
TEST(RecurrenceCanvas, StepsThatWaitedDoNotFlattenTheOthers) {
  recurrence::Unrolled call;
  call.call = 0;
  call.told = recurrence::Told::steps;
  call.time_steps = 50;
  recurrence::UnrolledRow row;
  std::int64_t at = 0;
  for (int i = 0; i < call.time_steps; ++i) {
    recurrence::Step step;
    step.begin_ns = at;
    step.end_ns = at + 1000;
    step.gemm_ns = 1000;
    row.steps.push_back(step);
    at += i % 5 == 4 ? 100'000 : 1000;
  }
  call.rows = {row};
  call.begin_ns = 0;
  call.end_ns = at;
  recurrence::Canvas canvas;
  canvas.resize(900, 200);
  canvas.set_by_step(true);
  canvas.set_blocks({{call, QStringLiteral("a call")}});
  EXPECT_EQ(canvas.longest_step_ns(), 4000);
  // The same twice: less room for each.
  const int alone = canvas.sizeHint().height();
  canvas.set_blocks({{call, {}}, {call, {}}});
  EXPECT_LT(canvas.sizeHint().height(), 2 * alone - 20);
}

TEST_F(RecurrenceWidgetTest, KeysWalkThroughStepsAndSelectTheirKernels) {
  state.select({ItemKind::call, 0});
  auto* canvas = widget.findChild<recurrence::Canvas*>();
  ASSERT_NE(canvas, nullptr);
  QTest::keyClick(canvas, Qt::Key_Right);
  const Item first = state.selection();
  EXPECT_EQ(first.kind, ItemKind::kernel);
  EXPECT_EQ(first.index, widget.calls()[0].rows[0].steps[0].first_kernel);
  QTest::keyClick(canvas, Qt::Key_Right);
  EXPECT_EQ(state.selection().index, widget.calls()[0].rows[0].steps[1].first_kernel);
  QTest::keyClick(canvas, Qt::Key_Down);
  EXPECT_EQ(state.selection().index, widget.calls()[0].rows[1].steps[1].first_kernel);
  EXPECT_FALSE(canvas->accessibleDescription().isEmpty());
}

TEST_F(RecurrenceWidgetTest, AClickSelectsTheKernelUnderIt) {
  state.select({ItemKind::call, 0});
  QTest::qWait(1);
  auto* canvas = widget.findChild<recurrence::Canvas*>();
  QTest::mouseClick(canvas, Qt::LeftButton, {}, {canvas->width() / 2, 60});
  EXPECT_EQ(state.selection().kind, ItemKind::kernel);
  EXPECT_EQ(widget.shown_call(), 0);
}

TEST_F(RecurrenceWidgetTest, NothingToShowIsNoTrouble) {
  widget.set_document(nullptr, nullptr);
  widget.grab();
  widget.set_by_step(true);
  widget.grab();
  QTest::keyClick(widget.findChild<recurrence::Canvas*>(), Qt::Key_Right);
  SUCCEED();
}

}  // namespace
}  // namespace rnnadvisor::gui
