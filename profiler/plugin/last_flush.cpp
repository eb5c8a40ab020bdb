#include "profiler/plugin/last_flush.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <initializer_list>

#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

enum Step : std::uint32_t { absent, waiting, asked, done };
std::atomic<std::uint32_t> step{absent};
static_assert(sizeof step == 4 && std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel waits on its address");
std::atomic<pid_t> the_thread{0};

void (*flush_cupti)() = nullptr;
std::atomic<bool (*)()> watch{nullptr};
constexpr timespec watch_period = {1, 0};

// Returns when `step` is no longer `value`, when it was woken, or after `patience`.
void wait_while(Step value, const timespec* patience) {
  syscall(SYS_futex, &step, FUTEX_WAIT_PRIVATE, value, patience, nullptr, 0);
}
void wake() { syscall(SYS_futex, &step, FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0); }

std::int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void* run(void*) {
  const Scope scope;
  the_thread.store(static_cast<pid_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
  pthread_setname_np(pthread_self(), "rnnadvisor");
  while (step.load(std::memory_order_acquire) != asked) {
    bool (*look)() = watch.load();
    wait_while(waiting, look != nullptr ? &watch_period : nullptr);
    if (look != nullptr && step.load() != asked && !look())
      watch.compare_exchange_strong(look, nullptr);
  }
  flush_cupti();
  step.store(done, std::memory_order_release);
  wake();
  return nullptr;
}

}  // namespace

void last_flush_prepare(void (*flush)()) {
  std::uint32_t expected = absent;
  if (!step.compare_exchange_strong(expected, waiting)) return;
  flush_cupti = flush;
  // The program's signals are for its own threads. Those that an instruction causes would end the
  // process past its handlers, if they were kept off.
  sigset_t all, before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, own);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Enough for CUPTI, and for what the program's libraries keep for each thread.
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 20);
  pthread_t thread{};
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, &attributes, &run, nullptr) != 0) step.store(absent);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
}

void last_flush_watch(bool (*look)()) {
  watch.store(look);
  wake();
}

void last_flush() {
  std::uint32_t now = step.load(std::memory_order_acquire);
  if (now == absent || now == done) return;
  // A handler that runs on the very thread would wait for itself.
  if (the_thread.load(std::memory_order_relaxed) == static_cast<pid_t>(syscall(SYS_gettid))) return;
  if (now == waiting && step.compare_exchange_strong(now, asked)) wake();
  const std::int64_t deadline = monotonic_ns() + last_flush_patience_ns;
  while (step.load(std::memory_order_acquire) == asked) {
    const std::int64_t left = deadline - monotonic_ns();
    if (left <= 0) return;
    const timespec patience = {left / 1'000'000'000, left % 1'000'000'000};
    wait_while(asked, &patience);
  }
}

void last_flush_in_child() {
  step.store(absent);
  the_thread.store(0);
  watch.store(nullptr);
}

}  // namespace rnnadvisor::plugin
