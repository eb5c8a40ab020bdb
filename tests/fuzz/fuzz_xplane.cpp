// Any bytes as a profile of XLA: a profile that holds its invariants.
#include <cstdint>
#include <string_view>

#include "profiler/profile/check.h"
#include "tests/profiler/import/xplane_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  const auto profile =
      import_trace::import_xplane_bytes({reinterpret_cast<const char*>(data), size});
  if (!check_profile(profile, ErrorCode::internal)) __builtin_trap();
  return 0;
}
