// Any bytes as a trace of torch.profiler: read in pieces of a size that the first byte says, and a
// profile that holds its invariants.
#include <cstdint>
#include <string_view>

#include "profiler/profile/check.h"
#include "tests/profiler/import/import_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto profile = import_trace::import_bytes(bytes, std::size_t{1} + data[0]);
  if (!check_profile(profile, ErrorCode::internal)) __builtin_trap();
  return 0;
}
