// How widgets look: one palette and one style sheet made from a Theme.
#pragma once

#include <QPalette>
#include <QString>

#include "gui/theme.h"

namespace rnnadvisor::gui {

QPalette palette_of(const Theme& theme);
// `text_scale`: of its sizes of text.
QString style_sheet_of(const Theme& theme, double text_scale = 1);
// Whether the palette that the desktop gives Qt is dark. The application has that palette
// afterwards.
bool system_is_dark();

}  // namespace rnnadvisor::gui
