#include "profiler/launch/group_witness.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace rnnadvisor::launch {
namespace {

// Long enough for a loaded machine to let the witness run once, and short for a person.
constexpr std::int64_t moment_ns = 250'000'000;
// A report that is unclaimed by then is of a signal that was merged into one on our side.
constexpr std::int64_t stale_ns = 2'000'000'000;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

// Only calls that are safe after fork().
void GroupWitness::report(const sigset_t& signals, int reports, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  prctl(PR_SET_NAME, "rnnadvisor-sig");
  // It must not keep a pipe of the program open that is read to its end elsewhere.
  const int descriptor = 3;
  if (reports != descriptor) dup2(reports, descriptor);
  for (int open = 0; open < 3; ++open) close(open);
  if (close_range(4, ~0U, 0) != 0) {  // kernels before 5.9
    for (int open = 4; open < 1024; ++open) close(open);
  }
  while (true) {
    const int signal = sigwaitinfo(&signals, nullptr);
    if (signal <= 0) continue;
    const Report report = {now(), signal};
    if (write(descriptor, &report, sizeof report) < 0 && errno == EPIPE) _exit(0);
  }
}

GroupWitness::GroupWitness(const sigset_t& signals) {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) report(signals, pipe[1], parent);
  close(pipe[1]);
  if (pid_ < 0) {
    close(pipe[0]);
  } else {
    reports_ = pipe[0];
  }
}

GroupWitness::~GroupWitness() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (reports_ >= 0) close(reports_);
}

void GroupWitness::ended(pid_t process) {
  if (process == pid_) pid_ = -1;
}

bool GroupWitness::group_received(int signal) {
  if (reports_ < 0) return false;
  const std::int64_t begin = now();
  std::erase_if(unclaimed_, [&](const Report& old) { return old.time_ns < begin - stale_ns; });
  for (std::int64_t left = moment_ns; left > 0; left = begin + moment_ns - now()) {
    Report one{};
    while (read(reports_, &one, sizeof one) == static_cast<ssize_t>(sizeof one))
      unclaimed_.push_back(one);
    const auto found = std::find_if(unclaimed_.begin(), unclaimed_.end(),
                                    [&](const Report& r) { return r.signal == signal; });
    if (found != unclaimed_.end()) {
      unclaimed_.erase(found);
      return true;
    }
    pollfd wait = {reports_, POLLIN, 0};
    poll(&wait, 1, static_cast<int>(left / 1'000'000) + 1);
    if ((wait.revents & POLLIN) == 0 && (wait.revents & (POLLHUP | POLLERR)) != 0) return false;
  }
  return false;
}

}  // namespace rnnadvisor::launch
