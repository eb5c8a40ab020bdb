#include "profiler/classify/framework_signs.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/classify/torch_choice.h"

namespace rnnadvisor {
namespace {

bool may_be_autocast(const Configuration& configuration) {
  return configuration.described() && configuration.from_program() &&
         configuration.program.name == Framework::pytorch && !configuration.program.autocast &&
         configuration.config.data_type == DataType::half;
}

// What autocast would convert for a forward call; 0 for another call, and where the configuration
// cannot be one of autocast.
int weight_tensors(const Profile& profile, int call) {
  const auto& made = profile.calls[static_cast<std::size_t>(call)];
  if (!is_forward(made.phase) || made.configuration < 0) return 0;
  const auto& configuration = profile.configurations[static_cast<std::size_t>(made.configuration)];
  if (!may_be_autocast(configuration)) return 0;
  // Two matrices for each layer and direction are there with every bias mode.
  const auto& config = configuration.config;
  return 2 * config.num_layers * config.directions() *
         (config.bias_mode == BiasMode::double_bias ? 2 : 1);
}

constexpr std::size_t most_tensors = 1024;
// Between the copies of the weights and the kernels of the call those of the input and the states
// are converted, and little else runs.
constexpr std::size_t others_between = 12;

}  // namespace

void infer_autocast(Profile& profile) {
  if (std::none_of(profile.configurations.begin(), profile.configurations.end(), may_be_autocast))
    return;
  std::vector<char> converts(profile.strings.size(), 0);
  bool any = false;
  for (std::size_t i = 0; i < profile.strings.size(); ++i) {
    converts[i] = profile.strings[i].find("float16_copy_kernel_cuda") != std::string::npos;
    any = any || converts[i] != 0;
  }
  if (!any) return;
  struct Calls {
    int all = 0, converted = 0;
  };
  std::map<int, Calls> found;               // by configuration
  std::map<int, std::deque<char>> kernels;  // since the last call, by process: whether it converts
  std::set<int> called;                     // processes
  std::vector<char> seen(profile.calls.size(), 0);
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {  // by start
    auto& last = kernels[profile.kernels.process[i]];
    const int call = profile.kernels.call[i];
    if (call >= 0 && std::exchange(seen[static_cast<std::size_t>(call)], 1) == 0) {
      const int tensors = weight_tensors(profile, call);
      // Before the first call of a process its model is made, and may be converted.
      if (tensors > 0 && called.contains(profile.kernels.process[i])) {
        const auto reach =
            std::min(last.size(), static_cast<std::size_t>(tensors) + others_between);
        const auto copies =
            std::count(last.end() - static_cast<std::ptrdiff_t>(reach), last.end(), 1);
        Calls& calls = found[profile.calls[static_cast<std::size_t>(call)].configuration];
        ++calls.all;
        calls.converted += copies >= tensors ? 1 : 0;
      }
    }
    if (call >= 0) {
      called.insert(profile.kernels.process[i]);
      last.clear();
    } else {
      last.push_back(converts[static_cast<std::size_t>(profile.kernels.name[i])]);
      if (last.size() > most_tensors + others_between) last.pop_front();
    }
  }
  for (const auto& [configuration, calls] : found) {
    if (2 * calls.converted > calls.all)
      profile.configurations[static_cast<std::size_t>(configuration)].program.autocast =
          Autocast::float16;
  }
}

void infer_tf32(Profile& profile) {
  std::map<int, std::set<int>> names;  // of kernels, by configuration
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const int call = profile.kernels.call[i];
    if (call < 0) continue;
    const auto& made = profile.calls[static_cast<std::size_t>(call)];
    // Some products of weight gradients ran without Tensor Cores although TF32 was allowed.
    if (made.configuration >= 0 && made.phase != Phase::backward_weights)
      names[made.configuration].insert(profile.kernels.name[i]);
  }
  for (const auto& [index, ids] : names) {
    auto& configuration = profile.configurations[static_cast<std::size_t>(index)];
    const auto& device = profile.devices[static_cast<std::size_t>(configuration.device)];
    if (!configuration.described() || configuration.program.name != Framework::pytorch ||
        configuration.config.data_type != DataType::float32 || configuration.program.allow_tf32 ||
        !device.compute_at_least(8))
      continue;
    std::vector<std::string_view> kernels;
    for (const int id : ids) kernels.push_back(profile.strings[static_cast<std::size_t>(id)]);
    configuration.program.allow_tf32 = allows_tf32(kernels);
    configuration.config.math_type =
        pytorch_math_type(configuration.config, configuration.program, device);
  }
}

}  // namespace rnnadvisor
