#include "profiler/run/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace rnnadvisor {

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      partial_(std::move(other.partial_)) {}

WorkerProcess::~WorkerProcess() {
  close_input();
  if (pid_ > 0) {
    kill_now();
    int status = 0;
    wait_for_end(status);
  }
  if (output_ >= 0) close(output_);
}

Result<WorkerProcess> WorkerProcess::start(const std::string& program, int device,
                                           const std::string& directory) {
  std::array<int, 2> to_child{};
  std::array<int, 2> from_child{};
  if (pipe2(to_child.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::io,
                fmt::format("cannot make a pipe for a worker: {}", std::strerror(errno)));
  }
  if (pipe2(from_child.data(), O_CLOEXEC) != 0) {
    const int problem = errno;
    close(to_child[0]);
    close(to_child[1]);
    return fail(ErrorCode::io,
                fmt::format("cannot make a pipe for a worker: {}", std::strerror(problem)));
  }
  const std::string ordinal = std::to_string(device);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    // Only calls that are safe between fork and exec.
    dup2(to_child[0], STDIN_FILENO);
    dup2(from_child[1], STDOUT_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // no orphan holds the GPU
    if (getppid() != parent) _exit(127);
    unsetenv("RNNADVISOR_SPOOL");  // where programs are recorded, our measurements are not
    // Ctrl-C and what a batch system sends to the whole group are the parent's to handle: it ends
    // its workers in order.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    execl(program.c_str(), program.c_str(), "worker", "--device", ordinal.c_str(), "--directory",
          directory.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  const int problem = errno;
  close(to_child[0]);
  close(from_child[1]);
  if (pid < 0) {
    close(to_child[1]);
    close(from_child[0]);
    return fail(ErrorCode::io, fmt::format("cannot start a worker: {}", std::strerror(problem)));
  }
  WorkerProcess process;
  process.pid_ = pid;
  process.input_ = to_child[1];
  process.output_ = from_child[0];
  fcntl(process.output_, F_SETFL, O_NONBLOCK);
  return process;
}

Result<WorkerProcess> WorkerProcess::start_program(const std::vector<std::string>& command,
                                                   const std::string& input,
                                                   const std::string& errors) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int in = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  const int err = open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  std::array<int, 2> from_child{-1, -1};
  const bool ready = in >= 0 && err >= 0 && pipe2(from_child.data(), O_CLOEXEC) == 0;
  int problem = errno;
  const pid_t parent = getpid();
  const pid_t pid = ready ? fork() : -1;
  if (pid == 0) {
    // Only calls that are safe between fork and exec.
    dup2(in, STDIN_FILENO);
    dup2(from_child[1], STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    unsetenv("RNNADVISOR_SPOOL");
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    execvp(arguments.front(), arguments.data());
    _exit(127);
  }
  if (ready && pid < 0) problem = errno;
  for (const int descriptor : {in, err, from_child[1]})
    if (descriptor >= 0) close(descriptor);
  if (pid < 0) {
    if (from_child[0] >= 0) close(from_child[0]);
    return fail(ErrorCode::io,
                fmt::format("cannot start {}: {}", command.front(), std::strerror(problem)));
  }
  WorkerProcess process;
  process.pid_ = pid;
  process.output_ = from_child[0];
  fcntl(process.output_, F_SETFL, O_NONBLOCK);
  return process;
}

bool WorkerProcess::send_line(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = ::write(input_, text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

void WorkerProcess::close_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

bool WorkerProcess::read_lines(std::vector<std::string>& lines) {
  std::array<char, 4096> buffer{};
  // One that never stops writing must not keep us from our clock.
  for (int reads = 0; reads < 256; ++reads) {
    const ssize_t n = read(output_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (n == 0) return false;
    // Only what is new can have the end of the line: a line may be megabytes long.
    std::string_view rest(buffer.data(), static_cast<std::size_t>(n));
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos;) {
      lines.push_back(partial_.append(rest.substr(0, end)));
      partial_.clear();
      rest.remove_prefix(end + 1);
    }
    partial_.append(rest);
  }
  return true;
}

void WorkerProcess::kill_now() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

std::string WorkerProcess::wait_for_end(int& exit_status) {
  exit_status = -1;
  if (pid_ <= 0) return "not running";
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  exit_status = WEXITSTATUS(status);
  return fmt::format("exit status {}", exit_status);
}

}  // namespace rnnadvisor
