#include "profiler/plugin/plugin.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "profiler/plugin/process.h"
#include "profiler/spool/writer_files.h"

namespace rnnadvisor::plugin {
namespace {

enum State : int { untouched, on, off, waiting };
std::atomic<int> state{untouched};
pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;
spool::Writer the_writer;
bool exit_handler = false;
// Whose spool it is. A child that shares our memory (vfork) has another number.
std::atomic<pid_t> recorder{0};
std::atomic<int> quick_status{-1};
std::atomic<std::uint32_t> the_generation{1};
bool stale = false;        // tables hold what is in the parent's spool
bool unannounced = false;  // a child that no handler of pthread_atfork() told us of
// While the spool cannot be opened for a reason that may pass.
std::atomic<std::int64_t> next_try_ns{0};
std::int64_t patience_ns = 0;
int opening_failed = 0;  // errno; 0: it did not
std::atomic<bool> missed_cupti{false};

thread_local int depth = 0;
thread_local const void* outermost_scope = nullptr;
thread_local std::uint32_t known_thread = 0;

void write_note(const char* code, const char* text) {
  the_writer.add(spool::Note{{}, now_ns(), the_writer.intern(code), the_writer.intern(text)},
                 spool::Loss::other);
}

void in_child() {
  // A fork without exec: the child gets a spool of its own when it first calls CUDA or cuDNN. Until
  // then only what other threads may have held is put right.
  the_writer.forget();
  parts().in_child();
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&start_mutex, &fresh, sizeof fresh);
  known_thread = 0;
  recorder.store(0);
  if (state.load() == off) return;
  the_generation.fetch_add(1);
  stale = true;
  state.store(untouched);
  next_try_ns.store(0);
  patience_ns = 0;
  opening_failed = 0;
}

__attribute__((constructor)) void loaded() {
  if (variable("RNNADVISOR_SPOOL") == nullptr) {
    state.store(off);
    return;
  }
  spool::Writer::prepare();
  pthread_atfork(nullptr, nullptr, &in_child);
  parts().loaded();
}

void ended(int status, void*) {
  if (recorder.load() != getpid()) return;  // a child that did not call us
  if (the_writer.is_open()) the_writer.header().exited.store((status & 0xff) + 1);
  finish();
}

void quickly_ended() { finish_at_once(quick_status.load()); }

void describe_settings() {
  for (int i = 0; i < ignored_settings(); ++i) {
    char text[512];
    const char* value = getenv(ignored_setting(i));
    snprintf(text, sizeof text, "%s is \"%s\", which is not one of its values; it was ignored",
             ignored_setting(i), value == nullptr ? "" : value);
    write_note("setting-ignored", text);
  }
}

bool may_pass(int error) {
  for (const int passing : {EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT, EINTR, EAGAIN, EIO, EBUSY})
    if (error == passing) return true;
  return false;
}

void describe_beginning() {
  if (unannounced) {
    write_note(
        "unannounced-child",
        "the process was made by clone() or _Fork(), which run no handlers, and went on without "
        "exec(); it is recorded by itself from its first call on");
    unannounced = false;
  }
  if (opening_failed != 0) {
    char text[256], reason[128];
    snprintf(text, sizeof text,
             "the file of the recording could not be made at first (%s); what came before is not "
             "recorded",
             strerror_r(opening_failed, reason, sizeof reason));
    write_note("recording-late", text);
    opening_failed = 0;
    if (missed_cupti.exchange(false) && settings().mode != spool::Mode::calls) {
      the_writer.header().mode.store(static_cast<std::uint32_t>(spool::Mode::calls));
      write_note("recording-late", "CUPTI was to be started in that time, and was not");
    }
  }
}

bool start() {
  const Locked locked(start_mutex);
  const int before = state.load();
  if (before == untouched ||
      (before == waiting && spool::coarse_ns() >= next_try_ns.load(std::memory_order_relaxed))) {
    read_settings();
    spool::WriterSettings file;
    file.folder = settings().folder;
    file.max_bytes = settings().max_bytes;
    file.mode = settings().mode;
    if (stale) parts().forget();
    stale = false;
    if (settings().folder[0] != 0 && the_writer.open(file)) {
      describe_process(the_writer);
      parts().begin();
      describe_settings();
      describe_beginning();
      if (!exit_handler) {
        exit_handler = true;
        on_exit(&ended, nullptr);
        at_quick_exit(&quickly_ended);
      }
      recorder.store(getpid());
      state.store(on);
    } else if (settings().folder[0] != 0 && may_pass(errno)) {
      opening_failed = errno;
      constexpr std::int64_t first = 1'000'000, most = 1'000'000'000;
      patience_ns = patience_ns == 0 ? first : patience_ns < most / 2 ? patience_ns * 2 : most;
      next_try_ns.store(spool::coarse_ns() + patience_ns);
      state.store(waiting);
    } else {
      state.store(off);
    }
  }
  return state.load() == on;
}

// A child by clone() or _Fork(), which run no handlers. One of its threads does what they would
// have done; what others record meanwhile is lost.
bool start_unannounced() {
  if (!the_writer.claim_inherited()) return false;
  const Undisturbed undisturbed;
  in_child();
  unannounced = true;
  return start();
}

bool is_on_signal_stack() {
  stack_t stack{};
  return sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

// Whether a siglongjmp() left the outermost scope behind: its frame would be here or below, where
// the stack has no frames. On a stack of its own a signal handler tells nothing by its address. One
// that was left nearer to main() than this is found by a later call.
bool is_left_behind(const void* here) {
  return depth > 0 && outermost_scope <= here && !is_on_signal_stack();
}

}  // namespace

bool ready() {
  const int now = state.load(std::memory_order_acquire);
  if (now == on) {
    if (__builtin_expect(!the_writer.is_inherited(), 1)) return true;
    return start_unannounced();
  }
  if (now == off) return false;
  if (now == waiting && spool::coarse_ns() < next_try_ns.load(std::memory_order_relaxed))
    return false;
  return start();
}

bool may_record() { return ready() || state.load() == waiting; }

bool is_off() { return state.load() == off; }

void cupti_was_missed() {
  if (state.load() == waiting) missed_cupti.store(true);
}

spool::Writer& writer() { return the_writer; }

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::uint32_t generation() { return the_generation.load(std::memory_order_relaxed); }

std::uint32_t thread_id() {
  if (known_thread == 0) known_thread = static_cast<std::uint32_t>(syscall(SYS_gettid));
  return known_thread;
}

void note(const char* code, const char* text) {
  if (ready()) write_note(code, text);
}

Scope::Scope() {
  if (is_left_behind(this)) depth = 0;
  before_ = depth;
  outermost_ = before_ == 0;
  if (outermost_) outermost_scope = this;
  depth = before_ + 1;
}
Scope::~Scope() { depth = before_; }

spool::Mode mode() {
  if (!the_writer.is_open()) return spool::Mode::calls;
  return static_cast<spool::Mode>(the_writer.header().mode.load(std::memory_order_relaxed));
}

void step_down(const char* code, const char* why) {
  if (!ready() || mode() == spool::Mode::calls) return;
  the_writer.header().mode.store(static_cast<std::uint32_t>(spool::Mode::calls));
  note(code, why);
}

void finish() {
  if (state.load() != on || the_writer.is_inherited()) return;
  // Inside our own code exit() came from a signal handler that interrupted it, or from within
  // cuDNN: what is locked there is locked by this very thread.
  const int here = 0;
  if (depth == 0 || is_left_behind(&here)) {
    const Scope scope;
    const Uncancelled guard;
    parts().finish();
  }
  if (the_writer.is_open()) the_writer.header().end_ns.store(now_ns());
}

// Nothing here may lock, or touch what belongs to a thread: it may be any thread, anywhere.
void finish_at_once(int status) {
  if (state.load(std::memory_order_acquire) != on || recorder.load() != getpid()) return;
  auto& header = the_writer.header();
  // Before the wait as well: who waits for us may have less patience.
  if (status >= 0) header.exited.store(status + 1);
  header.end_ns.store(now_ns());
  parts().flush_at_once();
  header.end_ns.store(now_ns());
}

void will_quick_exit(int status) {
  if (state.load(std::memory_order_acquire) == on && recorder.load() == getpid())
    quick_status.store(status & 0xff);
}

}  // namespace rnnadvisor::plugin
