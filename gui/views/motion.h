// Less motion: for people whom things that move by themselves distract or make ill.
#pragma once

class QProgressBar;
class QString;

namespace rnnadvisor::gui {

// Asked for by, in this order: the environment variable RNNADVISOR_LESS_MOTION ("0": no, any other:
// yes), the menu (kept in the settings), the desktop's files (system_wants_less_motion()). Called
// on the thread of the window, once there is an application; files are read once.
bool less_motion();
void set_less_motion(bool less);  // what the menu says

// `config` is the folder of the user's configuration, ~/.config: AnimationDurationFactor=0 in KDE's
// kdeglobals, gtk-enable-animations=0 in gtk-4.0/settings.ini or gtk-3.0/settings.ini.
bool system_wants_less_motion(const QString& config);

// The bar of work of unknown length: it runs to and fro, or, with less
// motion, stays empty; a text beside it says what is under way.
void show_busy(QProgressBar* bar);

}  // namespace rnnadvisor::gui
