// What the writer asks of the system.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rnnadvisor::spool {

inline constexpr std::uint32_t largest_chunk = 256 * 1024;
inline constexpr std::uint32_t most_record_bytes = largest_chunk - 16;

int open_file(const char* path, int flags);
// Gives a file its blocks. False, with errno, where there are none; never a signal.
bool allocate(int file, std::uint64_t offset, std::uint64_t bytes);
// Zeroed memory that is zero again in every child that gets a copy of it. Null, with errno, where
// there is no memory; where the kernel cannot do it (before Linux 4.14) children keep the copy.
std::uint32_t* wiped_in_children(std::size_t bytes);
// Of a clock that never goes back, a few milliseconds coarse.
std::int64_t coarse_ns();

}  // namespace rnnadvisor::spool
