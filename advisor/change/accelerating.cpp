#include "advisor/change/accelerating.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/change/transform.h"

namespace rnnadvisor::advisor {
namespace {

// Those that need no plan of their own in each process, and whose gradients are right.
bool is_swapped(const Transform& change) {
  if (change.kind != "algo") return false;
  const auto value = parameter_of(change, "value");
  return value == ParameterValue(std::string(to_string(Algo::standard))) ||
         value == ParameterValue(std::string(to_string(Algo::persist_static)));
}

bool is_conversion(const Transform& change) {
  return change.kind == "math_type" &&
         parameter_of(change, "value") ==
             ParameterValue(std::string(to_string(MathType::tensor_op_allow_conversion)));
}

// What docs/accelerate.md leaves alone.
bool left_alone(const RnnConfig& config) {
  const bool data = config.data_type == DataType::half || config.data_type == DataType::float32;
  return !data || config.has_projection() || config.bias_mode != BiasMode::double_bias ||
         config.has_varying_lengths();
}

// The process that was started from outside; those that it started follow.
int first_process(const Profile& profile, int process) {
  const auto count = profile.processes.size();
  for (std::size_t step = 0; step < count; ++step) {
    const auto& own = profile.processes[static_cast<std::size_t>(process)];
    const auto parent =
        std::find_if(profile.processes.begin(), profile.processes.end(), [&](const Process& other) {
          return other.pid > 0 && other.pid == own.parent_pid && other.host == own.host;
        });
    if (parent == profile.processes.end() || parent->command_line.empty()) break;
    process = static_cast<int>(parent - profile.processes.begin());
  }
  return process;
}

std::string command_line_of(const Profile& profile, int configuration) {
  const auto call = std::find_if(profile.calls.begin(), profile.calls.end(),
                                 [&](const auto& c) { return c.configuration == configuration; });
  const auto known = [&](int process) {
    return process >= 0 && static_cast<std::size_t>(process) < profile.processes.size();
  };
  int process = call == profile.calls.end() ? -1 : call->process;
  if (!known(process)) {
    // Where calls were not recorded there is one program, or it is not known which.
    if (profile.processes.size() != 1 || call != profile.calls.end()) return {};
    process = 0;
  }
  const auto& found = profile.processes[static_cast<std::size_t>(first_process(profile, process))];
  // Of rnnadvisor's own runs there is no program to start.
  return found.mode == "run" ? std::string() : found.command_line;
}

}  // namespace

bool accelerates_something(std::optional<Framework> framework, const RnnConfig& config,
                           const ProgramContext& program) {
  return framework == Framework::pytorch && program.cublas_workspace_set != true &&
         program.deterministic != true && program.cudnn_enabled != false && !left_alone(config);
}

bool accelerate_does(std::span<const Transform> changes, std::optional<Framework> framework,
                     const RnnConfig& config, const ProgramContext& program) {
  if (!accelerates_something(framework, config, program)) return false;
  const auto swapped = std::count_if(changes.begin(), changes.end(), is_swapped);
  const auto converted = std::count_if(changes.begin(), changes.end(), is_conversion);
  if (swapped != 1 || swapped + converted != static_cast<std::ptrdiff_t>(changes.size()))
    return false;
  return converted == 0 ||
         (converted == 1 && config.data_type == DataType::float32 &&
          config.math_type == MathType::default_math && program.allow_tf32 != false);
}

std::vector<Transform> beside_accelerate(std::span<const Transform> changes,
                                         std::optional<Framework> framework,
                                         const RnnConfig& config, const ProgramContext& program) {
  std::vector<Transform> made, left;
  for (const auto& change : changes)
    (is_swapped(change) || is_conversion(change) ? made : left).push_back(change);
  if (!accelerate_does(made, framework, config, program)) left.clear();
  return left;
}

std::string accelerate_command_of(const Profile& profile, int configuration,
                                  std::span<const Transform> changes) {
  const auto line = command_line_of(profile, configuration);
  const bool converts = std::any_of(changes.begin(), changes.end(), is_conversion);
  return fmt::format("rnnadvisor accelerate {}-- {}", converts ? "--allow numerics " : "",
                     line.empty() ? "<program>" : line);
}

std::string accelerate_advice(const Profile& profile, int configuration,
                              std::span<const Transform> changes) {
  std::string name = "another algorithm";
  for (const auto& change : changes) {
    const auto value = parameter_of(change, "value");
    const auto* text = value && is_swapped(change) ? std::get_if<std::string>(&*value) : nullptr;
    if (text != nullptr) name = *text;
  }
  const auto command = accelerate_command_of(profile, configuration, changes);
  if (std::any_of(changes.begin(), changes.end(), is_conversion))
    return fmt::format(
        "Run `{}`: the program stays as it is, and its float32 layers use {} with products in half "
        "precision where that measures faster in it with nearly the same results.",
        command, name);
  return fmt::format(
      "Run `{}`: the program stays as it is, and its cuDNN calls use {} where that measures faster "
      "in it with the same results.",
      command, name);
}

}  // namespace rnnadvisor::advisor
