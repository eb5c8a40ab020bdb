#include "profiler/kernels/kernel_role.h"

#include <array>

namespace rnnadvisor {

std::string_view to_string(KernelRole role) {
  static constexpr std::array<std::string_view, kernel_role_count> roles = {
      "recurrent_gemm", "layer_gemm", "weight_gemm",      "gemm",       "pointwise",
      "persistent",     "reduction",  "layout_change",    "conversion", "initialisation",
      "copy",           "other",      "algorithm_search", "unknown"};
  const auto index = static_cast<std::size_t>(role);
  return index < roles.size() ? roles[index] : std::string_view("?");
}

}  // namespace rnnadvisor
