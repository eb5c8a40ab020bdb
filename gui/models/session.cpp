#include "gui/models/session.h"

#include <QFileInfo>
#include <QSettings>
#include <algorithm>

#include "advisor/samples/samples.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

bool is_sample(const QString& path) { return path.startsWith(QLatin1String("sample:")); }

bool is_there(const QString& path) {
  if (!is_sample(path)) return QFileInfo::exists(path);
  return advisor::find_sample_profile(path.mid(7).toStdString()).has_value();
}

Place read_place(const QString& text, const QString& before) {
  // Settings can be edited, and be those of a later version.
  const auto read = parse_place(text);
  Place place = read ? *read : Place{};
  place.before = before;
  return place;
}

void write_recent(const QList<SeenFile>& files) {
  QSettings settings;
  settings.beginWriteArray(QStringLiteral("files"), static_cast<int>(files.size()));
  for (int i = 0; i < files.size(); ++i) {
    settings.setArrayIndex(i);
    settings.setValue(QStringLiteral("path"), files[i].path);
    settings.setValue(QStringLiteral("place"), to_string(files[i].place));
    settings.setValue(QStringLiteral("before"), files[i].place.before);
  }
  settings.endArray();
}

}  // namespace

QList<SeenFile> recent_files() {
  QSettings settings;
  QList<SeenFile> files;
  const int count = settings.beginReadArray(QStringLiteral("files"));
  for (int i = 0; i < std::min(count, most_recent_files); ++i) {
    settings.setArrayIndex(i);
    const QString path = settings.value(QStringLiteral("path")).toString();
    if (!path.isEmpty())
      files.push_back({path, read_place(settings.value(QStringLiteral("place")).toString(),
                                        settings.value(QStringLiteral("before")).toString())});
  }
  settings.endArray();
  return files;
}

void remember_file(const QString& path, const std::optional<Place>& place) {
  QList<SeenFile> files = recent_files();
  SeenFile seen{path, place.value_or(Place{})};
  const auto known = std::find_if(files.begin(), files.end(),
                                  [&](const SeenFile& file) { return file.path == path; });
  if (known != files.end()) {
    if (!place) seen.place = known->place;
    files.erase(known);
  }
  QSettings().setValue(QStringLiteral("last/path"), path);
  QSettings().setValue(QStringLiteral("last/place"), to_string(seen.place));
  QSettings().setValue(QStringLiteral("last/before"), seen.place.before);
  if (is_sample(path)) return;
  files.prepend(seen);
  while (files.size() > most_recent_files) files.removeLast();
  write_recent(files);
}

std::optional<SeenFile> last_file() {
  const QSettings settings;
  const QString path = settings.value(QStringLiteral("last/path")).toString();
  if (path.isEmpty() || !is_there(path)) return std::nullopt;
  return SeenFile{path, read_place(settings.value(QStringLiteral("last/place")).toString(),
                                   settings.value(QStringLiteral("last/before")).toString())};
}

Reopen reopen_choice() {
  return static_cast<Reopen>(std::clamp(QSettings().value(QStringLiteral("reopen")).toInt(), 0, 2));
}
void set_reopen_choice(Reopen choice) {
  QSettings().setValue(QStringLiteral("reopen"), static_cast<int>(choice));
}

QString place_text(const Place& place) {
  QStringList parts;
  if (!place.view.isEmpty()) parts << place.view.left(1).toUpper() + place.view.mid(1);
  if (place.visible)
    parts << Texts::tr("%1 to %2")
                 .arg(format_ns(place.visible->begin_ns), format_ns(place.visible->end_ns));
  if (!place.selection.empty())
    parts << to_string(place.selection.kind) + QLatin1Char(' ') +
                 QString::number(place.selection.index);
  return parts.join(QStringLiteral(", "));
}

}  // namespace rnnadvisor::gui
