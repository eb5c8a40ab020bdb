// Work beside the thread of the window, and what comes of it on that thread: the one way between
// threads in the window. Both ways go through a queue with a mutex of the standard library, and Qt
// carries nothing but the word that there is something in it: the thread sanitizer cannot see the
// locks inside Qt.
#pragma once

#include <functional>

namespace rnnadvisor::gui {

// Runs on a thread of Qt's pool. Called on the window's thread.
void in_background(std::function<void()> work);

// Runs on the window's thread when it next handles events, in the order of the calls; never, where
// the application ends before. Called on any thread while there is an application.
void on_window_thread(std::function<void()> action);

}  // namespace rnnadvisor::gui
