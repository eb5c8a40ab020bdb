// From what the program names to our hook, and from the hook to the cuDNN library that is meant.
#pragma once

#include <cstddef>

#include "profiler/plugin/cudnn_library.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace rnnadvisor::plugin {

// A function's hooks, one per cuDNN library in the process.
struct HookRow {
  const char* name;
  void* slots[max_libraries];
};
struct HookRows {
  const HookRow* rows;
  std::size_t count;
};
static_assert(max_libraries == 4);
#define RNNADVISOR_HOOK_ROW(name)                                                       \
  {#name,                                                                               \
   {reinterpret_cast<void*>(&Hooks<0>::name), reinterpret_cast<void*>(&Hooks<1>::name), \
    reinterpret_cast<void*>(&Hooks<2>::name), reinterpret_cast<void*>(&Hooks<3>::name)}},

HookRows rnn_hooks();         // the RNN functions of cuDNN 9
HookRows descriptor_hooks();  // dropout, and the ends of descriptors
HookRows legacy_hooks();      // what cuDNN 9 has no more
HookRows search_hooks();      // of that, what searches for an algorithm

// The hook for what the program whose code is at `caller` is linked to under that name; null: it is
// linked to nothing. Remembered by the place of the call.
void* linked_hook(const void* caller, const char* name);

template <typename Function, typename... Arguments>
cudnnStatus_t dispatch(const void* caller, Function*, const char* name, Arguments... arguments) {
  void* function = linked_hook(caller, name);
  // No such function, where the loader would have refused the program: the status that cuDNN has
  // for it.
  return function == nullptr ? CUDNN_STATUS_NOT_INITIALIZED
                             : reinterpret_cast<Function*>(function)(arguments...);
}

}  // namespace rnnadvisor::plugin

// The body of an exported hook, which is what a linked program reaches.
#define RNNADVISOR_DISPATCH(name, ...) \
  return dispatch(__builtin_return_address(0), &::name, #name, __VA_ARGS__)
