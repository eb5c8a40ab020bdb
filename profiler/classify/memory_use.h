// What the program around a configuration held on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

struct MemoryUse {
  // Most bytes that a process with calls of the configuration held at once on its device, by the
  // allocation events of the profile: what its allocators took from CUDA, in use or kept for later.
  // -1: none were recorded.
  std::int64_t peak = -1;
  // Most bytes of reserve space held at once, of all forward training calls of such a process that
  // a backward pass followed: each from its forward call to the end of the backward call that needs
  // it last. -1: no such call.
  std::int64_t reserve_held = -1;
};

// One for each configuration of the profile; those with calls only have values.
std::vector<MemoryUse> memory_use(const Profile& profile);

}  // namespace rnnadvisor
