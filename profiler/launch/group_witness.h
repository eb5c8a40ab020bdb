// Tells a signal that was sent to the whole process group from one that was sent to this process
// alone, which the kernel does not say: a child in the same group that does nothing but report what
// it receives. Linux.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>

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
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int reports_ = -1;
};

}  // namespace rnnadvisor::launch
