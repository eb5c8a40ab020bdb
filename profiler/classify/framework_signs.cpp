#include "profiler/classify/framework_signs.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace rnnadvisor {
namespace {

bool may_be_autocast(const Configuration& configuration) {
  return configuration.origin == Origin::captured &&
         configuration.program.name == Framework::pytorch && !configuration.program.autocast &&
         configuration.config.data_type == DataType::half;
}

}  // namespace

void infer_autocast(Profile& profile) {
  std::map<int, std::int64_t> needed;     // weight tensors of the forward calls, by process
  std::map<int, std::set<int>> affected;  // configurations, by process
  for (const auto& call : profile.calls) {
    if (!is_forward(call.phase) || call.configuration < 0) continue;
    const auto& configuration =
        profile.configurations[static_cast<std::size_t>(call.configuration)];
    if (!may_be_autocast(configuration)) continue;
    // Two matrices for each layer and direction are there with every bias mode.
    needed[call.process] += std::int64_t{2} * configuration.config.num_layers *
                            configuration.config.directions() *
                            (configuration.config.bias_mode == BiasMode::double_bias ? 2 : 1);
    affected[call.process].insert(call.configuration);
  }
  if (needed.empty()) return;
  std::vector<char> converts(profile.strings.size(), 0);
  for (std::size_t i = 0; i < profile.strings.size(); ++i)
    converts[i] = profile.strings[i].find("float16_copy_kernel_cuda") != std::string::npos;
  std::map<int, std::int64_t> found;
  const auto& kernels = profile.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (kernels.call[i] < 0 && converts[static_cast<std::size_t>(kernels.name[i])] != 0)
      ++found[kernels.process[i]];
  for (const auto& [process, tensors] : needed) {
    if (found[process] < tensors) continue;
    for (const int configuration : affected[process])
      profile.configurations[static_cast<std::size_t>(configuration)].program.autocast =
          Autocast::float16;
  }
}

}  // namespace rnnadvisor
