// What strangers' programs do that must not meet the plugin half way: signal handlers that annotate
// or leave by siglongjmp(), threads by the thousand, children by bare system calls, other users,
// files that are cut off.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "tests/profiler/plugin/probe/probe.h"

namespace probe {
namespace {

void forward(int count = 1, std::int32_t hidden = 64) {
  Rnn r(cudnn(), hidden);
  for (int i = 0; i < count; ++i) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
}

void expect_exit(pid_t child, int status) {
  int ended = 0;
  PROBE_CHECK(waitpid(child, &ended, 0) == child);
  PROBE_CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == status);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  PROBE_CHECK(sigaction(signal, &action, nullptr) == 0);
}

// Interrupts a thread as often as it can take it, while it lives.
class Disturber {
 public:
  explicit Disturber(int signal) {
    thread_ = std::thread([this, signal, disturbed = pthread_self()] {
      while (!stop_.load()) {
        pthread_kill(disturbed, signal);
        // Now and then at once again, now and then later.
        if (++sent_ % 8 != 0) std::this_thread::sleep_for(std::chrono::microseconds(sent_ % 97));
      }
    });
  }
  ~Disturber() {
    stop_.store(true);
    thread_.join();
  }
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

 private:
  std::atomic<bool> stop_{false};
  unsigned sent_ = 0;
  std::thread thread_;
};

volatile std::sig_atomic_t handled = 0;
thread_local sigjmp_buf back;
thread_local volatile std::sig_atomic_t may_jump = 0;

}  // namespace

// Handlers that annotate, on the thread's own stack or on one for signals, until so many have come.
PROBE_MODE(signals_annotate, "signals-annotate") {
  const int most = std::stoi(arguments.at(1));
  const bool stack = arguments.size() > 2;
  std::vector<char> memory(1 << 16);
  if (stack) {
    stack_t own{};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    PROBE_CHECK(sigaltstack(&own, nullptr) == 0);
  }
  nvtxMarkA("first");
  handle(
      SIGUSR1,
      [](int) {
        handled = handled + 1;
        nvtxRangePushA("in a handler");
        if (handled % 16 == 0) nvtxMarkA(("handler " + std::to_string(handled / 16)).c_str());
        nvtxRangePop();
      },
      SA_RESTART | (stack ? SA_ONSTACK : 0));
  int marks = 0;
  {
    const Disturber disturber(SIGUSR1);
    while (handled < most) {
      sigset_t own, before;
      // The texts that allocate are made undisturbed: malloc() knows no handlers.
      sigemptyset(&own);
      sigaddset(&own, SIGUSR1);
      pthread_sigmask(SIG_BLOCK, &own, &before);
      char text[32];
      std::snprintf(text, sizeof text, "step %d", marks % 3000);
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      for (int i = 0; i < 20; ++i) nvtxMarkA(text);
      marks += 20;
    }
  }
  std::printf("%d %d\n", marks, static_cast<int>(handled));
  return 0;
}

// A signal whose handler annotates comes while the plugin opens its file, which the first
// annotation makes it do. A timer that was armed before gives the same now and then.
PROBE_MODE(signals_annotate_first, "signals-annotate-first") {
  handle(
      SIGUSR1,
      [](int) {
        handled = handled + 1;
        nvtxMarkA("in a handler");
      },
      SA_RESTART);
  auto* at_next = reinterpret_cast<void (*)(void (*)())>(dlsym(RTLD_DEFAULT, "mmap_hook_next"));
  PROBE_CHECK(at_next != nullptr);
  at_next([] { std::raise(SIGUSR1); });
  errno = E2BIG;
  const int level = nvtxRangePushA("first");
  PROBE_CHECK(errno == E2BIG);
  PROBE_CHECK(level == 0 && nvtxRangePop() == 0);
  sigset_t now;
  PROBE_CHECK(pthread_sigmask(SIG_SETMASK, nullptr, &now) == 0);
  for (int signal = 1; signal < NSIG; ++signal) PROBE_CHECK(sigismember(&now, signal) != 1);
  std::printf("%d\n", static_cast<int>(handled));
  return 0;
}

// Handlers that leave by siglongjmp() while the program annotates.
PROBE_MODE(signals_jump, "signals-jump") {
  const int most = std::stoi(arguments.at(1));
  nvtxMarkA("first");
  handle(
      SIGUSR1,
      [](int) {
        if (may_jump == 0) return;
        handled = handled + 1;
        siglongjmp(back, 1);
      },
      0);
  static volatile int marks = 0;
  static volatile int jumps = 0;
  {
    const Disturber disturber(SIGUSR1);
    while (jumps < most) {
      if (sigsetjmp(back, 1) != 0) jumps = jumps + 1;
      may_jump = 1;
      for (;;) {
        nvtxMarkA("a mark");
        marks = marks + 1;
        if (marks % 100'000 == 0 && jumps >= most) break;
      }
      may_jump = 0;
    }
    may_jump = 0;
  }
  const int before = marks;
  for (int i = 0; i < 1000; ++i) nvtxMarkA("afterwards");
  std::printf("%d %d\n", before, static_cast<int>(jumps));
  forward(3);
  return 0;
}

// Out of a call of cuDNN, which is what a program's own time limit does.
PROBE_MODE(jump_from_call, "jump-from-call") {
  Rnn r(cudnn());
  auto* at_next = standin<void(void (*)(void*), void*)>("libcudnn.so.9", "standin_during_next");
  for (int i = 0; i < 3; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      at_next([](void*) { siglongjmp(back, 1); }, nullptr);
      r.forward();
      return 1;
    }
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  }
  return 0;
}

// Batches of threads that are there at the same time, each with one mark.
PROBE_MODE(thread_churn, "thread-churn") {
  const int batches = std::stoi(arguments.at(1)), threads = std::stoi(arguments.at(2));
  nvtxMarkA("first");  // NVTX's headers themselves are not made for several threads that begin
  for (int batch = 0; batch < batches; ++batch) {
    std::barrier<> all(threads);
    std::vector<pthread_t> ids(static_cast<std::size_t>(threads));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    PROBE_CHECK(pthread_attr_setstacksize(&attributes, 64 * 1024) == 0);
    for (auto& id : ids) {
      const int failed = pthread_create(
          &id, &attributes,
          [](void* barrier) -> void* {
            nvtxMarkA("one mark");
            static_cast<std::barrier<>*>(barrier)->arrive_and_wait();
            return nullptr;
          },
          &all);
      PROBE_CHECK(failed == 0);
    }
    for (const auto id : ids) PROBE_CHECK(pthread_join(id, nullptr) == 0);
    pthread_attr_destroy(&attributes);
  }
  return 0;
}

// A child by a system call that runs no handlers.
PROBE_MODE(fork_raw, "fork-raw") {
  const std::string how = arguments.at(1);
  nvtxMarkA("parent");
  forward(2, 11);
  pid_t child = -1;
  if (how == "_Fork") child = _Fork();
  if (how == "clone") child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (how == "silent") child = _Fork();
  if (child == 0) {
    if (how == "silent") std::exit(7);  // never calls, and runs the handlers of exit()
    nvtxMarkA("child");
    forward(4, 12);
    std::exit(7);
  }
  expect_exit(child, 7);
  forward(1, 13);
  nvtxMarkA("parent");
  return 3;
}

// Becomes another user, at once or after its first call.
PROBE_MODE(other_user, "other-user") {
  constexpr unsigned nobody = 65534;
  cudnn();
  if (arguments.at(1) == "later") forward();
  PROBE_CHECK(setgid(nobody) == 0 && setuid(nobody) == 0);
  forward(20'000);
  return 0;
}

// The file of the recording is cut off to so many bytes while it is written.
PROBE_MODE(cut_off, "cut-off") {
  struct sigaction before{}, after{};
  if (arguments.size() > 2) handle(SIGBUS, [](int) { std::_Exit(90); }, 0);
  PROBE_CHECK(sigaction(SIGBUS, nullptr, &before) == 0);
  nvtxMarkA("first");
  forward(100);
  PROBE_CHECK(sigaction(SIGBUS, nullptr, &after) == 0);
  if (arguments.size() > 2) PROBE_CHECK(before.sa_handler == after.sa_handler);
  const std::string folder = std::getenv("RNNADVISOR_SPOOL");
  DIR* files = opendir(folder.c_str());
  while (const dirent* entry = readdir(files)) {
    if (std::strstr(entry->d_name, ".rnnspool") == nullptr) continue;
    const std::string path = folder + "/" + entry->d_name;
    struct stat status{};
    PROBE_CHECK(stat(path.c_str(), &status) == 0);
    const long bytes = std::stol(arguments.at(1));
    PROBE_CHECK(truncate(path.c_str(), bytes >= 0 ? bytes : status.st_size + bytes) == 0);
  }
  closedir(files);
  forward(20'000);
  std::thread([] { forward(100); }).join();
  nvtxMarkA("last");
  return 5;
}

// A bus error of the program's own.
PROBE_MODE(own_bus_error, "own-bus-error") {
  forward();
  if (arguments.at(1) == "raise") std::raise(SIGBUS);
  if (arguments.at(1) == "kill") kill(getpid(), SIGBUS);
  const int file = static_cast<int>(syscall(SYS_memfd_create, "own", 0));
  PROBE_CHECK(file >= 0 && ftruncate(file, 4096) == 0);
  auto* mapped =
      static_cast<volatile char*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  PROBE_CHECK(ftruncate(file, 0) == 0);
  if (arguments.at(1) == "fault") mapped[5] = 1;
  return 91;
}

// Calls over a time in which what fails may work again.
PROBE_MODE(slowly, "slowly") {
  Rnn r(cudnn());
  for (int i = 0; i < 60; ++i) {
    for (int call = 0; call < 100; ++call) PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    usleep(5'000);
  }
  return 0;
}

namespace {

// Every function with an errno that no call of ours sets.
template <typename Call>
void keeps_errno(const char* what, Call call) {
  errno = EXFULL;
  call();
  if (errno == EXFULL) return;
  std::fprintf(stderr, "%s changed errno to %d\n", what, errno);
  std::_Exit(70);
}
#define KEEPS(call) keeps_errno(#call, [&] { call; })

void annotate_all() {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "attributes";
  KEEPS(nvtxMarkA("mark"));
  KEEPS(nvtxMarkW(L"wide"));
  KEEPS(nvtxMarkEx(&a));
  KEEPS(nvtxRangePushA("push"));
  KEEPS(nvtxRangePushW(L"push"));
  KEEPS(nvtxRangePushEx(&a));
  for (int i = 0; i < 4; ++i) KEEPS(nvtxRangePop());
  nvtxRangeId_t id = 0;
  KEEPS(id = nvtxRangeStartA("start"));
  KEEPS(nvtxRangeEnd(id));
  KEEPS(id = nvtxRangeStartW(L"start"));
  KEEPS(nvtxRangeEnd(id));
  KEEPS(id = nvtxRangeStartEx(&a));
  KEEPS(nvtxRangeEnd(id));
  KEEPS(nvtxNameCategoryA(1, "category"));
  KEEPS(nvtxNameCategoryW(2, L"category"));
  KEEPS(nvtxNameOsThreadA(static_cast<std::uint32_t>(gettid()), "thread"));
  KEEPS(nvtxNameOsThreadW(static_cast<std::uint32_t>(gettid()), L"thread"));
  nvtxDomainHandle_t domain = nullptr;
  KEEPS(domain = nvtxDomainCreateA("domain"));
  KEEPS(nvtxDomainCreateW(L"domain"));
  KEEPS(nvtxDomainMarkEx(domain, &a));
  KEEPS(nvtxDomainRangePushEx(domain, &a));
  KEEPS(nvtxDomainRangePop(domain));
  KEEPS(id = nvtxDomainRangeStartEx(domain, &a));
  KEEPS(nvtxDomainRangeEnd(domain, id));
  KEEPS(nvtxDomainNameCategoryA(domain, 1, "category"));
  KEEPS(nvtxDomainNameCategoryW(domain, 2, L"category"));
  KEEPS(nvtxDomainRegisterStringA(domain, "text"));
  KEEPS(nvtxDomainRegisterStringW(domain, L"text"));
  KEEPS(nvtxDomainDestroy(domain));
}

void call_all() {
  Rnn r(cudnn());
  KEEPS(r.set(64));
  KEEPS(r.set_data(10, std::vector<int>(4, 10)));
  KEEPS(r.forward());
  KEEPS(r.forward(true));
  KEEPS(r.backward_data());
  KEEPS(r.backward_weights());
  const auto& c = r.table;
  KEEPS(c.cudnnBuildRNNDynamic(r.handle, r.rnn, 4));
  KEEPS(c.cudnnRNNSetClip_v8(r.rnn, CUDNN_RNN_CLIP_NONE, CUDNN_NOT_PROPAGATE_NAN, 0, 0));
  KEEPS(c.cudnnRNNSetClip_v9(r.rnn, CUDNN_RNN_CLIP_NONE, 0, 0));
  std::size_t workspace = 0, reserve = 0;
  KEEPS(c.cudnnGetRNNTempSpaceSizes(r.handle, r.rnn, CUDNN_FWD_MODE_TRAINING, r.x, &workspace,
                                    &reserve));
  // Refused: it is written down with all that belongs to it.
  KEEPS(c.cudnnSetRNNDescriptor_v8(r.rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM,
                                   CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
                                   CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, -1, -1,
                                   -1, 1, nullptr, 0));
  KEEPS(c.cudnnDestroyRNNDataDescriptor(r.x));
  KEEPS(c.cudnnDestroyDropoutDescriptor(r.dropout));
  KEEPS(c.cudnnDestroyRNNDescriptor(r.rnn));
}

}  // namespace

// All hooks, first with everything that is done once, then at a thread's first record, then across
// many chunks.
PROBE_MODE(errno_kept, "errno") {
  KEEPS(cudnn());
  KEEPS(nvtxMarkA("the very first"));
  if (arguments.size() > 1 && arguments[1] == "calls") call_all();
  annotate_all();
  call_all();
  std::thread(annotate_all).join();
  std::thread(call_all).join();
  for (int i = 0; i < 3'000; ++i) annotate_all();
  Rnn r(cudnn());
  for (int i = 0; i < 10'000; ++i) KEEPS(r.forward());
  for (const char* name : {"cudnnRNNForward", "cudaProfilerStart", "cuProfilerStart",
                           "cuptiSubscribe", "cuptiActivityEnable", "cuGetProcAddress"}) {
    void* handle = dlopen("libcudnn.so.9", RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr && dlsym(handle, name) != nullptr) KEEPS(dlsym(handle, name));
  }
  return 0;
}

}  // namespace probe
