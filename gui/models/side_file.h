// Files of the window beside a profile: what a person has noted about it ("run.rnnprof.marks.json",
// "run.rnnprof.notes.json"). Where nothing can be written there, and for samples, they are in the
// user's data folder.
#pragma once

#include <QByteArray>
#include <QString>

#include "core/base/result.h"

namespace rnnadvisor::gui {

// `kind`: "marks", "notes". Empty for an empty profile.
QString side_file(const QString& profile, const QString& kind);
// Its bytes. Errors (io): not readable, or larger than a person writes.
Result<QByteArray> read_side_file(const QString& path);
// As a whole or not at all; with folders that are missing.
Result<void> write_side_file(const QString& path, const QByteArray& bytes);

}  // namespace rnnadvisor::gui
