// What a person makes of the findings: the bar below them, and the list.
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QStandardPaths>

#include "gui/models/item_models.h"
#include "gui/views/findings_view.h"
#include "gui/views/note_bar.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class ChecklistTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(two_layers);
    window_->go(QStringLiteral("findings"));
  }
  void TearDown() override {
    QFile::remove(window_->notes()->file());
    window_.reset();
  }
  NoteBar* bar() { return window_->findChild<NoteBar*>(); }
  void select(int finding) { window_->follow(Link::to({ItemKind::finding, finding})); }
  QString subtitle(int row) {
    return window_->findChild<FindingsView*>()
        ->list()
        ->model()
        ->index(row, 0)
        .data(SubtitleRole)
        .toString();
  }
};

TEST_F(ChecklistTest, IsShownInTheListAndComesBack) {
  select(0);
  ASSERT_TRUE(bar()->isVisible());
  QTest::mouseClick(bar()->button(FindingNote::State::tried), Qt::LeftButton);
  picture("checklist");
  EXPECT_TRUE(subtitle(0).startsWith(QStringLiteral("tried")));
  EXPECT_EQ(window_->notes()->of(0).state, FindingNote::State::tried);
  // One at a time; a second click takes it back.
  QTest::mouseClick(bar()->button(FindingNote::State::rejected), Qt::LeftButton);
  EXPECT_FALSE(bar()->button(FindingNote::State::tried)->isChecked());
  QTest::mouseClick(bar()->button(FindingNote::State::rejected), Qt::LeftButton);
  EXPECT_TRUE(window_->notes()->of(0).empty());
  QTest::mouseClick(bar()->button(FindingNote::State::to_do), Qt::LeftButton);
  select(1);
  EXPECT_FALSE(bar()->button(FindingNote::State::to_do)->isChecked());
  open(two_layers);
  window_->go(QStringLiteral("findings"));
  select(0);
  EXPECT_TRUE(bar()->button(FindingNote::State::to_do)->isChecked());
}

// Whatever is done next.
TEST_F(ChecklistTest, WhatIsTypedIsNotLost) {
  select(0);
  QTest::keyClicks(bar()->text(), QStringLiteral("no room "));
  select(1);
  EXPECT_TRUE(bar()->text()->text().isEmpty());
  QTest::keyClicks(bar()->text(), QStringLiteral("later"));
  open(QStringLiteral("sample:ptb-large"));
  open(two_layers);
  EXPECT_EQ(window_->notes()->of(0).text, QStringLiteral("no room"));
  EXPECT_EQ(window_->notes()->of(1).text, QStringLiteral("later"));
  window_->go(QStringLiteral("findings"));
  select(0);
  // While typing goes on what was typed stays as it is.
  QTest::keyClicks(bar()->text(), QStringLiteral(" for it "));
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return window_->notes()->of(0).text == QStringLiteral("no room for it"); }, 5000));
  EXPECT_EQ(bar()->text()->text(), QStringLiteral("no room for it "));
  QTest::keyClicks(bar()->text(), QStringLiteral("now"));
  window_->close();
  EXPECT_EQ(window_->notes()->of(0).text, QStringLiteral("no room for it now"));
}

}  // namespace
}  // namespace rnnadvisor::gui
