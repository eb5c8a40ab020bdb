#include "gui/models/side_file.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include "core/base/output_file.h"

namespace rnnadvisor::gui {
namespace {

constexpr qint64 most_bytes = 16 << 20;

// For what has no folder of its own.
QString elsewhere(const QString& profile, const QString& kind) {
  const auto hash = QCryptographicHash::hash(profile.toUtf8(), QCryptographicHash::Sha1).toHex();
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
         QStringLiteral("/%1/%2.json").arg(kind, QString::fromLatin1(hash));
}

}  // namespace

QString side_file(const QString& profile, const QString& kind) {
  if (profile.isEmpty()) return {};
  QString other = elsewhere(profile, kind);
  if (profile.startsWith(QLatin1String("sample:"))) return other;
  QString beside = QStringLiteral("%1.%2.json").arg(profile, kind);
  if (QFileInfo::exists(beside)) return beside;
  if (QFileInfo::exists(other)) return other;
  return QFileInfo(QFileInfo(profile).absolutePath()).isWritable() ? beside : other;
}

Result<QByteArray> read_side_file(const QString& path) {
  QFile file(path);
  if (file.size() > most_bytes) return fail(ErrorCode::io, "it is too large");
  if (!file.open(QIODevice::ReadOnly))
    return fail(ErrorCode::io, "it cannot be read: " + file.errorString().toStdString());
  return file.readAll();
}

Result<void> write_side_file(const QString& path, const QByteArray& bytes) {
  return write_file(path.toStdString(), bytes.toStdString(), {.make_folders = true});
}

}  // namespace rnnadvisor::gui
