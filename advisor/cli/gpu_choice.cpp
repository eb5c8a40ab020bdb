#include "advisor/cli/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace rnnadvisor::cli {
namespace {

// What stands in the way on this machine, as one error.
Error nothing_to_run_on(const MachineReport& machine, int device, std::string_view what,
                        std::string_view without, std::string_view option) {
  const auto error = [](std::string message, std::string remedy) {
    return Error{ErrorCode::unsupported, std::move(message), std::move(remedy), std::nullopt, {}};
  };
  const std::string dry = without.empty() ? std::string() : fmt::format("; {}", without);
  if (!machine.built_with_cuda)
    return error(fmt::format("{} needs a build with CUDA, and this one is without", what),
                 fmt::format("take the release for machines with a GPU{}", dry));
  if (machine.gpus.empty()) {
    return error(
        fmt::format("{} needs an NVIDIA GPU: {}", what,
                    machine.driver_problem.empty() ? "none was found" : machine.driver_problem),
        fmt::format("`rnnadvisor doctor` says more{}", dry));
  }
  for (const auto& gpu : machine.gpus) {
    if (gpu.ordinal == device && !gpu.usable)
      return error(fmt::format("GPU {} cannot be used: {}", device, gpu.problem),
                   fmt::format("`rnnadvisor doctor` says more{}", dry));
  }
  for (const auto& library : machine.libraries) {
    if (library.name == "cuDNN" && !library.found) {
      return error(fmt::format("{} needs cuDNN, which was not found{}", what,
                               library.problem.empty() ? "" : ": " + library.problem),
                   fmt::format("`rnnadvisor doctor` says where it was looked for{}", dry));
    }
  }
  return error(fmt::format("this machine has no GPU {}", device),
               fmt::format("{} takes 0 to {}", option, machine.gpus.size() - 1));
}

}  // namespace

Result<DeviceSpec> gpu_for(const Context& context, int device, std::string_view what,
                           std::string_view without, std::string_view option) {
  const auto machine = context.services.inspect_machine();
  const bool no_cudnn =
      std::any_of(machine.libraries.begin(), machine.libraries.end(),
                  [](const auto& library) { return library.name == "cuDNN" && !library.found; });
  const auto gpu =
      std::find_if(machine.gpus.begin(), machine.gpus.end(),
                   [&](const GpuState& state) { return state.ordinal == device && state.usable; });
  if (!machine.built_with_cuda || gpu == machine.gpus.end() || no_cudnn)
    return fail(nothing_to_run_on(machine, device, what, without, option));
  return gpu->spec;
}

}  // namespace rnnadvisor::cli
