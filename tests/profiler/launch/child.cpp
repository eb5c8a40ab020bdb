// A program that does as it is told, for the tests of the launcher.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

volatile std::sig_atomic_t received[65];

void count(int signal) { received[signal] = received[signal] + 1; }

// Says "ready", then reports every signal on standard output, one a line, until SIGTERM has come;
// exit status 7.
int report_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    struct sigaction action = {};
    action.sa_handler = count;
    sigaction(signal, &action, nullptr);
  }
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  std::puts("ready");
  std::fflush(stdout);
  while (true) {
    sigsuspend(&old);
    for (int signal = 1; signal < 65; ++signal) {
      const int times = received[signal];
      received[signal] = 0;
      for (int i = 0; i < times; ++i) std::printf("signal %d\n", signal);
      std::fflush(stdout);
      if (signal == SIGTERM && times > 0) return 7;
    }
  }
}

// What a program inherits: blocked and ignored signals.
int print_state() {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) {
    if (std::strncmp(line, "SigBlk", 6) == 0 || std::strncmp(line, "SigIgn", 6) == 0)
      std::fputs(line, stdout);
  }
  std::fclose(status);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "exit") return number;
  if (what == "_exit") _exit(number);
  if (what == "raise") {
    std::signal(number, SIG_DFL);  // a sanitizer may have put in its own
    std::raise(number);
    return 1;
  }
  if (what == "state") return print_state();
  if (what == "report") return report_signals();
  if (what == "sleep") {  // with the dispositions it was given
    std::puts("ready");
    std::fflush(stdout);
    sleep(60);
    return 9;
  }
  if (what == "exec") {
    execl(argv[0], argv[0], "exit", argv[2], nullptr);
    return 1;
  }
  if (what == "fork") {  // the child outlives us
    if (fork() == 0) {
      close(STDOUT_FILENO);
      close(STDERR_FILENO);  // who runs the tests waits for it
      sleep(20);
      _exit(0);
    }
    return number;
  }
  return 99;
}
