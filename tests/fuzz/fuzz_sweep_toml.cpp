// Any text is a sweep or a list of errors, within the limit on configurations; every configuration
// it gives reads back equal.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "advisor/sweep/plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  constexpr std::size_t limit = 500;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = advisor::expand_sweep(text, "fuzz.toml", limit);
  if (!plan) {
    if (plan.error().empty()) std::abort();
    for (const auto& error : plan.error()) {
      if (error.message.empty() || to_text(error).empty()) std::abort();
    }
    return 0;
  }
  if (plan->configurations.empty() || plan->configurations.size() > limit) std::abort();
  for (const auto& input : plan->configurations) {
    auto copy = read_json_line(to_json_line(input), "copy", 1);
    if (!copy) std::abort();
    copy->position = input.position;
    if (!(*copy == input)) std::abort();
  }
  return 0;
}
