// RunProgress: progress of a run, a sweep or a recording by `rnnadvisor --progress json`, read from
// the file it writes (docs/schema/progress.schema.json).
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>
#include <optional>

namespace rnnadvisor::gui {

struct RunProgress {
  enum class Doing { running, recording, collecting };
  Doing doing = Doing::running;
  int finished = -1, total = -1;  // configurations; -1: not told
  QString what;                   // finished last
  qint64 calls = -1;              // RNN calls that the program has made
  int processes = -1;

  // Of 0 to 1; nothing where it is not known.
  std::optional<double> share() const;
  // "3 of 12 configurations, last: gnmt"
  QString text() const;
};

// Of one line; nothing for a line of another shape.
std::optional<RunProgress> parse_progress(const QByteArray& line);

// "1:05", "12:34:56": as clocks do.
QString elapsed_text(qint64 ms);

// Reads what was added to a file since it was last asked.
class ProgressFile {
 public:
  // An empty file that rnnadvisor may write to; removed with this. False: none could be made.
  bool create();
  void remove();
  ~ProgressFile() { remove(); }
  const QString& path() const { return path_; }
  // The newest whole line that tells progress, if one came.
  std::optional<RunProgress> read();

 private:
  QString path_;
  QFile file_;
  QByteArray rest_;
};

}  // namespace rnnadvisor::gui
