#include "profiler/classify/repeated_kernels.h"

#include <map>

#include "profiler/classify/program_steps.h"

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
  for (const auto& [name, count] : launches) {
    if (count < fewest_launches * steps) continue;
    repeated += count;
    ++found.kernels;
    if (count / steps <= found.most_launches) continue;
    found.most_launches = count / steps;
    found.most = profile.text(name);
  }
  if (all > 0) found.share = repeated / all;
  return found;
}

}  // namespace rnnadvisor
