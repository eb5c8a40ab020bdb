#include "profiler/profile/cudnn_status.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace rnnadvisor {
namespace {

// Those below 1000 are cuDNN 8's (cudnn_ops_infer.h), the others cuDNN 9's (cudnn_graph.h).
constexpr std::array<std::pair<int, std::string_view>, 62> statuses = {{
    {0, "SUCCESS"},
    {1, "NOT_INITIALIZED"},
    {2, "ALLOC_FAILED"},
    {3, "BAD_PARAM"},
    {4, "INTERNAL_ERROR"},
    {5, "INVALID_VALUE"},
    {6, "ARCH_MISMATCH"},
    {7, "MAPPING_ERROR"},
    {8, "EXECUTION_FAILED"},
    {9, "NOT_SUPPORTED"},
    {10, "LICENSE_ERROR"},
    {11, "RUNTIME_PREREQUISITE_MISSING"},
    {12, "RUNTIME_IN_PROGRESS"},
    {13, "RUNTIME_FP_OVERFLOW"},
    {14, "VERSION_MISMATCH"},
    {1001, "NOT_INITIALIZED"},
    {1002, "SUBLIBRARY_VERSION_MISMATCH"},
    {1003, "SERIALIZATION_VERSION_MISMATCH"},
    {1004, "DEPRECATED"},
    {1005, "LICENSE_ERROR"},
    {1006, "RUNTIME_IN_PROGRESS"},
    {1007, "RUNTIME_FP_OVERFLOW"},
    {1008, "SUBLIBRARY_LOADING_FAILED"},
    {2000, "BAD_PARAM"},
    {2002, "BAD_PARAM_NULL_POINTER"},
    {2003, "BAD_PARAM_MISALIGNED_POINTER"},
    {2004, "BAD_PARAM_NOT_FINALIZED"},
    {2005, "BAD_PARAM_OUT_OF_BOUND"},
    {2006, "BAD_PARAM_SIZE_INSUFFICIENT"},
    {2007, "BAD_PARAM_STREAM_MISMATCH"},
    {2008, "BAD_PARAM_SHAPE_MISMATCH"},
    {2009, "BAD_PARAM_DUPLICATED_ENTRIES"},
    {2010, "BAD_PARAM_ATTRIBUTE_TYPE"},
    {2011, "BAD_PARAM_CUDA_GRAPH_MISMATCH"},
    {2012, "BAD_PARAM_DESCRIPTOR_TYPE"},
    {3000, "NOT_SUPPORTED"},
    {3001, "NOT_SUPPORTED_GRAPH_PATTERN"},
    {3002, "NOT_SUPPORTED_SHAPE"},
    {3003, "NOT_SUPPORTED_DATA_TYPE"},
    {3004, "NOT_SUPPORTED_LAYOUT"},
    {3005, "NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER"},
    {3006, "NOT_SUPPORTED_INCOMPATIBLE_CUDART"},
    {3007, "NOT_SUPPORTED_ARCH_MISMATCH"},
    {3008, "NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING"},
    {3009, "NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE"},
    {3010, "NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT"},
    {3011, "NOT_SUPPORTED_PADDING"},
    {3012, "NOT_SUPPORTED_BAD_LAUNCH_PARAM"},
    {3013, "NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API"},
    {3014, "NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE"},
    {4000, "INTERNAL_ERROR"},
    {4001, "INTERNAL_ERROR_COMPILATION_FAILED"},
    {4002, "INTERNAL_ERROR_UNEXPECTED_VALUE"},
    {4003, "INTERNAL_ERROR_HOST_ALLOCATION_FAILED"},
    {4004, "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"},
    {4005, "INTERNAL_ERROR_BAD_LAUNCH_PARAM"},
    {4006, "INTERNAL_ERROR_TEXTURE_CREATION_FAILED"},
    {5000, "EXECUTION_FAILED"},
    {5001, "EXECUTION_FAILED_CUDA_DRIVER"},
    {5002, "EXECUTION_FAILED_CUBLAS"},
    {5003, "EXECUTION_FAILED_CUDART"},
    {5004, "EXECUTION_FAILED_CURAND"},
}};

}  // namespace

std::string status_name(int status) {
  for (const auto& [number, name] : statuses) {
    if (number == status) return fmt::format("CUDNN_STATUS_{}", name);
  }
  return fmt::format("cuDNN status {}", status);
}

int status_number(std::string_view name, int version) {
  constexpr std::string_view prefix = "CUDNN_STATUS_";
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  const bool nine = version >= 90000;
  for (const auto& [number, spelled] : statuses) {
    if (spelled == name && (number == 0 || (number >= 1000) == nine)) return number;
  }
  return -1;
}

bool is_failure(int status) {
  // cuDNN 8: ALLOC_FAILED, INTERNAL_ERROR, MAPPING_ERROR, EXECUTION_FAILED. cuDNN 9: internal
  // errors begin at 4000, failed executions at 5000.
  return status == 2 || status == 4 || status == 7 || status == 8 || status >= 4000;
}

}  // namespace rnnadvisor
