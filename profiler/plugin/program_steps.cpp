#include "profiler/plugin/program_steps.h"

#include <pthread.h>
#include <string.h>

#include "profiler/plugin/cupti.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/events.h"
#include "profiler/plugin/last_flush.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/step_boundary.h"

namespace rnnadvisor::plugin {
namespace {

constexpr std::uint32_t traced_steps = 10;   // before CUPTI is detached; the first load libraries
constexpr std::uint32_t settling_steps = 2;  // after that, and at the start without CUPTI
// A window of timed steps is long enough with all of one line.
constexpr std::uint32_t most_timed = 32;
constexpr std::uint32_t enough_timed = 12;
constexpr std::int64_t enough_ns = 200'000'000;
constexpr std::uint32_t few_timed = 3;
constexpr std::int64_t long_ns = 4'000'000'000;
// A program that makes no more steps is traced again after this time.
constexpr std::int64_t patience_ns = 10'000'000'000;
constexpr std::uint32_t most_timed_calls = 256;  // without CUPTI
constexpr std::uint32_t most_attempts = 8;       // to detach CUPTI

enum class Stage { traced, untraced, over };

struct State {
  StepBoundary boundary;
  bool any_call, busy;
  Stage stage;
  int device;
  spool::StepSource source;
  std::uint32_t steps, attempts;  // in this stage
  std::int64_t since_ns;          // the first timed step began
  std::int64_t last_ns;           // the last step began
  // Of the step that goes on.
  int timing;
  std::uint64_t first_call;
  CUstream stream;
};
State s;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Ranges and the first call that the user chose are recorded as chosen, and CUPTI samples hardware
// counters throughout. A limit of time or calls only says where the recording ends.
bool is_traced_throughout(const Settings& wanted) {
  return !wanted.untraced_steps || wanted.trace_counters ||
         wanted.capture != Settings::Capture::always || wanted.skip > 0;
}

bool is_capturing(CUstream stream) {
  const Driver* d = driver();
  CUstreamCaptureStatus status{};
  return d == nullptr || d->cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// From events_collect().
void take_step(std::uint64_t call, std::uint64_t, double ns) {
  writer().add(spool::StepTime{{}, call, static_cast<std::int64_t>(ns)}, spool::Loss::other);
}

bool is_window_over(std::uint32_t timed, std::int64_t took) {
  return timed >= most_timed || (timed >= enough_timed && took >= enough_ns) ||
         (timed >= few_timed && took >= long_ns);
}

// What the next step begins with, decided with the lock held.
struct Turn {
  int ended = -1;
  bool counts = false, detach = false, reattach = false, time = false;
  std::uint64_t call = 0;
};

Turn next_step(const StepCaller& caller) {
  Turn turn;
  turn.ended = s.timing;
  turn.call = s.first_call;
  turn.counts = caller.stream == s.stream;
  s.timing = -1;
  const std::int64_t now = now_ns();
  if (s.boundary.source() != s.source) s.steps = 0;  // what was taken for inference was training
  s.source = s.boundary.source();
  const std::uint32_t step = s.steps++;
  s.last_ns = now;
  if (mode() == spool::Mode::calls) {
    turn.time =
        cupti_is_inactive() && step >= settling_steps && step < settling_steps + most_timed_calls;
    return turn;
  }
  switch (s.stage) {
    case Stage::traced:
      turn.detach = step >= traced_steps && cupti_is_recording();
      if (is_traced_throughout(settings())) {
        turn.detach = false;
        s.stage = Stage::over;
      }
      break;
    case Stage::untraced:
      turn.time = step >= settling_steps;
      if (step == settling_steps) s.since_ns = now;
      if (step > settling_steps && is_window_over(step - settling_steps, now - s.since_ns)) {
        turn.time = false;
        turn.reattach = true;
      }
      break;
    case Stage::over:
      break;
  }
  return turn;
}

// Tracing goes on, whoever sees first that it should.
void reattach() {
  {
    const Locked locked(mutex);
    if (s.stage != Stage::untraced) return;
    s.stage = Stage::over;
  }
  cupti_reattach();
}

// On the thread of last_flush.h, now and then while CUPTI is away.
bool look_for_the_end() {
  {
    const Locked locked(mutex);
    if (s.stage != Stage::untraced) return false;
    if (now_ns() - s.last_ns < patience_ns) return true;
  }
  reattach();
  return false;
}

void detach() {
  const Detached detached = cupti_detach();
  {
    const Locked locked(mutex);
    if (detached == Detached::yes) {
      s.stage = Stage::untraced;
      s.steps = 0;
    } else if (detached == Detached::never || ++s.attempts >= most_attempts) {
      s.stage = Stage::over;
    }
  }
  if (detached == Detached::yes) last_flush_watch(&look_for_the_end);
}

}  // namespace

bool program_step_begins(const StepCaller& caller) {
  // Steps of `accelerate` and `try` differ by what is compared in them, and are timed by steps.h.
  if (settings().accelerate != Settings::Accelerate::off) return false;
  // A CUDA graph is made: CUPTI has to see its nodes, and its launches are no calls.
  if (cupti_is_detached() && is_capturing(caller.stream)) reattach();
  Turn turn;
  {
    const Locked locked(mutex);
    if (!s.any_call) {
      s.any_call = true;
      s.device = caller.device;
      s.timing = -1;
    }
    if (caller.device != s.device || s.busy ||
        !s.boundary.begins(caller.forward, caller.training, caller.layer))
      return false;
    turn = next_step(caller);
    s.busy = true;
  }
  if (turn.counts) {
    events_end(turn.ended, &take_step, turn.call, 0);
  } else {
    events_end(turn.ended, 0);
  }
  events_collect(false);
  if (turn.detach && !is_capturing(caller.stream)) detach();
  if (turn.reattach) reattach();
  const int timing = turn.time ? events_begin(caller.stream) : -1;
  const Locked locked(mutex);
  s.timing = timing;
  s.first_call = caller.call;
  s.stream = caller.stream;
  s.busy = false;
  return true;
}

void program_steps_in_child() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
  s = {};
}

}  // namespace rnnadvisor::plugin
