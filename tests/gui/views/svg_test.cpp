// Pictures as SVG are what the window shows.
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QStackedWidget>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tests/gui/views/window_test.h"

namespace rnnadvisor::gui {
namespace {

// The mean difference of a channel, 0 to 255, at a quarter of the size: there glyphs that stand
// half a pixel off look the same, however many there are, and what is missing or elsewhere does
// not.
double difference(const QImage& shown, const QImage& drawn) {
  const auto small = [](const QImage& image) {
    return image.scaled(image.size() / 4, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  };
  const QImage a = small(shown), b = small(drawn);
  double sum = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) {
      const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
      sum += std::abs(qRed(p) - qRed(q)) + std::abs(qGreen(p) - qGreen(q)) +
             std::abs(qBlue(p) - qBlue(q));
    }
  return sum / 3 / a.width() / a.height();
}

class SvgTest : public WindowTest, public testing::WithParamInterface<const char*> {};

TEST_P(SvgTest, LooksAsTheViewDoes) {
  open(QStringLiteral("sample:programs/pytorch-two-layers"));
  ASSERT_TRUE(window_->go(QString::fromUtf8(GetParam())));
  QTest::qWait(300);
  const QTemporaryDir folder;
  const QString path = folder.filePath(QString::fromUtf8(GetParam()) + QStringLiteral(".svg"));
  ASSERT_TRUE(window_->save_picture(path));
  const QString png = folder.filePath(QStringLiteral("view.png"));
  ASSERT_TRUE(window_->save_picture(png));
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  QXmlStreamReader xml(text);
  int words = 0;
  while (!xml.atEnd())
    if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("text"))
      ++words;
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  EXPECT_GT(words, 10) << "text stays text";
  const QImage shown = QImage(png).convertToFormat(QImage::Format_RGB32);
  QSvgRenderer renderer(text);
  ASSERT_TRUE(renderer.isValid());
  EXPECT_EQ(renderer.viewBox().size(), shown.size());
  QImage drawn(shown.size(), QImage::Format_RGB32);
  drawn.fill(window_->theme().window);
  QPainter painter(&drawn);
  renderer.render(&painter);
  painter.end();
  if (const QString pictures = qEnvironmentVariable("RNNADVISOR_PICTURES"); !pictures.isEmpty()) {
    shown.save(
        QDir(pictures).filePath(QStringLiteral("view-%1.png").arg(QString::fromUtf8(GetParam()))));
    drawn.save(
        QDir(pictures).filePath(QStringLiteral("svg-%1.png").arg(QString::fromUtf8(GetParam()))));
    QFile::copy(path, QDir(pictures).filePath(
                          QStringLiteral("svg-%1.svg").arg(QString::fromUtf8(GetParam()))));
  }
  EXPECT_LT(difference(shown, drawn), 2.5);  // texts are drawn by another engine
}

using PictureFiles = WindowTest;

// As every other output: core/base/output_file.
TEST_F(PictureFiles, FollowLinksAndDoNotReplaceTheProfile) {
  const QTemporaryDir folder;
  const QString sample = QStringLiteral("two-layers.rnnprof"), profile = folder.filePath(sample);
  ASSERT_TRUE(QFile::copy(
      QStringLiteral(RNNADVISOR_SOURCE_DIR "/samples/recorded/programs/pytorch-two-layers.rnnprof"),
      profile));
  open(profile);
  const qint64 size = QFile(profile).size();
  for (const char* ending : {".svg", ".png"}) {
    const QString link = folder.filePath(QStringLiteral("link") + QString::fromUtf8(ending));
    ASSERT_TRUE(QFile::link(profile, link));
    const auto saved = window_->save_picture(link);
    ASSERT_FALSE(saved) << ending;
    EXPECT_NE(saved.error().message.find("would destroy it"), std::string::npos);
    EXPECT_EQ(QFile(profile).size(), size);
    ASSERT_TRUE(QFile::remove(link));
    const QString target = folder.filePath(QStringLiteral("target"));
    ASSERT_TRUE(QFile::link(target, link));
    EXPECT_TRUE(window_->save_picture(link));
    EXPECT_GT(QFile(target).size(), 1000);
    EXPECT_TRUE(QFileInfo(link).isSymLink());
    ASSERT_TRUE(QFile::remove(link));
    const QString full = folder.filePath(QStringLiteral("full") + QString::fromUtf8(ending));
    ASSERT_TRUE(QFile::link(QStringLiteral("/dev/full"), full));
    const auto written = window_->save_picture(full);
    ASSERT_FALSE(written) << ending;
    EXPECT_NE(written.error().message.find(std::strerror(ENOSPC)), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Views, SvgTest,
                         testing::Values("start", "overview", "timeline", "recurrence", "findings",
                                         "explorer", "rules"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace rnnadvisor::gui
