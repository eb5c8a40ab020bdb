// The tables of functions that a library with NVTX in it has, by module, and how ours get into
// them. Needs nvToolsExt.h, included with NVTX_NO_IMPL.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstddef>

#include "profiler/plugin/plugin.h"

// Serves the tool that was there before us.
#define RNNADVISOR_BEFORE(table, id, type, ...)                                \
  do {                                                                         \
    if (const auto before = tool_before<type>(table, id)) before(__VA_ARGS__); \
  } while (false)

#define RNNADVISOR_SLOT(id, function) \
  {id, reinterpret_cast<NvtxFunctionPointer>(&WithErrnoKept<&function>::call)}

namespace rnnadvisor::plugin {

// A function of ours as the program sees it. No Scope: these are many, and what they call outside
// has one of its own.
template <auto function>
struct WithErrnoKept;
template <typename Return, typename... Arguments, Return (*function)(Arguments...)>
struct WithErrnoKept<function> {
  static Return NVTX_API call(Arguments... arguments) {
    const ErrnoKept kept;
    return function(arguments...);
  }
};

struct Slot {
  int id;
  NvtxFunctionPointer function;
};

// The functions of a module as they stand before another tool changes them: NVTX's own stubs, which
// only ask for the tool and must not be called by it.
struct Module {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  NvtxFunctionPointer stubs[32] = {};

  Module(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule which) {
    if (callbacks.GetModuleFunctionTable(which, &table, &size) == 0 || table == nullptr) size = 0;
    if (size > 32) size = 32;
    for (unsigned i = 0; i < size; ++i)
      if (table[i] != nullptr) stubs[i] = *table[i];
  }
};
static_assert(NVTX_CBID_CORE_SIZE <= 32 && NVTX_CBID_CORE2_SIZE <= 32 &&
              NVTX_CBID_CUDA_SIZE <= 32 && NVTX_CBID_CUDART_SIZE <= 32);

// The function that another tool had put in before us; null: none.
template <typename Function>
Function tool_before(const std::atomic<NvtxFunctionPointer>* before, int id) {
  return reinterpret_cast<Function>(before[id].load(std::memory_order_relaxed));
}

// `before` gets what another tool had put in, by id.
template <std::size_t count>
void install(const Module& module, const Slot (&slots)[count],
             std::atomic<NvtxFunctionPointer>* before) {
  for (const auto& slot : slots) {
    const auto id = static_cast<unsigned>(slot.id);
    if (id >= module.size || module.table[id] == nullptr) continue;
    const NvtxFunctionPointer now = *module.table[id];
    if (now == slot.function) continue;
    if (now != module.stubs[id]) before[id].store(now);
    *module.table[id] = slot.function;
  }
}

}  // namespace rnnadvisor::plugin
