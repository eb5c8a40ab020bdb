// What the desktop asks for, from a portal on a bus of this test's own.
#include "gui/views/desktop.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusVirtualObject>
#include <QFile>
#include <QProcess>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "gui/views/main_window.h"
#include "gui/views/motion.h"
#include "gui/views/style.h"

namespace rnnadvisor::gui {
namespace {

using Groups = QMap<QString, QVariantMap>;

// org.freedesktop.portal.Settings as its specification has it.
class Portal : public QDBusVirtualObject {
 public:
  Groups groups;
  bool nonsense = false;
  QString introspect(const QString&) const override { return {}; }
  bool handleMessage(const QDBusMessage& message, const QDBusConnection& bus) override {
    if (message.member() != QLatin1String("ReadAll")) return false;
    return bus.send(message.createReply(nonsense ? QVariant(QStringList{QStringLiteral("nonsense")})
                                                 : QVariant::fromValue(groups)));
  }
};

class DesktopTest : public testing::Test {
 protected:
  void SetUp() override {
    qDBusRegisterMetaType<Groups>();
    QSettings().clear();
    // Not --session: that starts the portal of the machine where one is installed.
    QFile file(folder_.filePath(QStringLiteral("bus.conf")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(R"(<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>)");
    file.close();
    daemon_.start(QStringLiteral("dbus-daemon"),
                  {QStringLiteral("--config-file=") + file.fileName(), QStringLiteral("--nofork"),
                   QStringLiteral("--print-address")});
    ASSERT_TRUE(daemon_.waitForStarted()) << "dbus-daemon is not installed (package dbus-daemon)";
    ASSERT_TRUE(daemon_.waitForReadyRead());
    address_ = QString::fromUtf8(daemon_.readLine()).trimmed();
  }
  void TearDown() override {
    QDBusConnection::disconnectFromBus(QStringLiteral("portal"));
    QDBusConnection::disconnectFromBus(QStringLiteral("window"));
    daemon_.kill();
    daemon_.waitForFinished();
  }
  QDBusConnection bus(const char* name) {
    return QDBusConnection::connectToBus(address_, QString::fromUtf8(name));
  }
  void offer(const Groups& groups) {
    portal_.groups = groups;
    ASSERT_TRUE(bus("portal").registerVirtualObject(
        QStringLiteral("/org/freedesktop/portal/desktop"), &portal_));
    ASSERT_TRUE(bus("portal").registerService(QStringLiteral("org.freedesktop.portal.Desktop")));
  }
  void set(const char* group, const char* key, const QVariant& value) {
    auto signal = QDBusMessage::createSignal(QStringLiteral("/org/freedesktop/portal/desktop"),
                                             QStringLiteral("org.freedesktop.portal.Settings"),
                                             QStringLiteral("SettingChanged"));
    signal << QString::fromUtf8(group) << QString::fromUtf8(key)
           << QVariant::fromValue(QDBusVariant(value));
    ASSERT_TRUE(bus("portal").send(signal));
  }
  static constexpr const char* appearance = "org.freedesktop.appearance";
  static constexpr const char* gnome = "org.gnome.desktop.interface";
  QTemporaryDir folder_;
  QProcess daemon_;
  QString address_;
  Portal portal_;
};

TEST_F(DesktopTest, ThePortalIsAskedAndFollowed) {
  offer({{QString::fromUtf8(appearance), {{QStringLiteral("color-scheme"), 1U}}},
         {QString::fromUtf8(gnome), {{QStringLiteral("enable-animations"), false}}}});
  Desktop desktop(bus("window"));
  desktop.ask(10'000);
  EXPECT_EQ(desktop.dark(), std::optional(true));
  EXPECT_EQ(desktop.less_motion(), std::optional(true));
  EXPECT_TRUE(system_is_dark());
  EXPECT_TRUE(less_motion());

  MainWindow window;
  QObject::connect(&desktop, &Desktop::changed, &window, &MainWindow::follow_desktop);
  window.show();
  EXPECT_TRUE(window.theme().dark);
  QSignalSpy changed(&desktop, &Desktop::changed);
  set(appearance, "color-scheme", 2U);
  ASSERT_TRUE(changed.wait(10'000));
  EXPECT_FALSE(window.theme().dark);
  set(gnome, "enable-animations", true);
  ASSERT_TRUE(changed.wait(10'000));
  EXPECT_FALSE(less_motion());
  set(appearance, "reduced-motion", 1U);
  ASSERT_TRUE(changed.wait(10'000));
  EXPECT_TRUE(less_motion());
  const auto* action = [&] {
    for (const auto* each : window.commands())
      if (each->text() == QStringLiteral("Less motion")) return each;
    return static_cast<const QAction*>(nullptr);
  }();
  ASSERT_NE(action, nullptr);
  EXPECT_TRUE(action->isChecked());
  set(appearance, "reduced-motion", 0U);
  ASSERT_TRUE(changed.wait(10'000));
  EXPECT_FALSE(less_motion());
  EXPECT_FALSE(action->isChecked()) << "and nothing was chosen here";

  // What the person has chosen here stays.
  window.set_theme_choice(ThemeChoice::light);
  set(appearance, "color-scheme", 1U);
  ASSERT_TRUE(changed.wait(10'000));
  EXPECT_FALSE(window.theme().dark);
  window.set_theme_choice(ThemeChoice::system);
  EXPECT_TRUE(window.theme().dark);
}

TEST_F(DesktopTest, WithoutAPortalNothingIsTold) {
  Desktop alone(bus("window"));
  alone.ask(10'000);  // an error comes at once
  EXPECT_FALSE(alone.dark().has_value());
  EXPECT_FALSE(alone.less_motion().has_value());
  EXPECT_FALSE(less_motion());
}

// Other types than the specification's, other keys, no preference.
TEST_F(DesktopTest, WhatItDoesNotKnowIsNoPreference) {
  offer({{QString::fromUtf8(appearance),
          {{QStringLiteral("color-scheme"), QStringLiteral("dark")},
           {QStringLiteral("accent-color"), 3.0},
           {QStringLiteral("reduced-motion"), 0U}}},
         {QString::fromUtf8(gnome), {{QStringLiteral("enable-animations"), QStringLiteral("no")}}},
         {QStringLiteral("org.example"), {{QStringLiteral("color-scheme"), 1U}}}});
  Desktop desktop(bus("window"));
  desktop.ask(10'000);
  EXPECT_FALSE(desktop.dark().has_value());
  EXPECT_FALSE(desktop.less_motion().has_value());
}

TEST_F(DesktopTest, AnAnswerOfAnotherTypeIsNone) {
  portal_.nonsense = true;
  offer({});
  Desktop desktop(bus("window"));
  desktop.ask(10'000);
  EXPECT_FALSE(desktop.dark().has_value());
}

// It comes back in time and takes what comes later.
TEST_F(DesktopTest, ALateAnswerIsTaken) {
  offer({{QString::fromUtf8(appearance), {{QStringLiteral("color-scheme"), 1U}}}});
  Desktop desktop(bus("window"));
  QSignalSpy changed(&desktop, &Desktop::changed);
  desktop.ask(0);
  if (!desktop.dark().has_value()) {
    ASSERT_TRUE(changed.wait(10'000));
  }
  EXPECT_EQ(desktop.dark(), std::optional(true));
}

TEST(DesktopWithoutABus, StartsNone) {
  const QByteArray address = qgetenv("DBUS_SESSION_BUS_ADDRESS"),
                   runtime = qgetenv("XDG_RUNTIME_DIR");
  const bool had_address = qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS");
  const bool had_runtime = qEnvironmentVariableIsSet("XDG_RUNTIME_DIR");
  const QTemporaryDir empty;
  qunsetenv("DBUS_SESSION_BUS_ADDRESS");
  qputenv("XDG_RUNTIME_DIR", empty.path().toLocal8Bit());
  EXPECT_FALSE(Desktop::session_bus().isConnected());
  EXPECT_TRUE(Desktop::session_bus().name().isEmpty()) << "Qt was not even asked";
  if (had_address) qputenv("DBUS_SESSION_BUS_ADDRESS", address);
  had_runtime ? qputenv("XDG_RUNTIME_DIR", runtime) : qunsetenv("XDG_RUNTIME_DIR");
}

TEST(DesktopWithoutABus, IsSilent) {
  Desktop desktop{QDBusConnection(QString())};
  desktop.ask(10'000);
  EXPECT_FALSE(desktop.dark().has_value());
}

}  // namespace
}  // namespace rnnadvisor::gui
