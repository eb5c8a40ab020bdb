// The ends of a process that run no handlers. Python's os._exit(), workers of multiprocessing and
// crash handlers end so. Where we are loaded before the C library (LD_PRELOAD), our definitions are
// found in place of its; where the driver loaded us, the calls of the libraries that are there by
// then are led to us.
#include "profiler/plugin/exit_hooks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "profiler/plugin/linked_slots.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace rnnadvisor::plugin {
namespace {

using Exit = void (*)(int);
// What stands behind us, the C library's or another tool's: looked up beforehand, because nothing
// can be looked up in a signal handler. Zero: the process ends before we were set up.
std::atomic<Exit> real_exit{nullptr}, real_exit_c99{nullptr}, real_quick_exit{nullptr};

__attribute__((constructor)) void find_exits() {
  real_exit.store(reinterpret_cast<Exit>(real_symbol(RTLD_NEXT, "_exit")));
  real_exit_c99.store(reinterpret_cast<Exit>(real_symbol(RTLD_NEXT, "_Exit")));
  real_quick_exit.store(reinterpret_cast<Exit>(real_symbol(RTLD_NEXT, "quick_exit")));
}

// Async-signal-safe, and nothing of it happens in a child that shares the parent's memory.
[[noreturn]] void end(const std::atomic<Exit>& real, int status) {
  finish_at_once(status & 0xff);
  if (const Exit go_on = real.load(std::memory_order_relaxed); go_on != nullptr) go_on(status);
  for (;;) syscall(SYS_exit_group, status);
}

// What calls that we lead to us were bound to: the C library's function or another tool's. It is
// kept apart from what stands behind us, because a tool that stands before us calls our exported
// name, and must not come back to itself.
std::atomic<Exit> bound_exit{nullptr}, bound_exit_c99{nullptr};

// What others' calls are led to. The exported names will not do: our own reference to one is bound
// to the C library's.
[[noreturn]] void led_exit(int status) { end(bound_exit, status); }
[[noreturn]] void led_exit_c99(int status) { end(bound_exit_c99, status); }

bool is_ours(const void* function) {
  Dl_info one{}, other{};
  return dladdr(function, &one) != 0 && dladdr(reinterpret_cast<void*>(&led_exit), &other) != 0 &&
         one.dli_fbase == other.dli_fbase;
}

void lead_exit(const char* name, void (*hook)(int), std::atomic<Exit>& bound_to) {
  // What everybody without a definition of their own is bound to, another tool's where there is
  // one.
  void* bound = real_symbol(RTLD_DEFAULT, name);
  if (bound == nullptr || is_ours(bound)) return;
  bound_to.store(reinterpret_cast<Exit>(bound));
  lead_linked_calls(name, bound, reinterpret_cast<void*>(hook));
}

}  // namespace

void exits_prepare() {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return;
  lead_exit("_exit", &led_exit, bound_exit);
  lead_exit("_Exit", &led_exit_c99, bound_exit_c99);
}

}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

// The C library declares them as functions that do not return.
EXPORT void _exit(int status) { end(real_exit, status); }
EXPORT void _Exit(int status) noexcept { end(real_exit_c99, status); }
// Its handlers are still to run, the program's and then ours, which is not told the status.
EXPORT void quick_exit(int status) noexcept {
  will_quick_exit(status);
  Exit go_on = real_quick_exit.load(std::memory_order_relaxed);
  if (go_on == nullptr) go_on = reinterpret_cast<Exit>(real_symbol(RTLD_NEXT, "quick_exit"));
  if (go_on != nullptr) go_on(status);
  end(real_exit, status);
}
