// Any bytes as a .rnnprof file: an error or a profile that holds its invariants.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "profiler/profile/check.h"
#include "profiler/profile/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // The checksum would refuse nearly every input: another count of changes than SQLite's says that
  // another program has changed the file since.
  constexpr std::size_t page_size = 1024, count_at = 2 * page_size - 12;
  if (bytes.size() > 2 * page_size) bytes.replace(count_at, 4, 4, '\xff');
  const auto profile = rnnadvisor::read_profile_bytes(bytes, "fuzz");
  if (profile && !rnnadvisor::check_profile(*profile, rnnadvisor::ErrorCode::damaged)) std::abort();
  if (!profile && profile.error().message.empty()) std::abort();
  return 0;
}
