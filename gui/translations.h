// Translations of the window's own texts (docs/translating.md).
#pragma once

#include <QString>

class QLocale;

namespace rnnadvisor::gui {

// Makes the application speak the language of `locale` as far as there is a translation: from
// `folder` if one is named (rnnadvisor-gui_de.qm, Qt's own naming), else from the program; Qt's own
// texts from where Qt is installed. What is not translated stays English, with English plurals.
// Call once, on the thread of the window, before there are widgets. Returns the languages that were
// found, the one that is asked first at the front; never empty.
QStringList install_translations(const QLocale& locale, const QString& folder = {});

}  // namespace rnnadvisor::gui
