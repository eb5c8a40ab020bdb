#include "gui/models/exporter.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/output_file.h"
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

TEST_F(ExporterTest, WithoutMemoryItSaysSoAndTheOldFileStays) {
  QFile file(path_);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("old");
  file.close();
  exporter_.set_predict_for(
      [](const DeviceSpec&) -> model::PredictTime { throw std::bad_alloc(); });
  QSignalSpy ended(&exporter_, &Exporter::ended);
  exporter_.start(document_, ExportFormat::html, path_);
  ASSERT_TRUE(ended.wait(20000));
  EXPECT_TRUE(ended.at(0).at(1).toString().contains(QLatin1String("memory")));
  EXPECT_EQ(QFile(path_).size(), 3);
}

// As every output of the command line: core/base/output_file.
TEST_F(ExporterTest, ReplacesAFileAsTheCommandLineDoes) {
  const QString target = folder_.filePath(QStringLiteral("target"));
  QFile file(target);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("old");
  file.close();
  ASSERT_TRUE(file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner));
  const auto before = QFileInfo(target).permissions();
  ASSERT_TRUE(QFile::link(target, path_));
  QSignalSpy ended(&exporter_, &Exporter::ended);
  exporter_.start(document_, ExportFormat::text, path_);
  ASSERT_TRUE(ended.wait(20000));
  EXPECT_EQ(ended.at(0).at(1).toString(), QString());
  EXPECT_TRUE(QFileInfo(path_).isSymLink());
  EXPECT_GT(QFileInfo(target).size(), 100);
  EXPECT_EQ(QFileInfo(target).permissions(), before);
  exporter_.start(document_, ExportFormat::text, QStringLiteral("/dev/full"));
  ASSERT_TRUE(ended.wait(20000));
  EXPECT_TRUE(ended.at(1).at(1).toString().contains(QStringLiteral("No space left")))
      << ended.at(1).at(1).toString().toStdString();
}

TEST_F(ExporterTest, DoesNotReplaceTheProfileThatIsShown) {
  const QString profile = folder_.filePath(QStringLiteral("run.rnnprof"));
  ASSERT_TRUE(write_file(profile.toStdString(), "its bytes"));
  const auto document = std::make_shared<Document>(document_->profile(), test_rules(), profile);
  ASSERT_TRUE(QFile::link(profile, path_));
  QSignalSpy ended(&exporter_, &Exporter::ended);
  exporter_.start(document, ExportFormat::html, path_);
  ASSERT_TRUE(ended.wait(20000));
  EXPECT_TRUE(ended.at(0).at(1).toString().contains(QStringLiteral("would destroy it")));
  EXPECT_EQ(QFileInfo(profile).size(), 9);
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
