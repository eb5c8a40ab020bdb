// What a kernel does in a recurrent network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnnadvisor {

enum class KernelRole : std::uint8_t {  // a byte: profiles have columns of it
  recurrent_gemm,
  layer_gemm,
  weight_gemm,
  gemm,
  pointwise,
  persistent,
  reduction,
  layout_change,
  conversion,
  initialisation,
  copy,
  other,
  algorithm_search,  // a trial of cudnnFindRNN…AlgorithmEx: nothing that the program computed
  unknown            // stays the last
};
inline constexpr std::size_t kernel_role_count = static_cast<std::size_t>(KernelRole::unknown) + 1;
std::string_view to_string(KernelRole role);

}  // namespace rnnadvisor
