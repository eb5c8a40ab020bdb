#include "gui/models/open_problem.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "gui/models/file_follower.h"

namespace rnnadvisor::gui {
namespace {

Error damaged() { return {ErrorCode::damaged, "it is cut off", "record it again", {}, {}}; }

class OpenProblemTest : public testing::Test {
 protected:
  QString write(const QString& name, int bytes) {
    QFile file(folder_.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("SQLite format 3").leftJustified(bytes, 'x', true));
    return file.fileName();
  }
  QTemporaryDir folder_;
};

TEST_F(OpenProblemTest, AFileIsBeingWrittenOnlyForAMoment) {
  const QString path = write(QStringLiteral("a.rnnprof"), 10);
  const QDateTime now = QDateTime::currentDateTime();
  EXPECT_EQ(examine(damaged(), path, now).kind, ProblemKind::being_written);
  EXPECT_EQ(examine(damaged(), path, now.addSecs(60)).kind, ProblemKind::damaged);
  // A clock that is behind the disk's proves nothing.
  EXPECT_EQ(examine(damaged(), path, now.addSecs(-3600)).kind, ProblemKind::damaged);
  // Only what is not whole can become so.
  EXPECT_EQ(examine({ErrorCode::newer_version, "m", "", {}, {}}, path, now).kind,
            ProblemKind::newer_version);
  EXPECT_EQ(examine({ErrorCode::io, "m", "", {}, {}}, path, now).kind, ProblemKind::other);
}

// What has all its bytes and no profile in them does not become one by waiting.
TEST_F(OpenProblemTest, WhatIsWholeIsNotWaitedFor) {
  QFile recorded(QStringLiteral(RNNADVISOR_SOURCE_DIR "/samples/recorded/ptb-large.rnnprof"));
  ASSERT_TRUE(recorded.open(QIODevice::ReadOnly));
  const QByteArray bytes = recorded.readAll();
  const QString path = folder_.filePath(QStringLiteral("whole.rnnprof"));
  const auto kind = [&](const QByteArray& content, const Error& error) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(content);
    file.close();
    return examine(error, path, QDateTime::currentDateTime()).kind;
  };
  EXPECT_EQ(kind(bytes, damaged()), ProblemKind::damaged);
  EXPECT_EQ(kind(bytes.left(bytes.size() / 2), damaged()), ProblemKind::being_written);
  EXPECT_EQ(kind({}, damaged()), ProblemKind::being_written);
  EXPECT_EQ(kind("hello, this is a text", damaged()), ProblemKind::damaged);
  Error locked = damaged();
  locked.message = "table profile cannot be read: database is locked";
  EXPECT_EQ(kind(bytes, locked), ProblemKind::being_written);
  write(QStringLiteral("whole.rnnprof-journal"), 512);
  EXPECT_EQ(kind(bytes, damaged()), ProblemKind::being_written);
}

TEST_F(OpenProblemTest, SaysItInSentences) {
  const auto problem =
      examine(damaged(), QStringLiteral("/nowhere/x"), QDateTime::currentDateTime());
  EXPECT_EQ(problem.text, QStringLiteral("It is cut off."));
  EXPECT_EQ(problem.remedy, QStringLiteral("Record it again."));
  Error named = damaged();
  named.message = "'/nowhere/x': it is cut off";
  EXPECT_EQ(examine(named, QStringLiteral("/nowhere/x")).text, QStringLiteral("It is cut off."));
}

TEST_F(OpenProblemTest, CountsRecordings) {
  const QString folder = folder_.filePath(QStringLiteral("r.rnnprof.spool-abc"));
  ASSERT_TRUE(QDir().mkpath(folder));
  write(QStringLiteral("r.rnnprof.spool-abc/1.rnnspool"), 1024);
  write(QStringLiteral("r.rnnprof.spool-abc/2.rnnspool"), 2048);
  write(QStringLiteral("r.rnnprof.spool-abc/notes.txt"), 4096);
  const QDateTime now = QDateTime::currentDateTime();
  const auto fresh = examine(damaged(), folder, now);
  EXPECT_TRUE(fresh.can_be_collected());
  EXPECT_TRUE(fresh.text.contains(QStringLiteral("2 processes have recorded 3.00 KiB")))
      << fresh.text.toStdString();
  EXPECT_TRUE(fresh.title.contains(QStringLiteral("still being written")));
  const auto old = examine(damaged(), folder, now.addDays(1));
  EXPECT_TRUE(old.can_be_collected());
  EXPECT_FALSE(old.title.contains(QStringLiteral("still")));
}

TEST_F(OpenProblemTest, NamesProfilesThatAreNotThereYet) {
  const QString folder = folder_.filePath(QStringLiteral("run.rnnprof.spool-x3Yz1Q"));
  EXPECT_EQ(profile_of_recordings(folder), folder_.filePath(QStringLiteral("run.rnnprof")));
  EXPECT_EQ(profile_of_recordings(folder + QLatin1Char('/')),
            folder_.filePath(QStringLiteral("run.rnnprof")));
  write(QStringLiteral("run.rnnprof"), 1);
  EXPECT_EQ(profile_of_recordings(folder), folder_.filePath(QStringLiteral("run-2.rnnprof")));
  EXPECT_EQ(profile_of_recordings(QStringLiteral("/scratch/recording")),
            QStringLiteral("/scratch/recording.rnnprof"));
}

TEST_F(OpenProblemTest, FollowsUntilNothingChanges) {
  const QString path = write(QStringLiteral("g.rnnprof"), 10);
  FileFollower follower;
  follower.set_patience(20, 100);
  QSignalSpy grew(&follower, &FileFollower::grew), settled(&follower, &FileFollower::settled);
  follower.follow(path);
  for (int i = 1; i <= 5; ++i) {
    write(QStringLiteral("g.rnnprof"), 10 + i);
    QTest::qWait(40);
    EXPECT_EQ(settled.count(), 0);
  }
  EXPECT_GE(grew.count(), 3);
  EXPECT_EQ(grew.last().at(1).toLongLong(), 15);
  ASSERT_TRUE(settled.wait(5000));
  EXPECT_EQ(settled.at(0).at(0).toString(), path);
  EXPECT_FALSE(follower.following());
}

}  // namespace
}  // namespace rnnadvisor::gui
