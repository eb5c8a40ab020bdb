// Device times of calls by a pair of CUDA events around each, for the mode that does without CUPTI.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace rnnadvisor::plugin {

// Marks the beginning of a call on its stream; a token for events_end(), -1: not timed (no driver,
// no free pair, stream in capture).
int events_begin(CUstream stream);
void events_end(int token, std::uint64_t call);
// Writes the times of the calls that the device has finished; with `all` those still running too,
// after waiting for them, but not for a device that hangs.
void events_collect(bool all);
void events_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
