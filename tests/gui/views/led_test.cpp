// Where clicks and keys lead: to the thing that was pointed at, and to nothing else.
#include <gtest/gtest.h>

#include <QAction>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTextBlock>
#include <QToolButton>

#include "advisor/report/words.h"
#include "gui/charts/chart.h"
#include "gui/models/link.h"
#include "gui/models/pages.h"
#include "gui/recurrence/recurrence_widget.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/explorer_view.h"
#include "gui/views/trace_view.h"
#include "profiler/classify/gaps.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

using LedTest = WindowTest;

TEST_F(LedTest, IdleTimeOfAPhaseLeadsToAGapInACallOfThatPhase) {
  open(two_layers);
  int clicked = 0;
  for (auto* chart : window_->findChildren<ChartWidget*>()) {
    if (chart->accessibleName() != QStringLiteral("Where the time goes")) continue;
    chart->grab();
    const auto hits = chart->hits();
    for (const auto& hit : hits) {
      if (!hit.text.contains(QStringLiteral("GPU idle")) || hit.link.isEmpty()) continue;
      window_->go(QStringLiteral("overview"));
      QTest::mouseClick(chart, Qt::LeftButton, {}, hit.area.center().toPoint());
      ASSERT_EQ(window_->current_view(), QStringLiteral("timeline"));
      const Item chosen = window_->state()->selection();
      ASSERT_EQ(chosen.kind, ItemKind::gap) << hit.text.toStdString();
      const auto& profile = window_->document()->profile();
      const int call = profile.kernels.call[static_cast<std::size_t>(chosen.index)];
      ASSERT_GE(call, 0);
      const auto phase = profile.calls[static_cast<std::size_t>(call)].phase;
      EXPECT_TRUE(hit.text.startsWith(to_qt(advisor::words::phase(phase))))
          << hit.text.toStdString();
      ++clicked;
    }
  }
  EXPECT_GT(clicked, 1);
}

TEST_F(LedTest, ShowZoomsAndLeavesNoOutlinesOfAnotherFinding) {
  open(two_layers);
  window_->follow(*parse_link(QStringLiteral("evidence:0")));
  ASSERT_FALSE(window_->state()->highlighted().empty());
  window_->state()->set_visible(window_->document()->extent());
  window_->go(QStringLiteral("compare"));
  const int call = window_->document()->typical_call();
  std::vector<Item> without = window_->state()->highlighted();
  std::erase(without, Item{ItemKind::call, call});
  window_->state()->highlight(without);
  window_->follow(Link::to({ItemKind::call, call}));
  EXPECT_TRUE(window_->state()->highlighted().empty());
  const TimeRange seen = window_->state()->visible(),
                  shown = window_->document()->range_of({ItemKind::call, call});
  EXPECT_GE(shown.length() * 20, seen.length());
  EXPECT_LE(seen.begin_ns, shown.begin_ns);
  EXPECT_GE(seen.end_ns, shown.end_ns);
}

TEST_F(LedTest, TheRecurrenceIsNeverEmptyWhereACallWasRecorded) {
  open(two_layers);
  ASSERT_TRUE(window_->state()->selection().kind != ItemKind::call);
  window_->go(QStringLiteral("recurrence"));
  EXPECT_FALSE(window_->findChild<RecurrenceWidget*>()->calls().empty());
  EXPECT_EQ(window_->state()->selection().kind, ItemKind::call);
}

// The evidence that a GPU waits is what it waits for, and Show frames one such gap.
TEST_F(LedTest, AWaitingGpuIsShownByItsGaps) {
  open(two_layers);
  const auto& findings = window_->document()->judgement().findings;
  int waiting = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const QString page = finding_page(*window_->document(), static_cast<int>(i), light_theme());
    static const QRegularExpression show(QStringLiteral("href=\"(item:gap/[^\"]*)\""));
    const auto found = show.match(page);
    EXPECT_EQ(found.hasMatch(), findings[i].criterion == "LAUNCH-BOUND") << findings[i].rule_id;
    if (!found.hasMatch()) continue;
    ++waiting;
    EXPECT_FALSE(page.contains(QStringLiteral("longest of")));
    const auto link = parse_link(found.captured(1));
    ASSERT_TRUE(link);
    EXPECT_EQ(to_string(*link), found.captured(1));
    window_->follow(*link);
    ASSERT_EQ(window_->current_view(), QStringLiteral("timeline"));
    EXPECT_EQ(window_->state()->selection(), link->item);
    const TimeRange gap = window_->document()->range_of(link->item);
    const auto& kernels = window_->document()->profile().kernels;
    const auto after = static_cast<std::size_t>(link->item.index);
    EXPECT_EQ(gap.end_ns, kernels.start_ns[after]);
    EXPECT_GT(gap.length(), 0);
    const auto seen = window_->state()->visible();
    EXPECT_LE(seen.begin_ns, gap.begin_ns);
    EXPECT_GE(seen.end_ns, gap.end_ns);
    EXPECT_LE(seen.length(), std::max<std::int64_t>(gap.length() * 4, 5000));
    // The longest of those between the same two kernels.
    for (const auto& pattern :
         gap_patterns(window_->document()->profile(), kernels.device[after], 1000)) {
      if (pattern.after_name == kernels.name[after]) {
        EXPECT_GE(pattern.count * pattern.longest.length(), pattern.total_ns);
      }
    }
    // What is known of it stands beside it.
    const QString known = item_page(*window_->document(), link->item, light_theme());
    for (const char* what :
         {"GPU idle", "Of the step", "After", "Before", "The host", "Called from"})
      EXPECT_TRUE(known.contains(QLatin1String(what))) << what;
    EXPECT_EQ(known.count(QStringLiteral("item:kernel/")), 2);
    EXPECT_TRUE(known.contains(QLatin1String(" % of ")) || known.contains(QLatin1String("&lt;")));
    const auto& scene = window_->findChild<TraceView*>()->timeline()->scene();
    bool pinned = false;
    for (std::size_t t = 0; t < scene.timeline->tracks.size(); ++t)
      pinned = pinned || (scene.timeline->tracks[t].kind == timeline::TrackKind::busy &&
                          scene.states[t].pinned);
    EXPECT_TRUE(pinned);
  }
  EXPECT_GT(waiting, 0);
}

// A magnifier searches; commands have their own key.
TEST_F(LedTest, TheMagnifierSearches) {
  open(two_layers);
  QToolButton* magnifier = nullptr;
  for (auto* button : window_->findChildren<QToolButton*>())
    if (button->accessibleName() == QStringLiteral("Search") && button->isVisible())
      magnifier = button;
  ASSERT_NE(magnifier, nullptr);
  for (const auto& [view, leads] :
       {std::pair{"overview", "timeline"}, {"findings", "findings"}, {"rules", "rules"}}) {
    window_->go(QString::fromUtf8(view));
    magnifier->click();
    QTest::qWait(20);
    EXPECT_EQ(window_->current_view(), QString::fromUtf8(leads));
    EXPECT_NE(qobject_cast<QLineEdit*>(window_->focusWidget()), nullptr) << view;
  }
}

// What was shown in the light keeps none of its colours: on a dark ground they cannot be read.
TEST_F(LedTest, NothingKeepsTheColoursOfTheLight) {
  window_->set_theme_choice(ThemeChoice::light);
  open(two_layers);
  window_->go(QStringLiteral("timeline"));
  auto* timeline = window_->findChild<TraceView*>()->timeline();
  timeline->show_search();
  timeline->search_for(QStringLiteral("gemm"), false);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !timeline->searching(); }, 20000));
  window_->findChild<ExplorerView*>()->set_parameter(QStringLiteral("hidden_size"),
                                                     QStringLiteral("640"));
  window_->follow(Link::to({ItemKind::configuration, 0}));
  window_->follow(Link::to({ItemKind::call, 12}));
  for (const char* view : {"overview", "findings", "explorer", "compare", "rules"})
    window_->go(QString::fromUtf8(view));
  window_->set_theme_choice(ThemeChoice::dark);
  const Theme dark = window_->theme();
  ASSERT_TRUE(dark.dark);
  const auto expect_readable = [&](const QColor& color, const QString& where) {
    EXPECT_GE(contrast(color, dark.panel), 4.5)
        << color.name().toStdString() << ": " << where.toStdString();
  };
  int seen = 0;
  for (const auto* page : window_->findChildren<QTextBrowser*>()) {
    for (auto block = page->document()->begin(); block.isValid(); block = block.next()) {
      for (auto at = block.begin(); !at.atEnd(); ++at) {
        const auto brush = at.fragment().charFormat().foreground();
        if (brush.style() == Qt::NoBrush) continue;
        expect_readable(brush.color(), at.fragment().text());
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 50);
  static const QRegularExpression named(QStringLiteral("^color: ?(#[0-9a-f]{6})"));
  for (const auto* label : window_->findChildren<QLabel*>()) {
    const auto own = named.match(label->styleSheet());
    if (own.hasMatch()) expect_readable(QColor(own.captured(1)), label->text());
  }
  // The underline of a link in a label is as wide as a pixel, and has its colour.
  const QRgb light_link = light_theme().accent.rgb();
  window_->go(QStringLiteral("explorer"));
  QTest::qWait(20);
  const QImage picture = window_->grab().toImage().convertToFormat(QImage::Format_RGB32);
  int light = 0;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) light += picture.pixel(x, y) == light_link ? 1 : 0;
  EXPECT_EQ(light, 0);
}

}  // namespace
}  // namespace rnnadvisor::gui
