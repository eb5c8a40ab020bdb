#include "profiler/profile/recorder.h"

#include <array>
#include <set>

namespace rnnadvisor {
namespace {

constexpr std::array<std::string_view, 5> recorder_names = {
    "rnnadvisor", "torch.profiler", "cuDNN log", "Nsight Systems", "XLA profiler"};

}  // namespace

std::string_view to_string(Recorder recorder) {
  return recorder_names[static_cast<std::size_t>(recorder)];
}

Recorder recorder_of(const Process& process) {
  for (const Recorder recorder : all_recorders)
    if (process.mode == to_string(recorder)) return recorder;
  return Recorder::rnnadvisor;
}

std::optional<Recorder> recorder_of(const Profile& profile) {
  std::set<Recorder> with_calls, all;
  for (const auto& call : profile.calls)
    with_calls.insert(recorder_of(profile.processes[static_cast<std::size_t>(call.process)]));
  for (const auto& process : profile.processes) all.insert(recorder_of(process));
  const auto& wanted = with_calls.empty() ? all : with_calls;
  if (wanted.size() != 1) return std::nullopt;
  return *wanted.begin();
}

}  // namespace rnnadvisor
