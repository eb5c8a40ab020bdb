// Any bytes as a log of cuDNN: a profile that holds its invariants.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "profiler/import/cudnn_log.h"
#include "profiler/profile/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rnnadvisor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Profile profile = import_trace::import_cudnn_log_text(text, {});
  if (const auto checked = check_profile(profile, ErrorCode::internal); !checked) {
    std::fprintf(stderr, "%s\n", checked.error().message.c_str());
    std::abort();
  }
  return 0;
}
