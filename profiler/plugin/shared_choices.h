// Choices that the processes of one job share on one host, through a file in the folder of the
// spools: the first rank measures, the others follow, so that all have one algorithm and one tunes.
// With the lock of call_kinds.h held.
#pragma once

#include <cstdint>
#include <optional>

#include "profiler/plugin/cudnn_library.h"

namespace rnnadvisor::plugin {

// Whether this process is a rank of a job, and not the first on its host.
bool follows_a_rank();
// Of the first rank: what was chosen for calls of a key, as Variant::code(); -1: the program's own.
void share_choice(const CudnnLibrary& library, int device, std::uint64_t key, int code);
// What the first rank chose on such a GPU with such a cuDNN; empty: nothing yet.
std::optional<int> shared_choice(const CudnnLibrary& library, int device, std::uint64_t key);

}  // namespace rnnadvisor::plugin
