// What NVML says of a GPU at a moment: plain data, known to every build.
#pragma once

#include <cstdint>
#include <string>

namespace rnnadvisor {

struct GpuClocks {
  int sm_mhz = 0, memory_mhz = 0, temperature_c = 0, power_mw = 0;  // 0: not known
  // Why the clocks are not higher: bits of nvmlClocksEventReasons (nvml.h, NVML API reference,
  // "NvmlClocksEventReasons"); 0: nothing keeps them down; -1: not known.
  std::int64_t event_reasons = -1;

  bool known() const { return sm_mhz > 0 || temperature_c > 0 || event_reasons >= 0; }
  bool operator==(const GpuClocks&) const = default;
};

// The reasons among them that slow the GPU down against what it is set to: "power cap, thermal
// slowdown". Empty for none and for what is not known. An idle GPU and clocks that were set by hand
// are no such reasons.
std::string throttle_words(std::int64_t event_reasons);

}  // namespace rnnadvisor
