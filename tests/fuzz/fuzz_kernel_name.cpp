// Any text as a kernel name: taken apart without a crash, and the same answer for the name as it is
// demangled.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "profiler/kernels/classify.h"
#include "profiler/kernels/kernel_name.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  const auto known = classify_kernel(name);
  if (known != classify_kernel(demangle_kernel(name))) std::abort();
  const std::string_view names[] = {name, "nvjet_sm90_x", name};
  for (const Phase phase : all_phases) {
    const auto ran = implementation_of(names, phase);
    if (phase == Phase::backward_weights && ran) std::abort();
  }
  static_cast<void>(short_kernel_name(name));
  for (int argument = 0; argument < 8; ++argument) {
    const auto found = classify::template_argument(name, argument);
    if (!found.empty() && name.find(found) == std::string_view::npos) std::abort();
  }
  // The input as pattern and text at once.
  static_cast<void>(
      classify::matches(name.substr(0, name.size() / 2), name.substr(name.size() / 2)));
  return 0;
}
