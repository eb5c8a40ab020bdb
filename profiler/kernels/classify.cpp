#include "profiler/kernels/classify.h"

#include <unordered_map>

#include "profiler/kernels/families.h"
#include "profiler/kernels/kernel_name.h"

namespace rnnadvisor {
namespace {

struct Cached {
  int family = -1;
  KernelClass kernel_class;
};

Cached look_up(std::string_view name) {
  const std::string demangled = demangle_kernel(name);
  Cached result;
  result.family = classify::family_of(demangled);
  if (result.family < 0) return result;
  const auto& family = classify::families()[static_cast<std::size_t>(result.family)];
  auto& found = result.kernel_class;
  found.family = family.implementation;
  found.role = family.role;
  found.serves_gemm = family.serves_gemm;
  found.family_id = family.id;
  found.tensor_cores = family.tensor_cores;
  if (family.tensor_core_argument > 0) {
    const auto argument = classify::template_argument(classify::without_return_type(demangled),
                                                      family.tensor_core_argument);
    if (argument == "true") found.tensor_cores = family.when_true;
    if (argument == "false") found.tensor_cores = family.when_false;
  }
  return result;
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

// A profile has a few hundred distinct names but millions of kernels. Per thread, so that no lock
// is taken.
const Cached& cached(std::string_view name) {
  constexpr std::size_t most = 8192;
  thread_local std::unordered_map<std::string, Cached, TextHash, std::equal_to<>> cache;
  const auto found = cache.find(name);
  if (found != cache.end()) return found->second;
  if (cache.size() >= most) cache.clear();
  return cache.emplace(std::string(name), look_up(name)).first->second;
}

}  // namespace

KernelClass classify_kernel(std::string_view name) { return cached(name).kernel_class; }

std::optional<model::Implementation> implementation_of(
    std::span<const std::string_view> kernel_names, Phase phase) {
  // Backward weights launches the same kernels whatever the algorithm.
  if (phase == Phase::backward_weights) return std::nullopt;
  const auto all = classify::families();
  std::size_t first = all.size();
  for (const auto name : kernel_names) {
    const int family = cached(name).family;
    if (family < 0) continue;
    const auto index = static_cast<std::size_t>(family);
    if (index < first && all[index].call) first = index;
  }
  if (first == all.size()) return std::nullopt;
  return all[first].call;
}

}  // namespace rnnadvisor
