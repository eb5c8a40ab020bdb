// Texts that must not be cut, because they tell like from unlike.
#include <gtest/gtest.h>

#include <QDialog>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextLayout>
#include <algorithm>
#include <map>
#include <set>

#include "gui/models/overview_charts.h"
#include "gui/timeline/scene.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/main_window.h"
#include "gui/views/trace_view.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

class RoomTest : public testing::Test {
 protected:
  void open(const QString& file, const QString& view, QSize size = {1280, 720}) {
    QSettings().clear();
    window_ = std::make_unique<MainWindow>();
    window_->resize(size);
    window_->show();
    window_->open(file);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window_->loading(); }, 60000));
    ASSERT_TRUE(window_->go(view));
    QTest::qWait(50);
  }
  std::unique_ptr<MainWindow> window_;
};

TEST_F(RoomTest, AWideWindowMakesNoWideText) {
  open(QStringLiteral("sample:programs/pytorch-two-layers"), QStringLiteral("findings"),
       {3000, 1200});
  auto* findings = window_->findChild<FindingsView*>();
  EXPECT_LE(findings->page()->viewport()->width(), PageBrowser::widest_text);
  EXPECT_GT(findings->page()->viewport()->width(), PageBrowser::widest_text - 30);
  EXPECT_LT(findings->list()->width(), 500);
  window_->resize(1000, 700);
  QTest::qWait(20);
  EXPECT_LE(findings->page()->viewport()->width(), findings->page()->width());
  EXPECT_GT(findings->page()->viewport()->width(), findings->page()->width() - 30);
}

// The sheet of keys is the window's, also while the timeline takes all other keys.
TEST_F(RoomTest, AQuestionMarkInTheTimelineOpensTheSheetOfKeys) {
  open(QStringLiteral("sample:planted-failures"), QStringLiteral("timeline"));
  auto* timeline = window_->findChild<TraceView*>()->timeline();
  timeline->setFocus();
  ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
  QTest::keyClick(timeline, Qt::Key_Question);
  QTest::qWait(20);
  QStringList shown;
  for (const auto* dialog : window_->findChildren<QDialog*>())
    if (dialog->isVisible()) shown << dialog->windowTitle();
  EXPECT_EQ(shown.size(), 1) << shown.join(QLatin1Char('|')).toStdString();
}

// The list has a row for each rule, with one sign; over several configurations one rule fires many
// times, and here not always as severely.
TEST_F(RoomTest, TheHeaderCountsAsTheListDoes) {
  open(QStringLiteral("sample:deepbench"), QStringLiteral("overview"));
  const auto& actions = window_->document()->report().actions;
  std::size_t rows = 0, times = 0;
  bool mixed = false;
  for (const auto& group : actions) {
    for (const auto* each : group.findings) {
      mixed = mixed || each->severity != group.first().severity;
      if (each->severity == advisor::Severity::opportunity) ++times;
    }
    if (group.first().severity == advisor::Severity::opportunity) ++rows;
  }
  ASSERT_TRUE(mixed);
  ASSERT_LT(rows, times);
  QStringList words;
  for (const auto* label : window_->findChildren<QLabel*>())
    if (label->isVisible()) words << label->text();
  EXPECT_TRUE(words.contains(QStringLiteral("opportunities, %1 times").arg(times)))
      << words.join(QLatin1Char('|')).toStdString();
  EXPECT_TRUE(words.contains(QString::number(rows)));
}

// What to do comes before what memory is needed, and the timeline has most of the width.
TEST_F(RoomTest, ASmallScreenShowsFirstWhatMatters) {
  open(QStringLiteral("sample:programs/pytorch-two-layers"), QStringLiteral("overview"),
       {1024, 700});
  std::map<QString, int> tops;
  for (const auto* label : window_->findChildren<QLabel*>())
    if (label->isVisible()) tops[label->text()] = label->mapTo(window_.get(), QPoint(0, 0)).y();
  ASSERT_TRUE(tops.contains(QStringLiteral("Memory")));
  ASSERT_TRUE(tops.contains(QStringLiteral("What to do first")));
  EXPECT_LT(tops[QStringLiteral("What to do first")], tops[QStringLiteral("Memory")]);
  ASSERT_TRUE(window_->go(QStringLiteral("timeline")));
  QTest::qWait(50);
  const auto& scene = window_->findChild<TraceView*>()->timeline()->scene();
  EXPECT_GE(scene.spans_width(), window_->width() * 7 / 10);
  EXPECT_GE(scene.size.height(), window_->height() * 4 / 10);
}

// Where a page breaks a line within a word, as in "standar/d".
QStringList broken_words(const QTextDocument& document) {
  QStringList broken;
  for (auto block = document.begin(); block.isValid(); block = block.next()) {
    const auto* layout = block.layout();
    const QString text = block.text();
    for (int line = 0; line + 1 < layout->lineCount(); ++line) {
      const int at = layout->lineAt(line + 1).textStart();
      if (at > 0 && at < text.size() && text[at - 1].isLetterOrNumber() &&
          text[at].isLetterOrNumber())
        broken << text.mid(std::max(0, at - 20), 20) + QLatin1Char('|') + text.mid(at, 20);
    }
  }
  return broken;
}

TEST_F(RoomTest, NoWordIsBroken) {
  for (const char* name : {"pytorch-two-layers", "jax-lstm", "pytorch-speech-encoder"}) {
    open(QStringLiteral("sample:programs/") + QString::fromUtf8(name), QStringLiteral("overview"),
         {1024, 700});
    const auto expect_whole = [&](const char* where) {
      QTest::qWait(30);
      for (const auto* page : window_->findChildren<QTextBrowser*>()) {
        if (!page->isVisible()) continue;
        const QStringList broken = broken_words(*page->document());
        EXPECT_TRUE(broken.isEmpty())
            << name << ", " << where << ": " << broken.join(QStringLiteral(" || ")).toStdString();
      }
    };
    expect_whole("overview");
    const int findings = static_cast<int>(window_->document()->judgement().findings.size());
    for (int i = 0; i < findings; ++i) {
      window_->follow(Link::to({ItemKind::finding, i}));
      expect_whole("finding");
      window_->go(QStringLiteral("timeline"));
      expect_whole("finding beside the timeline");
      window_->go(QStringLiteral("overview"));
    }
    window_->follow(Link::to({ItemKind::call, window_->document()->typical_call()}));
    expect_whole("call");
    window_->follow(Link::to({ItemKind::kernel, 100}));
    expect_whole("kernel");
    window_->resize(1360, 860);  // the narrow page beside the timeline
    for (auto* dock : window_->findChildren<QDockWidget*>())
      if (dock->objectName() == QStringLiteral("details"))
        qobject_cast<QMainWindow*>(dock->parentWidget())
            ->resizeDocks({dock}, {300}, Qt::Horizontal);
    for (int i = 0; i < findings; ++i) {
      window_->go(QStringLiteral("timeline"));
      window_->state()->select({ItemKind::finding, i});
      expect_whole("narrow finding");
    }
    window_->state()->select({ItemKind::call, window_->document()->typical_call()});
    expect_whole("narrow call");
    window_->state()->select({ItemKind::kernel, 100});
    expect_whole("narrow kernel");
    window_->resize(1024, 700);
    window_->follow(*parse_link(QStringLiteral("explore:0")));
    window_->findChild<ExplorerView*>()->hold();
    auto* tabs = window_->findChild<ExplorerView*>()->findChild<QTabWidget*>();
    for (int tab = 0; tab < tabs->count(); ++tab) {
      tabs->setCurrentIndex(tab);
      expect_whole("explorer");
    }
  }
}

TEST_F(RoomTest, TracksOfOneKindAreToldApart) {
  open(QStringLiteral("sample:programs/pytorch-distributed"), QStringLiteral("timeline"));
  const auto& scene = window_->findChild<TraceView*>()->timeline()->scene();
  const QFontMetrics font(scene.size.isEmpty() ? QFont() : window_->font()),
      small(timeline::small_font(window_->font()));
  std::map<int, std::set<QString>> names;  // by parent
  int tracks = 0;
  for (const auto& track : scene.timeline->tracks) {
    if (track.kind != timeline::TrackKind::kernels && track.kind != timeline::TrackKind::transfers)
      continue;
    const QString title = timeline::track_title(*scene.timeline, track);
    const QString brief = timeline::brief_subtitle(*scene.timeline, track);
    EXPECT_TRUE(names[track.parent].insert(title + brief).second) << brief.toStdString();
    // Both have room in the header.
    EXPECT_LE(font.horizontalAdvance(title) + small.horizontalAdvance(brief) + 8,
              scene.header_width - 10 - 28);
    ++tracks;
  }
  EXPECT_GT(tracks, 4);
}

TEST_F(RoomTest, TheExplorerFitsASmallScreen) {
  open(QStringLiteral("sample:programs/pytorch-two-layers"), QStringLiteral("explorer"),
       {1093, 614});
  auto* explorer = window_->findChild<ExplorerView*>();
  window_->follow(*parse_link(QStringLiteral("explore:0/0/1")));
  QTest::qWait(50);
  for (auto* chart : explorer->findChildren<ChartWidget*>()) {
    if (!chart->isVisible()) continue;
    auto* scroll = qobject_cast<QScrollArea*>(
        chart->parentWidget()->parentWidget()->parentWidget()->parentWidget());
    ASSERT_NE(scroll, nullptr);
    EXPECT_LE(chart->mapTo(scroll->viewport(), QPoint(chart->width(), 0)).x(),
              scroll->viewport()->width());
    EXPECT_EQ(scroll->horizontalScrollBar()->maximum(), 0);
  }
  // The title is whole, if need be in two lines.
  int titles = 0;
  for (auto* label : explorer->findChildren<QLabel*>()) {
    if (label->property("look") != QStringLiteral("headline")) continue;
    EXPECT_TRUE(label->text().contains(QStringLiteral("persist_static")));
    EXPECT_GE(label->height(), label->heightForWidth(label->width()));
    ++titles;
  }
  EXPECT_EQ(titles, 1);
}

// The end of a name, its algorithm, is what differs.
TEST_F(RoomTest, NamesInCompareAreWhole) {
  open(QStringLiteral("sample:programs/pytorch-gru"), QStringLiteral("compare"));
  auto* compare = window_->findChild<CompareView*>();
  compare->compare_with(QStringLiteral("sample:programs/pytorch-two-layers"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !compare->comparing(); }, 30000));
  QTest::qWait(50);
  auto* table = compare->findChildren<QTableView*>().front();
  compare->findChild<QTabWidget*>()->setCurrentWidget(table);
  QTest::qWait(50);
  ASSERT_GT(table->model()->rowCount(), 0);
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    const auto index = table->model()->index(row, ComparisonModel::name);
    const QRect cell = table->visualRect(index);
    const QRect needed = table->fontMetrics().boundingRect(
        QRect(0, 0, cell.width() - 12, 1000), Qt::TextWordWrap, index.data().toString());
    EXPECT_GE(cell.height(), needed.height()) << index.data().toString().toStdString();
  }
}

// On a small screen nothing is cut at the right: what has no room beside stands below.
TEST_F(RoomTest, SmallWindowsCutNothing) {
  for (const QSize size : {QSize(1000, 700), QSize(1280, 720), QSize(1600, 900)}) {
    open(QStringLiteral("sample:programs/pytorch-two-layers-split"), QStringLiteral("compare"),
         size);
    auto* compare = window_->findChild<CompareView*>();
    compare->compare_with(QStringLiteral("sample:programs/pytorch-two-layers"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !compare->comparing(); }, 30000));
    QTest::qWait(50);
    auto* table = compare->findChildren<QTableView*>().front();
    compare->findChild<QTabWidget*>()->setCurrentWidget(table);
    QTest::qWait(50);
    EXPECT_EQ(table->horizontalScrollBar()->maximum(), 0) << size.width();
    const int line = table->fontMetrics().height();
    EXPECT_GE(table->columnWidth(ComparisonModel::name), 8 * line) << size.width();
    for (int row = 0; row < table->model()->rowCount(); ++row)
      EXPECT_LE(table->rowHeight(row), 5 * line) << size.width();

    open(QStringLiteral("sample:programs/pytorch-two-layers"), QStringLiteral("explorer"), size);
    window_->follow(*parse_link(QStringLiteral("explore:0/1/0")));
    QTest::qWait(50);
    auto* explorer = window_->findChild<ExplorerView*>();
    for (auto* area : explorer->findChildren<QScrollArea*>()) {
      if (!area->isVisible()) continue;
      EXPECT_EQ(area->horizontalScrollBar()->maximum(), 0) << size.width();
    }
    auto* tabs = explorer->findChild<QTabWidget*>();
    EXPECT_GE(tabs->width(), 400) << size.width();
    EXPECT_LE(tabs->tabBar()->tabRect(0).right(), tabs->width());
  }
}

// The recording has a range "step" around each of its steps: those are compared first.
TEST_F(RoomTest, CompareShowsWholeStepsFirst) {
  open(QStringLiteral("sample:programs/pytorch-two-layers"), QStringLiteral("compare"));
  auto* compare = window_->findChild<CompareView*>();
  compare->compare_with(QStringLiteral("sample:programs/pytorch-two-layers"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !compare->comparing(); }, 30000));
  QTest::qWait(20);
  QStringList words;
  for (const auto* label : compare->findChildren<QLabel*>())
    if (label->isVisible()) words << label->text();
  EXPECT_TRUE(words.contains(QStringLiteral("A step takes as long as before, within noise")))
      << words.join(QLatin1Char('|')).toStdString();
  EXPECT_TRUE(words.join(QLatin1Char('|')).contains(QStringLiteral("NVTX range “step”")));
}

TEST_F(RoomTest, AProfileIsOpenedBesideTheOneFromBefore) {
  const QString after = QStringLiteral("sample:programs/pytorch-gru"),
                before = QStringLiteral("sample:programs/pytorch-two-layers");
  open(QStringLiteral("sample:deepbench"), QStringLiteral("overview"));
  auto* compare = window_->findChild<CompareView*>();
  const auto compared = [&] {
    return !window_->loading() && !compare->comparing() &&
           compare->findChildren<QTableView*>().front()->model()->rowCount() > 0;
  };
  window_->open(after, std::nullopt, before);
  ASSERT_TRUE(QTest::qWaitFor(compared, 60000));
  EXPECT_EQ(window_->current_view(), QStringLiteral("compare"));
  EXPECT_EQ(window_->document()->path(), after);
  // A place that names a view stays.
  window_->open(after, parse_place(QStringLiteral("timeline")).value(), before);
  ASSERT_TRUE(QTest::qWaitFor(compared, 60000));
  EXPECT_EQ(window_->current_view(), QStringLiteral("timeline"));
  // If a profile cannot be opened, the message stands in its place.
  const QString missing = QStringLiteral("sample:nothing-of-that-name");
  QSettings().clear();
  window_ = std::make_unique<MainWindow>();
  window_->show();
  window_->open(after, std::nullopt, missing);
  const auto said = [&] {
    for (const auto* label : window_->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(QStringLiteral("nothing-of-that-name")))
        return true;
    return false;
  };
  EXPECT_TRUE(QTest::qWaitFor(said, 30000));
  EXPECT_EQ(window_->current_view(), QStringLiteral("compare"));
}

TEST(KernelNames, FunctorsTellTemplatesApart) {
  // From the strings of samples/recorded/programs/pytorch-custom-cell.rnnprof.
  EXPECT_EQ(kernel_functor("void at::native::vectorized_elementwise_kernel<4, "
                           "at::native::AUnaryFunctor<float, float, float, "
                           "at::native::binary_internal::MulFunctor<float> >, std::array<char*, "
                           "2ul> >(int, at::native::OtherFunctor<float>)"),
            QStringLiteral("AUnary Mul"));
  EXPECT_EQ(kernel_functor("void at::native::vectorized_elementwise_kernel<4, "
                           "at::native::tanh_backward_kernel_cuda(at::TensorIteratorBase&)::{lambda"
                           "()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 3ul> "
                           ">(int)"),
            QStringLiteral("tanh_backward"));
  EXPECT_EQ(kernel_functor("void k<4, at::native::CUDAFunctor_add<float>, int>(int)"),
            QStringLiteral("add"));
  EXPECT_EQ(kernel_functor("sgemm_largek_lds64"), QString());
  EXPECT_EQ(kernel_functor("broken<<<"), QString());
  std::set<QString> names;
  for (const auto& kernel : longest_kernels(*sample("programs/pytorch-custom-cell"), 10))
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name.toStdString();
  EXPECT_EQ(names.size(), 10U);
}

}  // namespace
}  // namespace rnnadvisor::gui
