// What the window remembers from one start to the next.
#include <QSettings>
#include <algorithm>

#include "gui/views/main_window.h"
#include "gui/views/start_view.h"
#include "gui/views/trace_view.h"

namespace rnnadvisor::gui {
namespace {

constexpr int most_recent = 12;

}  // namespace
}  // namespace rnnadvisor::gui

namespace rnnadvisor::gui {

void MainWindow::remember_recent(const QString& path) {
  if (path.startsWith(QLatin1String("sample:"))) return;
  QSettings settings;
  QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  while (recent.size() > most_recent) recent.removeLast();
  settings.setValue(QStringLiteral("recent"), recent);
  start_->set_recent(recent);
}

void MainWindow::save_session() {
  QSettings settings;
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  settings.setValue(QStringLiteral("docks"), trace_->save_layout());
  settings.setValue(QStringLiteral("theme"), static_cast<int>(theme_choice_));
  settings.setValue(QStringLiteral("rules"), rules_folder_);
}

void MainWindow::restore_session() {
  const QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  const auto docks = settings.value(QStringLiteral("docks")).toByteArray();
  if (!docks.isEmpty()) trace_->restore_layout(docks);
  theme_choice_ =
      static_cast<ThemeChoice>(std::clamp(settings.value(QStringLiteral("theme")).toInt(), 0, 2));
  start_->set_recent(settings.value(QStringLiteral("recent")).toStringList());
  rules_folder_ = settings.value(QStringLiteral("rules")).toString();
  if (!rules_folder_.isEmpty()) read_rules();
}

}  // namespace rnnadvisor::gui
