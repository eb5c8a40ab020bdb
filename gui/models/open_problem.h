// What keeps a file from being opened, told for the person who opened it: what it is, what that
// means, what can be done.
#pragma once

#include <QDateTime>
#include <QString>

#include "core/base/result.h"

namespace rnnadvisor::gui {

enum class ProblemKind {
  missing,
  recordings,     // a folder of recordings that no profile was made of yet
  folder,         // another folder
  being_written,  // not whole, and it was written to a moment ago
  empty,
  newer_version,
  damaged,
  other
};

struct OpenProblem {
  ProblemKind kind = ProblemKind::other;
  QString path;
  QString title;  // one line
  QString text;   // what happened, in the words of the reader, and what it means
  QString remedy;

  // `rnnadvisor collect` makes a profile of it.
  bool can_be_collected() const { return kind == ProblemKind::recordings; }
  // It is worth waiting for.
  bool may_become_whole() const { return kind == ProblemKind::being_written; }
};

// Looks at the file, too. `now` decides what was "a moment ago".
OpenProblem examine(const Error& error, const QString& path,
                    const QDateTime& now = QDateTime::currentDateTime());

// Where `rnnadvisor collect` puts the profile of a folder of recordings, as a file that is not
// there yet: "run.rnnprof" of "run.rnnprof.spool-x3Yz1Q".
QString profile_of_recordings(const QString& folder);

}  // namespace rnnadvisor::gui
