// Where what a person has made of the tracks of a profile is kept from one start to the next: a
// file for each profile beside the settings of the user. Beside the profile would be for everybody;
// what is folded away is a matter of one person and one screen.
#pragma once

#include <QByteArray>
#include <QString>

#include "core/base/result.h"
#include "gui/timeline/kept_tracks.h"

namespace rnnadvisor::gui::timeline {

// The text of such a file, and back. Errors: parse, where it is no such file; newer_version.
QByteArray write_kept_tracks(const KeptTracks& kept);
Result<KeptTracks> read_kept_tracks(const QByteArray& text);

// `profile`: as Document::path(). What cannot be read counts as nothing: it is a convenience, and
// the next change writes it anew.
KeptTracks stored_tracks(const QString& profile);
// Nothing kept: the file goes. Of the profiles looked at, the latest `most_stored_tracks` are
// kept. Errors: io.
Result<void> store_tracks(const QString& profile, const KeptTracks& kept);

inline constexpr int most_stored_tracks = 200;

}  // namespace rnnadvisor::gui::timeline
