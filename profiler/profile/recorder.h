// Which tool took the records of a process: rnnadvisor itself, or one whose file was imported
// (profiler/import). Kept in Process::mode, which has rnnadvisor's own words for its own.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "profiler/profile/profile.h"

namespace rnnadvisor {

enum class Recorder { rnnadvisor, torch_profiler, cudnn_log, nsight_systems, xla_profiler };
inline constexpr std::array<Recorder, 5> all_recorders = {
    Recorder::rnnadvisor, Recorder::torch_profiler, Recorder::cudnn_log, Recorder::nsight_systems,
    Recorder::xla_profiler};

// "rnnadvisor", "torch.profiler", "cuDNN log", "Nsight Systems", "XLA profiler": as people call the
// tool.
std::string_view to_string(Recorder recorder);

Recorder recorder_of(const Process& process);
// Of the processes that have calls, or of all where none has; nothing where several tools took
// them, and in a profile without processes.
std::optional<Recorder> recorder_of(const Profile& profile);

}  // namespace rnnadvisor
