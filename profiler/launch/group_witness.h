// Tells a signal that was sent to the whole process group from one that was sent to this process
// alone, which the kernel does not say: a child in the same group that does nothing but report what
// it receives. Linux.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <vector>

namespace rnnadvisor::launch {

class GroupWitness {
 public:
  // `signals` must be blocked by now. Without a process to spare there is no witness, and every
  // signal counts as sent to this process alone.
  explicit GroupWitness(const sigset_t& signals);
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;
  ~GroupWitness();

  // Whether the group received `signal`, too, within a moment of now. Waits for at most that
  // moment.
  bool group_received(int signal);

  // That its process has ended and has been waited for.
  void ended(pid_t process);

 private:
  struct Report {
    std::int64_t time_ns;  // CLOCK_MONOTONIC
    int signal;
  };
  [[noreturn]] static void report(const sigset_t& signals, int reports, pid_t parent);

  pid_t pid_ = -1;
  int reports_ = -1;
  std::vector<Report> unclaimed_;  // signals need not come in one order here and there
};

}  // namespace rnnadvisor::launch
