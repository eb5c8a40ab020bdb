// The part of rnnadvisor that lives in a stranger's process. Rules of the house in here: no
// exceptions, nothing of the C++ library that needs its shared object, no output, no threads but
// those of last_flush.h where CUPTI records and of counters.h in the mode full, nothing before the
// first CUDA or cuDNN call but reading an environment variable and finding the C library's own
// functions. Whatever of ours fails ends in the program's call passing through and in a count or a
// note in the spool.
#pragma once

#include <errno.h>
#include <stdint.h>

#include "profiler/spool/undisturbed.h"
#include "profiler/spool/writer.h"

namespace rnnadvisor::plugin {

struct Settings {
  char folder[2048];  // RNNADVISOR_SPOOL; empty: the plugin does nothing
  spool::Mode mode;
  std::uint64_t max_bytes;
  std::uint64_t buffer_bytes;  // of one CUPTI buffer
  bool call_sites;
  bool trace_transfers, trace_memory, trace_api, trace_driver, trace_counters;
  std::int64_t counter_interval_ns, counter_duration_ns;  // duration 0: to the end
  std::int64_t delay_ns, duration_ns;                     // 0: none
  std::int64_t skip, iterations;                          // 0: none
  enum class Capture { always, profiler_api, nvtx } capture;
  char range[256], domain[256];  // of Capture::nvtx; domain empty: the default one
  bool record_calls;             // else only what `accelerate` did
  // steps: calls keep their algorithm; whole steps alone are timed (steps.h).
  enum class Accelerate { off, measured, forced, steps } accelerate;
  bool accelerate_numerics;  // float32 may be converted to half, where the program permits TF32
  std::int32_t forced_algo;  // cudnnRNNAlgo_t of Accelerate::forced
  bool forced_converts;
  char plan[2048];          // empty: none
  bool plan_only;           // what the plan does not have is not measured
  std::uint32_t try_steps;  // 0: not `try`
  bool changes;             // code of ours in the program may change its layers (steps.h)
  bool try_end;
  std::uint64_t accelerate_bytes;
  bool accelerate_bytes_given;  // else a comparison may take an eighth of what is free
  std::int64_t accelerate_budget_ns;
};

using spool::Locked;
using spool::Uncancelled;
using spool::Undisturbed;

// True when this process records; opens the spool at the first question. Cheap afterwards. What
// may pass (no file descriptor left, say) keeps it false for a while.
bool ready();
// Whether that can be or become true: what is decided once and for all is decided by this.
bool may_record();
// CUPTI was to be started and was not, because the spool could not be opened at that time.
void cupti_was_missed();
const Settings& settings();
spool::Writer& writer();
// Of this process; a fork without exec makes a new one, with a spool of its own.
std::uint32_t generation();

// Whether calls and NVTX ranges of this moment are inside the range that the user asked for.
bool in_range();
bool begin_range();  // cudaProfilerStart, or the NVTX range was entered; true: it was not open
void end_range();
std::uint64_t ranges_begun();
// Whether a name and a domain, as strings of the spool, are those of Capture::nvtx.
bool is_captured_range(std::uint32_t name, std::uint32_t domain);
// Before an RNN call: its kernels are recorded from here on, if the time for that has come.
void expect_call();
// One more RNN call: applies delay, duration, skip and iterations. True: record it.
bool admit_call(std::uint32_t configuration, bool forward);

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
