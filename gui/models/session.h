// Session: what the window remembers of files from one start to the next, in the settings of the
// user. Samples are remembered as what was open last, and stand in no list.
#pragma once

#include <QList>
#include <QString>
#include <optional>

#include "gui/models/link.h"

namespace rnnadvisor::gui {

struct SeenFile {
  QString path;
  Place place;  // where it was left; empty: it was not looked at for long
  bool operator==(const SeenFile&) const = default;
};

// What happens with the last file when the window is started without one.
enum class Reopen { offer, always, never };

inline constexpr int most_recent_files = 12;

// The latest first.
QList<SeenFile> recent_files();
// It becomes the latest, and what was open last. A file that is known keeps its place when `place`
// is empty.
void remember_file(const QString& path, const std::optional<Place>& place);
// What was open last, if it is still there.
std::optional<SeenFile> last_file();

Reopen reopen_choice();
void set_reopen_choice(Reopen choice);

// "Timeline, 12.5 ms to 40 ms, call 3"; empty for an empty place.
QString place_text(const Place& place);

}  // namespace rnnadvisor::gui
