#include "profiler/launch/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "profiler/launch/group_witness.h"

namespace rnnadvisor::launch {
namespace {

// No person presses twice that fast, but a wrapper may send on what the terminal sent already.
constexpr std::int64_t same_interrupt_ns = 200'000'000;

std::int64_t wall_clock() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const auto& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

// Blocks what the launcher takes by hand and undoes it at the end. The program gets the state that
// was found, whatever it was.
class SignalState {
 public:
  explicit SignalState(const SignalsHeld* held) {
    sigemptyset(&passed_on_);
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2})
      sigaddset(&passed_on_, signal);
    waited_for_ = passed_on_;
    sigaddset(&waited_for_, SIGCHLD);
    // Who ignores SIGCHLD never learns how a child ended.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigemptyset(&standard.sa_mask);
    sigaction(SIGCHLD, &standard, &child_action_);
    pthread_sigmask(SIG_BLOCK, &waited_for_, &mask_);
    program_mask_ = held != nullptr ? held->mask_before() : mask_;
  }
  ~SignalState() {
    // What came together with the program's end was meant for it.
    const timespec at_once = {};
    while (sigtimedwait(&waited_for_, nullptr, &at_once) > 0) {
    }
    restore(mask_);
  }
  SignalState(const SignalState&) = delete;
  SignalState& operator=(const SignalState&) = delete;

  void restore_for_program() const { restore(program_mask_); }  // safe after fork()
  const sigset_t& passed_on() const { return passed_on_; }
  const sigset_t& waited_for() const { return waited_for_; }

 private:
  void restore(const sigset_t& mask) const {
    sigaction(SIGCHLD, &child_action_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  }

  sigset_t passed_on_{}, waited_for_{}, mask_{}, program_mask_{};
  struct sigaction child_action_ = {};
};

// What takes the place of the program's standard output or error; -1: nothing.
class Redirection {
 public:
  Result<void> open(const std::string& path) {
    if (path.empty()) return {};
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (file_ >= 0) return {};
    return fail(ErrorCode::io, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }
  ~Redirection() {
    if (file_ >= 0) close(file_);
  }
  Redirection() = default;
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;
  void apply(int stream) const {
    if (file_ >= 0) dup2(file_, stream);
  }

 private:
  int file_ = -1;
};

[[noreturn]] void execute(const SignalState& signals, char* const* command, char** environment,
                          const Redirection (&streams)[2], int problem_pipe) {
  signals.restore_for_program();
  streams[0].apply(STDOUT_FILENO);
  streams[1].apply(STDERR_FILENO);
  environ = environment;  // execvp() looks for PATH there
  execvp(command[0], command);
  const int problem = errno;
  [[maybe_unused]] const auto told = write(problem_pipe, &problem, sizeof problem);
  _exit(127);
}

// 0, or the errno of a program that could not be executed. Returns as soon as it was.
int exec_problem(int pipe) {
  int problem = 0;
  ssize_t got = 0;
  while ((got = read(pipe, &problem, sizeof problem)) < 0 && errno == EINTR) {
  }
  return got == static_cast<ssize_t>(sizeof problem) ? problem : 0;
}

class Waiter {
 public:
  Waiter(const SignalState& signals, GroupWitness& witness, pid_t program)
      : signals_(signals), witness_(witness), program_(program) {
    // Process 1 of a container, or a process that asked for it, gets the orphans of all below.
    int subreaper = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
    any_child_ = getpid() == 1 || subreaper != 0;
  }

  // The status of the program as waitpid() gives it.
  int wait() {
    while (true) {
      int status = 0;
      // The witness may have been killed: any child's end is looked at.
      const pid_t ended = waitpid(any_child_ ? -1 : program_, &status, WNOHANG);
      if (ended == program_) return status;
      if (ended > 0) {
        witness_.ended(ended);
        continue;
      }
      siginfo_t info{};
      const int signal = sigwaitinfo(&signals_.waited_for(), &info);
      if (signal > 0 && signal != SIGCHLD) pass_on(signal, info);
    }
  }
  bool killed() const { return killed_; }
  // The last signal that asked the program to end; 0: none. One that both got may not have been
  // taken yet.
  int asked_to_end() const {
    sigset_t pending{};
    sigpending(&pending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
      if (sigismember(&pending, signal) == 1) return signal;
    return asked_to_end_;
  }

 private:
  void pass_on(int signal, const siginfo_t& info) {
    if (signal != SIGUSR1 && signal != SIGUSR2) asked_to_end_ = signal;
    if (signal == SIGINT) {
      const std::int64_t now = wall_clock();
      const std::int64_t since = now - last_interrupt_;
      if (last_interrupt_ > 0 && since >= same_interrupt_ns && since < second_interrupt_ns) {
        killed_ = kill(program_, SIGKILL) == 0;
        return;
      }
      last_interrupt_ = now;
    }
    if (witness_.group_received(signal)) return;
    // A terminal's driver signals the group, and only the kernel's own signals say SI_KERNEL.
    if (info.si_code == SI_KERNEL || info.si_pid == program_) return;
    kill(program_, signal);
  }

  const SignalState& signals_;
  GroupWitness& witness_;
  pid_t program_;
  std::int64_t last_interrupt_ = 0;
  int asked_to_end_ = 0;
  bool killed_ = false, any_child_ = false;
};

}  // namespace

SignalsHeld::SignalsHeld() {
  sigemptyset(&held_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held_, signal);
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int SignalsHeld::take() const {
  const timespec at_once = {};
  const int signal = sigtimedwait(&held_, nullptr, &at_once);
  return signal > 0 ? signal : 0;
}

Result<ProgramEnd> run_program(const LaunchRequest& request) {
  auto command = pointers(request.command);
  auto environment = pointers(request.environment);
  Redirection streams[2];
  if (auto opened = streams[0].open(request.output); !opened) return fail(opened.error());
  if (auto opened = streams[1].open(request.error); !opened) return fail(opened.error());
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0)
    return fail(ErrorCode::io, fmt::format("cannot make a pipe: {}", std::strerror(errno)));

  const SignalState signals(request.held);
  GroupWitness witness(signals.passed_on());
  ProgramEnd end;
  end.start_ns = wall_clock();
  const pid_t pid = fork();
  if (pid == 0) execute(signals, command.data(), environment.data(), streams, pipe[1]);
  const int fork_problem = errno;
  close(pipe[1]);
  if (pid < 0) {
    close(pipe[0]);
    return fail(ErrorCode::io,
                fmt::format("cannot start a process: {}", std::strerror(fork_problem)));
  }
  end.pid = pid;
  const int problem = exec_problem(pipe[0]);
  close(pipe[0]);
  Waiter waiter(signals, witness, pid);
  const int status = waiter.wait();
  if (problem != 0) {
    const auto& program = request.command.front();
    if (problem == ENOENT) {
      return fail(ErrorCode::not_found, fmt::format("'{}': no such program", program),
                  program.find('/') == std::string::npos
                      ? "it was looked for in PATH; give its path if it is not there"
                      : "check the path, and in a script the interpreter of its first line");
    }
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' cannot be executed: {}", program, std::strerror(problem)));
  }
  end.end_ns = wall_clock();
  end.killed = waiter.killed();
  end.asked_to_end = waiter.asked_to_end();
  if (WIFEXITED(status)) {
    end.exit_status = WEXITSTATUS(status);
    end.killed = false;
  } else {
    end.signal = WTERMSIG(status);
    end.killed = end.killed && end.signal == SIGKILL;
  }
  return end;
}

void die_by_signal(int signal) {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);  // the core that matters is the program's
  prctl(PR_SET_DUMPABLE, 0);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigemptyset(&standard.sa_mask);
  sigaction(signal, &standard, nullptr);
  sigset_t only{};
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), signal);
}

}  // namespace rnnadvisor::launch
