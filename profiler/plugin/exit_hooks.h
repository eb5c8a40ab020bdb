// The ends of a process that run no handlers.
#pragma once

namespace rnnadvisor::plugin {

// Once CUPTI records: where our own _exit() and _Exit() are not found, since the driver
// loaded us and not the loader before the program, the calls of the program and its libraries are
// led to ours. quick_exit() tells its handlers, and needs no more.
void exits_prepare();

}  // namespace rnnadvisor::plugin
