// What ProfileIndex knows of a recorded program beyond its RNN calls, each looked for when first
// asked.
#include <algorithm>

#include "advisor/facts/profile_index.h"
#include "profiler/classify/recorded_steps.h"

namespace rnnadvisor::advisor {
namespace {

// For recurrences without cuDNN.
bool stands_for_cells(const ProfileIndex& index, int configuration) {
  return !index.profile().configurations[static_cast<std::size_t>(configuration)].described() &&
         index.calls(configuration).empty();
}

// Time in kernels of a configuration's calls; of one without cuDNN, of the recurrences it stands
// for.
std::int64_t kernel_ns(const ProfileIndex& index, int configuration) {
  std::int64_t sum = 0;
  for (const Phase phase : all_phases) {
    if (const auto* kernels = index.phase_kernels(configuration, phase)) sum += kernels->kernel_ns;
  }
  const auto& own = index.profile().configurations[static_cast<std::size_t>(configuration)];
  if (!stands_for_cells(index, configuration)) return sum;
  for (const auto& recurrence : index.native_recurrences())
    if (recurrence.device == own.device) sum += recurrence.kernel_ns;
  return sum;
}

// Where inference is no part of the steps, one that trains.
int main_configuration(const ProfileIndex& index, int device, bool inference_apart) {
  const auto& all = index.profile().configurations;
  int main = -1;
  std::pair<bool, std::int64_t> most(false, -1);  // in the steps, time in kernels
  for (std::size_t c = 0; c < all.size(); ++c) {
    const int configuration = static_cast<int>(c);
    if (!all[c].from_program() || all[c].device != device || index.tried(configuration)) continue;
    const bool in_steps = !inference_apart || all[c].config.mode != Mode::inference;
    const std::pair own(in_steps, kernel_ns(index, configuration));
    if (own <= most) continue;
    most = own;
    main = configuration;
  }
  return main;
}

// Of the part that gpu_busy() looks at.
double collectives(const Profile& profile, int device, const GpuBusy& busy) {
  const auto& kernels = profile.kernels;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (kernels.device[k] != device || kernels.process[k] != busy.process ||
        kernels.start_ns[k] < busy.from_ns)
      continue;
    const std::string& name = profile.text(kernels.name[k]);
    if (is_nccl(name)) sum += kernels.end_ns[k] - kernels.start_ns[k];
  }
  return std::min(1.0, static_cast<double>(sum) / static_cast<double>(busy.span_ns));
}

// Layers wait for each other where a call has one time step.
double concurrent_share(const ProfileIndex& index, int device, const ProgramStep& step) {
  const auto& all = index.profile().configurations;
  std::vector<int> calls;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const auto& config = all[c].config;
    if (!all[c].from_program() || all[c].device != device || config.seq_length < 2) continue;
    if (config.num_layers < 2 && config.direction == Direction::unidirectional) continue;
    for (const int call : index.calls(static_cast<int>(c))) {
      const Phase phase = index.profile().calls[static_cast<std::size_t>(call)].phase;
      const auto* kernels = index.phase_kernels(static_cast<int>(c), phase);
      if (kernels != nullptr && kernels->implementation == model::Implementation::standard)
        calls.push_back(call);
    }
  }
  const double own = (step.steps ? step.steps->of_calls : step.busy->of_calls).of(calls).work_ns;
  const double work =
      step.steps ? step.steps->all_busy_ns : static_cast<double>(step.busy->busy_ns);
  return work > 0 ? std::min(1.0, own / work) : 0;
}

std::optional<double> one_sequence_share(const ProfileIndex& index, int device) {
  const auto& profile = index.profile();
  std::size_t all = 0, one = 0;
  for (std::size_t c = 0; c < profile.configurations.size(); ++c) {
    const auto& own = profile.configurations[c];
    if (!own.from_program() || !own.described() || own.device != device) continue;
    for (const int call : index.calls(static_cast<int>(c))) {
      if (profile.calls[static_cast<std::size_t>(call)].phase != Phase::forward_training) continue;
      ++all;
      one += own.config.batch_size == 1 ? 1 : 0;
    }
  }
  if (all == 0) return std::nullopt;
  return static_cast<double>(one) / static_cast<double>(all);
}

std::int64_t kernel_ns_of(const Profile& profile, int process) {
  std::int64_t sum = 0;
  const auto& kernels = profile.kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    if (kernels.process[k] == process) sum += kernels.end_ns[k] - kernels.start_ns[k];
  return sum;
}

// Apart: most training steps have no call of inference between their beginning and the next one's.
void look_for_inference(ProgramStep& step, const Profile& profile, int device) {
  const auto beginnings = step_beginnings(profile, device);
  const auto at = [&](int call) -> const RnnCall& {
    return profile.calls[static_cast<std::size_t>(call)];
  };
  if (beginnings.empty() || at(beginnings.front()).phase != Phase::forward_training) return;
  step.first_training_ns = at(beginnings.front()).host_start_ns;
  std::vector<std::int64_t> inference;
  for (const auto& call : profile.calls) {
    if (call.device != device || call.process != at(beginnings.front()).process) continue;
    if (call.phase == Phase::forward_inference)
      inference.push_back(call.host_start_ns);
    else
      step.last_training_ns = std::max(step.last_training_ns, call.host_start_ns);
  }
  std::sort(inference.begin(), inference.end());
  std::size_t with = 0;
  for (std::size_t i = 0; i + 1 < beginnings.size(); ++i) {
    const auto next =
        std::lower_bound(inference.begin(), inference.end(), at(beginnings[i]).host_start_ns);
    if (next != inference.end() && *next < at(beginnings[i + 1]).host_start_ns) ++with;
  }
  step.inference_apart = 2 * with < beginnings.size();
}

// Of all that the process ran: for calls of which none lie in the part that GpuBusy looks at.
double share_of_kernels(const ProfileIndex& index, const ProgramStep& step,
                        std::span<const int> calls) {
  const auto& profile = index.profile();
  double own = 0;
  for (const int call : calls) {
    if (profile.calls[static_cast<std::size_t>(call)].process != step.busy->process) continue;
    for (const int kernel : index.kernels(call)) {
      const auto k = static_cast<std::size_t>(kernel);
      own += static_cast<double>(profile.kernels.end_ns[k] - profile.kernels.start_ns[k]);
    }
  }
  const double busy = step.steps ? step.steps->busy_share() : step.busy->share();
  return step.kernel_ns > 0 ? busy * std::min(1.0, own / static_cast<double>(step.kernel_ns)) : 0;
}

// Of recurrences without cuDNN: their kernels, and the waits in recurrent layers that are in no
// call.
double share_of_cells(const ProgramStep& step) {
  constexpr auto cells = static_cast<std::size_t>(StepPart::native_cells);
  if (!step.steps) {
    const auto& busy = *step.busy;
    const double waits = static_cast<double>(busy.rnn_wait_ns) - busy.of_calls.all().wait_ns;
    return (busy.part_ns[cells] + waits) / static_cast<double>(busy.span_ns);
  }
  const auto& steps = *step.steps;
  const double all = steps.all_rnn_wait_ns;
  const double waits = all > 0 ? steps.rnn_wait() * (1 - steps.of_calls.all().wait_ns / all) : 0;
  return (steps.part_ns[cells] + waits) / std::max(steps.untraced_ns, steps.busy_ns);
}

// As the step is accounted for (StepAccount): the work by its share of all work, and the waits
// between the kernels by their share of those in recurrent layers.
double share_of_account(const ProgramSteps& steps, const CallTime& own) {
  const auto part = [](double some, double all) { return all > 0 ? std::min(1.0, some / all) : 0; };
  const double waits = part(own.wait_ns, steps.all_rnn_wait_ns);
  const double ns = steps.busy_ns * part(own.work_ns, steps.all_busy_ns) + steps.rnn_wait() * waits;
  return std::min(1.0, ns / std::max(steps.untraced_ns, steps.busy_ns));
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

Outside where_outside(const Profile& profile, const ProgramStep& step, std::span<const int> calls) {
  const auto all = [&](const auto& holds) {
    return std::all_of(calls.begin(), calls.end(), [&](int call) {
      return holds(profile.calls[static_cast<std::size_t>(call)].host_start_ns);
    });
  };
  if (all([&](std::int64_t ns) { return ns < step.first_training_ns; })) return Outside::before;
  if (all([&](std::int64_t ns) { return ns > step.last_training_ns; })) return Outside::after;
  return Outside::apart;
}

}  // namespace

std::optional<StepShare> share_of_step(const ProfileIndex& index, int configuration,
                                       std::string_view scope) {
  const auto& profile = index.profile();
  const auto at = static_cast<std::size_t>(configuration);
  if (configuration < 0 || at >= profile.configurations.size() ||
      !profile.configurations[at].from_program())
    return std::nullopt;
  const auto& step = index.program_step(configuration);
  const auto& busy = step.busy;
  if (!busy) return std::nullopt;
  if (scope == "program step") return StepShare{1};
  if (stands_for_cells(index, configuration)) {
    const double share = std::clamp(share_of_cells(step), 0.0, 1.0);
    return share > 0 ? std::optional(StepShare{share}) : std::nullopt;
  }
  const auto phases = phases_of_scope(scope);
  std::vector<int> calls;
  for (const int call : index.calls(configuration)) {
    const Phase phase = profile.calls[static_cast<std::size_t>(call)].phase;
    if (phases.empty() || std::find(phases.begin(), phases.end(), phase) != phases.end())
      calls.push_back(call);
  }
  StepShare found;
  if (step.inference_apart && profile.configurations[at].config.mode == Mode::inference)
    found.outside = where_outside(profile, step, calls);
  const bool outside = found.outside != Outside::no;
  const bool of_steps = step.steps && !outside;
  const auto own = of_steps ? step.steps->of_calls.of(calls) : busy->of_calls.of(calls);
  found.share =
      of_steps ? share_of_account(*step.steps, own)
               : std::min(1.0, (own.work_ns + own.wait_ns) / static_cast<double>(busy->span_ns));
  if (found.share <= 0) found.share = share_of_kernels(index, step, calls);
  if (found.share <= 0 && step.steps && !outside)
    found.share = share_of_untraced(profile, *step.steps, calls);
  return found.share > 0 ? std::optional(found) : std::nullopt;
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
  step.obstacles = capture_obstacles(*profile_, device, native_recurrences());
  look_for_inference(step, *profile_, device);
  step.one_sequence_share = advisor::one_sequence_share(*this, device);
  step.main_configuration =
      rnnadvisor::advisor::main_configuration(*this, device, step.inference_apart);
  if (step.busy) {
    step.concurrent = concurrent_share(*this, device, step);
    step.kernel_ns = kernel_ns_of(*profile_, step.busy->process);
    step.repeated = repeated_kernels(*profile_, step.busy->process, device);
    step.collectives = collectives(*profile_, device, *step.busy);
    const auto process = static_cast<std::size_t>(step.busy->process);
    if (process < profile_->processes.size())
      step.world_size = profile_->processes[process].world_size;
  }
  return steps_.emplace(device, step).first->second;
}

}  // namespace rnnadvisor::advisor
