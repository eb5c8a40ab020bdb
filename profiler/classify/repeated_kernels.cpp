#include "profiler/classify/repeated_kernels.h"

#include <map>
#include <set>

#include "profiler/classify/gpu_busy.h"
#include "profiler/classify/program_steps.h"
#include "profiler/classify/step_parts.h"

namespace rnnadvisor {
namespace {

constexpr double fewest_launches = 1000;  // in a step

}  // namespace

RepeatedKernels repeated_kernels(const Profile& profile, int process, int device) {
  const auto steps = static_cast<double>(step_beginnings(profile, device).size());
  RepeatedKernels found;
  if (steps < 2) return found;
  std::map<int, double> launches;  // by name
  double all = 0;
  const auto& kernels = profile.kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (kernels.process[k] != process || kernels.device[k] != device) continue;
    ++all;
    if (kernels.call[k] < 0) ++launches[kernels.name[k]];
  }
  double repeated = 0;
  std::set<int> names;
  for (const auto& [name, count] : launches) {
    if (count < fewest_launches * steps) continue;
    repeated += count;
    names.insert(name);
    if (count / steps <= found.most_launches) continue;
    found.most_launches = count / steps;
    found.most = profile.text(name);
  }
  if (names.empty()) return found;
  found.share = repeated / all;
  double waits = 0, before_them = 0;
  const auto repeats = [&](const StepWork& work) {
    return work.call < 0 && work.kernel >= 0 &&
           names.contains(kernels.name[static_cast<std::size_t>(work.kernel)]);
  };
  walk_work(
      step_work(profile, process, device, 0, {}), 0,
      [&](const StepWork* before, const StepWork& next, std::int64_t ns) {
        if (before == nullptr || ns > longest_launch_ns) return;
        waits += static_cast<double>(ns);
        // Such loops copy single numbers, too.
        if (repeats(next) || (next.kernel < 0 && repeats(*before)))
          before_them += static_cast<double>(ns);
      },
      [](const StepWork&, std::int64_t) {});
  if (waits > 0) found.share_of_waits = before_them / waits;
  return found;
}

}  // namespace rnnadvisor
