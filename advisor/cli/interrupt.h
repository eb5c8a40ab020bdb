// Ctrl-C: the first SIGINT or SIGTERM asks for an orderly end, the second ends at once.
#pragma once

#include <atomic>

namespace rnnadvisor::cli {

// Installs the handlers and returns the flag that the first signal sets; it lives as long as the
// program.
const std::atomic<bool>* watch_interrupts();
// Whether that flag is set.
bool interrupted();

}  // namespace rnnadvisor::cli
