#include "profiler/plugin/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "profiler/plugin/acceleration.h"
#include "profiler/plugin/call_site.h"
#include "profiler/plugin/capture.h"
#include "profiler/plugin/counters.h"
#include "profiler/plugin/cudnn_library.h"
#include "profiler/plugin/cupti.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/events.h"
#include "profiler/plugin/frameworks.h"
#include "profiler/plugin/last_flush.h"
#include "profiler/plugin/nvtx.h"
#include "profiler/spool/writer_files.h"

namespace rnnadvisor::plugin {
namespace {

enum State : int { untouched, on, off, waiting };
std::atomic<int> state{untouched};
pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;
Settings the_settings;
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
std::uint32_t range_name = 0, range_domain = 0;

// The capture range.
std::atomic<bool> range_open{false};
std::atomic<std::int64_t> ranges_ended{0};
std::atomic<std::uint64_t> ranges_started{0};
std::atomic<std::int64_t> calls_seen{0};
std::atomic<std::uint32_t> first_configuration{0};
std::atomic<std::int64_t> first_configuration_calls{0};
std::atomic<bool> over{false};

thread_local int depth = 0;
thread_local const void* outermost_scope = nullptr;
thread_local std::uint32_t known_thread = 0;

const char* variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr || *value == 0 ? nullptr : value;
}

// Variables that could not be read, for a note: the spool is not open yet.
const char* ignored[16];
int ignored_count = 0;

void ignore(const char* name) {
  if (ignored_count < 16) ignored[ignored_count++] = name;
}

std::int64_t number(const char* name, std::int64_t otherwise) {
  const char* text = variable(name);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  constexpr long long most = 1LL << 53;
  if (errno == 0 && *end == 0 && value >= 0 && value <= most) return value;
  ignore(name);
  return otherwise;
}

// As nanoseconds; a thousand years are enough.
std::int64_t milliseconds(const char* name) {
  constexpr std::int64_t most = std::int64_t{1} << 43;
  const std::int64_t value = number(name, 0);
  return (value < most ? value : most) * 1'000'000;
}

void copy_text(char* to, std::size_t size, const char* from) {
  if (size == 0) return;
  std::size_t length = from == nullptr ? 0 : strlen(from);
  if (length >= size) length = size - 1;
  if (length > 0) memcpy(to, from, length);
  to[length] = 0;
}

bool listed(const char* list, const char* word) {
  const std::size_t length = strlen(word);
  for (const char* at = list; at != nullptr; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, word, length) == 0 && (at[length] == 0 || at[length] == ',')) return true;
  }
  return false;
}

// "exact", "numerics", "steps", "0", or for tests "force:" and an algorithm, which every call that
// can take it then has; with "+conversion" behind it in half precision for float32.
void read_acceleration(Settings& s) {
  const char* record = variable("RNNADVISOR_RECORD");
  s.record_calls = record == nullptr || strcmp(record, "choices") != 0;
  if (s.record_calls && record != nullptr && strcmp(record, "calls") != 0)
    ignore("RNNADVISOR_RECORD");
  s.accelerate = Settings::Accelerate::off;
  s.accelerate_bytes =
      static_cast<std::uint64_t>(number("RNNADVISOR_ACCELERATE_MEMORY", std::int64_t{2} << 30));
  s.accelerate_bytes_given = variable("RNNADVISOR_ACCELERATE_MEMORY") != nullptr;
  s.accelerate_budget_ns = variable("RNNADVISOR_ACCELERATE_BUDGET_MS") == nullptr
                               ? 600'000'000
                               : milliseconds("RNNADVISOR_ACCELERATE_BUDGET_MS");
  s.accelerate_numerics = s.forced_converts = false;
  constexpr std::int64_t most_steps = 100'000;
  const std::int64_t steps = number("RNNADVISOR_TRY_STEPS", 0);
  s.try_steps = static_cast<std::uint32_t>(steps < most_steps ? steps : most_steps);
  s.changes = variable("RNNADVISOR_CHANGES") != nullptr;
  copy_text(s.plan, sizeof s.plan, variable("RNNADVISOR_ACCELERATE_PLAN"));
  s.plan_only = number("RNNADVISOR_ACCELERATE_PLAN_ONLY", 0) != 0;
  s.try_end = s.try_steps > 0 && number("RNNADVISOR_TRY_END", 0) != 0;
  const char* text = variable("RNNADVISOR_ACCELERATE");
  if (text == nullptr || strcmp(text, "0") == 0) return;
  s.accelerate_numerics = strcmp(text, "numerics") == 0;
  if (s.accelerate_numerics || strcmp(text, "exact") == 0) {
    s.accelerate = Settings::Accelerate::measured;
    return;
  }
  if (strcmp(text, "steps") == 0) {
    s.accelerate = Settings::Accelerate::steps;
    return;
  }
  static const char* const algorithms[] = {"standard", "persist_static", "persist_dynamic",
                                           "persist_static_small_h"};
  for (int algo = 0; algo < 4; ++algo) {
    const std::size_t length = strlen(algorithms[algo]);
    if (strncmp(text, "force:", 6) != 0 || strncmp(text + 6, algorithms[algo], length) != 0)
      continue;
    const char* rest = text + 6 + length;
    s.forced_converts = strcmp(rest, "+conversion") == 0;
    if (*rest != 0 && !s.forced_converts) continue;
    s.accelerate = Settings::Accelerate::forced;
    s.forced_algo = algo;
    return;
  }
  ignore("RNNADVISOR_ACCELERATE");
}

void read_settings() {
  auto& s = the_settings;
  ignored_count = 0;
  copy_text(s.folder, sizeof s.folder, variable("RNNADVISOR_SPOOL"));
  s.mode = spool::Mode::kernels;
  if (const char* text = variable("RNNADVISOR_MODE"); text != nullptr) {
    if (strcmp(text, "calls") == 0) {
      s.mode = spool::Mode::calls;
    } else if (strcmp(text, "full") == 0) {
      s.mode = spool::Mode::full;
    } else if (strcmp(text, "kernels") != 0) {
      ignore("RNNADVISOR_MODE");
    }
  }
  s.max_bytes = static_cast<std::uint64_t>(number("RNNADVISOR_MAX_BYTES", std::int64_t{4} << 30));
  s.buffer_bytes = static_cast<std::uint64_t>(number("RNNADVISOR_BUFFER_BYTES", 4 << 20));
  if (s.buffer_bytes < 65536) s.buffer_bytes = 65536;
  const char* sites = variable("RNNADVISOR_CALL_SITES");
  s.call_sites = sites == nullptr || strcmp(sites, "off") != 0;
  if (s.call_sites && sites != nullptr && strcmp(sites, "on") != 0) ignore("RNNADVISOR_CALL_SITES");
  const char* trace = variable("RNNADVISOR_TRACE");
  s.trace_transfers = trace == nullptr || listed(trace, "transfers");
  s.trace_memory = trace == nullptr ? s.mode == spool::Mode::full : listed(trace, "memory");
  s.trace_api = trace == nullptr ? s.mode == spool::Mode::full : listed(trace, "api");
  s.trace_counters = trace == nullptr ? s.mode == spool::Mode::full : listed(trace, "counters");
  s.trace_driver = trace != nullptr && listed(trace, "driver");
  if (trace != nullptr && !s.trace_transfers && !s.trace_memory && !s.trace_api &&
      !s.trace_driver && !s.trace_counters && strcmp(trace, "none") != 0)
    ignore("RNNADVISOR_TRACE");
  s.counter_interval_ns = number("RNNADVISOR_COUNTER_INTERVAL_US", 1000) * 1000;
  if (s.counter_interval_ns < 10'000) s.counter_interval_ns = 10'000;
  if (s.counter_interval_ns > 1'000'000'000) s.counter_interval_ns = 1'000'000'000;
  s.counter_duration_ns = variable("RNNADVISOR_COUNTER_DURATION_MS") == nullptr
                              ? 2'000'000'000
                              : milliseconds("RNNADVISOR_COUNTER_DURATION_MS");
  read_acceleration(s);
  s.delay_ns = milliseconds("RNNADVISOR_DELAY_MS");
  s.duration_ns = milliseconds("RNNADVISOR_DURATION_MS");
  s.skip = number("RNNADVISOR_SKIP", 0);
  s.iterations = number("RNNADVISOR_ITERATIONS", 0);
  s.capture = Settings::Capture::always;
  if (const char* text = variable("RNNADVISOR_CAPTURE"); text != nullptr) {
    if (strcmp(text, "cuda-profiler-api") == 0) {
      s.capture = Settings::Capture::profiler_api;
    } else if (strncmp(text, "nvtx:", 5) == 0) {
      s.capture = Settings::Capture::nvtx;
      copy_text(s.range, sizeof s.range, text + 5);
      s.domain[0] = 0;
      if (char* at = strrchr(s.range, '@'); at != nullptr) {
        copy_text(s.domain, sizeof s.domain, at + 1);
        *at = 0;
      }
    } else if (strcmp(text, "always") != 0) {
      ignore("RNNADVISOR_CAPTURE");
    }
  }
}

std::int32_t first_number(const char* const* names) {
  for (; *names != nullptr; ++names) {
    if (variable(*names) != nullptr) {
      const std::int64_t value = number(*names, -1);
      if (value >= 0 && value <= 1 << 30) return static_cast<std::int32_t>(value);
    }
  }
  return -1;
}

void describe_process() {
  auto& header = the_writer.header();
  static const char* const rank[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                     "PMI_RANK", "SLURM_PROCID",         nullptr};
  static const char* const local[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                      "SLURM_LOCALID", nullptr};
  static const char* const world[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                      "SLURM_NTASKS", nullptr};
  header.rank = first_number(rank);
  header.local_rank = first_number(local);
  header.world_size = first_number(world);
  gethostname(header.host, sizeof header.host - 1);
  if (const auto length =
          readlink("/proc/self/exe", header.executable, sizeof header.executable - 1);
      length > 0)
    header.executable[length] = 0;
  if (const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC); file >= 0) {
    const auto length = read(file, header.command_line, sizeof header.command_line - 1);
    header.command_line[length > 0 ? length : 0] = 0;
    close(file);
  }
  // What decides about cuDNN's RNNs, and what findings quote.
  static const char* const names[] = {"CUDA_VISIBLE_DEVICES",
                                      "CUDA_LAUNCH_BLOCKING",
                                      "CUBLAS_WORKSPACE_CONFIG",
                                      "TORCH_CUDNN_V8_API_DISABLED",
                                      "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
                                      "NVIDIA_TF32_OVERRIDE",
                                      "PYTORCH_CUDA_ALLOC_CONF",
                                      "PYTORCH_ALLOC_CONF",
                                      "CUDNN_LOGLEVEL_DBG",
                                      "CUDNN_LOGDEST_DBG",
                                      "TF_CUDNN_RNN_USE_AUTOTUNE",
                                      "TF_DEBUG_CUDNN_RNN",
                                      "TF_DEBUG_CUDNN_RNN_USE_TENSOR_OPS",
                                      "TF_DEBUG_CUDNN_RNN_ALGO",
                                      "TF_CUDNN_RESET_RND_GEN_STATE",
                                      "TF_USE_LEGACY_KERAS",
                                      "KERAS_BACKEND",
                                      "XLA_FLAGS",
                                      "CUDA_DEVICE_MAX_CONNECTIONS",
                                      "CUDA_MODULE_LOADING",
                                      nullptr};
  for (const char* const* name = names; *name != nullptr; ++name) {
    if (const char* value = variable(*name); value != nullptr)
      the_writer.add(spool::Environment{{}, the_writer.intern(*name), the_writer.intern(value)},
                     spool::Loss::other);
  }
}

void write_note(const char* code, const char* text) {
  the_writer.add(spool::Note{{}, now_ns(), the_writer.intern(code), the_writer.intern(text)},
                 spool::Loss::other);
}

void in_child() {
  // A fork without exec: the child gets a spool of its own when it first calls CUDA or cuDNN. Until
  // then only what other threads may have held is put right.
  the_writer.forget();
  cudnn_libraries_in_child();
  cupti_in_child();
  counters_in_child();
  last_flush_in_child();
  events_in_child();
  acceleration_in_child();
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

void start_afresh() {
  range_open.store(false);
  ranges_ended.store(0);
  calls_seen.store(0);
  first_configuration.store(0);
  first_configuration_calls.store(0);
  over.store(false);
  configurations_forget();
  call_sites_forget();
  cudnn_libraries_forget();
  devices_forget();
  frameworks_forget();
  nvtx_forget();
  stale = false;
}

__attribute__((constructor)) void loaded() {
  if (variable("RNNADVISOR_SPOOL") == nullptr) {
    state.store(off);
    return;
  }
  spool::Writer::prepare();
  pthread_atfork(nullptr, nullptr, &in_child);
}

void ended(int status, void*) {
  if (recorder.load() != getpid()) return;  // a child that did not call us
  if (the_writer.is_open()) the_writer.header().exited.store((status & 0xff) + 1);
  finish();
}

void quickly_ended() { finish_at_once(quick_status.load()); }

void describe_settings() {
  if (the_settings.capture == Settings::Capture::nvtx) {
    range_name = the_writer.intern(the_settings.range);
    range_domain = the_settings.domain[0] == 0 ? 0 : the_writer.intern(the_settings.domain);
  }
  for (int i = 0; i < ignored_count; ++i) {
    char text[512];
    const char* value = getenv(ignored[i]);
    snprintf(text, sizeof text, "%s is \"%s\", which is not one of its values; it was ignored",
             ignored[i], value == nullptr ? "" : value);
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
    if (missed_cupti.exchange(false) && the_settings.mode != spool::Mode::calls) {
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
    spool::WriterSettings settings;
    settings.folder = the_settings.folder;
    settings.max_bytes = the_settings.max_bytes;
    settings.mode = the_settings.mode;
    if (stale) start_afresh();
    if (the_settings.folder[0] != 0 && the_writer.open(settings)) {
      describe_process();
      describe_settings();
      describe_beginning();
      if (!exit_handler) {
        exit_handler = true;
        on_exit(&ended, nullptr);
        at_quick_exit(&quickly_ended);
      }
      recorder.store(getpid());
      state.store(on);
    } else if (the_settings.folder[0] != 0 && may_pass(errno)) {
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

void cupti_was_missed() {
  if (state.load() == waiting) missed_cupti.store(true);
}

const Settings& settings() { return the_settings; }
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

bool in_range() {
  if (over.load(std::memory_order_relaxed)) return false;
  if (the_settings.capture != Settings::Capture::always &&
      !range_open.load(std::memory_order_relaxed))
    return false;
  if (the_settings.delay_ns == 0 && the_settings.duration_ns == 0) return true;
  const std::int64_t since = now_ns() - the_writer.header().start_ns;
  if (since < the_settings.delay_ns) return false;
  if (the_settings.duration_ns != 0 && since > the_settings.delay_ns + the_settings.duration_ns) {
    over.store(true);
    cupti_pause();
    return false;
  }
  return true;
}

bool begin_range() {
  if (over.load() || range_open.exchange(true)) return false;
  ranges_started.fetch_add(1);
  const Scope scope;
  cupti_resume();
  return true;
}

std::uint64_t ranges_begun() { return ranges_started.load(std::memory_order_relaxed); }

void end_range() {
  if (!range_open.exchange(false)) return;
  const Scope scope;
  const std::int64_t ended = ranges_ended.fetch_add(1) + 1;
  if (the_settings.iterations != 0 && ended >= the_settings.iterations) over.store(true);
  cupti_pause();
}

bool is_captured_range(std::uint32_t name, std::uint32_t domain) {
  return the_settings.capture == Settings::Capture::nvtx && name == range_name &&
         domain == range_domain;
}

void expect_call() {
  if (calls_seen.load(std::memory_order_relaxed) >= the_settings.skip) cupti_resume();
}

bool admit_call(std::uint32_t configuration, bool forward) {
  if (!in_range()) return false;
  const std::int64_t seen = calls_seen.fetch_add(1, std::memory_order_relaxed);
  if (seen < the_settings.skip) return false;
  if (the_settings.iterations != 0 && the_settings.capture == Settings::Capture::always &&
      forward) {
    std::uint32_t none = 0;
    first_configuration.compare_exchange_strong(none, configuration);
    if (first_configuration.load() == configuration &&
        first_configuration_calls.fetch_add(1) >= the_settings.iterations) {
      over.store(true);
      cupti_pause();
      return false;
    }
  }
  return true;
}

void finish() {
  if (state.load() != on || the_writer.is_inherited()) return;
  // Inside our own code exit() came from a signal handler that interrupted it, or from within
  // cuDNN: what is locked there is locked by this very thread.
  const int here = 0;
  if (depth == 0 || is_left_behind(&here)) {
    const Scope scope;
    const Uncancelled guard;
    events_collect(true);
    acceleration_finish();
    counters_finish();
    cupti_flush();
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
  last_flush();
  header.end_ns.store(now_ns());
}

void will_quick_exit(int status) {
  if (state.load(std::memory_order_acquire) == on && recorder.load() == getpid())
    quick_status.store(status & 0xff);
}

}  // namespace rnnadvisor::plugin
