// Hardware counters of whole devices, sampled by CUPTI at a fixed interval on a thread of ours: no
// kernel is replayed or serialised for them. In the mode `full`, where they are permitted.
#pragma once

namespace rnnadvisor::plugin {

// CUPTI was found and started; `library` is its handle, `wanted` says whether what is sampled at
// this moment is recorded. counters_see() brings the devices.
void counters_prepare(void* library, bool (*wanted)());
// An RNN call on this device is about to be made: its counters are wanted from now on. At the first
// one this takes a quarter of a second, and starts the thread, which ends after
// Settings::counter_duration_ns; then it is cheap. Not for callbacks
// of CUPTI: while a context is being made, CUPTI's profiling functions crash.
void counters_see(int device);
// Ends sampling, with what was sampled in the spool. Waits half a second at most; safe to call
// several times.
void counters_finish();
void counters_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
