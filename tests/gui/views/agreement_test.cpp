// The window and the text report say the same of every recording: the headline, what to do in what
// order, and what is only a remark.
#include <QTextBrowser>
#include <algorithm>
#include <filesystem>

#include "advisor/report/inline_code.h"
#include "advisor/report/words.h"
#include "core/model/time_for_device.h"
#include "gui/models/item_models.h"
#include "tests/effort.h"
#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

class AgreementTest : public WindowTest {
 protected:
  // The page of the overview with this name; empty: there is none.
  QString page(const char* name) const {
    for (const auto* each : window_->findChildren<QTextBrowser*>())
      if (each->isVisible() && each->accessibleName() == QString::fromUtf8(name))
        return each->toPlainText();
    return {};
  }
};

std::vector<QString> titles(const std::vector<advisor::FindingGroup>& groups) {
  std::vector<QString> list;
  for (const auto& group : groups)
    list.push_back(QString::fromStdString(
        advisor::without_code_marks(advisor::words::clean(group.first().title))));
  return list;
}

void expect_order(const QString& page, std::vector<QString> wanted, std::size_t most,
                  const std::string& where) {
  qsizetype at = 0;
  wanted.resize(std::min(most, wanted.size()));
  for (const auto& title : wanted) {
    const auto found = page.indexOf(title, at);
    ASSERT_GE(found, 0) << where << ": '" << title.toStdString() << "' is missing or misplaced in\n"
                        << page.toStdString();
    at = found + title.size();
  }
}

TEST_F(AgreementTest, TheOverviewSaysWhatTheTextReportSays) {
  window_->set_predict_for(model::predict_time_for);  // as the program does
  namespace fs = std::filesystem;
  const fs::path folder = RNNADVISOR_SOURCE_DIR "/samples/recorded";
  std::vector<fs::path> files;
  for (const auto& file : fs::recursive_directory_iterator(folder))
    if (file.path().extension() == ".rnnprof") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 31u);
  for (std::size_t index = 0; const auto& file : files) {
    if (test::left_to_all_draws(index++, 3)) continue;
    SCOPED_TRACE(file.string());
    open(QString::fromStdString(file.string()));
    window_->go(QStringLiteral("overview"));
    QTest::qWait(10);
    const auto& report = window_->document()->report();
    advisor::TextOptions options;
    options.width = 100000;
    const std::string text = advisor::write_text(report, options);
    EXPECT_NE(text.find(report.headline), std::string::npos);
    EXPECT_TRUE(words().contains(QString::fromStdString(report.headline)));
    const auto actions = titles(report.actions), remarks = titles(report.remarks);
    expect_order(page("What to do first"), actions, 5, "what to do");
    expect_order(page("Remarks"), titles(report.remarks_not_refuted()), 4, "remarks");
    for (const auto& remark : remarks) {
      if (std::find(actions.begin(), actions.end(), remark) != actions.end()) continue;
      EXPECT_FALSE(page("What to do first").contains(remark)) << remark.toStdString();
    }
    FindingsModel model;
    model.set_document(window_->document());
    ASSERT_EQ(model.rowCount(), static_cast<int>(actions.size() + remarks.size()));
    for (int row = 0; row < model.rowCount(); ++row) {
      const auto at = static_cast<std::size_t>(row);
      const bool remark = at >= actions.size();
      EXPECT_EQ(model.index(row).data().toString(),
                remark ? remarks[at - actions.size()] : actions[at]);
      EXPECT_EQ(!model.index(row).data(SectionRole).toString().isEmpty(), remark);
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::gui
