// The table of families.toml, read once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/eligibility.h"
#include "profiler/kernels/classify.h"
#include "profiler/kernels/kernel_role.h"

namespace rnnadvisor::classify {

struct Family {
  std::string id;
  std::vector<std::string> patterns;
  std::optional<model::Implementation> implementation;  // empty: shared by several
  std::optional<model::Implementation> call;            // what its presence says of a call
  KernelRole role = KernelRole::unknown;
  bool serves_gemm = false;
  TensorCoreHint tensor_cores = TensorCoreHint::unknown;
  int tensor_core_argument = 0;  // template argument that decides, from 1; 0: none
  TensorCoreHint when_true = TensorCoreHint::unknown, when_false = TensorCoreHint::unknown;
  std::vector<std::string> seen;
  std::string source;
};

// Every mistake is an error with file, line and column; families without a source are refused.
Result<std::vector<Family>> read_families(std::string_view toml, std::string_view file);

// The table that travels in the program. Empty only if it is defective, which a test excludes.
std::span<const Family> families();

// Index of the first family that matches a demangled name, or -1.
int family_of(std::string_view demangled);

}  // namespace rnnadvisor::classify
