#include "gui/models/runner.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace rnnadvisor::gui {
namespace {

const QString runner_path = QStringLiteral(RNNADVISOR_SOURCE_DIR "/tests/gui/stand_in_runner.sh");

class RunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    qputenv("STAND_IN_PROFILE", RNNADVISOR_SOURCE_DIR "/samples/recorded/ptb-large.rnnprof");
    request_.output = folder_.filePath(QStringLiteral("out put.rnnprof"));
    request_.configurations.emplace_back();
    QObject::connect(&runner_, &Runner::output, [this](const QString& text) { text_ += text; });
  }
  // What ended() told.
  QList<QVariant> run(const char* what) {
    qputenv("STAND_IN", what);
    QSignalSpy ended(&runner_, &Runner::ended);
    EXPECT_TRUE(runner_.start(runner_path, request_).has_value());
    EXPECT_TRUE(!ended.isEmpty() || ended.wait(20000));
    EXPECT_EQ(ended.count(), 1);
    return ended.isEmpty() ? QList<QVariant>{} : ended.front();
  }
  static Runner::End end_of(const QList<QVariant>& told) { return told.at(0).value<Runner::End>(); }

  QTemporaryDir folder_;
  RunRequest request_;
  Runner runner_;
  QString text_;
};

TEST_F(RunnerTest, Finishes) {
  request_.configurations.front().config.hidden_size = 777;
  const auto told = run("finish");
  EXPECT_EQ(end_of(told), Runner::End::finished);
  EXPECT_EQ(told.at(1).toString(), request_.output);
  EXPECT_TRUE(text_.contains(QStringLiteral("\"hidden_size\":777")) ||
              text_.contains(QStringLiteral("\"hidden_size\": 777")))
      << text_.toStdString();
  EXPECT_TRUE(text_.contains(QStringLiteral("working")));
}

TEST_F(RunnerTest, FindingsAreNoFailure) {
  const auto told = run("findings");
  EXPECT_EQ(end_of(told), Runner::End::finished);
  EXPECT_TRUE(told.at(2).toString().contains(QLatin1Char('1')));
}

TEST_F(RunnerTest, RunsAProgram) {
  request_.program = {QStringLiteral("python"), QStringLiteral("train model.py")};
  EXPECT_EQ(end_of(run("finish")), Runner::End::finished);
  EXPECT_TRUE(text_.contains(QStringLiteral("program: python train model.py")));
}

TEST_F(RunnerTest, SaysWhyItFailed) {
  const auto told = run("fail");
  EXPECT_EQ(end_of(told), Runner::End::failed);
  EXPECT_TRUE(told.at(1).toString().isEmpty());
  EXPECT_TRUE(told.at(2).toString().contains(QStringLiteral("no GPU can be used")));
  EXPECT_EQ(end_of(run("crash")), Runner::End::failed);
}

TEST_F(RunnerTest, AnOldProfileIsNotTakenForTheResult) {
  ASSERT_EQ(end_of(run("finish")), Runner::End::finished);
  EXPECT_EQ(end_of(run("fail")), Runner::End::failed);
}

TEST_F(RunnerTest, IsCancelledAndKeepsWhatWasRecorded) {
  qputenv("STAND_IN", "hang");
  QSignalSpy ended(&runner_, &Runner::ended), output(&runner_, &Runner::output);
  ASSERT_TRUE(runner_.start(runner_path, request_).has_value());
  EXPECT_TRUE(runner_.running());
  EXPECT_FALSE(runner_.start(runner_path, request_).has_value());
  ASSERT_TRUE(QTest::qWaitFor([&] { return text_.contains(QStringLiteral("working")); }, 10000));
  QTest::qWait(200);  // until the trap is set
  runner_.cancel();
  ASSERT_TRUE(ended.wait(20000));
  EXPECT_EQ(end_of(ended.front()), Runner::End::cancelled);
  EXPECT_EQ(ended.front().at(1).toString(), request_.output);
}

TEST_F(RunnerTest, TellsHowFarItIs) {
  qputenv("STAND_IN", "step");
  qputenv("STAND_IN_GO", folder_.filePath(QStringLiteral("go")).toUtf8());
  QSignalSpy ended(&runner_, &Runner::ended);
  RunProgress last;
  qint64 elapsed = -1;
  QObject::connect(&runner_, &Runner::progress, [&](const RunProgress& progress, qint64 ms) {
    last = progress;
    EXPECT_GE(ms, elapsed);
    elapsed = ms;
  });
  ASSERT_TRUE(runner_.start(runner_path, request_).has_value());
  EXPECT_FALSE(runner_.command().contains(QStringLiteral("progress")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return last.finished == 3; }, 10000));
  EXPECT_EQ(last.total, 4);
  for (const char* name : {"go", "go.end"}) {
    QFile file(folder_.filePath(QString::fromUtf8(name)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  }
  ASSERT_TRUE(ended.wait(20000));
  EXPECT_EQ(last.calls, 1234);  // what was told just before the end is not lost
  EXPECT_EQ(end_of(ended.front()), Runner::End::finished);
}

TEST_F(RunnerTest, AMissingProgramIsReported) {
  EXPECT_FALSE(runner_.start({}, request_).has_value());
  QSignalSpy ended(&runner_, &Runner::ended);
  ASSERT_TRUE(runner_.start(QStringLiteral("/nonexistent/rnnadvisor"), request_).has_value());
  ASSERT_TRUE(!ended.isEmpty() || ended.wait(5000));
  EXPECT_EQ(end_of(ended.front()), Runner::End::failed);
}

}  // namespace
}  // namespace rnnadvisor::gui
