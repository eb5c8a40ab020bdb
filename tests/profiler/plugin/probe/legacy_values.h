// The values of legacy_probe, which the test expects: each different from its neighbours and from
// what a default would be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace probe {

inline constexpr std::int32_t input_size = 24, hidden_size = 40, projection_size = 16, layers = 3;
inline constexpr int weights = 5555;  // half
inline const std::vector<int> batches = {3, 3, 2, 1, 1};
inline const std::vector<int> lengths_of_batches = {5, 3, 2};
inline constexpr int ex_steps = 17, ex_input_size = 26;
inline const std::vector<int> ex_lengths = {9, 17, 1, 9};
inline constexpr double clip_low = -1.5, clip_high = 2.5;
inline constexpr float dropout = 0.25F;
inline constexpr unsigned long long dropout_seed = 0x123456789abcULL;
inline constexpr std::size_t workspace_bytes = 22222, reserve_bytes = 33333;
inline void* at(std::uintptr_t bits) { return reinterpret_cast<void*>(std::uintptr_t{1} << bits); }

}  // namespace probe
