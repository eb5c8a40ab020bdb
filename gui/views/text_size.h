// The size of all text of the window, in percent of what the desktop gives: chosen by the user and
// kept in the settings.
#pragma once

#include <array>
#include <functional>

class QWidget;

namespace rnnadvisor::gui {

inline constexpr std::array<int, 7> text_percents = {80, 90, 100, 110, 125, 150, 175};
int text_percent();
// Keeps it, and gives the application its font. Widgets follow; style sheets have to be set anew.
void set_text_percent(int percent);
// The next larger (+1) or smaller (-1) one; the same at either end.
int next_text_percent(int percent, int direction);
// What was kept takes effect. Called before the first widget is made.
void apply_text_size();

// Calls `run` now and whenever the font of `widget` has changed: for sizes that depend on it.
void with_font_of(QWidget* widget, std::function<void()> run);

}  // namespace rnnadvisor::gui
