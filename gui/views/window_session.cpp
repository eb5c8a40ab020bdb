// What the window remembers from one start to the next.
#include <QGuiApplication>
#include <QScreen>
#include <QSettings>
#include <algorithm>

#include "gui/models/session.h"
#include "gui/views/findings_view.h"
#include "gui/views/main_window.h"
#include "gui/views/note_bar.h"
#include "gui/views/start_view.h"
#include "gui/views/trace_view.h"

namespace rnnadvisor::gui {

void MainWindow::remember_place() {
  if (!document_) return;
  remember_file(document_->path(), place());
  show_seen_files();
}

void MainWindow::show_seen_files() {
  const auto files = recent_files();
  start_->set_recent(files);
  show_recent(files);
  const auto last = document_ || reopen_choice() == Reopen::never ? std::nullopt : last_file();
  start_->set_last(last);
}

void MainWindow::begin() {
  if (reopen_choice() != Reopen::always) return;
  if (const auto last = last_file()) open(last->path, last->place);
}

void MainWindow::fit_to_screen() {
  // Qt's restoreGeometry has brought back what stood on a screen that is gone; the size for a first
  // start was not the user's. Of a window without a handle screen() is the first one, wherever it
  // will be.
  const QScreen* on = QGuiApplication::screenAt(geometry().center());
  if (on == nullptr) on = screen();
  resize(size().boundedTo(on->availableGeometry().size()));
}

void MainWindow::save_session() {
  remember_place();
  findings_->note_bar()->save();
  trace_->store_tracks();
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
  show_seen_files();
  rules_folder_ = settings.value(QStringLiteral("rules")).toString();
  if (!rules_folder_.isEmpty()) read_rules();
}

}  // namespace rnnadvisor::gui
