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

// The call that cuDNN gets for a module that somebody described by `config`: under autocast in
// half, of a PackedSequence in the packed layout, with the algorithm and math type that the
// framework asks for. `config` itself where the framework leaves that to the program, is not known,
// or would not use cuDNN. Not for what was recorded: that is the call already. Sources:
// framework_model.h; pytorch/pytorch aten/src/ATen/cudnn/AutocastRNN.cpp
// @0d0444e43c8845ef5eb43d98bc561ceb2842b99b (half, whichever type autocast was asked for).
RnnConfig called_by_framework(const RnnConfig& config, const ProgramContext& program,
                              const DeviceSpec& device);

// The math type that PyTorch asks cuDNN for with data of this type, where that is not the
// configuration's own.
MathType pytorch_math_type(const RnnConfig& config, const ProgramContext& program,
                           const DeviceSpec& device);

}  // namespace rnnadvisor::advisor
