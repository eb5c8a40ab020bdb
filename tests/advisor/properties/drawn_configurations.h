// Configurations drawn from a seed: every field, also sizes and combinations that cuDNN refuses,
// with and without a framework around them, on every GPU that is described. The same seed draws the
// same ones on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "core/config/read_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::test {

struct Drawn {
  std::uint64_t number = 0;  // of the draw, for messages
  ConfigInput input;         // with the keys that were given
  const DeviceSpec* device = nullptr;
};

// The draws numbered first … first + count - 1.
std::vector<Drawn> draw_configurations(std::uint64_t first, std::uint64_t count);

}  // namespace rnnadvisor::test
