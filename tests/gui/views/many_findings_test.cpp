// The recording with most configurations, of all rules' experiments.
#include <QListView>
#include <QScrollBar>
#include <QTextLayout>

#include "gui/views/findings_view.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

using ManyFindingsTest = WindowTest;

// 884 were asked for; the other 868 of the table were added by trying changes (column `tried` of
// the report, from the experiments of the file). And every row of a finding is as high as its title
// needs in the width that it is painted in.
TEST_F(ManyFindingsTest, AreCountedAndHaveRoomForTheirText) {
  open(QStringLiteral(RNNADVISOR_SOURCE_DIR "/tests/gpu/results/h200/rules-validate.rnnprof"));
  const QString all = words();
  EXPECT_TRUE(all.contains(QStringLiteral("884 configurations, and 868 added by tried changes")))
      << all.toStdString();
  ASSERT_TRUE(window_->go(QStringLiteral("findings")));
  QTest::qWait(50);
  auto* list = window_->findChild<FindingsView*>()->list();
  ASSERT_GT(list->verticalScrollBar()->maximum(), 0);
  const QFontMetrics metrics(list->font());
  int wrapped = 0;
  for (int row = 0; row < list->model()->rowCount(); ++row) {
    const auto index = list->model()->index(row, 0);
    const QRect box = list->visualRect(index);
    QTextLayout layout(index.data().toString(), list->font());
    layout.beginLayout();
    int lines = 0;
    for (QTextLine line = layout.createLine(); line.isValid() && lines < 2;
         line = layout.createLine()) {
      line.setLineWidth(box.width() - 61);
      ++lines;
    }
    layout.endLayout();
    wrapped += lines == 2 ? 1 : 0;
    EXPECT_GE(box.height(), 4 + 8 + (lines + 1) * metrics.height())
        << row << ' ' << index.data().toString().toStdString();
  }
  EXPECT_GT(wrapped, 5);
}

}  // namespace
}  // namespace rnnadvisor::gui
