// The part of rnnadvisor that lives in a stranger's process. Rules of the house in here: no
// exceptions, nothing of the C++ library that needs its shared object, no output, no threads but
// those of last_flush.h where CUPTI records and of counters.h in the mode full, nothing before the
// first CUDA or cuDNN call but reading an environment variable, finding the C library's own
// functions and, in a Python program, adding an audit hook. Whatever of ours fails ends in the
// program's call passing through and in a count or a note in the spool.
#pragma once

#include <errno.h>
#include <stdint.h>

#include "profiler/plugin/settings.h"
#include "profiler/spool/undisturbed.h"
#include "profiler/spool/writer.h"

namespace rnnadvisor::plugin {

using spool::Locked;
using spool::Uncancelled;
using spool::Undisturbed;

// What the parts of the plugin do when the recording begins and ends. plugin.cpp is the ground that
// they stand on and knows them by this table alone, which parts.cpp fills.
struct Parts {
  void (*in_child)();       // in the child of a fork: what other threads may have held is put right
  void (*forget)();         // before a new spool: what they know is in the spool of a parent
  void (*begin)();          // the spool is open
  void (*finish)();         // what they hold goes to the spool
  void (*flush_at_once)();  // the same for an end without handlers; async-signal-safe
  void (*pause)(), (*resume)();  // between the ranges that are recorded
  void (*loaded)();              // the process begins, with a spool to record into
};
const Parts& parts();

// True when this process records; opens the spool at the first question. Cheap afterwards. What
// may pass (no file descriptor left, say) keeps it false for a while.
bool ready();
// Whether that can be or become true: what is decided once and for all is decided by this.
bool may_record();
// Whether this process records nothing, as far as is known without opening the spool.
bool is_off();
// CUPTI was to be started and was not, because the spool could not be opened at that time.
void cupti_was_missed();
spool::Writer& writer();
// Of this process; a fork without exec makes a new one, with a spool of its own.
std::uint32_t generation();

std::int64_t now_ns();
std::uint32_t thread_id();
void note(const char* code, const char* text);

// The program's errno is its own.
class ErrnoKept {
 public:
  ErrnoKept() : errno_(errno) {}
  ~ErrnoKept() { errno = errno_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  int errno_;
};

// Keeps errno and marks that this thread is inside our code, so that what we call is not recorded.
// One that a signal handler left by siglongjmp() does not count any more.
class Scope {
 public:
  Scope();
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  bool outermost() const { return outermost_; }

 private:
  ErrnoKept errno_;
  int before_;
  bool outermost_;
};

// The mode in force; it can only step down.
spool::Mode mode();
void step_down(const char* code, const char* why);

// Ends the recording of this process in order; safe to call several times.
void finish();
// The same for an end without handlers, by _exit() and its like: the status is written, and what
// CUPTI holds is waited for a moment. Does nothing in a process that does not record, and in a
// child that shares its parent's memory. Async-signal-safe.
void finish_at_once(int status);
void will_quick_exit(int status);  // before the handlers of quick_exit() run; async-signal-safe

}  // namespace rnnadvisor::plugin
