// Pictures for documents, made by a command so that they never go stale.
#pragma once

#include <QPixmap>
#include <QSize>
#include <QStringList>

#include "core/base/result.h"

namespace rnnadvisor::gui {

class MainWindow;

struct ScreenshotRequest {
  QString view, file;
  QString document;  // may be empty for views that need none
  QString place;
  QString before;  // for `compare`
  QSize size = {1280, 720};
};

// Every view and dialog that a picture can be made of.
QStringList screenshot_views();

// The file that a person means who chose `path` and the kind of picture that `filter` names, "SVG
// (*.svg)": a name without an ending gets that of the filter, and so does one with the ending of
// another filter, which was proposed before the filter was changed. An ending that was typed and is
// none of the filters' stays.
QString picture_path(const QString& path, const QString& filter);

// As one of the kinds that Qt can write, by the ending of the file.
Result<void> write_picture(const QPixmap& picture, const QString& file);

// Opens, goes there, waits until nothing loads any more, and writes the whole window.
// A place that the profile does not have is an error.
Result<void> take_screenshot(MainWindow& window, const ScreenshotRequest& request);

}  // namespace rnnadvisor::gui
