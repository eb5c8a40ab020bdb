#include "advisor/facts/framework_around.h"

#include "advisor/facts/framework_model.h"

namespace rnnadvisor::advisor {
namespace {

// Whether PyTorch, or JAX, asks for the algorithms with which the call was made.
bool asks_for_this(Framework framework, const Configuration& own, const DeviceSpec& device) {
  const RnnConfig& config = own.config;
  if (framework == Framework::jax) return config.algo == Algo::standard;
  if (framework != Framework::pytorch || device.compute_major == 0 || device.sm_count == 0)
    return true;
  const GpuShape gpu{device.compute_major, device.compute_minor, device.sm_count};
  const bool packed = own.program.packed_sequence.value_or(config.packed());
  if (pytorch_algo(config, gpu, packed, true).algo != config.algo) return false;
  return config.mode == Mode::inference ||
         pytorch_algo(config, gpu, packed, false).algo == config.algo_of(Phase::backward_data);
}

}  // namespace

std::optional<Framework> framework_disregarded(const Profile& profile, int configuration) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  const auto device = static_cast<std::size_t>(own.device);
  if (own.origin != Origin::run || !own.program.name || own.device < 0 ||
      device >= profile.devices.size() ||
      asks_for_this(*own.program.name, own, profile.devices[device]))
    return std::nullopt;
  return own.program.name;
}

std::optional<Framework> framework_around(const Profile& profile, int configuration) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  if (framework_disregarded(profile, configuration)) return Framework::cudnn_api;
  if (own.program.name) return own.program.name;
  if (!own.from_program()) return std::nullopt;
  return parse_enum<Framework>(profile.environment.framework);
}

}  // namespace rnnadvisor::advisor
