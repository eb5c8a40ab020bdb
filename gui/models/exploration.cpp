#include "gui/models/exploration.h"

#include "core/model/memory.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor::gui {

Exploration explore(const ConfigInput& input, const DeviceSpec& device,
                    std::shared_ptr<const advisor::RuleSet> rules) {
  const RnnConfig& config = input.config;
  ProfileBuilder builder;
  const int index = builder.add_device(device);
  Configuration configuration;
  configuration.config = config;
  configuration.program = input.program;
  configuration.device = index;
  configuration.sizes = model::space_sizes(config);
  configuration.memory_predicted = model::memory_need(config, config.mode).total;
  builder.add_configuration(std::move(configuration));

  Exploration result;
  result.document = std::make_shared<const Document>(builder.finish(), std::move(rules), QString());
  result.violations = validate(config);
  for (const Phase phase : all_phases) {
    if ((phase == Phase::forward_inference) != (config.mode == Mode::inference)) continue;
    auto& each = result.phases.emplace_back();
    each.phase = phase;
    each.cost = model::phase_cost(config, phase);
    each.bound = model::lower_bound(config, phase, device);
    each.gemms = model::gemms(config, phase);
    result.bound_ms += each.bound.bound_ms;
  }
  return result;
}

}  // namespace rnnadvisor::gui
