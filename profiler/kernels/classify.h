// Which implementation family a kernel belongs to and what it does, from its name. The families are
// data with provenance (profiler/kernels/families.toml, seeded from the kernels recorded on an
// H200); a name no family knows is unknown, never guessed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/rnn_config.h"
#include "core/model/eligibility.h"
#include "profiler/kernels/kernel_role.h"

namespace rnnadvisor {

// Whether a kernel name alone suggests Tensor Cores. Never a verdict: counters decide where they
// are permitted, and a report that uses this says "inferred from kernel names". `unknown` for every
// kernel that is no matrix product and no persistent kernel: ask only those two.
enum class TensorCoreHint { yes, no, unknown };

struct KernelClass {
  // none: not part of cuDNN's RNN code (a GEMM of a standard call is `standard` only once its call
  // is known). Empty: an unknown kernel, or cuDNN RNN code that several implementations share (then
  // family_id is set).
  std::optional<model::Implementation> family;
  KernelRole role = KernelRole::unknown;
  TensorCoreHint tensor_cores = TensorCoreHint::unknown;
  bool serves_gemm = false;    // launched by cuBLAS as part of a matrix product
  std::string_view family_id;  // the entry in families.toml, "elemWiseRNNcell"; empty when unknown

  bool operator==(const KernelClass&) const = default;
};

// `name` is demangled or mangled; template arguments are looked at where a family asks for it.
// Results are cached per thread and distinct name.
KernelClass classify_kernel(std::string_view name);

// What the kernels of one call say: the implementation that ran, or nothing when they do not tell
// (backward weights never does). The order and number of names do not matter. `none` means that a
// framework's own cells ran instead of cuDNN.
std::optional<model::Implementation> implementation_of(
    std::span<const std::string_view> kernel_names, Phase phase);

// The demangled name without "void ", template arguments and parameters: for tables. The name of
// the product is kept where it is a template argument: "cutlass::Kernel2<cutlass_80_…>" gives
// "cutlass_80_…".
std::string short_kernel_name(std::string_view name);

// The name as people read it; a name that is not mangled, or does not demangle, comes back
// unchanged.
std::string demangle_kernel(std::string_view name);

}  // namespace rnnadvisor
