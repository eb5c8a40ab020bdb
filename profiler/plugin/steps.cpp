#include "profiler/plugin/steps.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "profiler/plugin/call_kinds.h"
#include "profiler/plugin/events.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/step_boundary.h"

namespace rnnadvisor::plugin {
namespace {

using spool::StepArm;

// Every other block is as the program is: of `try` the first and the last, too; `accelerate` begins
// and ends with what it chose, so that no program waits for its gain.
constexpr std::uint32_t most_blocks = 25;
constexpr std::uint32_t rounds_of_one = 6, rounds_of_several = 4;  // of what is compared with it
constexpr std::uint32_t most_steps = 64;                           // that are kept of a block
constexpr std::uint32_t steady_steps = 3;  // with all choices made, before the first block
// Of `try`: with all choices made, and nothing replaced or no change ready; in which choices do not
// end.
constexpr std::uint32_t settled_steps = 30, endless_steps = 5000;
constexpr std::uint32_t steps_for_late = 8;  // after the last block, for its times to come
constexpr std::uint32_t least_steps = 6;     // of a block
constexpr std::int64_t least_block_ns = 60'000'000, long_block_ns = 4'000'000'000;
constexpr float surely_slower = 0.99F;
constexpr std::int64_t patience_ns = 10'000'000'000;  // between SIGINT and SIGTERM

struct Block {
  float ns[most_steps];
  std::uint32_t count;
};
Block blocks[most_blocks];

// settling: until the choices of the program's own calls have fallen; settling_changed: until those
// with the change have.
enum class Stage : std::uint32_t { settling, settling_changed, comparing, late_times, over };
std::atomic<Stage> stage{Stage::settling};
std::atomic<bool> own_now{false}, change_now{false};
enum class Change : std::uint32_t { unheard_of, awaited, ready, impossible };
std::atomic<Change> change{Change::unheard_of};
std::atomic<std::int64_t> interrupted_ns{0};  // 0: not, or ended by SIGTERM since

struct State {
  StepBoundary boundary;
  int device;
  bool any_call;
  // Of the step that goes on.
  bool unsettled, replaced, busy;
  int timing;
  CUstream stream;
  // Of the blocks.
  bool own_replaced;                                         // in the steps without the change
  StepArm arms[static_cast<std::uint32_t>(StepArm::count)];  // that alternate with its own
  std::uint32_t arm_count;
  std::uint32_t steady, steps, block, in_block, late;
  std::int64_t block_start_ns;
};
State s;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

StepArm arm_of(std::uint32_t block) {
  const bool own = (block % 2 == 0) == (settings().try_steps > 0);
  return own ? StepArm::own : s.arms[block / 2 % s.arm_count];
}
std::uint32_t block_count() {
  return 2 * s.arm_count * (s.arm_count == 1 ? rounds_of_one : rounds_of_several) + 1;
}
void be(StepArm arm) {
  own_now.store(arm == StepArm::own || arm == StepArm::change);
  change_now.store(arm == StepArm::change || arm == StepArm::both);
}

float median(const Block& block) {
  float sorted[most_steps];
  const std::uint32_t n = block.count < most_steps ? block.count : most_steps;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t at = i;
    for (; at > 0 && sorted[at - 1] > block.ns[i]; --at) sorted[at] = sorted[at - 1];
    sorted[at] = block.ns[i];
  }
  if (n == 0) return 0;
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

// From events_collect().
void take_step(std::uint64_t block, std::uint64_t, double ns) {
  const Locked locked(mutex);
  if (block >= most_blocks || stage.load() == Stage::over) return;
  Block& into = blocks[block];
  if (into.count < most_steps) into.ns[into.count++] = static_cast<float>(ns);
}

void write_blocks(bool withdrawn) {
  for (std::uint32_t i = 0; i < most_blocks; ++i) {
    spool::StepBlock record{};
    {
      const Locked locked(mutex);
      if (blocks[i].count == 0) continue;
      record.block = i;
      record.source = s.boundary.source();
      record.arm = arm_of(i);
      record.steps = blocks[i].count;
      record.median_ns = static_cast<std::int64_t>(median(blocks[i]));
      record.withdrawn = withdrawn ? 1 : 0;
    }
    writer().add(record, spool::Loss::other);
  }
}

// Of `accelerate`, with the lock held. Every block with the program's own algorithms was faster
// than its neighbours: by chance once in 64 cases.
bool is_slower() {
  for (std::uint32_t i = 1; i + 1 < block_count(); i += 2) {
    const float before = median(blocks[i - 1]), own = median(blocks[i]),
                after = median(blocks[i + 1]);
    if (before <= 0 || own <= 0 || after <= 0) return false;
    if (own > surely_slower * __builtin_sqrtf(before * after)) return false;
  }
  return s.arm_count > 0;
}

std::uint32_t steps_of_a_block() {
  if (settings().try_steps == 0) return least_steps;
  const std::uint32_t wanted = settings().try_steps / block_count();
  return wanted < 2 ? 2 : wanted < most_steps ? wanted : most_steps;
}

bool is_block_over(std::int64_t now) {
  const std::int64_t took = now - s.block_start_ns;
  const std::uint32_t timed = s.in_block - 1;  // its first step began with the other algorithms
  if (settings().try_steps > 0) return timed >= steps_of_a_block();
  return (timed >= least_steps && (took >= least_block_ns || timed >= most_steps)) ||
         (timed >= 2 && took >= long_block_ns);
}

struct Ended {
  int timing = -1;
  bool counts = false;
  std::uint32_t block = 0;
};

void begin_blocks(bool changed, std::int64_t now) {
  s.arm_count = 0;
  if (s.own_replaced) s.arms[s.arm_count++] = StepArm::algorithms;
  if (changed) s.arms[s.arm_count++] = StepArm::change;
  if (changed && s.replaced) s.arms[s.arm_count++] = StepArm::both;
  s.block = s.in_block = 0;
  s.block_start_ns = now;
  be(arm_of(0));
  stage.store(Stage::comparing);
}

// The choices of the step's calls have fallen, or it has none. True: there is nothing to compare.
bool settle(std::int64_t now) {
  const bool is_try = settings().try_steps > 0;
  if (stage.load() == Stage::settling_changed) {
    begin_blocks(true, now);
    return false;
  }
  s.own_replaced = s.replaced;
  const Change found = settings().changes && is_try ? change.load() : Change::impossible;
  if (found == Change::ready) {
    s.steady = 0;
    be(StepArm::both);
    stage.store(Stage::settling_changed);
    return false;
  }
  // Where nothing else is measured, all that `try` waits for is the change.
  const bool alone = settings().accelerate == Settings::Accelerate::steps;
  if (found == Change::awaited ||
      (found == Change::unheard_of && (alone || s.steady < settled_steps)))
    return s.steady >= endless_steps;
  if (s.own_replaced) {
    begin_blocks(false, now);
    return false;
  }
  return is_try && s.steady >= settled_steps;
}

// The step before is over, the next begins. With the lock held; true: there is no more to time.
bool next_step(Ended& ended, bool same_stream) {
  const bool settled = !s.unsettled && same_stream;
  const std::int64_t now = now_ns();
  bool through = false;
  ended = {s.timing, false, s.block};
  switch (stage.load()) {
    case Stage::settling:
    case Stage::settling_changed:
      s.steady = settled ? s.steady + 1 : 0;
      ++s.steps;
      if (s.steady >= steady_steps) {
        through = settle(now);
      } else if (settings().try_steps > 0 && s.steps >= endless_steps) {
        through = !s.own_replaced;
        if (!through) begin_blocks(false, now);
      }
      break;
    case Stage::comparing: {
      const bool any = s.replaced || change.load() == Change::ready;
      ended.counts = s.in_block > 0 && settled && any;
      ++s.in_block;
      if (!is_block_over(now)) break;
      s.in_block = 0;
      s.block_start_ns = now;
      if (++s.block < block_count()) {
        be(arm_of(s.block));
        break;
      }
      be(settings().try_steps > 0 ? StepArm::own : StepArm::algorithms);
      stage.store(Stage::late_times);
      s.late = 0;
      break;
    }
    case Stage::late_times:
      through = ++s.late >= steps_for_late;
      break;
    case Stage::over:
      break;
  }
  s.timing = -1;
  s.unsettled = s.replaced = false;
  return through;
}

void conclude() {
  bool slower = false;
  {
    const Locked locked(mutex);
    slower = settings().try_steps == 0 && is_slower();
  }
  if (slower) withdraw_all();
  be(settings().try_steps > 0 ? StepArm::own : StepArm::algorithms);
  write_blocks(slower);
  stage.store(Stage::over);
  if (!settings().try_end) return;
  interrupted_ns.store(now_ns());
  note("try-ended",
       "what could be measured is measured; the program was interrupted, as was asked");
  kill(getpid(), SIGINT);
}

// A program that goes on after SIGINT, or caught it.
void end_at_last() {
  std::int64_t since = interrupted_ns.load(std::memory_order_relaxed);
  if (since == 0 || now_ns() - since < patience_ns) return;
  if (interrupted_ns.compare_exchange_strong(since, 0)) kill(getpid(), SIGTERM);
}

}  // namespace

void steps_see(const StepCall& call) {
  // Nothing to compare: programs in which nothing gains are to pay nothing, and a lock costs two
  // system calls.
  if (settings().try_steps == 0 && !any_replaced()) return;
  // A run with a plan measures nothing that is known, and its results are to repeat.
  if (settings().plan[0] != 0 && settings().try_steps == 0) return;
  if (stage.load(std::memory_order_acquire) == Stage::over) {
    end_at_last();
    return;
  }
  Ended ended;
  bool through = false, block_over = false;
  {
    const Locked locked(mutex);
    if (s.busy) return;
    if (!s.any_call) {
      s.any_call = true;
      s.device = call.device;
      s.timing = -1;
    }
    if (call.device != s.device) return;
    const bool begins =
        s.boundary.begins(call.phase == 0, call.training, static_cast<std::uint64_t>(call.kind));
    if (begins) {
      const std::uint32_t block = s.block;
      through = next_step(ended, call.stream == s.stream);
      block_over = block != s.block;
      s.stream = call.stream;
      s.busy = true;
    }
    s.unsettled = s.unsettled || !call.settled;
    s.replaced = s.replaced || call.replaced;
    if (!begins) return;
  }
  if (ended.counts) {
    events_end(ended.timing, &take_step, ended.block, 0);
  } else {
    events_end(ended.timing, 0);
  }
  events_collect(false);
  const int timing = stage.load() == Stage::comparing ? events_begin(call.stream) : -1;
  if (block_over) write_blocks(false);
  if (through) conclude();
  const Locked locked(mutex);
  s.timing = timing;
  s.busy = false;
}

bool steps_want_own() { return own_now.load(std::memory_order_relaxed); }
bool steps_have_change() { return change_now.load(std::memory_order_relaxed); }
bool steps_are_compared() {
  const Stage now = stage.load(std::memory_order_relaxed);
  return now == Stage::comparing || now == Stage::late_times;
}

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void rnnadvisor_change_ready(int ready) {
  if (ready >= 0) return change.store(ready > 0 ? Change::ready : Change::impossible);
  Change first = Change::unheard_of;
  change.compare_exchange_strong(first, Change::awaited);
}

EXPORT int rnnadvisor_change_wanted() {
  if (change.load(std::memory_order_relaxed) != Change::ready) return 0;
  // Where nothing is timed, the whole run has the change.
  return settings().try_steps == 0 || steps_have_change() ? 1 : 0;
}

void steps_finish() {
  if (stage.load() != Stage::over) write_blocks(false);
}

void steps_in_child() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
  stage.store(Stage::settling);
  be(StepArm::algorithms);
  change.store(Change::unheard_of);
  interrupted_ns.store(0);
  memset(static_cast<void*>(blocks), 0, sizeof blocks);
  s = {};
}

}  // namespace rnnadvisor::plugin
