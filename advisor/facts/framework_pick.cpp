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

MathType pytorch_math_type(const RnnConfig& config, const ProgramContext& program,
                           const DeviceSpec& device) {
  if (config.data_type == DataType::half && device.compute_at_least(7)) return MathType::tensor_op;
  if (config.data_type == DataType::bfloat16)
    return program.allow_tf32 == false ? MathType::fma : MathType::default_math;
  return config.math_type;
}

RnnConfig called_by_framework(const RnnConfig& config, const ProgramContext& program,
                              const DeviceSpec& device) {
  RnnConfig call = config;
  const bool pytorch = program.name == Framework::pytorch;
  if (pytorch) {
    const bool autocast = program.autocast && *program.autocast != Autocast::off;
    if (autocast && call.data_type == DataType::float32) {
      call.data_type = DataType::half;
      call.math_precision = natural_math_precision(DataType::half);
    }
    if (program.packed_sequence == true) call.layout = Layout::seq_major_packed;
    if (pytorch_cudnn({call, program, &device, std::nullopt}).used == false) return config;
    call.math_type = pytorch_math_type(call, program, device);
  }
  if (const auto pick = framework_pick(program, device, call)) call.algo = pick(call);
  return call;
}

}  // namespace rnnadvisor::advisor
