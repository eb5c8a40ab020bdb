#include "advisor/whatif/record.h"

#include <algorithm>

#include "advisor/facts/experiments.h"
#include "core/model/memory.h"
#include "profiler/profile/devices.h"

namespace rnnadvisor::advisor {
namespace {

constexpr double tight = 0.02;  // as RunOptions::target_interval

PhaseTiming phase_timing(Phase phase, const ExperimentTiming& timing) {
  PhaseTiming made;
  made.phase = phase;
  made.ms = timing.after_ms;
  made.samples_ms = timing.after_samples_ms;
  made.converged = made.ms.median > 0 && made.ms.high - made.ms.low <= tight * made.ms.median;
  return made;
}

// A training step of one call is not a phase; what is one is kept with the configuration too.
std::vector<PhaseTiming> phase_timings(const Trial& trial) {
  std::vector<PhaseTiming> timings;
  const auto& variant = trial.candidate.variant;
  if (variant.composition != Composition::single || variant.cuda_graph) return timings;
  for (const auto& timing : trial.timings) {
    if (timing.after_ms.count == 0) continue;
    if (timing.scope == ExperimentScope::inference)
      timings.push_back(phase_timing(Phase::forward_inference, timing));
    // Inference that stood in for a forward pass for training was timed beside it.
    const bool infers = variant.calls.front().mode == Mode::inference;
    if (timing.scope == ExperimentScope::forward_training)
      timings.push_back(
          phase_timing(infers ? Phase::forward_inference : Phase::forward_training, timing));
  }
  return timings;
}

Configuration changed_configuration(const RnnConfig& call, const Configuration& original,
                                    const Trial& trial, int device) {
  Configuration made;
  made.config = call;
  made.program = original.program;
  made.origin = Origin::run;
  made.outcome = trial.outcome;
  made.device = device;
  made.sizes = model::space_sizes(call);
  made.timings = phase_timings(trial);
  return made;
}

}  // namespace

void add_experiment(Profile& profile, Experiment experiment,
                    std::span<const Configuration> changed) {
  const std::size_t first = profile.configurations.size();
  experiment.changed.clear();
  for (const auto& configuration : changed) {
    // Equal calls of one experiment (the layers of a stack) are one configuration.
    const auto begin = profile.configurations.begin() + static_cast<std::ptrdiff_t>(first);
    const auto same =
        std::find_if(begin, profile.configurations.end(), [&](const Configuration& other) {
          return other.config == configuration.config && other.device == configuration.device;
        });
    experiment.changed.push_back(static_cast<int>(same - profile.configurations.begin()));
    if (same == profile.configurations.end()) profile.configurations.push_back(configuration);
  }
  profile.experiments.push_back(std::move(experiment));
}

int configuration_of_layer(const Profile& profile, const RnnConfig& layer) {
  const auto tried = tried_configurations(profile);
  int found = -1, alike = -1;
  for (std::size_t i = 0; i < profile.configurations.size(); ++i) {
    const auto& own = profile.configurations[i].config;
    if (tried[i] || !profile.configurations[i].described() || own.cell != layer.cell ||
        own.direction != layer.direction || own.data_type != layer.data_type ||
        own.input_size != layer.input_size || own.hidden_size != layer.hidden_size ||
        own.proj_size != layer.proj_size || own.num_layers != layer.num_layers ||
        own.mode != layer.mode)
      continue;
    const int same = (own.batch_size == layer.batch_size ? 4 : 0) +
                     (own.seq_length == layer.seq_length ? 2 : 0) +
                     (own.algo == layer.algo ? 1 : 0);
    if (same <= alike) continue;
    alike = same;
    found = static_cast<int>(i);
  }
  return found;
}

void add_experiments_of(Profile& profile, const Profile& tried) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  const auto device_of = [&](int device) {
    return device >= 0 && at(device) < tried.devices.size()
               ? add_device(profile, tried.devices[at(device)])
               : -1;
  };
  for (Experiment experiment : tried.experiments) {
    experiment.configuration =
        configuration_of_layer(profile, tried.configurations[at(experiment.configuration)].config);
    if (experiment.configuration < 0) continue;
    experiment.device = device_of(experiment.device);
    std::vector<Configuration> changed;
    for (const int index : experiment.changed) {
      auto& configuration = changed.emplace_back(tried.configurations[at(index)]);
      configuration.device = experiment.device;
    }
    add_experiment(profile, std::move(experiment), changed);
  }
}

Profile with_trials(Profile profile, std::span<const Trial> trials, const DeviceSpec& device) {
  if (trials.empty()) return profile;
  const int where = add_device(profile, device);
  for (const auto& trial : trials) {
    const auto& original = profile.configurations[static_cast<std::size_t>(trial.configuration)];
    Experiment experiment;
    experiment.configuration = trial.configuration;
    experiment.where = "cudnn";
    experiment.rule = trial.candidate.rule;
    experiment.transforms = to_json(trial.candidate.transforms);
    experiment.meaning = to_string(trial.candidate.meaning);
    experiment.verdict = trial.verdict;
    experiment.message = trial.message;
    experiment.device = where;
    experiment.memory_before = trial.memory_before;
    experiment.memory_after = trial.memory_after;
    experiment.seconds = trial.seconds;
    experiment.timings = trial.timings;
    experiment.shifts = trial.shifts;
    experiment.clocks_before = trial.clocks_before;
    experiment.clocks_after = trial.clocks_after;
    std::vector<Configuration> changed;
    const auto& calls = trial.candidate.variant.calls;
    const bool other_calls = calls.size() > 1 || calls.front() != original.config;
    if (trial.outcome == Outcome::completed && other_calls) {
      for (const auto& call : calls)
        changed.push_back(changed_configuration(call, original, trial, where));
    }
    add_experiment(profile, std::move(experiment), changed);
  }
  return profile;
}

}  // namespace rnnadvisor::advisor
