#include "gui/recurrence/recurrence_widget.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>

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
