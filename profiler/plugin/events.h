// Device times of calls by a pair of CUDA events around each: for the mode that does without CUPTI,
// and for the choice between algorithms.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace rnnadvisor::plugin {

// Marks the beginning of a call on its stream; a token for events_end(), -1: not timed (no driver,
// no free pair, stream in capture).
int events_begin(CUstream stream);
void events_end(int token, std::uint64_t call);
// The time goes to `take` with the two numbers in place of the spool. It is called from
// events_collect() of any thread, one at a time, and must not come back to this file.
using TakeTime = void (*)(std::uint64_t, std::uint64_t, double nanoseconds);
void events_end(int token, TakeTime take, std::uint64_t one, std::uint64_t other);
// Writes the times of the calls that the device has finished; with `all` those still running too,
// after waiting for them, but not for a device that hangs.
void events_collect(bool all);
// Writes the times of all calls that the device has finished, and waits for none.
void events_collect_finished();
void events_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
