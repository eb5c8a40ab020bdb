#include "gui/models/view_state.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

namespace rnnadvisor::gui {
namespace {

TEST(ViewState, EmitsOnChangeOnly) {
  ViewState state;
  QSignalSpy spy(&state, &ViewState::selection_changed);
  state.select({ItemKind::call, 3});
  state.select({ItemKind::call, 3});
  EXPECT_EQ(spy.count(), 1);
  state.select({ItemKind::call, -1});
  EXPECT_TRUE(state.selection().empty());
  EXPECT_EQ(state.selection(), Item{});
  EXPECT_EQ(spy.count(), 2);
}

TEST(ViewState, GoesBackAndForward) {
  ViewState state;
  state.reset({0, 100});
  state.select({ItemKind::call, 1});
  state.set_visible({10, 20});
  state.select({ItemKind::kernel, 5});
  EXPECT_FALSE(state.can_go_forward());
  state.back();
  EXPECT_EQ(state.selection(), (Item{ItemKind::call, 1}));
  EXPECT_EQ(state.visible(), (TimeRange{10, 20}));
  state.back();
  EXPECT_EQ(state.visible(), (TimeRange{0, 100}));
  state.forward();
  state.forward();
  EXPECT_EQ(state.selection(), (Item{ItemKind::kernel, 5}));
  EXPECT_FALSE(state.can_go_forward());
}

TEST(ViewState, OneMovementIsOnePlace) {
  ViewState state;
  state.reset({0, 1000});
  for (int i = 1; i < 50; ++i) state.set_visible({i, 1000 - i});
  state.back();
  EXPECT_EQ(state.visible(), (TimeRange{0, 1000}));
  EXPECT_FALSE(state.can_go_back());
}

TEST(ViewState, GoesBackToTheView) {
  ViewState state;
  QSignalSpy restored(&state, &ViewState::view_restored);
  state.show_view(QStringLiteral("findings"));
  EXPECT_FALSE(state.can_go_back());  // there was none before
  state.reset({0, 100});
  EXPECT_EQ(state.view(), QStringLiteral("findings"));
  {
    const ViewState::Jump jump(state);
    state.show_view(QStringLiteral("timeline"));
    state.select({ItemKind::call, 1});
    state.set_visible({10, 20});
  }
  state.set_visible({12, 14});  // no part of the jump, however soon it comes
  state.back();
  EXPECT_EQ(state.visible(), (TimeRange{10, 20}));
  EXPECT_EQ(restored.count(), 0);
  state.back();
  EXPECT_EQ(state.view(), QStringLiteral("findings"));
  EXPECT_EQ(state.visible(), (TimeRange{0, 100}));
  EXPECT_TRUE(state.selection().empty());
  EXPECT_FALSE(state.can_go_back());
  ASSERT_EQ(restored.count(), 1);
  EXPECT_EQ(restored[0][0].toString(), QStringLiteral("findings"));
  state.forward();
  EXPECT_EQ(state.view(), QStringLiteral("timeline"));
  EXPECT_EQ(state.visible(), (TimeRange{10, 20}));
  EXPECT_EQ(restored.count(), 2);
  state.forget_history();
  EXPECT_FALSE(state.can_go_back() || state.can_go_forward());
}

TEST(ViewState, AnEmptyRangeIsNotShown) {
  ViewState state;
  state.reset({0, 100});
  state.set_visible({50, 50});
  EXPECT_EQ(state.visible(), (TimeRange{0, 100}));
}

}  // namespace
}  // namespace rnnadvisor::gui
