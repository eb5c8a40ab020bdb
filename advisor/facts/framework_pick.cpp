#include "advisor/facts/framework_pick.h"

#include "advisor/facts/framework_model.h"

namespace rnnadvisor::advisor {

std::function<Algo(const RnnConfig&)> framework_pick(const ProgramContext& program,
                                                     const DeviceSpec& device,
                                                     const RnnConfig& here, bool recorded) {
  if (program.name == Framework::jax) return [](const RnnConfig&) { return Algo::standard; };
  if (program.name != Framework::pytorch || device.compute_major == 0 || device.sm_count == 0)
    return {};
  const GpuShape gpu = {device.compute_major, device.compute_minor, device.sm_count};
  const auto packed = program.packed_sequence;
  return [gpu, packed, here, recorded](const RnnConfig& config) {
    if (recorded && config == here) return here.algo;
    return pytorch_algo(config, gpu, packed.value_or(config.packed()), true).algo;
  };
}

}  // namespace rnnadvisor::advisor
