// The ends of processes and threads, and what strangers' programs do to their own resources.
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "tests/profiler/plugin/probe/probe.h"
#include "tests/profiler/plugin/standin/cudnn_standin.h"

extern char** environ;

namespace probe {
namespace {

void forward(int count = 1, std::int32_t hidden = 64) {
  Rnn r(cudnn(), hidden);
  for (int i = 0; i < count; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
}

void expect_exit(pid_t child, int status) {
  int ended = 0;
  PROBE_CHECK(waitpid(child, &ended, 0) == child);
  if (!WIFEXITED(ended) || WEXITSTATUS(ended) != status)
    std::fprintf(stderr, "the child ended with wait status %#x\n", static_cast<unsigned>(ended));
  PROBE_CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == status);
}

void during_next(void (*action)(void*)) {
  standin<void(void (*)(void*), void*)>("libcudnn.so.9", "standin_during_next")(action, nullptr);
}

}  // namespace

// Ends of a process after three calls.
PROBE_MODE(ends, "end") {
  const std::string how = arguments.at(1);
  forward(3);
  if (how == "return") return 7;
  if (how == "exit") std::exit(8);
  if (how == "exit-thread") std::thread([] { std::exit(9); }).join();
  if (how == "_exit") _exit(10);
  if (how == "_Exit") std::_Exit(15);
  if (how == "minus-one") _exit(-1);
  if (how == "quick_exit") std::quick_exit(11);
  if (how == "quick_exit-handlers") {
    // The program's own handler runs, and what it records is there.
    at_quick_exit([] { forward(); });
    std::quick_exit(18);
  }
  if (how == "_exit-in-call") {
    during_next([](void*) { _exit(17); });
    forward();
  }
  if (how == "abort") std::abort();
  if (how == "segv") std::raise(SIGSEGV);
  if (how == "pthread_exit") {
    std::thread([] {
      usleep(20'000);
      std::exit(12);
    }).detach();
    pthread_exit(nullptr);
  }
  if (how == "in-call") {
    during_next([](void*) { std::exit(13); });
    forward();
  }
  if (how == "exec") {
    char word[] = "forward";
    char* words[] = {program_invocation_name, word, nullptr};
    execv("/proc/self/exe", words);
  }
  if (how == "threads") {
    // Others go on calling while the process ends.
    for (int i = 0; i < 4; ++i) std::thread([] { forward(1 << 30); }).detach();
    usleep(5'000);
    std::exit(14);
  }
  return 73;
}

// Calls and threads until this process is killed; a line says that it begins.
PROBE_MODE(hammer, "hammer") {
  for (int i = 0; i < 3; ++i)
    std::thread([i] {
      Rnn r(cudnn());
      for (std::int32_t n = 1;; ++n) {
        r.set(n * 4 + i);
        for (int call = 0; call < 50; ++call) r.forward();
      }
    }).detach();
  for (;;) pause();
}

PROBE_MODE(fork_only, "fork") {
  forward(2, 11);
  const pid_t child = fork();
  if (child == 0) {
    forward(3, 11);  // what the parent's spool knows already
    std::thread([] { forward(1, 12); }).join();
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      forward(4, 12);
      std::exit(3);
    }
    expect_exit(grandchild, 3);
    std::exit(2);
  }
  expect_exit(child, 2);
  forward(1, 13);
  return 1;
}

// A process that only forks: its child is the first to call.
PROBE_MODE(fork_first, "fork-first") {
  const pid_t child = fork();
  if (child == 0) {
    forward();
    std::exit(0);
  }
  expect_exit(child, 0);
  return 0;
}

// While other threads are in the middle of calls.
PROBE_MODE(fork_busy, "fork-busy") {
  // What the loader is asked for in the first calls, such as the driver, is known then: its state
  // may be torn in a child of threads that are in it, with the plugin or without.
  forward(100);
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i)
    busy.emplace_back([&, i] {
      for (std::int32_t n = 1; !stop; ++n) forward(1, n * 4 + i);
    });
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      forward(2);
      _exit(0);
    }
    expect_exit(child, 0);
  }
  stop = true;
  for (auto& thread : busy) thread.join();
  return 0;
}

PROBE_MODE(fork_exec, "fork-exec") {
  forward();
  char self[4096] = {}, mode[] = "forward";
  PROBE_CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  char* words[] = {self, mode, nullptr};
  const pid_t child = arguments.at(1) == "vfork" ? vfork() : arguments[1] == "fork" ? fork() : -1;
  if (child == 0) {
    execve(self, words, environ);
    _exit(1);
  }
  if (child > 0) {
    expect_exit(child, 0);
  } else if (arguments[1] == "spawn") {
    pid_t spawned = 0;
    PROBE_CHECK(posix_spawn(&spawned, self, nullptr, nullptr, words, environ) == 0);
    expect_exit(spawned, 0);
  } else {
    PROBE_CHECK(std::system((std::string(self) + " forward").c_str()) == 0);
  }
  forward();
  return 0;
}

// Closes every number as a daemon does, and opens a file of its own, which gets the number that was
// the spool's.
PROBE_MODE(close_all, "close-all") {
  forward();
  for (int i = 3; i < 256; ++i) close(i);
  std::vector<int> own;
  for (int i = 0; i < 8; ++i) {
    const std::string path = arguments.at(1) + "/own-" + std::to_string(i);
    own.push_back(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
    PROBE_CHECK(own.back() >= 0 && write(own.back(), "mine", 4) == 4);
  }
  forward(10'000);
  const pid_t child = fork();
  if (child == 0) {
    for (const int file : own)
      if (lseek(file, 0, SEEK_END) != 4) _exit(1);
    _exit(0);
  }
  expect_exit(child, 0);
  for (const int file : own) {
    struct stat status{};
    PROBE_CHECK(fstat(file, &status) == 0 && status.st_size == 4);
  }
  return 0;
}

// A limit on the size of files, which the kernel enforces with a signal.
PROBE_MODE(file_limit, "file-limit") {
  const rlimit limit = {600 * 1024, 600 * 1024};
  PROBE_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  forward(20'000);
  return 0;
}

// No number is left for a file.
PROBE_MODE(no_descriptors, "no-descriptors") {
  Rnn r(cudnn());
  while (open("/dev/null", O_RDONLY) >= 0) {
  }
  for (int i = 0; i < 10'000; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return 0;
}

// A profiler's timer, say: every 200 microseconds a signal that restarts nothing.
PROBE_MODE(timer, "timer") {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  PROBE_CHECK(sigaction(SIGALRM, &action, nullptr) == 0);
  const itimerval often = {{0, 200}, {0, 200}};
  PROBE_CHECK(setitimer(ITIMER_REAL, &often, nullptr) == 0);
  forward(60'000);
  return 0;
}

// Threads that are cancelled as soon as they begin: what the plugin opens and allocates are points
// at which they could go, with a lock held.
PROBE_MODE(cancelled, "cancel") {
  cudnn();
  for (int i = 0; i < 200; ++i) {
    pthread_t thread{};
    PROBE_CHECK(pthread_create(
                    &thread, nullptr,
                    [](void*) -> void* {
                      pthread_cancel(pthread_self());
                      forward(2);
                      pthread_testcancel();
                      return nullptr;
                    },
                    nullptr) == 0);
    void* result = nullptr;
    PROBE_CHECK(pthread_join(thread, &result) == 0);
    PROBE_CHECK(result == PTHREAD_CANCELED);
  }
  forward(5);
  return 0;
}

// An exception goes through the call, as from a callback of the program.
PROBE_MODE(exception, "throw") {
  Rnn r(cudnn());
  during_next([](void*) { throw std::runtime_error("through the hook"); });
  bool caught = false;
  try {
    r.forward();
  } catch (const std::runtime_error& error) {
    caught = std::strcmp(error.what(), "through the hook") == 0;
  }
  PROBE_CHECK(caught);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return 0;
}

// From inside cuDNN the way back to main() is seen.
PROBE_MODE(backtraces, "backtrace") {
  static int depth = 0;
  Rnn r(cudnn());
  during_next([](void*) {
    void* frames[64];
    depth = backtrace(frames, 64);
    char** names = backtrace_symbols(frames, depth);
    bool start = false;
    for (int i = 0; i < depth; ++i) start |= std::strstr(names[i], "__libc_start_main") != nullptr;
    std::free(static_cast<void*>(names));
    PROBE_CHECK(start);
  });
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(depth > 0);
  return 0;
}

// fork() from within a call.
PROBE_MODE(fork_within, "fork-within") {
  Rnn r(cudnn());
  static pid_t child = -1;
  during_next([](void*) { child = fork(); });
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  if (child == 0) {
    for (int i = 0; i < 3; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    std::exit(0);
  }
  expect_exit(child, 0);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return 0;
}

// A thread with as little stack as there can be, and the process' first call on it.
PROBE_MODE(small_stack, "small-stack") {
  cudnn();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  PROBE_CHECK(pthread_attr_setstacksize(&attributes, 32 * 1024) == 0);
  pthread_t thread{};
  PROBE_CHECK(pthread_create(
                  &thread, &attributes,
                  [](void*) -> void* {
                    forward(3);
                    return nullptr;
                  },
                  nullptr) == 0);
  pthread_join(thread, nullptr);
  return 0;
}

PROBE_MODE(other_hook, "other-hook") {
  forward(3);
  auto* calls = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "other_hook_calls"));
  PROBE_CHECK(calls != nullptr);
  std::printf("%d\n", calls());
  return 0;
}

// How many threads the process has after its calls.
int thread_count() {
  int count = -1;
  FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, "Threads:", 8) == 0) count = std::atoi(line + 8);
  std::fclose(file);
  return count;
}

PROBE_MODE(threads_after_calls, "thread-count") {
  forward(10);
  std::printf("%d\n", thread_count());
  return 0;
}

// A destructor of a thread's own data calls cuDNN, after the plugin has taken its leave of the
// thread.
PROBE_MODE(late_calls, "late-calls") {
  static pthread_key_t key;
  cudnn();
  forward();  // the plugin's key is made before ours
  PROBE_CHECK(pthread_key_create(&key, [](void*) { forward(3); }) == 0);
  for (int i = 0; i < 20; ++i)
    std::thread([] {
      forward();
      pthread_setspecific(key, &key);
    }).join();
  static struct AtExit {
    ~AtExit() { forward(2); }
  } at_exit;
  return 0;
}

}  // namespace probe
