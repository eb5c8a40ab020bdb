// What dlsym() answers. Each mode prints it; the test compares with a run without the plugin.
#include <cstring>

#include "tests/profiler/plugin/probe/probe.h"
#include "tests/profiler/plugin/standin/cudnn_standin.h"

namespace probe {
namespace {

// The file that an address lies in, without its folder.
std::string owner(const void* address) {
  Dl_info info{};
  if (address == nullptr) return "nothing";
  if (dladdr(const_cast<void*>(address), &info) == 0) return "unknown";
  const char* slash = std::strrchr(info.dli_fname, '/');
  return slash == nullptr ? info.dli_fname : slash + 1;
}

void* load(const char* file, int flags = RTLD_NOW) {
  void* handle = dlopen(file, flags);
  PROBE_CHECK(handle != nullptr);
  return handle;
}

const char* const hooked[] = {"cudnnRNNForward", "cudnnSetRNNDescriptor_v8", "cudnnRNNSetClip_v9",
                              "cuptiSubscribe",  "cuptiActivityEnable",      "cudaProfilerStart",
                              "cuProfilerStop"};

}  // namespace

PROBE_MODE(lookup_next, "lookup-next") {
  void* first = load(PROBE_CHAIN1_FILE, RTLD_NOW | RTLD_GLOBAL);
  void* second = load(PROBE_CHAIN2_FILE, RTLD_NOW | RTLD_GLOBAL);
  std::printf("%d %d\n", reinterpret_cast<int (*)()>(dlsym(first, "chain_next_1"))(),
              reinterpret_cast<int (*)()>(dlsym(second, "chain_next_2"))());
  std::printf("%s %s\n",
              owner(reinterpret_cast<void* (*)()>(dlsym(first, "chain_malloc_1"))()).c_str(),
              owner(reinterpret_cast<void* (*)()>(dlsym(second, "chain_malloc_2"))()).c_str());
  std::printf("%s %s\n", owner(dlsym(RTLD_NEXT, "malloc")).c_str(),
              owner(dlsym(RTLD_DEFAULT, "malloc")).c_str());
  return 0;
}

// A program without cuDNN and CUPTI finds none, and dlerror() says so.
PROBE_MODE(lookup_absent, "lookup-absent") {
  void* self = dlopen(nullptr, RTLD_NOW);
  for (const char* name : hooked) {
    for (void* where : {RTLD_DEFAULT, RTLD_NEXT, self}) {
      dlerror();
      const std::string found = owner(dlsym(where, name));
      const char* error = dlerror();
      std::printf("%s: %s, %s\n", name, found.c_str(),
                  error != nullptr && std::strstr(error, "undefined symbol") != nullptr ? "an error"
                                                                                        : "none");
    }
  }
  return 0;
}

// As careful programs look up: an error left behind would be taken for a failure.
PROBE_MODE(lookup_errors, "lookup-errors") {
  for (const char* file :
       {PROBE_CUDNN_FILE, PROBE_CUDNN8_FILE, PROBE_CUPTI_FILE, PROBE_CUDA_FILE}) {
    void* handle = load(file, RTLD_NOW | RTLD_LOCAL);
    for (const char* name : hooked) {
      dlerror();
      const bool found = dlsym(handle, name) != nullptr;
      const char* error = dlerror();
      std::printf("%s %d %s\n", name, found ? 1 : 0, error == nullptr ? "" : error);
    }
  }
  return 0;
}

// From a library that is linked to a cuDNN of its own.
PROBE_MODE(lookup_default, "lookup-default") {
  void* user = load(PROBE_LINKED_CHAIN_FILE, RTLD_NOW | RTLD_LOCAL);
  const auto find = reinterpret_cast<void* (*)(const char*)>(dlsym(user, "chain_default_3"));
  const auto forward = find("cudnnRNNForward");
  PROBE_CHECK(forward != nullptr);
  std::printf("%s\n", owner(dlsym(RTLD_DEFAULT, "cudnnRNNForward")).c_str());
  std::printf("%s\n", owner(find("cudnnGetVersion")).c_str());
  std::printf("%s\n", owner(find("cuptiSubscribe")).c_str());
  Cudnn table = looked_up(dlopen(PROBE_CUDNN_FILE, RTLD_NOW | RTLD_NOLOAD));
  table.cudnnRNNForward = reinterpret_cast<decltype(table.cudnnRNNForward)>(forward);
  Rnn r(table);
  PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(standin<std::uint64_t()>("libcudnn.so.9", "standin_calls")() > 0);
  return 0;
}

// Two cuDNNs at once, each with a library that is linked to it and both looked up: every call goes
// to its own.
PROBE_MODE(two_libraries, "two-libraries") {
  Cudnn nine, eight;
  void* user9 = load(PROBE_USER_FILE, RTLD_NOW | RTLD_LOCAL);
  void* user8 = load(PROBE_USER8_FILE, RTLD_NOW | RTLD_LOCAL);
  const auto build = [](void* user) {
    return reinterpret_cast<cudnnStatus_t (*)(cudnnRNNDescriptor_t, int)>(
        dlsym(user, "rnn_user_build"));
  };
  const auto forward = [](void* user) {
    return reinterpret_cast<cudnnStatus_t (*)(cudnnHandle_t, cudnnRNNDescriptor_t,
                                              cudnnRNNDataDescriptor_t, cudnnTensorDescriptor_t)>(
        dlsym(user, "rnn_user_forward"));
  };
  // By lookup, so that what the descriptors come from is certain.
  nine = looked_up(dlopen("libcudnn.so.9", RTLD_NOW | RTLD_NOLOAD));
  eight = looked_up(dlopen("libcudnn.so.8", RTLD_NOW | RTLD_NOLOAD));
  PROBE_CHECK(nine.cudnnGetVersion() == 91977 && eight.cudnnGetVersion() == 8977);
  PROBE_CHECK(eight.cudnnRNNSetClip_v9 == nullptr);
  auto* calls9 = standin<std::uint64_t()>("libcudnn.so.9", "standin_calls");
  auto* calls8 = standin<std::uint64_t()>("libcudnn.so.8", "standin_calls");
  Rnn a(nine, 9), b(eight, 8);
  const std::uint64_t before9 = calls9(), before8 = calls8();
  for (int i = 0; i < 3; ++i) {
    PROBE_CHECK(a.forward() == CUDNN_STATUS_SUCCESS);
    PROBE_CHECK(b.forward() == CUDNN_STATUS_SUCCESS);
  }
  PROBE_CHECK(calls9() == before9 + 3 && calls8() == before8 + 3);
  PROBE_CHECK(forward(user9)(a.handle, a.rnn, a.x, a.h) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(calls9() == before9 + 4 && calls8() == before8 + 3);
  PROBE_CHECK(forward(user8)(b.handle, b.rnn, b.x, b.h) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(calls9() == before9 + 4 && calls8() == before8 + 4);
  PROBE_CHECK(build(user9)(a.rnn, 1) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(build(user8)(b.rnn, 1) == CUDNN_STATUS_SUCCESS);
  PROBE_CHECK(calls9() == before9 + 5 && calls8() == before8 + 5);
  return 0;
}

// More cuDNNs than the plugin has room for: copies of one under other paths.
PROBE_MODE(many_libraries, "many-libraries") {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    void* handle = load(arguments[i].c_str(), RTLD_NOW | RTLD_LOCAL);
    const Cudnn table = looked_up(handle);
    auto* calls = reinterpret_cast<std::uint64_t (*)()>(dlsym(handle, "standin_calls"));
    Rnn r(table, static_cast<std::int32_t>(i));
    const std::uint64_t before = calls();
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    PROBE_CHECK(calls() == before + 1);
  }
  return 0;
}

// A library of cuDNN that is unloaded while the program goes on.
PROBE_MODE(unload, "unload") {
  for (int i = 0; i < 3; ++i) {
    void* handle = load(PROBE_CUDNN_FILE, RTLD_NOW | RTLD_LOCAL);
    const Cudnn table = looked_up(handle);
    Rnn r(table);
    PROBE_CHECK(r.forward() == CUDNN_STATUS_SUCCESS);
    dlclose(handle);
  }
  return 0;
}

}  // namespace probe
