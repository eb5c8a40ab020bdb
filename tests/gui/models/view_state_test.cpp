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

TEST(ViewState, AnEmptyRangeIsNotShown) {
  ViewState state;
  state.reset({0, 100});
  state.set_visible({50, 50});
  EXPECT_EQ(state.visible(), (TimeRange{0, 100}));
}

}  // namespace
}  // namespace rnnadvisor::gui
