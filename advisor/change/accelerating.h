// Changes that `rnnadvisor accelerate` makes below a program, and how advice names the command.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/change/change.h"
#include "core/config/program_context.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

// Another cuDNN algorithm and nothing else, in a PyTorch program that does not ask for equal
// results in every run: `accelerate` measures it in the program and keeps it where it is faster.
// For a float32 layer with the default math type together with conversion to half, which needs
// `--allow numerics`. Of layers that it leaves alone (docs/accelerate.md): no.
bool accelerate_does(std::span<const Transform> changes, std::optional<Framework> framework,
                     const RnnConfig& config, const ProgramContext& program);

// What is left of `changes` for code to do where `accelerate` makes the others; nothing where it
// makes none of them or all.
std::vector<Transform> beside_accelerate(std::span<const Transform> changes,
                                         std::optional<Framework> framework,
                                         const RnnConfig& config, const ProgramContext& program);

// Whether there is any change that it could make for such a layer.
bool accelerates_something(std::optional<Framework> framework, const RnnConfig& config,
                           const ProgramContext& program);

// Behind the advice to capture a CUDA graph: docs/accelerate.md, "Not yet".
inline constexpr std::string_view graph_under_accelerate =
    " Under `rnnadvisor accelerate` run at least 30 steps before the capture: a graph keeps the "
    "algorithms that it was captured with.";

// "rnnadvisor accelerate -- python3 train.py": with the command line that the calls of the
// configuration were recorded under, or `<program>`; with what `changes` need to be allowed.
std::string accelerate_command_of(const Profile& profile, int configuration,
                                  std::span<const Transform> changes);

// What to do for such changes, as a sentence.
std::string accelerate_advice(const Profile& profile, int configuration,
                              std::span<const Transform> changes);

}  // namespace rnnadvisor::advisor
