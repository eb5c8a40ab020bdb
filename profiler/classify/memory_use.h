// What the program around a configuration held on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

// What cuDNN may need beside the framework's memory: where less was free, a failure of cuDNN is one
// of memory, whatever its status. On an H200 its handle alone was refused with 9 MiB free and made
// with 17 (tests/gpu/results/h200/little-memory.jsonl); kernels come on top. Our choice.
inline constexpr std::int64_t little_memory = std::int64_t{64} << 20;

struct MemoryUse {
  // Most bytes that a process with calls of the configuration held at once on its device, by the
  // allocation events of the profile: what its allocators took from CUDA, in use or kept for later.
  // -1: none were recorded.
  std::int64_t peak = -1;
  // Most bytes of reserve space held at once, of all forward training calls of such a process that
  // a backward pass followed: each from its forward call to the end of the backward call that needs
  // it last. -1: no such call.
  std::int64_t reserve_held = -1;
  // Least free memory of the GPU after a call of the configuration that failed; where none was
  // seen, at the end of a process with calls of it that an exception ended. -1: not known.
  std::int64_t free_at_failure = -1;
};

// One for each configuration of the profile; those with calls only have values.
std::vector<MemoryUse> memory_use(const Profile& profile);

}  // namespace rnnadvisor
