// How a recorded program ended.
#pragma once

#include "advisor/report/report.h"

namespace rnnadvisor::advisor {

// What cuDNN may need beside the framework's memory: where less was free, a failure of cuDNN is one
// of memory, whatever its status. On an H200 its handle alone was refused with 9 MiB free and made
// with 17 (tests/gpu/results/h200/little-memory.jsonl); kernels come on top. Our choice.
inline constexpr std::int64_t little_memory = std::int64_t{64} << 20;

// Nothing where no exception was kept: the program ended well, or in a way that leaves none.
std::optional<ProgramEnd> end_of_program(const Profile& profile);

// The last `most` lines of a text.
std::string_view last_lines(std::string_view text, std::size_t most);

}  // namespace rnnadvisor::advisor
