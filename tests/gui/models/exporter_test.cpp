#include "gui/models/exporter.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

class ExporterTest : public testing::Test {
 protected:
  QTemporaryDir folder_;
  const QString path_ = folder_.filePath(QStringLiteral("out"));
  const DocumentPointer document_ = sample("programs/pytorch-two-layers");
  Exporter exporter_;
};

TEST_F(ExporterTest, WritesEveryFormat) {
  for (int format = 0; format <= static_cast<int>(ExportFormat::calls); ++format) {
    QFile::remove(path_);
    QSignalSpy ended(&exporter_, &Exporter::ended);
    exporter_.start(document_, static_cast<ExportFormat>(format), path_);
    EXPECT_TRUE(exporter_.busy());
    EXPECT_FALSE(QFile::exists(path_) && QFile(path_).size() > 0);
    ASSERT_TRUE(ended.wait(20000)) << format;
    EXPECT_EQ(ended.at(0).at(1).toString(), QString());
    EXPECT_GT(QFile(path_).size(), 100) << format;
    EXPECT_FALSE(exporter_.busy());
  }
}

TEST_F(ExporterTest, SaysWhyItCouldNot) {
  QSignalSpy ended(&exporter_, &Exporter::ended);
  exporter_.start(document_, ExportFormat::text, folder_.filePath(QStringLiteral("no/such/file")));
  ASSERT_TRUE(ended.wait(20000));
  EXPECT_FALSE(ended.at(0).at(1).toString().isEmpty());
}

TEST_F(ExporterTest, GivenUpItWritesNothing) {
  QSignalSpy ended(&exporter_, &Exporter::ended);
  exporter_.start(document_, ExportFormat::perfetto, path_);
  exporter_.cancel();
  EXPECT_FALSE(exporter_.busy());
  QTest::qWait(500);
  EXPECT_EQ(ended.count(), 0);
  EXPECT_FALSE(QFile::exists(path_));
}

}  // namespace
}  // namespace rnnadvisor::gui
