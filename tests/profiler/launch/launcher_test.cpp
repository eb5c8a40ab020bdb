// The launcher with real programs, process groups and terminals.
#include "profiler/launch/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

namespace rnnadvisor::launch {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::string child = RNNADVISOR_LAUNCH_CHILD;

Result<ProgramEnd> run(std::vector<std::string> command,
                       std::vector<std::string> environment = {"PATH=/usr/bin:/bin"}) {
  return run_program({std::move(command), std::move(environment)});
}

// A launcher in a process group of its own, whose program's output and our report come back through
// one pipe. `terminal`: the group has a terminal, and the pipe is its other end.
class Launcher {
 public:
  explicit Launcher(std::vector<std::string> command, bool terminal = false,
                    const std::function<void()>& prepare = {}) {
    if (terminal) {
      pid_ = forkpty(&output_, nullptr, nullptr, nullptr);
    } else {
      int pipe[2] = {};
      if (pipe2(pipe, O_CLOEXEC) != 0) return;
      pid_ = fork();
      if (pid_ == 0) {
        setpgid(0, 0);
        dup2(pipe[1], STDOUT_FILENO);
      }
      close(pipe[1]);
      output_ = pipe[0];
    }
    if (pid_ != 0) return;
    // A shell starts what it runs in the background with these ignored.
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) std::signal(signal, SIG_DFL);
    if (prepare) prepare();
    const auto end = run(std::move(command));
    if (end) {
      std::printf("status %d signal %d killed %d asked %d\n", end->exit_status, end->signal,
                  end->killed, end->asked_to_end);
    } else {
      std::printf("error %s\n", end.error().message.c_str());
    }
    std::fflush(stdout);
    if (end && end->signal != 0) die_by_signal(end->signal);
    _exit(end ? end->exit_status : 127);
  }
  ~Launcher() {
    if (pid_ > 0 && !waited_) {
      kill(-pid_, SIGKILL);
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(output_);
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  pid_t pid() const { return pid_; }
  int terminal() const { return output_; }
  // Reads until the text has come; false after ten seconds without it.
  bool read_until(const std::string& wanted) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (text_.find(wanted) == std::string::npos) {
      pollfd wait = {output_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > deadline || poll(&wait, 1, 1000) < 0) return false;
      char buffer[512];
      if (wait.revents == 0) continue;
      const auto got = read(output_, buffer, sizeof buffer);
      if (got <= 0) return text_.find(wanted) != std::string::npos;
      text_.append(buffer, static_cast<std::size_t>(got));
    }
    return true;
  }
  const std::string& text() const { return text_; }
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    waited_ = true;
    return status;
  }
  int count(const std::string& line) const {
    int found = 0;
    for (std::size_t at = 0; (at = text_.find(line, at)) != std::string::npos; ++at) ++found;
    return found;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string text_;
  bool waited_ = false;
};

// As process 1 of a container it is given the orphans of the program.
TEST(RunProgram, OrphansThatAreGivenToUsLeaveNoZombies) {
  Launcher launcher(
      {"sh", "-c",
       "for i in 1 2 3 4 5; do (sh -c 'exit 0' &); done; sleep 0.5; "
       "cat /proc/[0-9]*/stat 2>/dev/null | awk -v p=$PPID '$4 == p && $3 == \"Z\"' | "
       "sed 's/^/zombie /'; echo looked; exit 3"},
      false, [] { prctl(PR_SET_CHILD_SUBREAPER, 1); });
  ASSERT_TRUE(launcher.read_until("status 3 signal 0 killed 0 asked 0\n")) << launcher.text();
  EXPECT_THAT(launcher.text(), HasSubstr("looked"));
  EXPECT_EQ(launcher.count("zombie"), 0) << launcher.text();
}

TEST(RunProgram, GivesTheExitStatus) {
  for (const int status : {0, 1, 2, 3, 77, 126, 127, 128, 130, 255}) {
    for (const char* how : {"exit", "_exit", "exec"}) {
      const auto end = run({child, how, std::to_string(status)});
      ASSERT_TRUE(end) << to_text(end.error());
      EXPECT_EQ(end->exit_status, status) << how;
      EXPECT_EQ(end->signal, 0);
      EXPECT_FALSE(end->killed);
      EXPECT_GT(end->pid, 0);
      EXPECT_GE(end->end_ns, end->start_ns);
    }
  }
}

TEST(RunProgram, GivesTheSignal) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL, SIGTERM, SIGPIPE, SIGINT}) {
    const auto end = run({child, "raise", std::to_string(signal)});
    ASSERT_TRUE(end);
    EXPECT_EQ(end->signal, signal);
    EXPECT_EQ(end->exit_status, -1);
    EXPECT_FALSE(end->killed);  // not by us
  }
}

TEST(RunProgram, WhatCannotBeExecutedIsAnErrorAsInAShell) {
  EXPECT_EQ(run({"no-such-program-anywhere"}).error().code, ErrorCode::not_found);
  EXPECT_THAT(run({"/no/such/program"}).error().message, HasSubstr("/no/such/program"));
  EXPECT_EQ(run({"/no/such/program"}).error().code, ErrorCode::not_found);
  EXPECT_EQ(run({"/tmp"}).error().code, ErrorCode::unsupported);
  EXPECT_EQ(run({RNNADVISOR_SOURCE_DIR "/LICENSE"}).error().code, ErrorCode::unsupported);
  EXPECT_EQ(run({""}).error().code, ErrorCode::not_found);
}

TEST(RunProgram, LooksInThePathOfTheProgramsOwnEnvironment) {
  const auto folder = std::filesystem::path(child).parent_path().string();
  const auto name = std::filesystem::path(child).filename().string();
  EXPECT_EQ(run({name, "exit", "5"}, {"PATH=" + folder})->exit_status, 5);
  EXPECT_FALSE(run({name, "exit", "5"}, {"PATH=/usr/bin"}));
}

TEST(RunProgram, AScriptWithoutAFirstLineIsRunByTheShell) {
  std::string path = testing::TempDir() + "/script-XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path) << "exit 6\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_EQ(run({path})->exit_status, 6);
  std::filesystem::remove(path);
}

TEST(RunProgram, EnvironmentIsWhatWasGivenAndFolderOurs) {
  EXPECT_EQ(run({"/bin/sh", "-c", "test \"$WORD\" = 'a b' && test -z \"$HOME\""},
                {"PATH=/bin:/usr/bin", "WORD=a b"})
                ->exit_status,
            0);
  const auto here = std::filesystem::current_path().string();
  EXPECT_EQ(run({"/bin/sh", "-c", "test \"$(pwd)\" = '" + here + "'"})->exit_status, 0);
}

TEST(RunProgram, DoesNotWaitForGrandchildren) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run({child, "fork", "4"})->exit_status, 4);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);  // the grandchild sleeps 20 s
}

TEST(RunProgram, TheProgramInheritsTheSignalsAsTheyWere) {
  Launcher launcher({child, "state"}, false, [] {
    std::signal(SIGHUP, SIG_IGN);  // as nohup does
    std::signal(SIGCHLD, SIG_IGN);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
  });
  ASSERT_TRUE(launcher.read_until("status 0"));
  const auto mask = [](int signal) { return 1ULL << (signal - 1); };
  EXPECT_THAT(launcher.text(), HasSubstr(fmt::format("SigBlk:\t{:016x}\n", mask(SIGUSR1))));
  EXPECT_THAT(launcher.text(),
              HasSubstr(fmt::format("SigIgn:\t{:016x}\n", mask(SIGHUP) | mask(SIGCHLD))));
}

TEST(RunProgram, KnowsTheEndAlsoWhereSigchldIsIgnored) {
  struct sigaction ignore = {}, old = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &old);
  const auto end = run({child, "exit", "8"});
  struct sigaction after = {};
  sigaction(SIGCHLD, nullptr, &after);
  sigaction(SIGCHLD, &old, nullptr);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_status, 8);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
}

TEST(Signals, SentToTheLauncherReachTheProgramOnce) {
  Launcher launcher({child, "report"});
  ASSERT_TRUE(launcher.read_until("ready\n"));
  for (const int signal : {SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGTERM}) {
    kill(launcher.pid(), signal);
    ASSERT_TRUE(launcher.read_until("signal " + std::to_string(signal) + "\n")) << signal;
  }
  ASSERT_TRUE(launcher.read_until("status 7"));
  EXPECT_EQ(launcher.count("signal "), 7) << launcher.text();  // six, and one in our own report
  EXPECT_EQ(WEXITSTATUS(launcher.wait()), 7);
}

TEST(Signals, SentToTheGroupReachTheProgramOnce) {
  Launcher launcher({child, "report"});
  ASSERT_TRUE(launcher.read_until("ready\n"));
  for (const int signal : {SIGINT, SIGHUP, SIGUSR1}) {
    kill(-launcher.pid(), signal);
    ASSERT_TRUE(launcher.read_until("signal " + std::to_string(signal) + "\n")) << signal;
  }
  std::this_thread::sleep_for(400ms);  // a second copy would be on its way by now
  kill(-launcher.pid(), SIGTERM);
  ASSERT_TRUE(launcher.read_until("status 7 signal 0 killed 0 asked 15\n")) << launcher.text();
  for (const int signal : {SIGINT, SIGHUP, SIGUSR1, SIGTERM})
    EXPECT_EQ(launcher.count("signal " + std::to_string(signal) + "\n"), 1) << launcher.text();
  EXPECT_EQ(WEXITSTATUS(launcher.wait()), 7);
}

TEST(Signals, ASecondInterruptEndsTheProgramAtOnce) {
  Launcher launcher({child, "report"});
  ASSERT_TRUE(launcher.read_until("ready\n"));
  kill(launcher.pid(), SIGINT);
  ASSERT_TRUE(launcher.read_until("signal 2\n"));
  std::this_thread::sleep_for(300ms);
  kill(launcher.pid(), SIGINT);
  ASSERT_TRUE(launcher.read_until("signal 9 killed 1")) << launcher.text();
  const int status = launcher.wait();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(Signals, OneThatIsSentOnByAWrapperIsNotASecond) {
  Launcher launcher({child, "report"});
  ASSERT_TRUE(launcher.read_until("ready\n"));
  kill(-launcher.pid(), SIGINT);
  kill(launcher.pid(), SIGINT);
  std::this_thread::sleep_for(500ms);
  kill(launcher.pid(), SIGTERM);
  ASSERT_TRUE(launcher.read_until("status 7")) << launcher.text();
}

TEST(Signals, TheLauncherDiesAsTheProgramDid) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGQUIT}) {
    Launcher launcher({child, "sleep"});
    ASSERT_TRUE(launcher.read_until("ready\n"));
    kill(launcher.pid(), signal);
    const int status = launcher.wait();
    ASSERT_TRUE(WIFSIGNALED(status)) << signal;
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_FALSE(WCOREDUMP(status));
  }
}

TEST(Terminal, CtrlCReachesTheProgramOnceAndTheLauncherStays) {
  Launcher launcher({child, "report"}, true);
  ASSERT_TRUE(launcher.read_until("ready"));
  ASSERT_EQ(write(launcher.terminal(), "\x03", 1), 1);
  ASSERT_TRUE(launcher.read_until("signal 2")) << launcher.text();
  std::this_thread::sleep_for(400ms);
  kill(launcher.pid(), SIGTERM);
  ASSERT_TRUE(launcher.read_until("status 7")) << launcher.text();
  EXPECT_EQ(launcher.count("signal 2\r\n"), 1) << launcher.text();
}

TEST(Terminal, CtrlCOfAProgramThatDiesOfItIsOurDeath) {
  Launcher launcher({child, "sleep"}, true);
  ASSERT_TRUE(launcher.read_until("ready"));
  ASSERT_EQ(write(launcher.terminal(), "\x03", 1), 1);
  ASSERT_TRUE(launcher.read_until("signal 2 killed 0")) << launcher.text();
  const int status = launcher.wait();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

// A job that is stopped and continued by its terminal. The launcher leads the session, so that
// SIGTSTP, which the kernel does not act upon in an orphaned group, is sent as SIGSTOP.
TEST(Terminal, AStoppedGroupIsContinued) {
  Launcher launcher({child, "report"});
  ASSERT_TRUE(launcher.read_until("ready\n"));
  kill(-launcher.pid(), SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(launcher.pid(), &status, WUNTRACED), launcher.pid());
  ASSERT_TRUE(WIFSTOPPED(status));
  kill(-launcher.pid(), SIGCONT);
  kill(launcher.pid(), SIGTERM);
  ASSERT_TRUE(launcher.read_until("status 7")) << launcher.text();
}

// In a group that is not orphaned Ctrl-Z's own signal works: the launcher neither blocks nor
// catches it.
TEST(Terminal, TheStopSignalStopsLauncherAndProgram) {
  Launcher launcher({child, "sleep"});
  ASSERT_TRUE(launcher.read_until("ready\n"));
  kill(-launcher.pid(), SIGTSTP);
  int status = 0;
  ASSERT_EQ(waitpid(launcher.pid(), &status, WUNTRACED), launcher.pid());
  EXPECT_TRUE(WIFSTOPPED(status));
  EXPECT_EQ(WSTOPSIG(status), SIGTSTP);
  kill(-launcher.pid(), SIGCONT);
  kill(launcher.pid(), SIGTERM);
  ASSERT_TRUE(launcher.read_until("signal 15")) << launcher.text();
}

}  // namespace
}  // namespace rnnadvisor::launch
