// Pictures of the window, compared with those in the tree.
#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QFileInfo>
#include <QFont>
#include <QFontDatabase>
#include <QImage>
#include <QString>
#include <algorithm>
#include <cstdlib>

namespace rnnadvisor::gui {

// Whether the fonts of tests/gui/fonts are the only ones: FONTCONFIG_FILE names its fonts.conf.
inline bool only_test_fonts() {
  const QStringList families = QFontDatabase::families();
  // Qt's own names for what fontconfig finds best.
  const QStringList generic = {QStringLiteral("Monospace"), QStringLiteral("Sans Serif"),
                               QStringLiteral("Serif")};
  return families.contains(QLatin1String("DejaVu Sans")) &&
         std::all_of(families.begin(), families.end(), [&](const QString& family) {
           return family.startsWith(QLatin1String("DejaVu Sans")) || generic.contains(family);
         });
}

inline QFont test_font() { return QFont(QStringLiteral("DejaVu Sans"), 9); }

// A pixel differs when a channel is off by more than a tenth of its range; `tolerance` of all may,
// for what another version of Qt or FreeType does otherwise. RNNADVISOR_UPDATE_GOLDEN=1 writes the
// picture anew; what was seen instead is left in the folder of temporary files.
inline void compare_picture(const QImage& picture, const QString& path, double tolerance = 0.02) {
  if (qEnvironmentVariableIsSet("RNNADVISOR_UPDATE_GOLDEN")) {
    QDir().mkpath(QFileInfo(path).absolutePath());
    picture.save(path);
  }
  const QImage seen = picture.convertToFormat(QImage::Format_RGB32);
  const QImage golden = QImage(path).convertToFormat(QImage::Format_RGB32);
  ASSERT_EQ(golden.size(), seen.size()) << path.toStdString();
  int different = 0;
  for (int y = 0; y < golden.height(); ++y) {
    for (int x = 0; x < golden.width(); ++x) {
      const QRgb a = golden.pixel(x, y), b = seen.pixel(x, y);
      if (std::abs(qRed(a) - qRed(b)) > 25 || std::abs(qGreen(a) - qGreen(b)) > 25 ||
          std::abs(qBlue(a) - qBlue(b)) > 25) {
        ++different;
      }
    }
  }
  const double share = different / (1.0 * golden.width() * golden.height());
  if (share >= tolerance) {
    const QString other =
        QDir::temp().filePath(QStringLiteral("seen-") + QFileInfo(path).fileName());
    seen.save(other);
    ADD_FAILURE() << path.toStdString() << ": " << 100 * share << " % of the pixels differ from "
                  << other.toStdString();
  }
}

}  // namespace rnnadvisor::gui
