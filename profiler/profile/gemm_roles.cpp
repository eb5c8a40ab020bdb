#include "profiler/profile/gemm_roles.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace rnnadvisor {
namespace {

using model::Implementation;

constexpr int fewest_steps =
    4;  // below, "once per step" cannot be distinguished from "once per call"

class CallKernels {
 public:
  CallKernels(Profile& profile, const std::vector<KernelClass>& classes, const RnnCall& call,
              std::span<const std::size_t> kernels)
      : profile_(profile), classes_(classes), call_(call), kernels_(kernels) {}

  void assign() {
    const auto ran = implementation();
    for (const std::size_t k : kernels_) {
      const auto& known = class_of(k);
      auto& family = profile_.kernels.family[k];
      if (!ran) continue;
      const bool shared = !known.family && !known.family_id.empty();
      const bool product = known.role == KernelRole::gemm || known.serves_gemm;
      if (shared || (product && *ran == Implementation::standard)) family = *ran;
    }
    if (call_.phase == Phase::backward_weights) {
      set_gemm_roles([](std::size_t) { return KernelRole::weight_gemm; });
    } else if (ran == Implementation::standard) {
      tell_recurrent_from_layer();
    } else if (ran && *ran != Implementation::none) {
      // The recurrence is inside the persistent kernel.
      set_gemm_roles([](std::size_t) { return KernelRole::layer_gemm; });
    }
  }

 private:
  using Group = std::pair<int, std::array<int, 3>>;

  const KernelClass& class_of(std::size_t kernel) const {
    return classes_[static_cast<std::size_t>(profile_.kernels.name[kernel])];
  }
  bool is_gemm(std::size_t kernel) const { return class_of(kernel).role == KernelRole::gemm; }

  std::optional<Implementation> implementation() const {
    std::vector<int> ids;
    for (const std::size_t k : kernels_) ids.push_back(profile_.kernels.name[k]);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::vector<std::string_view> names;
    for (const int id : ids) names.push_back(profile_.text(id));
    return implementation_of(names, call_.phase);
  }

  int steps() const {
    const auto index = static_cast<std::size_t>(call_.configuration);
    if (call_.configuration < 0 || index >= profile_.configurations.size()) return 0;
    return profile_.configurations[index].config.seq_length;
  }

  template <class RoleOf>
  void set_gemm_roles(RoleOf role_of) {
    for (const std::size_t k : kernels_) {
      if (is_gemm(k)) profile_.kernels.role[k] = role_of(k);
    }
  }

  // With sequences of different lengths the grid shrinks from step to step, so grids are looked at
  // first and left out when no group is large enough.
  void tell_recurrent_from_layer() {
    const std::int64_t least = (3 * static_cast<std::int64_t>(steps()) + 3) / 4;
    if (steps() < fewest_steps) return;
    for (const bool with_grid : {true, false}) {
      std::map<Group, std::int64_t> counts;
      for (const std::size_t k : kernels_) {
        if (is_gemm(k)) ++counts[group(k, with_grid)];
      }
      const bool found = std::any_of(counts.begin(), counts.end(),
                                     [&](const auto& g) { return g.second >= least; });
      if (!found && with_grid) continue;
      set_gemm_roles([&](std::size_t k) {
        if (!found) return KernelRole::gemm;
        return counts[group(k, with_grid)] >= least ? KernelRole::recurrent_gemm
                                                    : KernelRole::layer_gemm;
      });
      return;
    }
  }

  Group group(std::size_t kernel, bool with_grid) const {
    return {profile_.kernels.name[kernel],
            with_grid ? profile_.kernels.grid[kernel] : std::array<int, 3>{}};
  }

  Profile& profile_;
  const std::vector<KernelClass>& classes_;
  const RnnCall& call_;
  std::span<const std::size_t> kernels_;
};

}  // namespace

void assign_families_and_roles(Profile& profile, const std::vector<KernelClass>& classes) {
  auto& kernels = profile.kernels;
  const std::size_t count = kernels.size();
  kernels.family.assign(count, Implementation::none);
  kernels.role.assign(count, KernelRole::unknown);
  // Kernels by call, in one pass each: how many, where they begin, which.
  std::vector<std::size_t> begin(profile.calls.size() + 1, 0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto& known = classes[static_cast<std::size_t>(kernels.name[k])];
    kernels.family[k] = known.family.value_or(Implementation::none);
    kernels.role[k] = known.role;
    if (kernels.call[k] >= 0) ++begin[static_cast<std::size_t>(kernels.call[k]) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::size_t> by_call(begin.back());
  auto next = begin;
  for (std::size_t k = 0; k < count; ++k) {
    if (kernels.call[k] >= 0) by_call[next[static_cast<std::size_t>(kernels.call[k])]++] = k;
  }
  for (std::size_t call = 0; call < profile.calls.size(); ++call) {
    const std::span<const std::size_t> own(by_call.data() + begin[call],
                                           begin[call + 1] - begin[call]);
    if (!own.empty()) CallKernels(profile, classes, profile.calls[call], own).assign();
  }
}

}  // namespace rnnadvisor
