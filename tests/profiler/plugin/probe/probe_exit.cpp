// Ends without handlers, after three calls whose kernels CUPTI still holds.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/profiler/plugin/probe/probe.h"
#include "tests/profiler/plugin/standin/cuda_standin.h"
#include "tests/profiler/plugin/standin/cupti_standin.h"

namespace probe {
namespace {

void forward(int count) {
  Rnn r(cudnn());
  for (int i = 0; i < count; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
}

// The shortest of a few, because the machine may have other things to do.
template <typename Fork>
std::int64_t child_milliseconds(Fork make) {
  std::int64_t least = 1 << 30;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = make();
    int ended = 0;
    PROBE_CHECK(waitpid(child, &ended, 0) == child);
    PROBE_CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 99);
    least = std::min<std::int64_t>(least, std::chrono::duration_cast<std::chrono::milliseconds>(
                                              std::chrono::steady_clock::now() - begin)
                                              .count());
  }
  return least;
}

pid_t forked() {
  const pid_t child = fork();
  if (child == 0) _exit(99);
  return child;
}
pid_t vforked() {
  const pid_t child = vfork();
  if (child == 0) _exit(99);
  return child;
}

}  // namespace

PROBE_MODE(cuda_exit_in_handler, "cuda-_exit-in-handler") {
  load_cuda();
  std::signal(SIGALRM, [](int) { _exit(5); });
  ualarm(static_cast<useconds_t>(std::stoi(arguments.at(1))), 0);
  Rnn r(cudnn());
  for (;;) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
}

PROBE_MODE(cuda_thread_count, "cuda-thread-count") {
  load_cuda();
  forward(1);
  std::printf("%d\n", thread_count());
  return 0;
}

// The ends that a program may come to by itself; comes back for another word.
static void end_by(const std::string& how) {
  if (how == "_exit") _exit(10);
  if (how == "_Exit") std::_Exit(11);
  if (how == "quick_exit") std::quick_exit(12);
  if (how == "thread") std::thread([] { _exit(13); }).join();
  if (how == "handler") {
    std::signal(SIGUSR1, [](int) { _exit(14); });
    std::raise(SIGUSR1);
  }
}
// Children that never call CUDA end at once, and their end is not ours.
static void children_end() {
  PROBE_CHECK(child_milliseconds(&forked) < 400);
  PROBE_CHECK(child_milliseconds(&vforked) < 400);
}

// Three kernels without cuDNN, and an end. Who may write to which part of the program is as it was.
PROBE_MODE(cuda_kernels_end, "cuda-kernels-end") {
  const std::string how = arguments.at(1);
  const auto permissions = [] {
    std::ifstream maps("/proc/self/maps");
    char self[4096] = {};
    PROBE_CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    std::vector<std::string> all;
    for (std::string line; std::getline(maps, line);)
      if (line.ends_with(self)) all.push_back(line);
    PROBE_CHECK(!all.empty());
    return all;
  };
  const auto before = permissions();
  load_cuda();
  PROBE_CHECK(permissions() == before);
  for (int i = 0; i < 3; ++i)
    standin<void(void*, const char*)>("libcuda.so.1", "standin_launch")(nullptr, "kernel");
  end_by(how);
  if (how == "children") {
    children_end();
    _exit(16);
  }
  return 73;
}

PROBE_MODE(cuda_end, "cuda-end") {
  const std::string how = arguments.at(1);
  load_cuda();
  forward(3);
  end_by(how);
  // Two at once: one of them has it.
  if (how == "twice") {
    std::thread([] { _exit(15); }).detach();
    _exit(15);
  }
  if (how == "children") {
    children_end();
    forward(3);
    _exit(16);
  }
  // By a thread that holds what a flush needs.
  if (how == "cupti-locked") {
    auto* locked = standin<void(void (*)())>("libcupti.so.13", "standin_cupti_locked");
    locked([] { _exit(17); });
  }
  // In the middle of what the plugin does under a lock.
  if (how == "in-our-work") {
    std::signal(SIGUSR1, [](int) { _exit(18); });
    auto* at_next = reinterpret_cast<void (*)(void (*)())>(dlsym(RTLD_DEFAULT, "mmap_hook_next"));
    PROBE_CHECK(at_next != nullptr);
    std::thread([&] {
      standin<void(int)>("libcuda.so.1", "standin_join_context")(0);
      Rnn r(cudnn());
      at_next([] { std::raise(SIGUSR1); });
      r.forward();
    }).join();
  }
  return 73;
}

}  // namespace probe
