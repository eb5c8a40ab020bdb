#include "gui/views/run_dialog.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace rnnadvisor::gui {
namespace {

class RunDialogTest : public testing::Test {
 protected:
  void SetUp() override {
    qputenv("STAND_IN_PROFILE", RNNADVISOR_SOURCE_DIR "/samples/recorded/ptb-large.rnnprof");
    dialog_.set_runner(QStringLiteral(RNNADVISOR_SOURCE_DIR "/tests/gui/stand_in_runner.sh"));
    dialog_.output()->setText(folder_.filePath(QStringLiteral("new.rnnprof")));
    dialog_.show();
  }
  bool status_says(const char* words, int patience = 20000) {
    return QTest::qWaitFor(
        [&] { return dialog_.status()->text().contains(QString::fromUtf8(words)); }, patience);
  }
  QTemporaryDir folder_;
  RunDialog dialog_{ConfigInput{}};
};

TEST_F(RunDialogTest, RunsAConfiguration) {
  qputenv("STAND_IN", "finish");
  QSignalSpy recorded(&dialog_, &RunDialog::recorded);
  dialog_.start();
  ASSERT_TRUE(recorded.wait(20000));
  EXPECT_EQ(recorded.at(0).at(0).toString(), dialog_.output()->text());
  EXPECT_EQ(dialog_.result(), QDialog::Accepted);
}

TEST_F(RunDialogTest, SaysWhatIsWrongWithAParameter) {
  auto* parameters = dialog_.findChild<QPlainTextEdit*>(QStringLiteral("parameters"));
  parameters->setPlainText(QStringLiteral("hiden_size = 12"));
  dialog_.start();
  EXPECT_TRUE(dialog_.status()->text().contains(QStringLiteral("hidden_size")))
      << dialog_.status()->text().toStdString();
  parameters->setPlainText(QStringLiteral("nonsense"));
  dialog_.start();
  EXPECT_TRUE(dialog_.status()->text().contains(QStringLiteral("nonsense")));
}

TEST_F(RunDialogTest, SaysWhyItFailed) {
  qputenv("STAND_IN", "fail");
  QSignalSpy recorded(&dialog_, &RunDialog::recorded);
  dialog_.start();
  EXPECT_TRUE(status_says("no GPU can be used"));
  EXPECT_TRUE(dialog_.isVisible());
  EXPECT_EQ(recorded.count(), 0);
}

TEST_F(RunDialogTest, CancelKeepsWhatWasRecorded) {
  qputenv("STAND_IN", "hang");
  dialog_.show_program();
  dialog_.start();
  EXPECT_TRUE(status_says("Name the program"));
  dialog_.program()->setText(QStringLiteral("python train.py"));
  dialog_.start();
  EXPECT_TRUE(status_says("Running"));
  QTest::qWait(500);
  QSignalSpy recorded(&dialog_, &RunDialog::recorded);
  // Closing ends the run first.
  QTest::keyClick(&dialog_, Qt::Key_Escape);
  EXPECT_TRUE(dialog_.isVisible());
  EXPECT_TRUE(status_says("Cancelled"));
  EXPECT_EQ(recorded.count(), 1);
  QTest::keyClick(&dialog_, Qt::Key_Escape);
  EXPECT_FALSE(dialog_.isVisible());
}

}  // namespace
}  // namespace rnnadvisor::gui
