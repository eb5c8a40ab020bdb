// Ranges and marks with NVTX's own headers.
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "tests/profiler/plugin/probe/probe.h"
#include "tests/profiler/plugin/standin/tool_standin.h"

namespace probe {
namespace {

nvtxEventAttributes_t attributes(const char* message) {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = message;
  return a;
}

}  // namespace

PROBE_MODE(nvtx_all, "nvtx") {
  PROBE_CHECK(nvtxRangePushA("outer") == 0);
  PROBE_CHECK(nvtxRangePushW(L"inner \u00e9\u4e16\U0001F600") == 1);
  nvtxNameCategoryA(5, "loading");
  auto a = attributes("with everything");
  a.category = 5;
  a.colorType = NVTX_COLOR_ARGB;
  a.color = 0xff112233;
  a.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  a.payload.iValue = -7;
  PROBE_CHECK(nvtxRangePushEx(&a) == 2);
  PROBE_CHECK(nvtxRangePop() == 2);
  PROBE_CHECK(nvtxRangePop() == 1);

  // Levels are counted by domain.
  nvtxDomainHandle_t one = nvtxDomainCreateA("one"), two = nvtxDomainCreateW(L"two");
  PROBE_CHECK(one != nullptr && two != nullptr && one != two);
  nvtxDomainNameCategoryA(one, 5, "of one");
  nvtxDomainNameCategoryW(two, 5, L"of two");
  nvtxStringHandle_t text = nvtxDomainRegisterStringA(one, "registered");
  nvtxStringHandle_t wide = nvtxDomainRegisterStringW(two, L"registered wide");
  auto b = attributes("");
  b.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  b.message.registered = text;
  b.category = 5;
  b.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  b.payload.dValue = 2.5;
  PROBE_CHECK(nvtxDomainRangePushEx(one, &b) == 0);
  b.message.registered = wide;
  b.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  b.payload.ullValue = ~0ULL;
  PROBE_CHECK(nvtxDomainRangePushEx(two, &b) == 0);
  PROBE_CHECK(nvtxDomainRangePushEx(two, &b) == 1);
  PROBE_CHECK(nvtxDomainRangePop(one) == 0);
  PROBE_CHECK(nvtxDomainRangePop(two) == 1);
  PROBE_CHECK(nvtxDomainRangePop(two) == 0);
  PROBE_CHECK(nvtxRangePop() == 0);
  // Nothing is there to end.
  PROBE_CHECK(nvtxRangePop() < 0);
  PROBE_CHECK(nvtxDomainRangePop(one) < 0);

  nvtxMarkA("mark");
  nvtxMarkW(L"wide mark");
  auto c = attributes("mark with payload");
  c.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
  c.payload.fValue = 1.25F;
  nvtxMarkEx(&c);
  c.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
  c.payload.uiValue = 0xffffffffU;
  nvtxDomainMarkEx(one, &c);
  c.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  c.payload.llValue = -5000000000;
  nvtxDomainMarkEx(two, &c);
  nvtxMarkA(nullptr);

  // Across threads, and overlapping.
  const nvtxRangeId_t first = nvtxRangeStartA("first"), second = nvtxRangeStartW(L"second");
  auto d = attributes("third");
  const nvtxRangeId_t third = nvtxDomainRangeStartEx(one, &d);
  PROBE_CHECK(first != 0 && second != 0 && first != second && second != third);
  std::thread([&] {
    nvtxRangeEnd(first);
    nvtxDomainRangeEnd(one, third);
    nvtxRangeEnd(second);
  }).join();
  nvtxDomainDestroy(two);
  return 0;
}

// Names that are different each time, as of steps, and a kernel's name behind them.
PROBE_MODE(nvtx_many, "nvtx-many") {
  for (int i = 0; i < 40000; ++i) nvtxMarkA(("step " + std::to_string(i)).c_str());
  Rnn r(cudnn());
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return 0;
}

// Names for the threads, of both kinds, before and in their work; one is named twice.
PROBE_MODE(nvtx_thread_names, "nvtx-thread-names") {
  const auto id = [] { return static_cast<std::uint32_t>(syscall(SYS_gettid)); };
  nvtxNameOsThreadA(id(), "not yet");
  nvtxNameOsThreadA(id(), "main");
  nvtxNameOsThreadA(id() + 1'000'000, nullptr);
  std::uint32_t loader = 0;
  std::thread([&] {
    loader = id();
    nvtxNameOsThreadW(loader, L"loader \u4e16");
    Rnn r(cudnn());
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  }).join();
  auto* calls = standin<const char*()>(PROBE_TOOL_FILE, "standin_tool_calls");
  std::printf("%u %u %s\n", id(), loader, calls == nullptr ? "" : calls());
  return 0;
}

// Names for GPUs and streams, by every function there is; some twice, some that cannot be.
PROBE_MODE(nvtx_resource_names, "nvtx-resource-names") {
  load_cuda();
  auto* make = standin<void*()>("libcuda.so.1", "standin_make_stream");
  auto* enter = standin<void(int)>("libcuda.so.1", "standin_join_context");
  const auto stream = [&] { return static_cast<CUstream>(make()); };
  nvtxNameCudaDeviceA(0, "not yet");
  nvtxNameCuDeviceW(0, L"trainer \u4e16");
  nvtxNameCudaDeviceW(1, L"second");
  nvtxNameCuDeviceA(2, "bad \xff\xfe text");
  nvtxNameCuDeviceA(-1, "no device");
  nvtxNameCuDeviceA(3, nullptr);
  nvtxNameCudaDeviceA(4, "");
  CUstream first = stream(), second = stream(), third = stream();
  enter(1);
  CUstream elsewhere = stream();
  enter(0);
  nvtxNameCudaStreamA(first, "not yet");
  nvtxNameCuStreamA(first, "compute");
  const wchar_t wrong[] = {L'a',
                           static_cast<wchar_t>(0xd800),
                           static_cast<wchar_t>(0x110000),
                           static_cast<wchar_t>(-1),
                           L'z',
                           0};
  nvtxNameCuStreamW(second, wrong);
  nvtxNameCudaStreamW(elsewhere, std::wstring(100'000, L'\u4e16').c_str());
  nvtxNameCudaStreamA(nullptr, std::string(100'000, 'x').c_str());
  nvtxNameCudaStreamW(third, nullptr);
  nvtxDomainHandle_t domain = nvtxDomainCreateA("one");
  nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "by its domain");
  nvtxResourceAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  a.identifierType = NVTX_RESOURCE_TYPE_CUDART_STREAM;
  a.identifier.pValue = third;
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = text;
  PROBE_CHECK(nvtxDomainResourceCreate(domain, &a) == nullptr);
  a.messageType = NVTX_MESSAGE_UNKNOWN;
  PROBE_CHECK(nvtxDomainResourceCreate(domain, &a) == nullptr);
  a.identifierType = NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE;
  a.identifier.ullValue = static_cast<std::uint64_t>(syscall(SYS_gettid));
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "main";
  nvtxDomainResourceDestroy(nvtxDomainResourceCreate(domain, &a));
  a.identifierType = 0x7fffffff;
  nvtxDomainResourceCreate(domain, &a);
  a.size = 4;  // of a later or an earlier NVTX
  a.identifierType = NVTX_RESOURCE_TYPE_CUDA_DEVICE;
  nvtxDomainResourceCreate(nullptr, &a);
  nvtxDomainResourceCreate(nullptr, nullptr);
  Rnn r(cudnn());
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  if (auto* calls = standin<const char*()>(PROBE_TOOL_FILE, "standin_tool_calls"); calls != nullptr)
    std::printf("%s\n", calls());
  return 0;
}

// More domains on a thread than the plugin keeps levels for.
PROBE_MODE(nvtx_domains, "nvtx-domains") {
  auto a = attributes("x");
  for (int i = 0; i < 40; ++i) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA(("domain " + std::to_string(i)).c_str());
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
  }
  return 0;
}

// A domain made before fork() is used after it.
PROBE_MODE(nvtx_fork, "nvtx-fork") {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("inherited domain");
  nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "inherited text");
  auto a = attributes("");
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = text;
  nvtxDomainMarkEx(domain, &a);
  const pid_t child = fork();
  if (child == 0) {
    nvtxDomainMarkEx(domain, &a);
    std::exit(0);
  }
  int status = 0;
  PROBE_CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}

// With the other tool's functions in front: it gets what it took, and the program its answers.
PROBE_MODE(nvtx_chain, "nvtx-chain") {
  PROBE_CHECK(nvtxRangePushA("a") == 40);
  PROBE_CHECK(nvtxRangePop() == 41);
  PROBE_CHECK(nvtxRangeStartA("s") == 9001);
  nvtxRangeEnd(9001);
  nvtxMarkA("not the tool's");
  nvtxDomainHandle_t domain = nvtxDomainCreateA("chained");
  nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "chained text");
  auto a = attributes("");
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = text;
  PROBE_CHECK(nvtxDomainRangePushEx(domain, &a) == 42);
  PROBE_CHECK(nvtxDomainRangePop(domain) == 43);
  // A way to make domains that the tool does not have.
  nvtxDomainHandle_t other = nvtxDomainCreateW(L"not the tool's");
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "plain";
  PROBE_CHECK(nvtxDomainRangePushEx(other, &a) == 42);
  PROBE_CHECK(nvtxDomainRangePop(other) == 43);
  const auto calls = standin<const char*()>(PROBE_TOOL_FILE, "standin_tool_calls");
  PROBE_CHECK(calls != nullptr);
  std::printf("%s\n", calls());
  return 0;
}

// With wide texts and attributes.
PROBE_MODE(nvtx_chain_more, "nvtx-chain-more") {
  auto a = attributes("with attributes");
  PROBE_CHECK(nvtxRangePushW(L"wide") == 44);
  PROBE_CHECK(nvtxRangePushEx(&a) == 45);
  PROBE_CHECK(nvtxRangeStartW(L"wide") == 9001);
  PROBE_CHECK(nvtxRangeStartEx(&a) == 9001);
  nvtxDomainHandle_t domain = nvtxDomainCreateW(L"chained");
  nvtxStringHandle_t text = nvtxDomainRegisterStringW(domain, L"chained text");
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = text;
  PROBE_CHECK(nvtxDomainRangeStartEx(domain, &a) == 9001);
  const auto calls = standin<const char*()>(PROBE_TOOL_FILE, "standin_tool_calls");
  std::printf("%s\n", calls());
  return 0;
}

// What the interface does not forbid, or a program does all the same.
PROBE_MODE(nvtx_unusual, "nvtx-unusual") {
  nvtxMarkEx(nullptr);
  nvtxMarkA(nullptr);
  nvtxMarkW(nullptr);
  nvtxNameCategoryA(0, "category 0");
  auto a = attributes("of no category");
  nvtxMarkEx(&a);
  a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  a.message.unicode = L"wide";
  a.category = 77;  // that nothing names
  nvtxMarkEx(&a);
  a.messageType = 99;
  nvtxMarkEx(&a);
  nvtxRangeEnd(0);
  nvtxNameOsThreadA(1, nullptr);
  nvtxDomainHandle_t none = nvtxDomainCreateA(nullptr), wide = nvtxDomainCreateW(nullptr);
  a = attributes("in none");
  nvtxDomainMarkEx(none, &a);
  nvtxDomainMarkEx(wide, &a);
  // Equal texts are one, however long.
  const std::string most(100'000, 'x');
  PROBE_CHECK(nvtxDomainRegisterStringA(none, most.c_str()) ==
              nvtxDomainRegisterStringA(none, (most + "y").c_str()));
  nvtxResourceAttributes_t r{};
  r.version = NVTX_VERSION;
  r.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  r.identifierType = NVTX_RESOURCE_TYPE_CUDA_DEVICE;
  r.identifier.ullValue = 1;
  r.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  r.message.unicode = L"second";
  nvtxDomainResourceCreate(none, &r);
  r.identifierType = NVTX_RESOURCE_TYPE_CUDART_DEVICE;
  r.identifier.ullValue = 2;
  nvtxDomainResourceCreate(none, &r);
  return 0;
}

// As without any tool.
PROBE_MODE(nvtx_alone, "nvtx-alone") {
  PROBE_CHECK(nvtxRangePushA("a") == NVTX_NO_PUSH_POP_TRACKING);
  PROBE_CHECK(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
  PROBE_CHECK(nvtxDomainCreateA("d") == nullptr);
  return 0;
}

// Calls in and around the range "step": one before, one in each range, one between, one behind.
PROBE_MODE(nvtx_ranges, "nvtx-ranges") {
  const std::string how = arguments.at(1);
  Rnn r(cudnn());
  nvtxDomainHandle_t domain =
      arguments.size() > 2 ? nvtxDomainCreateA(arguments[2].c_str()) : nullptr;
  auto a = attributes("step"), b = attributes("other");
  int hidden = 1;
  const auto call = [&] {
    r.set(hidden++);
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  };
  call();  // 1
  for (int i = 0; i < 3; ++i) {
    if (how == "push") {
      nvtxDomainRangePushEx(domain, &a);
      nvtxDomainRangePushEx(domain, &b);
      nvtxDomainRangePushEx(domain, &a);  // the same name inside itself
      nvtxDomainRangePop(domain);
      nvtxDomainRangePop(domain);
      call();  // 2, 4, 6
      nvtxDomainRangePop(domain);
    } else {
      const nvtxRangeId_t id = nvtxDomainRangeStartEx(domain, &a);
      const nvtxRangeId_t other = nvtxDomainRangeStartEx(domain, &b);
      nvtxDomainRangeEnd(domain, other);
      call();
      nvtxDomainRangeEnd(domain, id);
    }
    call();  // 3, 5, 7
  }
  return 0;
}

// Two threads in ranges of the name: the one that opened the capture ends it.
PROBE_MODE(nvtx_two_threads, "nvtx-two-threads") {
  Rnn r(cudnn());
  r.set(1);
  nvtxRangePushA("step");
  std::thread([] {
    nvtxRangePushA("step");
    nvtxRangePop();
  }).join();
  r.set(2);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  nvtxRangePop();
  r.set(3);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  return 0;
}

}  // namespace probe
