// Programs with a CUDA driver and CUPTI in them, both stand-ins.
#include <cupti.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <deque>
#include <fstream>
#include <thread>

#include "tests/profiler/plugin/probe/probe.h"
#include "tests/profiler/plugin/standin/cuda_standin.h"
#include "tests/profiler/plugin/standin/cudnn_standin.h"
#include "tests/profiler/plugin/standin/cupti_standin.h"
#include "tests/profiler/plugin/standin/tool_standin.h"

namespace probe {
namespace {

template <typename Function>
Function* cuda(const char* name) {
  auto* found = standin<Function>("libcuda.so.1", name);
  PROBE_CHECK(found != nullptr);
  return found;
}
template <typename Function>
Function* cupti(const char* name) {
  auto* found = standin<Function>("libcupti.so.13", name);
  PROBE_CHECK(found != nullptr);
  return found;
}

// No fault was made.
int well() {
  PROBE_CHECK(cuda<int()>("standin_faults")() == 0);
  return 0;
}

}  // namespace

PROBE_MODE(cuda_calls, "cuda") {
  load_cuda();
  const int count = arguments.size() > 1 ? std::stoi(arguments[1]) : 3;
  Rnn r(cudnn());
  for (int i = 0; i < count; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return well();
}

// Kernels with the names of a file's lines, without cuDNN: as where it is linked into the program.
PROBE_MODE(cuda_kernels, "cuda-kernels") {
  load_cuda();
  std::ifstream file(arguments.at(1));
  // Never freed: as CUPTI's own, they are there until the last record was read.
  auto& names = *new std::deque<std::string>;
  for (std::string line; std::getline(file, line);) names.push_back(line);
  auto* launch = cuda<void(void*, const char*)>("standin_launch");
  for (const auto& name : names) launch(nullptr, name.c_str());
  return well();
}

// The device is reset in the middle: its events are gone, and a context is at the same address.
// Calls now and then for so many milliseconds.
PROBE_MODE(cuda_slowly, "cuda-slowly") {
  load_cuda();
  Rnn r(cudnn());
  for (int left = std::stoi(arguments.at(1)); left > 0; left -= 10) {
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    usleep(10'000);
  }
  return well();
}

// Forks in the middle of its work; the child does nothing but end.
PROBE_MODE(cuda_fork, "cuda-fork") {
  load_cuda();
  Rnn r(cudnn());
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  usleep(100'000);
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = -1;
  PROBE_CHECK(waitpid(child, &status, 0) == child && status == 0);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return well();
}

PROBE_MODE(cuda_reset, "cuda-reset") {
  load_cuda();
  Rnn r(cudnn());
  for (int i = 0; i < 3; ++i) {
    for (int n = 0; n < 4; ++n) {
      if (n == 3) cuda<void(int)>("standin_hold")(1);  // the last is under way still
      PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    }
    cuda<void(int)>("standin_new_context")(0);
    cuda<void(int)>("standin_hold")(0);
  }
  return well();
}

PROBE_MODE(cuda_two_contexts, "cuda-two-contexts") {
  load_cuda();
  Rnn r(cudnn());
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  std::thread([&] {
    cuda<void(int)>("standin_new_context")(1);
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  }).join();
  std::thread([&] { PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS); }).join();  // none at all
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return well();
}

// The device never finishes: the program ends all the same.
PROBE_MODE(cuda_hangs, "cuda-hangs") {
  load_cuda();
  cuda<void(int)>("standin_hold")(1);
  Rnn r(cudnn());
  for (int i = 0; i < 600; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return 0;
}

// One stream captures while calls go to another and to itself.
PROBE_MODE(cuda_capture, "cuda-capture") {
  load_cuda();
  Rnn r(cudnn());
  void* stream = cuda<void*()>("standin_make_stream")();
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  cuda<void(void*, int)>("standin_capture")(stream, 1);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  cudnn().cudnnSetStream(r.handle, static_cast<cudaStream_t>(stream));
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  cuda<void(void*, const char*)>("standin_launch")(stream, "another library's kernel");
  cuda<void(void*, int)>("standin_capture")(stream, 0);
  if (std::getenv("PROBE_CUPTI") != nullptr) {
    const std::uint64_t copy = cupti<std::uint64_t(std::uint64_t)>("standin_cupti_clone_node")(1);
    cupti<void(std::uint64_t)>("standin_cupti_run_node")(copy);
  }
  return well();
}

// Signals that end the program by exit() come at any time, also while our locks are held.
PROBE_MODE(cuda_exit_in_handler, "cuda-exit-in-handler") {
  load_cuda();
  std::signal(SIGALRM, [](int) { std::exit(5); });
  ualarm(static_cast<useconds_t>(std::stoi(arguments.at(1))), 0);
  Rnn r(cudnn());
  for (;;) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
}

// Someone in the program uses CUPTI: before the plugin does, after it, by a lookup or linked.
PROBE_MODE(cupti_other, "cupti-other") {
  const std::string when = arguments.at(1), how = arguments.at(2);
  PROBE_CHECK(dlopen(PROBE_CUDA_FILE, RTLD_NOW | RTLD_GLOBAL) != nullptr);
  void* library = dlopen(PROBE_CUPTI_FILE, RTLD_NOW | (how == "linked" ? RTLD_GLOBAL : 0));
  PROBE_CHECK(library != nullptr);
  CUpti_SubscriberHandle subscriber = nullptr;
  const auto begin = [&] {
    void* handle = how == "linked" ? RTLD_DEFAULT : library;
    const auto subscribe =
        reinterpret_cast<decltype(&cuptiSubscribe)>(dlsym(handle, "cuptiSubscribe"));
    PROBE_CHECK(subscribe != nullptr);
    PROBE_CHECK(subscribe(
                    &subscriber, [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {},
                    nullptr) == CUPTI_SUCCESS);
    PROBE_CHECK(cupti<int()>("standin_cupti_enabled")() == 0);
  };
  if (when == "before") begin();
  load_cuda();
  Rnn r(cudnn());
  for (int i = 0; i < 2; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  if (when == "after") begin();
  for (int i = 0; i < 2; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return well();
}

// From within a call, between what the plugin does before and after it.
PROBE_MODE(cupti_within, "cupti-within") {
  load_cuda();
  Rnn r(cudnn());
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  standin<void(void (*)(void*), void*)>("libcudnn.so.9", "standin_during_next")(
      [](void*) {
        auto* subscribe = cupti<decltype(cuptiSubscribe)>("cuptiSubscribe");
        CUpti_SubscriberHandle subscriber = nullptr;
        PROBE_CHECK(subscribe(&subscriber, nullptr, nullptr) == CUPTI_SUCCESS);
      },
      nullptr);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return well();
}

// What is left of CUPTI after the plugin was refused.
PROBE_MODE(cupti_refused, "cupti-refused") {
  load_cuda();
  PROBE_CHECK(cupti<int()>("standin_cupti_subscribed")() == 0);
  PROBE_CHECK(cupti<int()>("standin_cupti_enabled")() == 0);
  Rnn r(cudnn());
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return well();
}

PROBE_MODE(cuda_threads, "cuda-threads") {
  load_cuda();
  const int count = std::stoi(arguments.at(1)), each = std::stoi(arguments.at(2));
  std::vector<std::thread> running;
  for (int i = 0; i < count; ++i) {
    running.emplace_back([each] {
      cuda<void(int)>("standin_join_context")(0);
      Rnn r(cudnn());
      for (int n = 0; n < each; ++n) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    });
  }
  for (auto& thread : running) thread.join();
  return well();
}

// Calls in and around cudaProfilerStart() and cudaProfilerStop(), from the runtime, the driver, or
// looked up.
PROBE_MODE(profiler_ranges, "profiler-ranges") {
  const std::string how = arguments.at(1);
  load_cuda();
  void* runtime = dlopen(PROBE_CUDART_FILE, RTLD_NOW | (how == "linked" ? RTLD_GLOBAL : 0));
  PROBE_CHECK(runtime != nullptr);
  using Call = int();
  Call *start = nullptr, *stop = nullptr;
  if (how == "driver") {
    start = cuda<Call>("cuProfilerStart");
    stop = cuda<Call>("cuProfilerStop");
  } else if (how == "hidden") {
    // As in a library that has the runtime in it: nothing of ours is between it and the driver.
    auto* within = reinterpret_cast<Call* (*)(int)>(dlsym(runtime, "standin_profiler_hidden"));
    start = within(1);
    stop = within(0);
  } else {
    void* handle = how == "linked" ? RTLD_DEFAULT : runtime;
    start = reinterpret_cast<Call*>(dlsym(handle, "cudaProfilerStart"));
    stop = reinterpret_cast<Call*>(dlsym(handle, "cudaProfilerStop"));
  }
  Rnn r(cudnn());
  int hidden = 1;
  const auto call = [&] {
    r.set(hidden++);
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  };
  call();  // 1
  for (int i = 0; i < 3; ++i) {
    PROBE_CHECK(start() == 0);
    call();  // 2, 4, 6
    PROBE_CHECK(stop() == 0);
    call();  // 3, 5, 7
  }
  if (how != "driver") {
    PROBE_CHECK(reinterpret_cast<int (*)()>(dlsym(runtime, "standin_profiler_starts"))() == 3);
    PROBE_CHECK(reinterpret_cast<int (*)()>(dlsym(runtime, "standin_profiler_stops"))() == 3);
  }
  return well();
}

// A range of calls that the GPU finishes after the last of them, in a process that is killed.
PROBE_MODE(range_then_killed, "range-then-killed") {
  load_cuda();
  Rnn r(cudnn());
  cuda<void(int)>("standin_hold")(1);
  PROBE_CHECK(cuda<int()>("cuProfilerStart")() == 0);
  for (int i = 0; i < 20; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  cuda<void(int)>("standin_hold")(0);
  PROBE_CHECK(cuda<int()>("cuProfilerStop")() == 0);
  return kill(getpid(), SIGKILL);
}

// Calls spread over 600 ms.
PROBE_MODE(over_time, "over-time") {
  if (arguments.size() > 1) load_cuda();
  Rnn r(cudnn());
  for (int i = 0; i < 60; ++i) {
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    usleep(10'000);
  }
  return 0;
}

// Two configurations in turn, forward and backward.
PROBE_MODE(training, "training") {
  if (arguments.size() > 1) load_cuda();
  Rnn r(cudnn());
  for (int i = 0; i < 10; ++i) {
    for (const std::int32_t hidden : {64, 128}) {
      r.set(hidden);
      PROBE_CHECK(r.forward(true) == CUDNN_STATUS_SUCCESS);
      PROBE_CHECK(r.backward_data() == CUDNN_STATUS_SUCCESS);
      PROBE_CHECK(r.backward_weights() == CUDNN_STATUS_SUCCESS);
    }
  }
  return 0;
}

// "steps N [WORD N …]": steps of training, a forward and two backward calls each. Words: `infer`,
// only forward calls; `unroll`, 58 forward calls and two backward; `capture`, a graph is captured
// from then on; `tool`, another user of CUPTI begins; `kernel`, a kernel that is no call's; `sleep`
// milliseconds.
PROBE_MODE(steps, "steps") {
  load_cuda();
  Rnn r(cudnn());
  void* stream = cuda<void*()>("standin_make_stream")();
  const auto step = [&] {
    PROBE_CHECK(r.forward(true) == CUDNN_STATUS_SUCCESS);
    PROBE_CHECK(r.backward_data() == CUDNN_STATUS_SUCCESS);
    PROBE_CHECK(r.backward_weights() == CUDNN_STATUS_SUCCESS);
  };
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    const std::string& word = arguments[i];
    const int count = std::stoi(arguments[i + 1]);
    if (word == "sleep") usleep(static_cast<useconds_t>(count) * 1000);
    if (word == "tool") {
      CUpti_SubscriberHandle handle = nullptr;
      auto* subscribe = cupti<decltype(cuptiSubscribe)>("cuptiSubscribe");
      PROBE_CHECK(subscribe(
                      &handle, [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {},
                      nullptr) == CUPTI_SUCCESS);
    }
    for (int n = 0; n < count; ++n) {
      if (word == "train") step();
      if (word == "unroll") {
        for (int t = 0; t < 58; ++t) PROBE_CHECK(r.forward(true) == CUDNN_STATUS_SUCCESS);
        PROBE_CHECK(r.backward_data() == CUDNN_STATUS_SUCCESS);
        PROBE_CHECK(r.backward_weights() == CUDNN_STATUS_SUCCESS);
      }
      if (word == "infer") PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
      if (word == "kernel") cuda<void(void*, const char*)>("standin_launch")(nullptr, "kernel");
      if (word == "capture") {
        cudnn().cudnnSetStream(r.handle, static_cast<cudaStream_t>(stream));
        cuda<void(void*, int)>("standin_capture")(stream, 1);
        step();
        cuda<void(void*, int)>("standin_capture")(stream, 0);
        cudnn().cudnnSetStream(r.handle, nullptr);
      }
    }
  }
  return well();
}

PROBE_MODE(cuda_chain, "cuda-chain") {
  load_cuda();
  auto* starts = standin<int()>(PROBE_TOOL_FILE, "standin_tool_cuda_starts");
  std::printf("%d\n", starts == nullptr ? 0 : starts());
  return 0;
}

}  // namespace probe
