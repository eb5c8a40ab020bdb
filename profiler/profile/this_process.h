// What a process can say of itself when it records.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiler/profile/process.h"

namespace rnnadvisor {

// Ids, host, executable, command line and start of the calling process; what the operating system
// does not tell (/proc is not mounted) stays unknown. The start is computed once in a process: it
// is CLOCK_REALTIME, and a clock that is set would move it. `end` is unknown: that is for others to
// say.
Process this_process();

// The parts of it that can be tested without a process of their own: what /proc/PID/stat says of
// the start, in clock ticks since the machine was started, or -1.
std::int64_t start_ticks_of_stat(std::string_view stat);

}  // namespace rnnadvisor
