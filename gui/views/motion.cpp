#include "gui/views/motion.h"

#include <QFileInfo>
#include <QProgressBar>
#include <QSettings>
#include <QStandardPaths>

namespace rnnadvisor::gui {
namespace {

constexpr QLatin1String setting("less_motion");

QVariant value_in(const QString& file, const char* key) {
  if (!QFileInfo(file).isReadable()) return {};
  return QSettings(file, QSettings::IniFormat).value(QLatin1String(key));
}

}  // namespace

bool system_wants_less_motion(const QString& config) {
  bool good = false;
  const double factor =
      value_in(config + QLatin1String("/kdeglobals"), "KDE/AnimationDurationFactor")
          .toDouble(&good);
  if (good) return factor <= 0;
  for (const char* gtk : {"/gtk-4.0/settings.ini", "/gtk-3.0/settings.ini"}) {
    const QVariant animations =
        value_in(config + QLatin1String(gtk), "Settings/gtk-enable-animations");
    if (animations.isValid()) return !animations.toBool();
  }
  return false;
}

bool less_motion() {
  if (qEnvironmentVariableIsSet("RNNADVISOR_LESS_MOTION"))
    return qgetenv("RNNADVISOR_LESS_MOTION") != "0";
  static const bool system = system_wants_less_motion(
      QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation));
  return QSettings().value(setting, system).toBool();
}

void set_less_motion(bool less) { QSettings().setValue(setting, less); }

void show_busy(QProgressBar* bar) {
  bar->setRange(0, less_motion() ? 1 : 0);
  bar->setValue(0);
}

}  // namespace rnnadvisor::gui
