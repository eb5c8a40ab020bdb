#include "profiler/plugin/cupti_hooks.h"

#include <cupti.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/cupti.h"
#include "profiler/plugin/our_cupti.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace rnnadvisor::plugin {
namespace {

// What a program linked to CUPTI means; its library is there by definition.
void* linked(const void* caller, const char* name) {
  const ErrnoKept kept;
  return linked_symbol(caller, name, {"libcupti.so.13", "libcupti.so.12", "libcupti.so"});
}

// First steps back when it is not we who call.
template <typename Function, typename... Arguments>
CUptiResult pass(Function*, void* function, const char* name, Arguments... arguments) {
  if (!cupti_is_ours()) cupti_step_back(name);
  return function == nullptr ? CUPTI_ERROR_NOT_INITIALIZED
                             : reinterpret_cast<Function*>(function)(arguments...);
}

// The hooks for a program that looks the functions up, with what it would have found.
#define RNNADVISOR_LOOKED_UP(name, parameters, ...)                \
  std::atomic<void*> name##_found;                                 \
  CUptiResult CUPTIAPI name##_hook parameters {                    \
    return pass(&::name, name##_found.load(), #name, __VA_ARGS__); \
  }
#define RNNADVISOR_CUPTI_HOOKED(X)                                                        \
  X(cuptiSubscribe, (CUpti_SubscriberHandle * a, CUpti_CallbackFunc b, void* c), a, b, c) \
  X(cuptiActivityRegisterCallbacks,                                                       \
    (CUpti_BuffersCallbackRequestFunc a, CUpti_BuffersCallbackCompleteFunc b), a, b)      \
  X(cuptiActivityEnable, (CUpti_ActivityKind a), a)
RNNADVISOR_CUPTI_HOOKED(RNNADVISOR_LOOKED_UP)
#if CUPTI_API_VERSION >= 130000
RNNADVISOR_LOOKED_UP(cuptiSubscribe_v2,
                     (CUpti_SubscriberHandle * a, CUpti_CallbackFunc b, void* c,
                      CUpti_SubscriberParams* d),
                     a, b, c, d)
#endif

struct Named {
  const char* name;
  void* hook;
  std::atomic<void*>* found;
};
#define RNNADVISOR_ROW(name, parameters, ...) \
  {#name, reinterpret_cast<void*>(&name##_hook), &name##_found},
const Named named[] = {RNNADVISOR_CUPTI_HOOKED(RNNADVISOR_ROW)
#if CUPTI_API_VERSION >= 130000
                           RNNADVISOR_ROW(cuptiSubscribe_v2, )
#endif
};

}  // namespace

void* cupti_hook_for(const char* name, void* real) {
  if (strncmp(name, "cupti", 5) != 0) return nullptr;
  for (const auto& row : named) {
    if (strcmp(name, row.name) != 0) continue;
    if (real == nullptr) return row.hook;
    if (!ready()) return nullptr;
    void* before = nullptr;
    if (row.found->compare_exchange_strong(before, real) || before == real) return row.hook;
    // Another CUPTI than the one that was looked up before: it is not we who use it.
    cupti_step_back(name);
    return nullptr;
  }
  return nullptr;
}

}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

#define RNNADVISOR_EXPORT(name, parameters, ...)                                          \
  EXPORT CUptiResult CUPTIAPI name parameters {                                           \
    return pass(&::name, linked(__builtin_return_address(0), #name), #name, __VA_ARGS__); \
  }
RNNADVISOR_CUPTI_HOOKED(RNNADVISOR_EXPORT)
#if CUPTI_API_VERSION >= 130000
RNNADVISOR_EXPORT(cuptiSubscribe_v2,
                  (CUpti_SubscriberHandle * a, CUpti_CallbackFunc b, void* c,
                   CUpti_SubscriberParams* d),
                  a, b, c, d)
#endif
