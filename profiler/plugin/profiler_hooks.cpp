#include "profiler/plugin/profiler_hooks.h"

#include <cuda.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/capture_range.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace rnnadvisor::plugin {
namespace {

constexpr int functions = 4;
constexpr const char* names[functions] = {"cudaProfilerStart", "cudaProfilerStop",
                                          "cuProfilerStart", "cuProfilerStop"};

// What the program was given for these names when it looked them up. They act on the process, so
// that one will do for several.
std::atomic<void*> looked_up[functions];

bool is_range() { return ready() && settings().capture == Settings::Capture::profiler_api; }

void mark(int which) {
  const Scope scope;
  if (!is_range()) return;
  if (which % 2 == 0) {
    begin_range();
  } else {
    end_range();
  }
}

int pass(int which, void* function) {
  mark(which);
  return function == nullptr ? 0 : reinterpret_cast<int (*)()>(function)();
}

int linked(int which, const void* caller) {
  void* function = nullptr;
  {
    const ErrnoKept kept;
    function = which < 2 ? linked_symbol(caller, names[which],
                                         {"libcudart.so.13", "libcudart.so.12", "libcudart.so"})
                         : linked_symbol(caller, names[which], {"libcuda.so.1"});
  }
  return pass(which, function);
}

template <int which>
int hook() {
  return pass(which, looked_up[which].load());
}

constexpr int (*hooks[functions])() = {&hook<0>, &hook<1>, &hook<2>, &hook<3>};

// A runtime that is inside another library is out of sight. It asks the driver for its functions,
// and for the driver's way to ask by name.
using Ask = CUresult (*)(const char*, void**, int, cuuint64_t);
using Ask2 = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
std::atomic<Ask> real_ask;
std::atomic<Ask2> real_ask2;

void take_place(const char* name, void** function) {
  if (name == nullptr || function == nullptr || *function == nullptr) return;
  if (void* mine = profiler_hook_for(name, *function); mine != nullptr) *function = mine;
}
CUresult ask(const char* name, void** function, int version, cuuint64_t flags) {
  const CUresult status = real_ask.load()(name, function, version, flags);
  if (status == CUDA_SUCCESS) take_place(name, function);
  return status;
}
CUresult ask2(const char* name, void** function, int version, cuuint64_t flags,
              CUdriverProcAddressQueryResult* result) {
  const CUresult status = real_ask2.load()(name, function, version, flags, result);
  if (status == CUDA_SUCCESS) take_place(name, function);
  return status;
}

void* ask_hook_for(const char* name, void* real) {
  if (strcmp(name, "cuGetProcAddress") == 0) {
    if (real != nullptr) real_ask.store(reinterpret_cast<Ask>(real));
    return reinterpret_cast<void*>(&ask);
  }
  if (strcmp(name, "cuGetProcAddress_v2") == 0) {
    if (real != nullptr) real_ask2.store(reinterpret_cast<Ask2>(real));
    return reinterpret_cast<void*>(&ask2);
  }
  return nullptr;
}

}  // namespace

void* profiler_hook_for(const char* name, void* real) {
  if (strncmp(name, "cuGetProcAddress", 16) == 0)
    return real == nullptr || is_range() ? ask_hook_for(name, real) : nullptr;
  for (int which = 0; which < functions; ++which) {
    if (strcmp(name, names[which]) != 0) continue;
    if (real == nullptr) return reinterpret_cast<void*>(hooks[which]);
    if (!is_range()) return nullptr;
    looked_up[which].store(real);
    return reinterpret_cast<void*>(hooks[which]);
  }
  return nullptr;
}

}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

EXPORT int cudaProfilerStart(void) { return linked(0, __builtin_return_address(0)); }
EXPORT int cudaProfilerStop(void) { return linked(1, __builtin_return_address(0)); }
EXPORT int cuProfilerStart(void) { return linked(2, __builtin_return_address(0)); }
EXPORT int cuProfilerStop(void) { return linked(3, __builtin_return_address(0)); }
