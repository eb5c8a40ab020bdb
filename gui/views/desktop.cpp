#include "gui/views/desktop.h"

#include <QDBusArgument>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QEventLoop>
#include <QFileInfo>
#include <QTimer>

namespace rnnadvisor::gui {
namespace {

constexpr QLatin1String portal_service("org.freedesktop.portal.Desktop");
constexpr QLatin1String portal_path("/org/freedesktop/portal/desktop");
constexpr QLatin1String portal_settings("org.freedesktop.portal.Settings");
constexpr QLatin1String appearance("org.freedesktop.appearance");
constexpr QLatin1String gnome("org.gnome.desktop.interface");

Desktop* living = nullptr;

}  // namespace

Desktop::Desktop(const QDBusConnection& bus, QObject* parent) : QObject(parent), bus_(bus) {
  living = this;
}

Desktop::~Desktop() {
  if (living == this) living = nullptr;
}

QDBusConnection Desktop::session_bus() {
  const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
  const bool runs = qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
                    (!runtime.isEmpty() && QFileInfo::exists(runtime + QLatin1String("/bus")));
  return runs ? QDBusConnection::sessionBus() : QDBusConnection(QString());
}

const Desktop* Desktop::current() { return living; }

void Desktop::ask(int patience_ms) {
  if (!bus_.isConnected()) return;
  qRegisterMetaType<QDBusVariant>();  // or Qt does not know the slot's argument, and does not
                                      // connect
  // From any service that offers this interface: to know the portal among them, Qt would wait for
  // the bus.
  bus_.connect(QString(), portal_path, portal_settings, QStringLiteral("SettingChanged"), this,
               SLOT(take(QString, QString, QDBusVariant)));
  auto call = QDBusMessage::createMethodCall(portal_service, portal_path, portal_settings,
                                             QStringLiteral("ReadAll"));
  call << QStringList{QString(appearance), QString(gnome)};
  auto* watcher = new QDBusPendingCallWatcher(bus_.asyncCall(call), this);
  QEventLoop loop;
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
    watcher->deleteLater();
    // What each group holds; another type would not be read without harm.
    const QDBusPendingReply<> reply = *watcher;
    if (reply.isError() || reply.reply().signature() != QLatin1String("a{sa{sv}}")) return;
    const auto groups = qdbus_cast<QMap<QString, QVariantMap>>(reply.reply().arguments().front());
    for (auto group = groups.begin(); group != groups.end(); ++group)
      for (auto each = group->begin(); each != group->end(); ++each)
        set(group.key(), each.key(), each.value());
  });
  connect(watcher, &QDBusPendingCallWatcher::finished, &loop, &QEventLoop::quit);
  QTimer::singleShot(patience_ms, &loop, &QEventLoop::quit);
  loop.exec(QEventLoop::ExcludeUserInputEvents);
}

void Desktop::take(const QString& group, const QString& key, const QDBusVariant& value) {
  set(group, key, value.variant());
}

std::optional<bool> Desktop::less_motion() const {
  if (reduced_motion_) return true;
  return animations_ ? std::optional(!*animations_) : std::nullopt;
}

// color-scheme: 0 no preference, 1 dark, 2 light. reduced-motion: 0 no preference, 1 reduced.
void Desktop::set(const QString& group, const QString& key, const QVariant& value) {
  const auto dark = dark_, less = less_motion();
  if (group == appearance && key == QLatin1String("color-scheme")) {
    const uint scheme = value.toUInt();
    dark_ = scheme == 1 || scheme == 2 ? std::optional(scheme == 1) : std::nullopt;
  } else if (group == appearance && key == QLatin1String("reduced-motion")) {
    reduced_motion_ = value.toUInt() == 1;
  } else if (group == gnome && key == QLatin1String("enable-animations") &&
             value.metaType() == QMetaType::fromType<bool>()) {
    animations_ = value.toBool();
  }
  if (dark != dark_ || less != less_motion()) emit changed();
}

}  // namespace rnnadvisor::gui
