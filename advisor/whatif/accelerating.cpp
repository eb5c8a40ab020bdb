#include "advisor/whatif/accelerating.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/whatif/transform.h"

namespace rnnadvisor::advisor {
namespace {

// Those that need no plan of their own in each process, and whose gradients are right.
bool is_swapped(const Transform& change) {
  if (change.kind != "algo") return false;
  const auto value = parameter_of(change, "value");
  return value == ParameterValue(std::string(to_string(Algo::standard))) ||
         value == ParameterValue(std::string(to_string(Algo::persist_static)));
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

bool accelerate_does(std::span<const Transform> changes, std::optional<Framework> framework,
                     const ProgramContext& program) {
  return framework == Framework::pytorch && program.cublas_workspace_set != true &&
         program.deterministic != true && changes.size() == 1 && is_swapped(changes.front());
}

std::string accelerate_command_of(const Profile& profile, int configuration) {
  const auto line = command_line_of(profile, configuration);
  return fmt::format("rnnadvisor accelerate -- {}", line.empty() ? "<program>" : line);
}

std::string accelerate_advice(const Profile& profile, int configuration, const Transform& algo) {
  const auto value = parameter_of(algo, "value");
  const auto* name = value ? std::get_if<std::string>(&*value) : nullptr;
  return fmt::format(
      "Run `{}`: the program stays as it is, and its cuDNN calls use {} where that measures faster "
      "in it with the same results.",
      accelerate_command_of(profile, configuration), name != nullptr ? *name : "another algorithm");
}

}  // namespace rnnadvisor::advisor
