// What keeps a stranger's thread from leaving us in the middle of something.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace rnnadvisor::spool {

// While it lives this thread cannot be cancelled: opening files and allocating are points where it
// could be, and what we hold would be held for ever.
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = 0;
};

// Besides, no signal handler runs on this thread, and errno is kept: a handler could come to us
// again and wait for a lock that its own thread holds, or leave by siglongjmp() and never come back
// to unlock it. Those that an instruction causes are let through: blocked, they would end the
// process past its handlers. Costs two system calls; not for the way of every record.
class Undisturbed {
 public:
  Undisturbed() : errno_(errno) {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Undisturbed() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = errno_;
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  int errno_;
  sigset_t before_;
  Uncancelled uncancelled_;
};

// A lock that no signal handler can find locked by its own thread.
class Locked {
 public:
  explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Locked() { pthread_mutex_unlock(&mutex_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Undisturbed undisturbed_;
  pthread_mutex_t& mutex_;
};

}  // namespace rnnadvisor::spool
