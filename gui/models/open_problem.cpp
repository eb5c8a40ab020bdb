#include "gui/models/open_problem.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QtEndian>

#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/document.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

// A program that writes a file in one go writes to it more often than that.
constexpr qint64 moment_ms = 15'000;

QString size_text(qint64 bytes) { return to_qt(format_bytes(static_cast<double>(bytes))); }

// The libraries write what follows "error: ".
QString sentence(QString text) {
  if (text.isEmpty()) return text;
  text[0] = text[0].toUpper();
  return text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

bool written_lately(const QFileInfo& file, const QDateTime& now) {
  const qint64 age = file.lastModified().msecsTo(now);
  return age >= 0 && age < moment_ms;
}

// A database that is being written is shorter than its header says, or longer, has a journal beside
// it, or is locked. What is whole and malformed never becomes a profile.
bool may_be_unfinished(const QString& path, const Error& error) {
  if (error.message.find("database is locked") != std::string::npos) return true;
  for (const char* journal : {"-journal", "-wal"})
    if (QFileInfo::exists(path + QLatin1String(journal))) return true;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return false;
  constexpr qsizetype header = 32;
  const QByteArray head = file.read(header);
  // https://www.sqlite.org/fileformat.html, 1.3: the magic text, page size at 16, pages at 28.
  const QByteArray magic("SQLite format 3", 16);
  if (!head.startsWith(magic.left(head.size()))) return false;
  if (head.size() < header) return true;
  const qint64 stored = qFromBigEndian<quint16>(head.constData() + 16);
  const qint64 page = stored == 1 ? 65536 : stored;
  return file.size() != page * qFromBigEndian<quint32>(head.constData() + 28);
}

struct Recordings {
  int count = 0;
  qint64 bytes = 0;
  bool lately = false;
};

Recordings recordings_in(const QString& folder, const QDateTime& now) {
  Recordings found;
  const auto files =
      QDir(folder).entryInfoList({QStringLiteral("*.rnnspool")}, QDir::Files | QDir::Readable);
  for (const auto& file : files) {
    ++found.count;
    found.bytes += file.size();
    found.lately = found.lately || written_lately(file, now);
  }
  return found;
}

void describe_folder(OpenProblem& problem, const QDateTime& now) {
  const auto found = recordings_in(problem.path, now);
  if (found.count == 0) {
    problem.kind = ProblemKind::folder;
    problem.title = Texts::tr("This is a folder, not a profile");
    problem.text = Texts::tr("There is no recording in it either.");
    problem.remedy = Texts::tr("Open a .rnnprof file in it.");
    return;
  }
  problem.kind = ProblemKind::recordings;
  problem.title = found.lately ? Texts::tr("This is a recording that is still being written")
                               : Texts::tr("This is a recording that no profile was made of yet");
  problem.text =
      Texts::tr("(One process has|%n processes have) recorded %1 so far.", nullptr, found.count)
          .arg(size_text(found.bytes)) +
      QLatin1Char(' ') +
      (found.lately
           ? Texts::tr("A profile can be made of it at any time; it has what was recorded until "
                       "then.")
           : Texts::tr("The program that recorded it, or rnnadvisor, was ended before the "
                       "profile was written; nothing of the recording is lost."));
  problem.remedy = Texts::tr(
      "“Make a profile of it” runs `rnnadvisor collect` and leaves the recording as it is.");
}

}  // namespace

OpenProblem examine(const Error& error, const QString& path, const QDateTime& now) {
  OpenProblem problem;
  problem.path = path;
  const QFileInfo file(path);
  if (file.isDir()) {
    describe_folder(problem, now);
    return problem;
  }
  // The card names the path itself.
  QString message = to_qt(advisor::words::clean(error.message));
  const QString named = QStringLiteral("'%1': ").arg(path);
  if (message.startsWith(named)) message.remove(0, named.size());
  QStringList lines{sentence(message)};
  for (const auto& note : error.notes) lines << sentence(to_qt(advisor::words::clean(note)));
  problem.text = lines.join(QLatin1Char('\n'));
  problem.remedy = sentence(to_qt(advisor::words::clean(error.remedy)));
  if (error.code == ErrorCode::not_found) {
    problem.kind = ProblemKind::missing;
    problem.title = Texts::tr("This file is not there");
    if (problem.remedy.isEmpty())
      problem.remedy = Texts::tr("It may have been moved, or be on a disk that is not mounted.");
  } else if (error.code == ErrorCode::newer_version) {
    problem.kind = ProblemKind::newer_version;
    problem.title = Texts::tr("This profile was written by a newer rnnadvisor");
  } else if (error.code == ErrorCode::damaged && file.exists() && written_lately(file, now) &&
             may_be_unfinished(path, error)) {
    problem.kind = ProblemKind::being_written;
    problem.title = Texts::tr("This profile is still being written");
    problem.text +=
        QLatin1Char('\n') +
        Texts::tr("It was written to a moment ago, and has %1 so far.").arg(size_text(file.size()));
    problem.remedy = Texts::tr("It is opened by itself once it stays as it is.");
  } else if (error.code == ErrorCode::damaged && file.exists() && file.size() == 0) {
    problem.kind = ProblemKind::empty;
    problem.title = Texts::tr("This file is empty");
    problem.text = Texts::tr(
        "It has no bytes: what should have written it was ended before it began, or "
        "the disk was full.");
    if (problem.remedy.isEmpty()) problem.remedy = Texts::tr("Record it again.");
  } else if (error.code == ErrorCode::damaged) {
    problem.kind = ProblemKind::damaged;
    problem.title = Texts::tr("This file cannot be read as a profile");
  } else {
    problem.title = Texts::tr("This profile could not be opened");
  }
  return problem;
}

QString profile_of_recordings(const QString& folder) {
  QString name = QDir::cleanPath(folder);
  const auto mark = name.lastIndexOf(QStringLiteral(".spool-"));
  if (mark > name.lastIndexOf(QLatin1Char('/')) + 1) name.truncate(mark);
  if (name.endsWith(QStringLiteral(".rnnprof"))) name.chop(8);
  QString path = name + QStringLiteral(".rnnprof");
  for (int n = 2; QFileInfo::exists(path); ++n)
    path = QStringLiteral("%1-%2.rnnprof").arg(name).arg(n);
  return path;
}

}  // namespace rnnadvisor::gui
