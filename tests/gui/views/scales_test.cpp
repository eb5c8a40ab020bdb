// The window at the scales of common screens, and mirrored.
#include <gtest/gtest.h>

#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

namespace rnnadvisor::gui {
namespace {

const QString sample_path = QStringLiteral("sample:programs/pytorch-two-layers");

// The program as it is started, at the scales of common screens.
TEST(Scales, EveryScaleIsTheSamePictureSharper) {
  QTemporaryDir folder;
  const auto shot = [&](const char* view, const char* scale, const QStringList& more) {
    const QString path = folder.filePath(QStringLiteral("x.png"));
    QProcess program;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QString::fromUtf8(scale));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(RNNADVISOR_GUI_PROGRAM),
                  QStringList{QStringLiteral("--screenshot"), QString::fromUtf8(view), path,
                              sample_path, QStringLiteral("--size"), QStringLiteral("1280x720")} +
                      more);
    EXPECT_TRUE(program.waitForFinished(60000));
    EXPECT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
    return QImage(path);
  };
  for (const auto& [scale, factor] :
       {std::pair("1", 1.0), {"1.25", 1.25}, {"1.5", 1.5}, {"2", 2.0}}) {
    const QImage picture = shot("overview", scale, {});
    EXPECT_NEAR(picture.width(), 1280 * factor, 1) << scale;
    EXPECT_NEAR(picture.height(), 720 * factor, 1) << scale;
  }
  // Mirrored, the rail of views stands on the right.
  const QImage usual = shot("overview", "1", {}),
               mirrored = shot("overview", "1", {QStringLiteral("-reverse")});
  ASSERT_EQ(mirrored.size(), usual.size());
  EXPECT_NE(usual.pixel(5, 500), mirrored.pixel(5, 500));
  EXPECT_EQ(usual.pixel(5, 500), mirrored.pixel(1280 - 6, 500));
}

}  // namespace
}  // namespace rnnadvisor::gui
