// Desktop: what a person has set for all programs, told by the desktop's portal on the session bus
// (org.freedesktop.portal.Settings, which GNOME, KDE, Sway and others have). Qt 6.4 does not ask
// it.
#pragma once

#include <QDBusConnection>
#include <QDBusVariant>
#include <QObject>
#include <optional>

namespace rnnadvisor::gui {

// On the thread of the window. No signal comes where there is no bus, no portal, or no preference.
class Desktop : public QObject {
  Q_OBJECT
 public:
  explicit Desktop(const QDBusConnection& bus, QObject* parent = nullptr);
  ~Desktop() override;

  // The bus of the person's session where one runs; never starts one, as Qt does over `ssh -X`.
  static QDBusConnection session_bus();

  // Comes back when the portal has answered, or after `patience_ms`; a later answer is taken too.
  void ask(int patience_ms);
  std::optional<bool> dark() const { return dark_; }
  // GNOME's enable-animations is older than the specification's reduced-motion: either asks for it.
  std::optional<bool> less_motion() const;

  // The one that lives; nullptr: none does. That of a picture has no bus, so that it does not
  // depend on the machine it is made on.
  static const Desktop* current();

 signals:
  void changed();

 private slots:
  void take(const QString& group, const QString& key, const QDBusVariant& value);

 private:
  void set(const QString& group, const QString& key, const QVariant& value);

  QDBusConnection bus_;
  std::optional<bool> dark_, animations_;
  bool reduced_motion_ = false;
};

}  // namespace rnnadvisor::gui
