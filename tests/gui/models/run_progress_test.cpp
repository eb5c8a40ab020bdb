#include "gui/models/run_progress.h"

#include <gtest/gtest.h>

#include "gui/models/run_problem.h"

namespace rnnadvisor::gui {
namespace {

void append(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::Append));
  file.write(bytes);
}

TEST(RunProgress, KnowsHowFarARunIs) {
  const auto progress = parse_progress(
      R"({"progress":{"doing":"running","finished":3,"total":12,"what":"gnmt","elapsed_seconds":4}})");
  ASSERT_TRUE(progress.has_value());
  EXPECT_DOUBLE_EQ(progress->share().value(), 0.25);
  EXPECT_EQ(progress->text(), QStringLiteral("3 of 12 configurations, last: gnmt"));
}

TEST(RunProgress, OfAProgramHasNoShare) {
  const auto progress = parse_progress(
      R"({"progress":{"doing":"recording","calls":1234,"processes":2,"elapsed_seconds":4}})");
  ASSERT_TRUE(progress.has_value());
  EXPECT_FALSE(progress->share().has_value());
  EXPECT_EQ(progress->text(), QStringLiteral("1,234 RNN calls seen, 2 processes"));
  const auto none = parse_progress(R"({"progress":{"doing":"recording","calls":0,"processes":0}})");
  EXPECT_EQ(none->text(), QStringLiteral("The program runs; nothing was recorded yet"));
}

TEST(RunProgress, OtherLinesAreNone) {
  for (const char* line :
       {"", "{", "[]", "{\"progress\":3}", "{\"progress\":{\"doing\":\"dancing\"}}",
        "rnnadvisor: wrote x", "{\"doing\":\"running\"}"})
    EXPECT_FALSE(parse_progress(line).has_value()) << line;
  // Numbers that cannot be are no share.
  EXPECT_FALSE(parse_progress(R"({"progress":{"doing":"running","finished":-4,"total":0}})")
                   ->share()
                   .has_value());
  EXPECT_DOUBLE_EQ(
      parse_progress(R"({"progress":{"doing":"running","finished":9,"total":3}})")->share().value(),
      1);
}

TEST(ProgressFile, ReadsWhatWasAdded) {
  ProgressFile file;
  ASSERT_TRUE(file.create());
  EXPECT_FALSE(file.read().has_value());
  append(file.path(), "{\"progress\":{\"doing\":\"running\",\"finished\":1,\"total\":3}}\n{\"prog");
  EXPECT_EQ(file.read()->finished, 1);
  EXPECT_FALSE(file.read().has_value());
  append(file.path(), "ress\":{\"doing\":\"running\",\"finished\":2,\"total\":3}}\n");
  EXPECT_EQ(file.read()->finished, 2);
  const QString path = file.path();
  file.remove();
  EXPECT_FALSE(QFile::exists(path));
}

TEST(ElapsedText, IsThatOfAClock) {
  EXPECT_EQ(elapsed_text(0), QStringLiteral("0:00"));
  EXPECT_EQ(elapsed_text(65'999), QStringLiteral("1:05"));
  EXPECT_EQ(elapsed_text(3'600'000), QStringLiteral("1:00:00"));
  EXPECT_EQ(elapsed_text(45'296'000), QStringLiteral("12:34:56"));
}

TEST(RunProblem, IsTakenApart) {
  const auto problem = parse_run_problem(QStringLiteral(
      "working\nrnnadvisor: nothing can be run here: no NVIDIA driver\n  remedy: use a GPU\n"));
  EXPECT_EQ(problem.what, QStringLiteral("Nothing can be run here: no NVIDIA driver."));
  EXPECT_EQ(problem.remedy, QStringLiteral("Use a GPU."));
  EXPECT_TRUE(parse_run_problem(QStringLiteral("Traceback\n  File x")).what.isEmpty());
  EXPECT_TRUE(parse_run_problem(QStringLiteral("rnnadvisor: wrote x.rnnprof")).what.isEmpty());
}

}  // namespace
}  // namespace rnnadvisor::gui
