// The values of the mode `fields`, which the test expects in the spool: each different from its
// neighbours and from what a default would be.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <vector>

namespace probe {

inline constexpr std::int32_t input_size = 24, hidden_size = 40, projection_size = 16, layers = 3;
inline constexpr double clip_low = -2.5, clip_high = 3.25;
inline constexpr std::int32_t steps = 17, vector_size = 24;
inline const std::vector<int> lengths = {17, 9, 9, 5, 1};
inline constexpr float dropout = 0.25F;
inline constexpr unsigned long long dropout_seed = 0x123456789abcULL;
inline constexpr std::size_t weight_bytes = 11111, workspace_bytes = 22222, reserve_bytes = 33333;
// log2 of an address' alignment is that of its number, up to a page.
inline void* at(std::uintptr_t bits) { return reinterpret_cast<void*>(std::uintptr_t{1} << bits); }

}  // namespace probe
