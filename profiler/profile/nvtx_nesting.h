// Which NVTX ranges lie within which, and which lie around a call. Private to this directory.
#pragma once

#include <cstddef>
#include <vector>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

// Sets the depth of every range: how many that began before on its thread are still open.
void compute_depths(NvtxTable& nvtx);

// For every call the ranges (indices into `nvtx`, which must be sorted) of its process and thread
// that began no later and end no earlier than it, the outermost first and at most so many.
inline constexpr std::size_t most_around = 256;
std::vector<std::vector<std::size_t>> enclosing_ranges(const NvtxTable& nvtx,
                                                       const std::vector<RnnCall>& calls);

}  // namespace rnnadvisor
