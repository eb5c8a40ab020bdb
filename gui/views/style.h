// How widgets look: one palette and one style sheet made from a Theme.
#pragma once

#include <QPalette>
#include <QString>

#include "gui/theme.h"

namespace rnnadvisor::gui {

QPalette palette_of(const Theme& theme);
QString style_sheet_of(const Theme& theme);
// Whether the desktop asks for dark windows: by its portal (gui/views/desktop.h), else by the
// palette that it gives Qt.
bool system_is_dark();

}  // namespace rnnadvisor::gui
