#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <algorithm>

#include "gui/timeline/timeline_widget.h"
#include "gui/views/events_panel.h"
#include "gui/views/summary_panel.h"
#include "gui/views/trace_view.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

using timeline::SummaryBy;
using timeline::SummaryModel;

class SearchListTest : public WindowTest {
 protected:
  void search(const QString& pattern) {
    tracks()->search_for(pattern, true);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !tracks()->searching(); }, 20000));
  }
  TraceView* trace() { return window_->findChild<TraceView*>(); }
  TimelineWidget* tracks() { return trace()->timeline(); }
};

TEST_F(SearchListTest, HasWhatWasFoundAndARowLeadsThere) {
  open(two_layers);
  window_->go(QStringLiteral("timeline"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return tracks()->ready(); }, 20000));
  tracks()->show_search();
  search(QStringLiteral("nvjet|gemm|elem|gelu|lstm"));
  const auto hits = tracks()->scene().hits;
  ASSERT_TRUE(hits);
  for (auto* button : tracks()->findChildren<QToolButton*>())
    if (button->text() == QStringLiteral("List")) button->click();
  QTest::qWait(20);
  auto* events = trace()->events();
  ASSERT_FALSE(events->visibleRegion().isEmpty());
  const auto& model = events->model();
  EXPECT_EQ(model.found(), hits->hits);
  ASSERT_EQ(model.rowCount(), static_cast<int>(std::min<std::int64_t>(
                                  hits->hits, timeline::SearchResult::most_listed)));
  for (int row = 0; row < model.rowCount(); row += 97) {
    const Item item = model.item(row);
    EXPECT_TRUE(is_hit(*tracks()->scene().timeline, *hits, item));
    EXPECT_EQ(model.index(row, EventsModel::track).data().toString(), tracks()->track_of(item));
    EXPECT_FALSE(tracks()->track_of(item).isEmpty());
  }
  tracks()->zoom(0.001);
  events->table()->selectRow(model.rowCount() - 1);
  const Item last = model.item(model.rowCount() - 1);
  EXPECT_EQ(window_->state()->selection(), last);
  const auto range = timeline::item_range(*tracks()->scene().timeline, last);
  EXPECT_LT(range.begin_ns, window_->state()->visible().end_ns);
  EXPECT_GT(range.end_ns, window_->state()->visible().begin_ns);
  // The list is that of the search, also of the next one.
  search(QStringLiteral("no such name"));
  EXPECT_EQ(model.rowCount(), 0);
  search(QStringLiteral("e"));
  EXPECT_EQ(model.found(), tracks()->scene().hits->hits);
}

class SummaryPanelTest : public WindowTest {
 protected:
  void open_summary() {
    open(two_layers);
    window_->go(QStringLiteral("timeline"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return tracks()->ready(); }, 20000));
    raise(QStringLiteral("summary"));
    counted();
  }
  void raise(const QString& name) {
    for (auto* dock : trace()->docks()) {
      if (dock->objectName() != name) continue;
      dock->show();
      dock->raise();
    }
    QTest::qWait(20);
  }
  void counted() {
    ASSERT_TRUE(QTest::qWaitFor([&] { return !panel()->busy(); }, 20000));
  }
  void group_by(SummaryBy by) {
    panel()->chooser()->setCurrentIndex(panel()->chooser()->findData(static_cast<int>(by)));
    counted();
  }
  void choose(int row) {
    auto* table = panel()->table();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(row, 0)).center());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !tracks()->searching(); }, 20000));
  }
  TraceView* trace() { return window_->findChild<TraceView*>(); }
  TimelineWidget* tracks() { return trace()->timeline(); }
  SummaryPanel* panel() { return trace()->summary(); }
  const timeline::Summary& summary() { return panel()->model().summary(); }
  const std::vector<timeline::SummaryRow>& rows() { return panel()->model().rows(); }
};

TEST_F(SummaryPanelTest, FollowsWhatIsMeasuredElseWhatIsVisible) {
  open_summary();
  EXPECT_EQ(summary().range, window_->state()->visible());
  ASSERT_GT(rows().size(), 3U);
  const auto whole = summary().count;
  tracks()->zoom(0.2);
  counted();
  EXPECT_EQ(summary().range, window_->state()->visible());
  EXPECT_LT(summary().count, whole);
  const auto visible = window_->state()->visible();
  const TimeRange half{visible.begin_ns, visible.begin_ns + visible.length() / 2};
  window_->state()->measure(half);
  counted();
  EXPECT_EQ(summary().range, half);
  tracks()->pan(50);  // what is measured stays
  counted();
  EXPECT_EQ(summary().range, half);
  window_->state()->measure(std::nullopt);
  counted();
  EXPECT_EQ(summary().range, window_->state()->visible());
}

TEST_F(SummaryPanelTest, CountsByEveryGrouping) {
  open_summary();
  tracks()->show_all();
  const Profile& p = window_->document()->profile();
  const std::map<SummaryBy, std::size_t> all = {{SummaryBy::kernel, p.kernels.size()},
                                                {SummaryBy::role, p.kernels.size()},
                                                {SummaryBy::call, p.calls.size()},
                                                {SummaryBy::nvtx, p.nvtx.size()},
                                                {SummaryBy::copy, p.transfers.size()}};
  for (const auto& [by, count] : all) {
    group_by(by);
    EXPECT_EQ(summary().by, by);
    EXPECT_EQ(summary().count, static_cast<std::int64_t>(count)) << static_cast<int>(by);
  }
}

TEST_F(SummaryPanelTest, ARowStandsOutOnTheTimelineAndIsSteppedThrough) {
  open_summary();
  group_by(SummaryBy::role);
  choose(1);
  const auto role = rows()[1].role;
  const auto* hits = tracks()->scene().hits.get();
  ASSERT_NE(hits, nullptr);
  const auto& roles = window_->document()->profile().kernels.role;
  EXPECT_EQ(hits->hits, std::count(roles.begin(), roles.end(), role));
  Item before;
  for (int i = 0; i < 3; ++i) {
    QTest::keyClick(panel()->table(), Qt::Key_Return);
    const Item now = window_->state()->selection();
    ASSERT_EQ(now.kind, ItemKind::kernel);
    EXPECT_EQ(roles[static_cast<std::size_t>(now.index)], role);
    EXPECT_TRUE(before.empty() || now.index > before.index);
    if (i == 1) before = now;
  }
  QTest::keyClick(panel()->table(), Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(window_->state()->selection(), before);
}

TEST_F(SummaryPanelTest, ARowFiltersAndTheSummaryStays) {
  open_summary();
  counted();
  const auto all_rows = rows().size();
  choose(0);
  const auto name = rows()[0].name;
  const auto tracks_before = tracks()->scene().timeline->tracks.size();
  panel()->filter_button()->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return tracks()->filtered() && !panel()->busy(); }, 20000));
  EXPECT_LT(tracks()->scene().timeline->tracks.size(), tracks_before);
  EXPECT_EQ(rows().size(), all_rows);
  for (const auto& track : tracks()->scene().timeline->tracks) {
    if (track.kind == timeline::TrackKind::nvtx) ADD_FAILURE() << "only kernels were asked for";
    if (track.kind != timeline::TrackKind::kernels) continue;
    const auto& k = window_->document()->profile().kernels;
    for (const auto& lane : track.lanes)
      for (std::size_t i = 0; i < lane.spans.count; ++i)
        ASSERT_EQ(window_->document()->profile().text(k.name[lane.spans.row(i)]), name);
  }
  // Escape on the timeline ends it, and the button says so.
  QTest::keyClick(tracks(), Qt::Key_Escape);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !tracks()->filtered(); }, 20000));
  EXPECT_FALSE(panel()->filter_button()->isChecked());
  EXPECT_EQ(tracks()->scene().timeline->tracks.size(), tracks_before);
}

TEST_F(SummaryPanelTest, TheChosenRowStaysChosenWhileTheRangeMoves) {
  open_summary();
  choose(1);
  const auto name = rows()[1].name;
  for (int i = 0; i < 6; ++i) {
    tracks()->zoom(0.9);
    counted();
    const auto index = panel()->table()->currentIndex();
    const int row = panel()->model().row_of(name);
    if (row < 0) continue;  // none of it is visible
    EXPECT_EQ(index.row(), row);
  }
}

TEST_F(SummaryPanelTest, IsCountedOnlyWhereItIsSeen) {
  open_summary();
  const auto before = summary().range;
  raise(QStringLiteral("recurrence"));
  tracks()->zoom(0.5);
  QTest::qWait(200);
  EXPECT_EQ(summary().range, before);
  raise(QStringLiteral("summary"));
  counted();
  EXPECT_EQ(summary().range, window_->state()->visible());
}

TEST_F(SummaryPanelTest, IsSavedAsCsvButNotOverTheProfile) {
  open_summary();
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("summary.csv"));
  panel()->save(path);
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const auto lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
  ASSERT_EQ(lines.size(), static_cast<qsizetype>(rows().size()) + 2);
  EXPECT_EQ(lines[0], QStringLiteral("name,count,total_ns,percent,min_ns,median_ns,p99_ns,max_ns"));
  for (std::size_t i = 0; i < rows().size(); ++i) {
    const auto& row = rows()[i];
    const QString rest = lines[static_cast<qsizetype>(i) + 1].section(QLatin1Char(','), -7, -1);
    const auto cells = rest.split(QLatin1Char(','));
    EXPECT_EQ(cells[0].toLongLong(), row.count);
    EXPECT_EQ(cells[1].toLongLong(), row.total_ns);
    EXPECT_EQ(cells[4].toLongLong(), row.median_ns);
    EXPECT_EQ(cells[6].toLongLong(), row.longest_ns);
  }
  // The file that is open.
  const QString copy = folder.filePath(QStringLiteral("open.rnnprof"));
  ASSERT_TRUE(QFile::copy(
      QStringLiteral(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof"),
      copy));
  open(copy);
  const auto size = QFile(copy).size();
  QSignalSpy told(panel(), &SummaryPanel::problem);
  panel()->save(copy);
  EXPECT_EQ(told.count(), 1);
  EXPECT_EQ(QFile(copy).size(), size);
}

TEST_F(SummaryPanelTest, IsCopiedAsATable) {
  open_summary();
  const QString text = trace()->table_text();
  const auto lines = text.trimmed().split(QLatin1Char('\n'));
  ASSERT_EQ(lines.size(), static_cast<qsizetype>(rows().size()) + 1);
  EXPECT_EQ(lines[0].count(QLatin1Char('\t')), SummaryModel::columns_of_summary - 1);
}

}  // namespace
}  // namespace rnnadvisor::gui
