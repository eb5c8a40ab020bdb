#include "gui/models/run_progress.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryFile>
#include <algorithm>

#include "core/base/text.h"
#include "gui/models/document.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

// A line is short; what goes on for longer is none.
constexpr qsizetype longest_line = 1 << 16;

}  // namespace

std::optional<double> RunProgress::share() const {
  if (doing != Doing::running || total <= 0 || finished < 0) return std::nullopt;
  return std::clamp(static_cast<double>(finished) / total, 0.0, 1.0);
}

QString RunProgress::text() const {
  switch (doing) {
    case Doing::running: {
      if (total < 0) return Texts::tr("Running…");
      QString text = total == 1
                         ? (finished == 1 ? Texts::tr("The configuration has run")
                                          : Texts::tr("Running the configuration…"))
                         : Texts::tr("%1 of %n configuration(s)", nullptr, total).arg(finished);
      if (!what.isEmpty() && total > 1) text += Texts::tr(", last: %1").arg(what);
      return text;
    }
    case Doing::recording: {
      if (calls <= 0)
        return processes > 0 ? Texts::tr("The program uses the GPU; no RNN call was seen yet")
                             : Texts::tr("The program runs; nothing was recorded yet");
      QString text =
          Texts::tr("%1 RNN call(s) seen", nullptr, many(calls)).arg(to_qt(format_count(calls)));
      if (processes > 1) text += Texts::tr(", %n process(es)", nullptr, many(processes));
      return text;
    }
    case Doing::collecting:
      return Texts::tr("Making the profile…");
  }
  return {};
}

std::optional<RunProgress> parse_progress(const QByteArray& line) {
  const QJsonObject object =
      QJsonDocument::fromJson(line).object().value(QStringLiteral("progress")).toObject();
  if (object.isEmpty()) return std::nullopt;
  RunProgress progress;
  const QString doing = object.value(QStringLiteral("doing")).toString();
  if (doing == QLatin1String("running")) {
    progress.doing = RunProgress::Doing::running;
  } else if (doing == QLatin1String("recording")) {
    progress.doing = RunProgress::Doing::recording;
  } else if (doing == QLatin1String("collecting")) {
    progress.doing = RunProgress::Doing::collecting;
  } else {
    return std::nullopt;
  }
  progress.finished = object.value(QStringLiteral("finished")).toInt(-1);
  progress.total = object.value(QStringLiteral("total")).toInt(-1);
  progress.what = object.value(QStringLiteral("what")).toString();
  progress.calls = object.value(QStringLiteral("calls")).toInteger(-1);
  progress.processes = object.value(QStringLiteral("processes")).toInt(-1);
  return progress;
}

QString elapsed_text(qint64 ms) {
  const qint64 seconds = std::max<qint64>(0, ms) / 1000;
  const QString tail = QStringLiteral("%1:%2")
                           .arg(seconds / 60 % 60, seconds >= 3600 ? 2 : 1, 10, QLatin1Char('0'))
                           .arg(seconds % 60, 2, 10, QLatin1Char('0'));
  return seconds >= 3600 ? QStringLiteral("%1:%2").arg(seconds / 3600).arg(tail) : tail;
}

bool ProgressFile::create() {
  remove();
  QTemporaryFile file(QDir::tempPath() + QStringLiteral("/rnnadvisor-progress-XXXXXX"));
  file.setAutoRemove(false);
  if (!file.open()) return false;
  path_ = file.fileName();
  file_.setFileName(path_);
  return file_.open(QIODevice::ReadOnly);
}

void ProgressFile::remove() {
  file_.close();
  rest_.clear();
  if (!path_.isEmpty()) QFile::remove(path_);
  path_.clear();
}

std::optional<RunProgress> ProgressFile::read() {
  if (!file_.isOpen()) return std::nullopt;
  rest_ += file_.readAll();
  std::optional<RunProgress> newest;
  qsizetype begin = 0;
  for (auto end = rest_.indexOf('\n'); end >= 0; end = rest_.indexOf('\n', begin)) {
    if (const auto progress = parse_progress(rest_.mid(begin, end - begin))) newest = progress;
    begin = end + 1;
  }
  rest_.remove(0, begin);
  if (rest_.size() > longest_line) rest_.clear();
  return newest;
}

}  // namespace rnnadvisor::gui
