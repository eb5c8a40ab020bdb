#include "core/cudnn/gpu_clocks.h"

#include <string_view>

namespace rnnadvisor {

std::string throttle_words(std::int64_t event_reasons) {
  if (event_reasons <= 0) return {};
  // nvml.h. Left out: 0x1 idle, 0x2 application clocks, 0x10 sync boost, 0x100 display clocks,
  // which are settings or no work, and what later drivers may add.
  struct Reason {
    std::int64_t bit;
    std::string_view words;
  };
  constexpr Reason reasons[] = {{0x4, "power cap"},
                                {0x8, "hardware slowdown"},
                                {0x20, "thermal slowdown"},
                                {0x40, "hardware thermal slowdown"},
                                {0x80, "power brake"}};
  std::string text;
  for (const auto& reason : reasons) {
    if ((event_reasons & reason.bit) == 0) continue;
    text += text.empty() ? "" : ", ";
    text += reason.words;
  }
  return text;
}

}  // namespace rnnadvisor
