// Lines of the user's program that calls were made from: their file on this machine, the time of
// each, and the editor that shows one.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {

struct SourceLine {
  QString file;  // as recorded: absolute, or as the program was started with
  int line = 0;  // from 1; 0: not known
  bool operator==(const SourceLine&) const = default;
};
// Of Profile::call_sites; nothing where the file is not known.
std::optional<SourceLine> source_line(const Profile& profile, int site);
QString to_string(const SourceLine& line);  // "train.py:31"

// A recorded folder that is another one here, for profiles of other machines and of programs that
// were started with a relative path. Kept in the user's settings.
struct SourceFolder {
  QString recorded, here;
  bool operator==(const SourceFolder&) const = default;
};
std::vector<SourceFolder> source_folders();
// That `recorded` is `here`: what their paths end with alike is left out, so that the other files
// of the program are found too.
SourceFolder folder_of(const QString& recorded, const QString& here);
void remember_source_folder(const SourceFolder& folder);

// The file on this machine: in the folders that are known, as it was recorded, or below the
// profile's folder or one above it. Empty: it is not here.
QString find_source(const QString& recorded, const QString& profile,
                    const std::vector<SourceFolder>& folders);
// Its lines. Errors (io): no file, not readable, too large, no text.
Result<QStringList> read_source(const QString& path);

// What the recorded calls of one line took.
struct LineTime {
  std::int64_t calls = 0;
  double gpu_ms = -1;  // -1: not recorded
};
// By line of this file; also of frameworks' files that the calls passed through.
std::map<int, LineTime> line_times(const Document& document, const QString& recorded);

// How lines are shown: in the window, or by a command such as `code --goto {file}:{line}`.
struct EditorChoice {
  enum class Kind { environment, window, command };
  Kind kind = Kind::environment;
  QString command;
  bool operator==(const EditorChoice&) const = default;
};
EditorChoice editor_choice();
void set_editor_choice(const EditorChoice& choice);
// The command of $VISUAL, else of $EDITOR, if that has a window of its own; empty: neither.
QString environment_editor();
// The words of a command for this line. {file} and {line} stand for them; without {file} they are
// added as the program is known to take them. No shell is involved. Errors: as split_words().
Result<QStringList> editor_words(const QString& command, const QString& path, int line);

}  // namespace rnnadvisor::gui
