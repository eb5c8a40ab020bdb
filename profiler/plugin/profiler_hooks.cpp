// cudaProfilerStart() and cudaProfilerStop() as the ends of a capture range, where no CUPTI watches
// the driver.
#include <dlfcn.h>

#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace rnnadvisor::plugin {
namespace {

int pass(const char* name, bool driver) {
  void* found = real_symbol(RTLD_NEXT, name);
  constexpr const char* runtime[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so"};
  constexpr const char* drivers[] = {"libcuda.so.1"};
  const char* const* names = driver ? drivers : runtime;
  const int count = driver ? 1 : 3;
  for (int i = 0; i < count && found == nullptr; ++i) {
    if (void* library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD); library != nullptr)
      found = real_symbol(library, name);
  }
  return found == nullptr ? 0 : reinterpret_cast<int (*)()>(found)();
}

bool is_range() { return ready() && settings().capture == Settings::Capture::profiler_api; }

}  // namespace
}  // namespace rnnadvisor::plugin

using namespace rnnadvisor::plugin;

EXPORT int cudaProfilerStart(void) {
  if (is_range()) begin_range();
  return pass("cudaProfilerStart", false);
}
EXPORT int cudaProfilerStop(void) {
  if (is_range()) end_range();
  return pass("cudaProfilerStop", false);
}
EXPORT int cuProfilerStart(void) {
  if (is_range()) begin_range();
  return pass("cuProfilerStart", true);
}
EXPORT int cuProfilerStop(void) {
  if (is_range()) end_range();
  return pass("cuProfilerStop", true);
}
