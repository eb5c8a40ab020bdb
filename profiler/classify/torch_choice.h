// How PyTorch describes a layer to cuDNN: the algorithm and the math type that it asks for. Read
// from its public sources; every function names them. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/config/program_context.h"
#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"

namespace rnnadvisor {

// pytorch/pytorch aten/src/ATen/native/cudnn/RNN.cpp @00fc08aa616fbdec70496aebee034ac90b083ff4,
// get_algo(), use_rnn_persist_small_h(), use_persist_common_heuristics(),
// use_persist_device_heuristics(). PERSIST_DYNAMIC is never chosen.
struct AlgoChoice {
  Algo algo = Algo::standard;
  // "none" when a persistent algorithm is chosen, else the first clause that keeps PyTorch from
  // one, in the order of the source.
  std::string_view failing_clause = "none";
};

struct GpuShape {
  int compute_major = 0, compute_minor = 0, sm_count = 0;
  bool small_h = true;  // built for cuDNN 8.2.1 or later: an #if in use_rnn_persist_small_h()
};

// `packed_input`: the input is a PackedSequence. `forward`: false for the backward pass, whose
// small-size limits are lower.
AlgoChoice pytorch_algo(const RnnConfig& config, const GpuShape& gpu, bool packed_input,
                        bool forward);

// Every value failing_clause can take.
std::span<const std::string_view> pytorch_algo_clauses();

// The math type that PyTorch asks cuDNN for with data of this type, where that is not the
// configuration's own (aten/src/ATen/cudnn/Descriptors.h: FMA where TF32 is not allowed).
MathType pytorch_math_type(const RnnConfig& config, const ProgramContext& program,
                           const DeviceSpec& device);

// torch.backends.cudnn.allow_tf32, read off the kernels of calls with float data, forward or
// backward data: where the names tell of any matrix product, one ran on Tensor Cores if and only if
// TF32 was allowed, in all calls recorded on an H200 (tests/data/h200/kernels.jsonl). Nothing where
// no name tells, as for persistent kernels.
std::optional<bool> allows_tf32(std::span<const std::string_view> kernel_names);

}  // namespace rnnadvisor
