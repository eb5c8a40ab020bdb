#include "gui/views/screenshot.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QThread>
#include <QTimer>

#include "core/base/output_file.h"
#include "gui/views/compare_view.h"
#include "gui/views/main_window.h"

namespace rnnadvisor::gui {
namespace {

constexpr int longest_ms = 120'000, settle_ms = 250;

void settle(int ms) {
  QElapsedTimer timer;
  timer.start();
  while (timer.elapsed() < ms) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    QThread::msleep(5);
  }
}

QStringList dialog_names() {
  return {QStringLiteral("run"), QStringLiteral("commands"), QStringLiteral("keys")};
}

}  // namespace

QStringList screenshot_views() { return MainWindow::view_names() + dialog_names(); }

QString picture_path(const QString& path, const QString& filter) {
  const bool svg = filter.contains(QLatin1String("*.svg"));
  const QString wanted = svg ? QStringLiteral("svg") : QStringLiteral("png");
  const QString ending = QFileInfo(path).suffix();
  if (ending.isEmpty())
    return path.endsWith(QLatin1Char('.')) ? path + wanted : path + QLatin1Char('.') + wanted;
  const QString other = svg ? QStringLiteral("png") : QStringLiteral("svg");
  if (ending.compare(other, Qt::CaseInsensitive) != 0) return path;
  return path.left(path.size() - ending.size()) + wanted;
}

Result<void> write_picture(const QPixmap& picture, const QString& file) {
  QBuffer buffer;
  const QByteArray kind = QFileInfo(file).suffix().toLatin1();
  if (!buffer.open(QIODevice::WriteOnly) || !picture.save(&buffer, kind.constData()))
    return fail(ErrorCode::invalid_argument,
                "cannot write '" + file.toStdString() + "': no kind of picture ends like this",
                "let the name end in .png");
  return write_file(file.toStdString(), buffer.data().toStdString());
}

Result<void> take_screenshot(MainWindow& window, const ScreenshotRequest& request) {
  const QStringList dialogs = dialog_names();
  const bool dialog = dialogs.contains(request.view);
  if (!screenshot_views().contains(request.view))
    return fail(ErrorCode::invalid_argument,
                "there is no view '" + request.view.toStdString() + "'",
                "one of " + screenshot_views().join(QStringLiteral(", ")).toStdString());
  Place place;
  if (!request.place.isEmpty()) {
    auto parsed = MainWindow::read_place(request.place);
    if (!parsed) return fail(parsed.error());
    place = *parsed;
  }
  place.view = dialog ? QString() : request.view;
  window.resize(request.size);
  window.show();
  if (request.document.isEmpty()) {
    if (!dialog) window.go(request.view);
  } else {
    std::optional<Error> failure;
    QEventLoop loop;
    QObject::connect(&window, &MainWindow::opened, &loop, &QEventLoop::quit);
    QObject::connect(&window, &MainWindow::open_failed, &loop, [&](const Error& error) {
      failure = error;
      loop.quit();
    });
    QTimer::singleShot(longest_ms, &loop, &QEventLoop::quit);
    window.open(request.document, place);
    loop.exec();
    // The picture of a file that cannot be opened is that of the start page, which says why.
    if (failure && request.view != QLatin1String("start")) return fail(*failure);
    if (window.loading())
      return fail(ErrorCode::io, "opening took longer than a picture waits for",
                  "open the file in the window and save the picture there");
    if (!failure) {
      if (auto there = check(place, *window.document()); !there) return there;
    }
  }
  if (!request.before.isEmpty()) {
    auto* compare = window.findChild<CompareView*>();
    compare->compare_with(request.before);
    QElapsedTimer timer;
    timer.start();
    while (compare->comparing() && timer.elapsed() < longest_ms) settle(20);
    if (compare->problem()) return fail(*compare->problem());
    if (compare->comparing())
      return fail(ErrorCode::io, "comparing took longer than a picture waits for",
                  "open both in the window and save the picture there");
  }
  QWidget* shown = &window;
  if (dialog) {
    if (request.view == dialogs[0]) window.new_run();
    if (request.view == dialogs[1]) window.open_palette();
    if (request.view == dialogs[2]) window.open_shortcuts();
    shown = window.findChild<QDialog*>();
  }
  settle(settle_ms);
  if (window.document()) {
    if (auto good = window.document()->check_output(request.file); !good) return good;
  }
  return write_picture(shown->grab(), request.file);
}

}  // namespace rnnadvisor::gui
