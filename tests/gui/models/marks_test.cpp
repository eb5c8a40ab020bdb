#include "gui/models/marks.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>

namespace rnnadvisor::gui {
namespace {

constexpr std::int64_t origin = 1'700'000'000'000'000'000;

Mark mark(std::int64_t at, std::int64_t until, const char* text, int color = 0) {
  return {{origin + at, origin + until}, QString::fromUtf8(text), color};
}

class MarksTest : public testing::Test {
 protected:
  QString profile() {
    const QString path = folder_.filePath(QStringLiteral("run.rnnprof"));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    return path;
  }
  QString side_file() const { return folder_.filePath(QStringLiteral("run.rnnprof.marks.json")); }
  QTemporaryDir folder_;
  Marks marks_;
};

TEST_F(MarksTest, AreKeptBesideTheProfile) {
  marks_.open(profile(), origin);
  EXPECT_FALSE(QFile::exists(side_file()));
  EXPECT_EQ(marks_.add(mark(500, 900, "second", 2)), 0);
  EXPECT_EQ(marks_.add(mark(100, 100, "first ü")), 0);  // by time
  ASSERT_TRUE(QFile::exists(side_file()));
  Marks again;
  again.open(profile(), origin);
  EXPECT_EQ(again.all(),
            (std::vector<Mark>{mark(100, 100, "first ü"), mark(500, 900, "second", 2)}));
  // Times count from the beginning of the profile.
  again.open(profile(), 0);
  EXPECT_EQ(again.all()[0].range, (TimeRange{100, 100}));
}

TEST_F(MarksTest, ChangeAndGo) {
  marks_.open(profile(), origin);
  marks_.add(mark(1, 1, "a"));
  marks_.add(mark(2, 2, "b"));
  QSignalSpy changed(&marks_, &Marks::changed);
  marks_.change(1, mark(2, 2, "c", 5));
  marks_.change(1, mark(2, 2, "c", 5));
  EXPECT_EQ(changed.count(), 1);
  marks_.remove(0);
  marks_.remove(99);
  EXPECT_EQ(marks_.all(), (std::vector<Mark>{mark(2, 2, "c", 5)}));
  marks_.remove(0);
  EXPECT_FALSE(QFile::exists(side_file()));
}

TEST_F(MarksTest, WhatIsNotOursIsNotWrittenOver) {
  const QString path = profile();
  for (const char* text :
       {"", "nonsense", "{}", "[1]", "{\"marks\":3}", "{\"schema\":9,\"marks\":[]}"}) {
    QFile file(side_file());
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    QSignalSpy problem(&marks_, &Marks::problem);
    marks_.open(path, origin);
    EXPECT_EQ(problem.count(), 1) << text;
    marks_.add(mark(1, 1, "a"));
    EXPECT_EQ(marks_.all().size(), 1U);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), text);
  }
}

TEST_F(MarksTest, HostileTimesAreBounded) {
  const auto read = read_marks(
      R"({"schema":1,"marks":[{"at_ns":9223372036854775807,"until_ns":-5,"color":99},{"text":"no time"},3]})",
      origin);
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 1U);
  EXPECT_GE(read->front().range.end_ns, read->front().range.begin_ns);
  EXPECT_LT(read->front().color, mark_colors);
}

// A folder that cannot be written to: then the data folder of the user.
TEST_F(MarksTest, OfSamplesLieElsewhere) {
  marks_.open(QStringLiteral("sample:ptb-large"), origin);
  marks_.add(mark(1, 1, "of a sample"));
  EXPECT_TRUE(QFile::exists(marks_.file()));
  Marks again;
  again.open(QStringLiteral("sample:ptb-large"), origin);
  EXPECT_EQ(again.all().size(), 1U);
  again.open(QStringLiteral("sample:gnmt"), origin);
  EXPECT_TRUE(again.all().empty());
  marks_.remove(0);
  EXPECT_FALSE(QFile::exists(marks_.file()));
}

}  // namespace
}  // namespace rnnadvisor::gui
