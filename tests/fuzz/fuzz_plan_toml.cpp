// Any bytes as a plan: an answer, never a crash; what is accepted is written and read back equal.
#include <cstdint>
#include <cstdlib>

#include "profiler/launch/plan.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor::launch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = read_plan(text, "fuzz.toml");
  if (!plan) {
    require(!plan.error().message.empty());
    return 0;
  }
  const auto again = read_plan(write_plan(*plan), "again.toml");
  require(again && *again == *plan);
  require(!plan_bytes(*plan).empty());
  return 0;
}
