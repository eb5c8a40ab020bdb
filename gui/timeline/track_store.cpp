#include "gui/timeline/track_store.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/output_file.h"

namespace rnnadvisor::gui::timeline {
namespace {

constexpr int schema_version = 1;
// 10,000 tracks are about 2 MB.
constexpr qint64 most_bytes = 16 << 20;

QJsonObject to_json(const TrackName& name) {
  QJsonObject object;
  object[QStringLiteral("kind")] = QString::fromLatin1(traits_of(name.first).word);
  const auto put = [&](const char* key, qint64 value) {
    if (value >= 0) object[QLatin1String(key)] = value;
  };
  put("process", name.second.process);
  put("device", name.second.device);
  put("stream", name.second.stream);
  put("thread", name.second.thread);
  put("metric", name.second.metric);
  return object;
}

std::optional<TrackName> name_in(const QJsonValue& value) {
  const QJsonObject object = value.toObject();
  const QString word = object.value(QStringLiteral("kind")).toString();
  const auto kinds = track_traits();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const TrackTraits& each) {
    return word == QLatin1String(each.word);
  });
  if (found == kinds.end()) return std::nullopt;  // of a later version
  TrackKey key;
  key.process = object.value(QStringLiteral("process")).toInt(-1);
  key.device = object.value(QStringLiteral("device")).toInt(-1);
  key.stream = object.value(QStringLiteral("stream")).toInt(-1);
  key.metric = object.value(QStringLiteral("metric")).toInt(-1);
  key.thread = object.value(QStringLiteral("thread")).toInteger(-1);
  return TrackName{found->kind, key};
}

QJsonArray to_json(const std::vector<TrackName>& names) {
  QJsonArray list;
  for (const auto& name : names) list.append(to_json(name));
  return list;
}

std::vector<TrackName> names_in(const QJsonValue& value) {
  std::vector<TrackName> names;
  for (const auto& one : value.toArray()) {
    if (const auto name = name_in(one)) names.push_back(*name);
  }
  return names;
}

// Beside the settings, so that a program with settings of its own, such as one that takes a
// picture, has tracks of its own too.
QString folder() {
  return QFileInfo(QSettings().fileName()).absolutePath() + QStringLiteral("/tracks");
}

QString file_for(const QString& profile) {
  const auto hash = QCryptographicHash::hash(profile.toUtf8(), QCryptographicHash::Sha1).toHex();
  return folder() + QLatin1Char('/') + QString::fromLatin1(hash) + QStringLiteral(".json");
}

void forget_the_oldest() {
  const auto files = QDir(folder()).entryInfoList({QStringLiteral("*.json")}, QDir::Files,
                                                  QDir::Time);  // the latest first
  for (qsizetype i = most_stored_tracks; i < files.size(); ++i)
    QFile::remove(files[i].absoluteFilePath());
}

}  // namespace

QByteArray write_kept_tracks(const KeptTracks& kept) {
  QJsonArray states;
  for (const auto& [name, state] : kept.states) {
    QJsonObject one = to_json(name);
    one[QStringLiteral("folded")] = state.folded;
    one[QStringLiteral("pinned")] = state.pinned;
    one[QStringLiteral("hidden")] = state.hidden;
    states.append(one);
  }
  QJsonObject whole{{QStringLiteral("schema"), schema_version},
                    {QStringLiteral("height"), kept.height},
                    {QStringLiteral("tracks"), states}};
  if (kept.hide_empty) whole[QStringLiteral("hide_empty")] = true;
  if (!kept.order.empty()) whole[QStringLiteral("order")] = to_json(kept.order);
  if (!kept.pinned.empty()) whole[QStringLiteral("pinned")] = to_json(kept.pinned);
  return QJsonDocument(whole).toJson(QJsonDocument::Compact);
}

Result<KeptTracks> read_kept_tracks(const QByteArray& text) {
  QJsonParseError problem{};
  const auto document = QJsonDocument::fromJson(text, &problem);
  const QJsonObject whole = document.object();
  if (problem.error != QJsonParseError::NoError ||
      !whole.value(QStringLiteral("schema")).isDouble())
    return fail(ErrorCode::parse, "it does not say how tracks stand", "remove it");
  if (whole.value(QStringLiteral("schema")).toInt() > schema_version)
    return fail(ErrorCode::newer_version, "it was written by a newer rnnadvisor");
  KeptTracks kept;
  const double height = whole.value(QStringLiteral("height")).toDouble(1);
  kept.height = std::isfinite(height) ? std::clamp(height, least_height, most_height) : 1;
  for (const auto& value : whole.value(QStringLiteral("tracks")).toArray()) {
    const auto name = name_in(value);
    if (!name) continue;
    const QJsonObject one = value.toObject();
    kept.states[*name] = {one.value(QStringLiteral("folded")).toBool(),
                          one.value(QStringLiteral("pinned")).toBool(),
                          one.value(QStringLiteral("hidden")).toBool()};
  }
  kept.hide_empty = whole.value(QStringLiteral("hide_empty")).toBool();
  kept.order = names_in(whole.value(QStringLiteral("order")));
  kept.pinned = names_in(whole.value(QStringLiteral("pinned")));
  return kept;
}

KeptTracks stored_tracks(const QString& profile) {
  if (profile.isEmpty()) return {};
  QFile file(file_for(profile));
  if (file.size() > most_bytes || !file.open(QIODevice::ReadOnly)) return {};
  return read_kept_tracks(file.readAll()).value_or(KeptTracks{});
}

Result<void> store_tracks(const QString& profile, const KeptTracks& kept) {
  if (profile.isEmpty()) return {};
  const QString path = file_for(profile);
  if (kept.empty()) {
    QFile::remove(path);
    return {};
  }
  if (auto written = write_file(path.toStdString(), write_kept_tracks(kept).toStdString(),
                                {.make_folders = true});
      !written)
    return fail(ErrorCode::io, "how the tracks stand cannot be kept: " + written.error().message,
                std::move(written.error().remedy));
  forget_the_oldest();
  return {};
}

}  // namespace rnnadvisor::gui::timeline
