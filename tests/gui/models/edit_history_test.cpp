#include "gui/models/edit_history.h"

#include <gtest/gtest.h>

#include <random>

namespace rnnadvisor::gui {
namespace {

// Against a plain list of all states: any run of changes, undos and redos.
TEST(EditHistory, GoesBackAndForwardThroughWhatWas) {
  std::mt19937 random(7);
  for (int run = 0; run < 50; ++run) {
    EditHistory<int> history;
    std::vector<int> states{0};
    std::size_t at = 0;
    int next = 1;
    for (int i = 0; i < 100; ++i) {
      const auto choice = random() % 4;
      if (choice < 2) {
        history.before_change({}, states[at]);
        states.resize(++at);
        states.push_back(next++);
      } else if (const auto to =
                     choice == 2 ? history.undo(states[at]) : history.redo(states[at])) {
        at = choice == 2 ? at - 1 : at + 1;
        ASSERT_LT(at, states.size());
        EXPECT_EQ(*to, states[at]);
      }
      EXPECT_EQ(history.can_undo(), at > 0);
      EXPECT_EQ(history.can_redo(), at + 1 < states.size());
    }
  }
}

TEST(EditHistory, ADragIsOneStep) {
  EditHistory<int> history;
  history.before_change(QStringLiteral("a"), 0);
  history.set_dragging(true);
  for (int i = 1; i < 20; ++i) history.before_change(QStringLiteral("a"), i);
  history.set_dragging(false);
  history.before_change(QStringLiteral("a"), 20);
  EXPECT_EQ(history.undo(21), 20);
  EXPECT_EQ(history.undo(20), 1);
  EXPECT_EQ(history.undo(1), 0);
  EXPECT_FALSE(history.undo(0));
}

// Digits that are typed one after the other; another field is another step.
TEST(EditHistory, WhatFollowsAtOnceIsOneStep) {
  EditHistory<int> history;
  for (int i = 0; i < 4; ++i) history.before_change(QStringLiteral("a"), i);
  history.before_change(QStringLiteral("b"), 4);
  EXPECT_EQ(history.undo(5), 4);
  EXPECT_EQ(history.undo(4), 0);
  EXPECT_FALSE(history.can_undo());
}

}  // namespace
}  // namespace rnnadvisor::gui
