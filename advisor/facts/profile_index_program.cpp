// What ProfileIndex knows of a recorded program beyond its RNN calls, each looked for when first
// asked.
#include <algorithm>

#include "advisor/facts/profile_index.h"

namespace rnnadvisor::advisor {
namespace {

// Time in kernels of a configuration's calls; of one without cuDNN, of the recurrences it stands
// for.
std::int64_t kernel_ns(const ProfileIndex& index, int configuration) {
  std::int64_t sum = 0;
  for (const Phase phase : all_phases) {
    if (const auto* kernels = index.phase_kernels(configuration, phase)) sum += kernels->kernel_ns;
  }
  const auto& own = index.profile().configurations[static_cast<std::size_t>(configuration)];
  if (own.described() || !index.calls(configuration).empty()) return sum;
  for (const auto& recurrence : index.native_recurrences())
    if (recurrence.device == own.device) sum += recurrence.kernel_ns;
  return sum;
}

int main_configuration(const ProfileIndex& index, int device) {
  const auto& all = index.profile().configurations;
  int main = -1;
  std::int64_t most = -1;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const int configuration = static_cast<int>(c);
    if (!all[c].from_program() || all[c].device != device || index.tried(configuration)) continue;
    const auto ns = kernel_ns(index, configuration);
    if (ns <= most) continue;
    most = ns;
    main = configuration;
  }
  return main;
}

// Of the part that gpu_busy() looks at. ncclKernel_… is what they were called before NCCL 2.19.
double collectives(const Profile& profile, int device, const GpuBusy& busy) {
  const auto& kernels = profile.kernels;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (kernels.device[k] != device || kernels.process[k] != busy.process ||
        kernels.start_ns[k] < busy.from_ns)
      continue;
    const std::string& name = profile.text(kernels.name[k]);
    if (name.starts_with("ncclDevKernel") || name.starts_with("ncclKernel"))
      sum += kernels.end_ns[k] - kernels.start_ns[k];
  }
  return std::min(1.0, static_cast<double>(sum) / static_cast<double>(busy.span_ns));
}

bool is_concurrent(const ProfileIndex& index, int device) {
  const auto& all = index.profile().configurations;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const auto& config = all[c].config;
    if (!all[c].from_program() || all[c].device != device) continue;
    if (config.num_layers < 2 && config.direction == Direction::unidirectional) continue;
    for (const Phase phase : all_phases) {
      const auto* kernels = index.phase_kernels(static_cast<int>(c), phase);
      if (kernels != nullptr && kernels->implementation == model::Implementation::standard)
        return true;
    }
  }
  return false;
}

// Of all that the process ran: for calls of which none lie in the part that GpuBusy looks at.
double share_of_kernels(const ProfileIndex& index, int process, std::span<const int> calls) {
  const auto& kernels = index.profile().kernels;
  const auto took = [&](std::size_t k) {
    return static_cast<double>(kernels.end_ns[k] - kernels.start_ns[k]);
  };
  double own = 0, all = 0;
  for (const int call : calls)
    for (const int kernel : index.kernels(call))
      if (kernels.process[static_cast<std::size_t>(kernel)] == process)
        own += took(static_cast<std::size_t>(kernel));
  for (std::size_t k = 0; own > 0 && k < kernels.size(); ++k)
    if (kernels.process[k] == process) all += took(k);
  return all > 0 ? std::min(1.0, own / all) : 0;
}

// Of the steps without tracing: for calls that were made in these alone.
double share_of_untraced(const Profile& profile, const ProgramSteps& steps,
                         std::span<const int> calls) {
  double own = 0;
  for (const int at : calls) {
    const auto& call = profile.calls[static_cast<std::size_t>(at)];
    if (call.untraced && call.process == steps.process && call.device_duration_ns > 0)
      own += static_cast<double>(call.device_duration_ns);
  }
  return std::min(1.0, own / (steps.untraced * steps.untraced_ns));
}

}  // namespace

std::optional<double> share_of_step(const ProfileIndex& index, int configuration,
                                    std::string_view scope) {
  const auto& profile = index.profile();
  const auto at = static_cast<std::size_t>(configuration);
  if (configuration < 0 || at >= profile.configurations.size() ||
      !profile.configurations[at].from_program())
    return std::nullopt;
  const auto& step = index.program_step(configuration);
  const auto& busy = step.busy;
  if (!busy) return std::nullopt;
  if (scope == "program step") return 1;
  const auto phases = phases_of_scope(scope);
  std::vector<int> calls;
  for (const int call : index.calls(configuration)) {
    const Phase phase = profile.calls[static_cast<std::size_t>(call)].phase;
    if (phases.empty() || std::find(phases.begin(), phases.end(), phase) != phases.end())
      calls.push_back(call);
  }
  double share =
      share_of_calls(profile, *busy, calls, [&](int call) { return index.kernels(call); });
  if (share <= 0) share = busy->share() * share_of_kernels(index, busy->process, calls);
  if (share <= 0 && step.steps) share = share_of_untraced(profile, *step.steps, calls);
  return share > 0 ? std::optional(share) : std::nullopt;
}

const std::vector<NativeRecurrence>& ProfileIndex::native_recurrences() const {
  if (!native_) native_ = rnnadvisor::native_recurrences(*profile_);
  return *native_;
}

const CallSigns& ProfileIndex::signs(int configuration) const {
  if (!signs_) signs_ = call_signs(*profile_);
  return (*signs_)[static_cast<std::size_t>(configuration)];
}

const MemoryUse& ProfileIndex::memory_use(int configuration) const {
  if (!memory_use_) memory_use_ = rnnadvisor::memory_use(*profile_);
  return (*memory_use_)[static_cast<std::size_t>(configuration)];
}

const ProgramStep& ProfileIndex::program_step(int configuration) const {
  const int device = profile_->configurations[static_cast<std::size_t>(configuration)].device;
  const auto found = steps_.find(device);
  if (found != steps_.end()) return found->second;
  ProgramStep step;
  step.busy = gpu_busy(*profile_, device, native_recurrences());
  if (step.busy) step.steps = program_steps(*profile_, device, native_recurrences());
  step.concurrent = is_concurrent(*this, device);
  step.main_configuration = rnnadvisor::advisor::main_configuration(*this, device);
  step.obstacles = capture_obstacles(*profile_, device, native_recurrences());
  if (step.busy) {
    step.collectives = collectives(*profile_, device, *step.busy);
    const auto process = static_cast<std::size_t>(step.busy->process);
    if (process < profile_->processes.size())
      step.world_size = profile_->processes[process].world_size;
  }
  return steps_.emplace(device, step).first->second;
}

}  // namespace rnnadvisor::advisor
