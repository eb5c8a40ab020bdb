#include "advisor/cli/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "advisor/cli/exit_status.h"

namespace rnnadvisor::cli {
namespace {

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch it");

extern "C" void on_stop_signal(int) {
  if (stop_requested.exchange(true)) _exit(exit_interrupted);
}

}  // namespace

const std::atomic<bool>* watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return &stop_requested;
}

bool interrupted() { return stop_requested; }

}  // namespace rnnadvisor::cli
