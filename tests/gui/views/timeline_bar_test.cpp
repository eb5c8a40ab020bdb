// The bar above the timeline, and what stands around the tracks: as a person with a mouse uses
// them.
#include "gui/views/timeline_bar.h"

#include <QToolButton>
#include <set>

#include "gui/recurrence/recurrence_widget.h"
#include "gui/timeline/palette.h"
#include "gui/timeline/search_bar.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/trace_view.h"
#include "gui/views/view_name.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class TimelineBarTest : public WindowTest {
 protected:
  void open_timeline() {
    open(two_layers);
    window_->go(view_name::timeline);
    bar_ = window_->findChild<TimelineBar*>();
    trace_ = window_->findChild<TraceView*>();
    timeline_ = trace_->timeline();
    ASSERT_TRUE(bar_->isVisible());
    QTest::qWait(100);  // until all is laid out
  }
  QToolButton* button(const char* does) const {
    for (auto* each : bar_->findChildren<QToolButton*>())
      if (each->property("does").toString() == QLatin1String(does)) return each;
    return nullptr;
  }
  std::vector<QToolButton*> legend() const {
    std::vector<QToolButton*> found;
    for (auto* each : bar_->findChildren<QToolButton*>())
      if (each->property("does").toString() == QLatin1String("legend_entry")) found.push_back(each);
    return found;
  }
  TimelineBar* bar_ = nullptr;
  TraceView* trace_ = nullptr;
  TimelineWidget* timeline_ = nullptr;
};

TEST_F(TimelineBarTest, EveryButtonIsSeenAndSaysWhatItDoes) {
  open_timeline();
  const auto buttons = bar_->findChildren<QToolButton*>();
  EXPECT_GT(buttons.size(), 10);
  for (const auto* each : buttons) {
    EXPECT_TRUE(each->isVisible()) << each->text().toStdString();
    EXPECT_FALSE(each->toolTip().isEmpty()) << each->text().toStdString();
    EXPECT_FALSE(each->accessibleName().isEmpty()) << each->text().toStdString();
    EXPECT_TRUE(bar_->rect().contains(QRect(each->mapTo(bar_, QPoint()), each->size())))
        << each->text().toStdString();
  }
}

TEST_F(TimelineBarTest, ItZoomsSearchesAndFilters) {
  open_timeline();
  const auto seen = [&] { return window_->state()->visible().length(); };
  const auto before = seen();
  button("zoom_in")->click();
  EXPECT_LT(seen(), before);
  button("zoom_out")->click();
  button("show_all")->click();
  EXPECT_EQ(seen(), timeline_->scene().timeline->range.length());
  const auto* search = timeline_->findChild<timeline::SearchBar*>();
  button("search")->click();
  EXPECT_TRUE(search->isVisible());
  timeline_->filter_by(QStringLiteral("gemm"), false);
  EXPECT_TRUE(button("filter")->isChecked());
  button("filter")->click();
  EXPECT_TRUE(timeline_->filter().isEmpty());
  EXPECT_FALSE(button("filter")->isChecked());
}

TEST_F(TimelineBarTest, EmptyTracksGoAndComeBack) {
  open_timeline();
  const auto rows = [&] { return timeline_->scene().layout.rows.size(); };
  const auto all = rows();
  const auto call = window_->document()->typical_call(-1);
  window_->state()->set_visible(window_->document()->gpu_range_of_call(call));
  QTest::qWait(20);
  button("hide_empty")->click();
  EXPECT_LT(rows(), all);
  EXPECT_TRUE(button("hide_empty")->isChecked());
  button("hide_empty")->click();
  EXPECT_EQ(rows(), all);
}

// One colour for each, the one that paints the tracks; a click dims the others, another undoes it.
TEST_F(TimelineBarTest, TheLegendHasTheColoursOfTheTracksAndFilters) {
  open_timeline();
  const auto entries = timeline::legend_of(*timeline_->scene().timeline);
  const auto buttons = legend();
  ASSERT_EQ(buttons.size(), entries.size());
  std::set<timeline::ColorId> colors;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_TRUE(colors.insert(entries[i].color).second) << entries[i].name.toStdString();
    const auto image = buttons[i]->icon().pixmap(10, 10).toImage();
    EXPECT_EQ(image.pixel(5, 5), timeline_->scene().palette.fill[entries[i].color]);
    buttons[i]->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !timeline_->searching(); }));
    EXPECT_EQ(timeline_->shown_color(), entries[i].color);
    ASSERT_NE(timeline_->scene().hits, nullptr) << entries[i].name.toStdString();
    for (std::size_t other = 0; other < buttons.size(); ++other)
      EXPECT_EQ(buttons[other]->isChecked(), other == i);
    buttons[i]->click();
    EXPECT_FALSE(timeline_->shown_color());
    EXPECT_EQ(timeline_->scene().hits, nullptr);
    EXPECT_FALSE(buttons[i]->isChecked());
  }
  for (const auto& role : window_->document()->profile().kernels.role)
    ASSERT_TRUE(colors.contains(timeline::color_id(role)));
  for (const auto& made : window_->document()->profile().calls)
    ASSERT_TRUE(colors.contains(timeline::color_id(made.phase)));
  button("legend")->click();
  EXPECT_FALSE(buttons.front()->isVisible());
}

TEST_F(TimelineBarTest, TheDockOfLayersIsAsHighAsTheyAre) {
  window_->resize(1600, 900);
  open_timeline();
  QTest::qWait(100);
  auto* recurrence = window_->findChild<RecurrenceWidget*>();
  const int empty = recurrence->height();
  window_->state()->select({ItemKind::call, window_->document()->typical_call(-1)});
  QTest::qWait(100);
  ASSERT_FALSE(recurrence->calls().empty());
  EXPECT_GE(recurrence->height() + 2, recurrence->sizeHint().height());
  EXPECT_LE(recurrence->height(), recurrence->sizeHint().height() + 30);
  EXPECT_NE(recurrence->height(), empty);
  EXPECT_GE(timeline_->height(), 200);
}

}  // namespace
}  // namespace rnnadvisor::gui
