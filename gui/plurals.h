// Plurals in the window's texts, which are English.
#pragma once

namespace rnnadvisor::gui {

// From now on tr("%n call(s)", nullptr, many(n)) is "1 call" or "3 calls": of "(s)" and "(es)" the
// letters stay for every number but 1, and of "(was|were)" one word stays. Needs an application.
void install_plurals();

}  // namespace rnnadvisor::gui
