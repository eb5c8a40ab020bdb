#include "profiler/profile/configuration_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/statistics.h"
#include "core/config/read_config.h"
#include "profiler/profile/cudnn_status.h"

namespace rnnadvisor {
namespace {

constexpr std::size_t most_samples = 1000;  // in a profile, of each phase; evenly spread

std::vector<double> thinned(const std::vector<double>& samples) {
  if (samples.size() <= most_samples) return samples;
  std::vector<double> kept;
  for (std::size_t i = 0; i < most_samples; ++i)
    kept.push_back(samples[i * samples.size() / most_samples]);
  return kept;
}

model::Stage stage_of(Phase phase) {
  switch (phase) {
    case Phase::forward_inference:
      return model::Stage::forward_inference;
    case Phase::forward_training:
      return model::Stage::forward_training;
    case Phase::backward_data:
      return model::Stage::backward_data;
    case Phase::backward_weights:
      return model::Stage::backward_weights;
  }
  return model::Stage::forward_training;
}

}  // namespace

bool can_be_held(const RnnConfig& config) {
  const auto read = read_json_line(to_json_line(config), "configuration", 1);
  return read && read->config == config;
}

int ConfigurationTable::find(const RnnConfig& config, const ProgramContext& program, int device) {
  ConfigInput input{config, program, {}};
  input.config.seq_lengths.clear();
  const std::string key = fmt::format("{} {}", device, to_json_line(input));
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  Configuration configuration;
  configuration.config = config;
  configuration.program = program;
  configuration.origin = origin_;
  configuration.device = device;
  const int index = add_configuration(std::move(configuration));
  gathered_[static_cast<std::size_t>(index)].first = index;
  known_.emplace(key, index);
  return index;
}

int ConfigurationTable::add_configuration(Configuration configuration) {
  const auto index = builder_.profile().configurations.size();
  describe(configuration);
  builder_.add_configuration(std::move(configuration));
  gathered_.resize(index + 1);
  return static_cast<int>(index);
}

void ConfigurationTable::describe(Configuration& configuration) const {
  const auto& config = configuration.config;
  configuration.sizes = model::space_sizes(config);
  configuration.memory_predicted = model::memory_need(config, config.mode).total;
}

std::optional<int> ConfigurationTable::join(int forward, const RnnConfig& backward) {
  auto& configurations = builder_.profile().configurations;
  const int first = gathered_[static_cast<std::size_t>(forward)].first;
  RnnConfig same = backward;
  const RnnConfig& own = configurations[static_cast<std::size_t>(first)].config;
  same.id = own.id;
  same.seq_lengths = own.seq_lengths;
  same.algo = own.algo;
  same.backward_algo = own.backward_algo;
  if (same != own) return std::nullopt;
  const auto [pair, fresh] = pairs_.try_emplace({first, backward.algo}, first);
  if (fresh && gathered_[static_cast<std::size_t>(first)].paired) {
    Configuration other = configurations[static_cast<std::size_t>(first)];
    other.config.set_algo(own.algo);
    if (backward.algo != own.algo) other.config.backward_algo = backward.algo;
    pair->second = add_configuration(std::move(other));
    gathered_[static_cast<std::size_t>(pair->second)].first = first;
  } else if (fresh && backward.algo != own.algo) {
    auto& configuration = configurations[static_cast<std::size_t>(first)];
    configuration.config.backward_algo = backward.algo;
    describe(configuration);
  }
  auto& gathered = gathered_[static_cast<std::size_t>(pair->second)];
  gathered.paired = backward.algo;
  gathered.joined = true;
  gathered.mixed_algos =
      configurations[static_cast<std::size_t>(pair->second)].config.mixed_algos();
  return pair->second;
}

void ConfigurationTable::join_others(int forward, int backward) {
  const auto& configurations = builder_.profile().configurations;
  const bool mixed = configurations[static_cast<std::size_t>(forward)].config.algo !=
                     configurations[static_cast<std::size_t>(backward)].config.algo;
  for (const int index : {forward, backward}) {
    auto& gathered = gathered_[static_cast<std::size_t>(index)];
    gathered.joined = true;
    gathered.mixed_algos |= mixed;
  }
}

std::vector<int> ConfigurationTable::own_lengths(int index, const RnnConfig& config) const {
  const auto& shared =
      builder_.profile().configurations[static_cast<std::size_t>(index)].config.seq_lengths;
  if (config.seq_lengths == shared) return {};
  if (!config.seq_lengths.empty()) return config.seq_lengths;
  return std::vector<int>(static_cast<std::size_t>(config.batch_size), config.seq_length);
}

void ConfigurationTable::gather(const Execution& execution) {
  const auto& profile = builder_.profile();
  const RnnCall& call = profile.calls[static_cast<std::size_t>(execution.call)];
  auto& gathered = gathered_[static_cast<std::size_t>(call.configuration)];
  gathered.executed = true;
  if (execution.least_alignment > 0) {
    gathered.least_alignment = gathered.any_alignment
                                   ? std::min(gathered.least_alignment, execution.least_alignment)
                                   : execution.least_alignment;
    gathered.any_alignment = true;
  }
  gathered.device_lengths |= execution.device_lengths;
  gathered.backward |= call.phase == Phase::backward_data || call.phase == Phase::backward_weights;
  if (call.status == 0) {
    gathered.succeeded = true;
    if (execution.device_ms >= 0) gathered.samples_ms[call.phase].push_back(execution.device_ms);
  } else {
    refuse(call.configuration, stage_of(call.phase), call.status,
           call.reason < 0 ? std::string() : profile.text(call.reason));
  }
}

void ConfigurationTable::refuse(int index, model::Stage stage, int status,
                                const std::string& reason) {
  gathered_[static_cast<std::size_t>(index)].failures.try_emplace(stage, status, reason);
}

void ConfigurationTable::write_outcome(Configuration& configuration,
                                       const Gathered& gathered) const {
  if (!gathered.executed && gathered.failures.empty()) return;
  configuration.outcome = Outcome::completed;
  for (const auto& [which, failure] : gathered.failures) {
    StageResult stage;
    stage.stage = which;
    stage.attempted = true;
    stage.status = failure.first;
    stage.status_name = status_name(failure.first);
    stage.reason = failure.second;
    configuration.stages.push_back(stage);
    if (gathered.succeeded || configuration.outcome != Outcome::completed) continue;
    // Nothing of it ever ran.
    configuration.outcome = is_failure(failure.first) ? Outcome::failed : Outcome::refused;
    configuration.message =
        fmt::format("{}{}{}", stage.status_name, stage.reason.empty() ? "" : ": ", stage.reason);
  }
}

void ConfigurationTable::finish() {
  for (const auto& execution : executions_) gather(execution);
  executions_ = {};
  for (std::size_t i = 0; i < gathered_.size(); ++i) {
    const auto& gathered = gathered_[i];
    auto& configuration = builder_.profile().configurations[i];
    write_outcome(configuration, gathered);
    auto& program = configuration.program;
    if (gathered.any_alignment)
      program.pointer_alignment = static_cast<int>(gathered.least_alignment);
    if (gathered.executed) program.dev_seq_lengths = gathered.device_lengths;
    if (gathered.backward) program.needs_backward = true;
    if (gathered.joined) program.mixed_algos = gathered.mixed_algos;
    for (const auto& [phase, samples] : gathered.samples_ms) {
      PhaseTiming timing;
      timing.phase = phase;
      timing.samples_ms = thinned(samples);
      timing.ms = median_interval(timing.samples_ms);
      configuration.timings.push_back(std::move(timing));
    }
  }
}

}  // namespace rnnadvisor
