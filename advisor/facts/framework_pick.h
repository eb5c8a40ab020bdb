// The algorithm that a framework picks for configurations that nobody has run: what a map of the
// neighbourhood of a program's configuration is made with.
#pragma once

#include <functional>

#include "core/config/program_context.h"
#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::advisor {

// Empty where the program itself says which algorithm (cuDNN's own API, ONNX Runtime), and where it
// is not known what its framework picks (TensorFlow). PyTorch by pytorch_algo(), JAX always
// STANDARD. With `recorded` the algorithm of `here` is one that a framework picked: it stays for
// `here` itself. Pure; the function may be called on any thread.
std::function<Algo(const RnnConfig&)> framework_pick(const ProgramContext& program,
                                                     const DeviceSpec& device,
                                                     const RnnConfig& here, bool recorded = false);

}  // namespace rnnadvisor::advisor
