// What CUPTI still holds when the process ends by _exit(), _Exit() or quick_exit(). Those run no
// handlers, may be called from a signal handler and by a thread that holds any lock, ours and
// CUPTI's included. So another thread empties CUPTI's buffers, and the one that ends the process
// waits for it, but not for long.
#pragma once

#include <cstdint>

namespace rnnadvisor::plugin {

// The most that the end of a process is delayed.
inline constexpr std::int64_t last_flush_patience_ns = 500'000'000;

// Makes the thread, once CUPTI records: it sleeps until the process ends, and calls `flush` then.
// Where it cannot be made what CUPTI holds at such an end is lost, as before.
void last_flush_prepare(void (*flush)());
// Until it says false, `look` is called on that thread once a second.
void last_flush_watch(bool (*look)());
// Asks for the flush and waits until it is done or the patience is over. Does nothing without the
// thread. Async-signal-safe.
void last_flush();
void last_flush_in_child();  // after fork(): the thread is the parent's

}  // namespace rnnadvisor::plugin
