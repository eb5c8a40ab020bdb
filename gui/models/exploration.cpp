#include "gui/models/exploration.h"

#include "advisor/rules/evaluate.h"
#include "core/model/memory.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor::gui {

namespace {

Profile profile_of(const ConfigInput& input, const DeviceSpec& device) {
  ProfileBuilder builder;
  const int index = builder.add_device(device);
  Configuration configuration;
  configuration.config = input.config;
  configuration.program = input.program;
  configuration.device = index;
  configuration.sizes = model::space_sizes(input.config);
  configuration.memory_predicted = model::memory_need(input.config, input.config.mode).total;
  builder.add_configuration(std::move(configuration));
  return builder.finish();
}

// What PyTorch asks of cuDNN: users of it cannot choose.
std::optional<Algo> framework_algo(const Profile& profile) {
  if (profile.configurations.front().program.name != Framework::pytorch) return std::nullopt;
  const advisor::ProfileIndex index(profile);
  advisor::FactMemo facts(index);
  facts.begin(0);
  const auto* fact = facts.get(advisor::find_fact("framework.algo"));
  const auto* word = fact != nullptr ? std::get_if<std::string>(&fact->value) : nullptr;
  return word != nullptr ? parse_enum<Algo>(*word) : std::nullopt;
}

std::optional<model::MapTime> sum_of(const std::vector<ExploredPhase>& phases) {
  model::MapTime sum;
  for (const auto& phase : phases) {
    if (!phase.predicted) return std::nullopt;
    sum.seconds += phase.predicted->seconds;
    sum.low_seconds += phase.predicted->low_seconds;
    sum.high_seconds += phase.predicted->high_seconds;
    sum.extrapolated = sum.extrapolated || phase.predicted->extrapolated;
  }
  return phases.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace

Exploration explore(const ConfigInput& input, const DeviceSpec& device,
                    std::shared_ptr<const advisor::RuleSet> rules,
                    const model::PredictTime& predict) {
  Exploration result;
  Profile profile = profile_of(input, device);
  if (const auto algo = framework_algo(profile)) {
    result.framework_chooses = true;
    if (*algo != input.config.algo) {
      ConfigInput chosen = input;
      chosen.config.algo = *algo;
      profile = profile_of(chosen, device);
    }
  }
  const RnnConfig config = profile.configurations.front().config;
  result.document =
      std::make_shared<const Document>(std::move(profile), std::move(rules), QString());
  result.violations = validate(config);
  for (const Phase phase : all_phases) {
    if ((phase == Phase::forward_inference) != (config.mode == Mode::inference)) continue;
    auto& each = result.phases.emplace_back();
    each.phase = phase;
    each.cost = model::phase_cost(config, phase);
    each.bound = model::lower_bound(config, phase, device);
    each.gemms = model::gemms(config, phase);
    result.bound_ms += each.bound.bound_ms;
    if (predict) each.predicted = predict(config, phase);
  }
  result.predicted = sum_of(result.phases);
  return result;
}

}  // namespace rnnadvisor::gui
