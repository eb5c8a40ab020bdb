#include "profiler/plugin/cupti_hooks.h"

#include <cupti.h>
#include <string.h>

#include "profiler/plugin/cupti.h"
#include "profiler/plugin/plugin.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace rnnadvisor::plugin {
namespace {

template <typename Function>
Function real(Function, const char* name) {
  return reinterpret_cast<Function>(cupti_real(name));
}

// Runs the real function; first steps back when it is not we who call.
#define RNNADVISOR_PASS(name, ...)              \
  if (!cupti_is_ours()) cupti_step_back(#name); \
  const auto next = real(&::name, #name);       \
  return next == nullptr ? CUPTI_ERROR_NOT_INITIALIZED : next(__VA_ARGS__)

}  // namespace
}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

EXPORT CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                                           CUpti_CallbackFunc callback, void* user) {
  RNNADVISOR_PASS(cuptiSubscribe, subscriber, callback, user);
}
#if CUPTI_API_VERSION >= 130000
EXPORT CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber,
                                              CUpti_CallbackFunc callback, void* user,
                                              CUpti_SubscriberParams* params) {
  RNNADVISOR_PASS(cuptiSubscribe_v2, subscriber, callback, user, params);
}
#endif
EXPORT CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed) {
  RNNADVISOR_PASS(cuptiActivityRegisterCallbacks, requested, completed);
}
EXPORT CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  RNNADVISOR_PASS(cuptiActivityEnable, kind);
}

namespace rnnadvisor::plugin {

void* cupti_hook_for(const char* name, void*) {
  if (strncmp(name, "cupti", 5) != 0) return nullptr;
  if (strcmp(name, "cuptiSubscribe") == 0) return reinterpret_cast<void*>(&::cuptiSubscribe);
#if CUPTI_API_VERSION >= 130000
  if (strcmp(name, "cuptiSubscribe_v2") == 0) return reinterpret_cast<void*>(&::cuptiSubscribe_v2);
#endif
  if (strcmp(name, "cuptiActivityRegisterCallbacks") == 0)
    return reinterpret_cast<void*>(&::cuptiActivityRegisterCallbacks);
  if (strcmp(name, "cuptiActivityEnable") == 0)
    return reinterpret_cast<void*>(&::cuptiActivityEnable);
  return nullptr;
}

}  // namespace rnnadvisor::plugin
