// Any bytes as a .rnnprof file: an error or a profile that holds its invariants.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profiler/profile/check.h"
#include "profiler/profile/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto profile = rnnadvisor::read_profile_bytes(bytes, "fuzz");
  if (profile && !rnnadvisor::check_profile(*profile, rnnadvisor::ErrorCode::damaged)) std::abort();
  if (!profile && profile.error().message.empty()) std::abort();
  return 0;
}
