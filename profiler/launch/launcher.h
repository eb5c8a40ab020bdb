// Starts a program and stays out of its way: same process group, terminal, folder and streams. What
// becomes of it becomes of us, by die_by_signal() if need be.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace rnnadvisor::launch {

// Holds back SIGINT, SIGTERM, SIGHUP and SIGQUIT, so that what a command has made for a program is
// there to be removed before one of them ends it. Until it is destroyed; what came by then comes
// then. No other thread of the process may have them unblocked.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  int take() const;  // one that has come, which is then gone; 0: none
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t held_{}, before_{};
};

struct LaunchRequest {
  std::vector<std::string> command;      // at least the program; found as execvp() finds it
  std::vector<std::string> environment;  // NAME=VALUE, all of it
  // Files for its standard output and error, made or emptied; empty: those of this process.
  std::string output = {}, error = {};
  const SignalsHeld* held = nullptr;  // whose mask_before() is the program's; null: none are held
};

struct ProgramEnd {
  std::int64_t pid = -1;
  std::int64_t start_ns = 0, end_ns = 0;  // CLOCK_REALTIME
  int exit_status = -1;                   // when it exited
  int signal = 0;                         // when a signal ended it
  int asked_to_end = 0;                   // the last signal that it was sent to end it; 0: none
  bool killed = false;                    // by us, because the user asked a second time
};

// Two SIGINT within this time end the program with SIGKILL. Further apart, each goes to the
// program, which may have every reason to go on (an interpreter, a notebook server).
inline constexpr std::int64_t second_interrupt_ns = 5'000'000'000;

// Runs the program to its end. Meanwhile SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 do
// not end this process: those sent to it alone are sent on to the program; those sent to the whole
// process group, as a terminal does, the program has had already. Its children are not waited for;
// where this process is the one that gets orphans (process 1 of a container), those that end leave
// no zombies.
//
// Errors: not_found (no such program: a shell says 127), unsupported (it cannot be executed: 126),
// io (no process or pipe could be made, or no file for the output). Changes the signal mask and the
// disposition of SIGCHLD for its duration, so no other thread of this process should count on them.
Result<ProgramEnd> run_program(const LaunchRequest& request);

// Ends this process by `signal` and without a core file, as the program ended; returns only if the
// signal is one that ends no process.
void die_by_signal(int signal);

}  // namespace rnnadvisor::launch
