// Device memory of a training step, or of inference, of one recurrent module in PyTorch: what its
// allocator holds at the peak. The tensors and the order in which they come and go are read from
// pytorch/pytorch:
//   aten/src/ATen/native/cudnn/RNN.cpp @00fc08aa616fbdec70496aebee034ac90b083ff4 (_cudnn_rnn,
//     _cudnn_rnn_backward_input, _cudnn_rnn_backward_weight, copy_weights_to_flat_buf_views)
//   aten/src/ATen/cudnn/AutocastRNN.cpp @319164cc716d0badb08558832fce49417bf060af
//   torch/backends/cudnn/__init__.py @017943b70f6920c395e3b6dac100e2cd7ecfa92a (is_acceptable)
// and torch/nn/modules/rnn.py, torch/optim (foreach); the rounding is that of caching_allocator.h.
// Excluded: the CUDA context, what cuDNN and cuBLAS take from CUDA themselves, and every tensor of
// the program that is not the module's (its loss, other layers).
//
// Every number is an estimate, because a program holds more than its module. For the module alone
// both peaks are PyTorch's own to the byte in the rows of tests/data/h200/torch-peak.jsonl
// (PyTorch 2.11, docs/models.md); tests/gpu/memory/torch_peak.py measures more.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "core/config/rnn_config.h"
#include "core/model/memory.h"

namespace rnnadvisor::model {

enum class Optimizer {
  none,          // gradients only
  sgd,           // no state
  sgd_momentum,  // one buffer of the size of the weights
  adam           // two, and one temporary while it steps (foreach)
};
std::string_view to_string(Optimizer value);

struct TorchStepOptions {
  Algo forward_algo = Algo::standard;   // what PyTorch asks for; they may differ
  Algo backward_algo = Algo::standard;  // (framework_model.h has its choice)
  Optimizer optimizer = Optimizer::adam;
  bool batch_first = false;  // a contiguous copy of x in each of the three calls
  // false: gathered anew in every call. So are weights in bfloat16 in either case.
  bool flat_weights = true;
  // Parameters, their gradients and the optimizer in float while the module runs in the
  // configuration's type; the weights are copied in every call.
  bool autocast = false;
  // Of the device, for cuDNN's dropout states: 24 bytes for each of 2048 threads of a
  // multiprocessor on the one GPU that was measured (H200). 0: not known, 2 MiB.
  int sm_count = 0;
  // How often flatten_parameters() ran before the first step (rnn.cuda() does it once), and whether
  // torch.cuda.empty_cache() followed: the allocator keeps and cuts what they leave.
  int flattened = 1;
  bool emptied_cache = false;
};

struct TorchStepNeed {
  // What lives at the peak, unrounded; they add up to `tensors`.
  std::int64_t parameters = 0;
  std::int64_t optimizer_state = 0;
  std::int64_t gradients = 0;      // of the parameters, while they are written
  std::int64_t weight_copies = 0;  // autocast, or not flat
  std::int64_t activations = 0;    // x, y, states, and copies kept for backward
  std::int64_t gradient_io = 0;    // of x, y and the states
  std::int64_t layout_copies = 0;  // batch_first
  std::int64_t reserve = 0;
  std::int64_t workspace = 0;
  std::int64_t dropout_states = 0;
  std::int64_t tensors = 0;
  // torch.cuda.max_memory_allocated() and max_memory_reserved() after some equal steps.
  std::int64_t allocated = 0;
  std::int64_t reserved = 0;
  bool fits = true;  // no allocation failed
  Exactness exactness = Exactness::estimate;
};

// `mode` training: forward, backward, optimizer, gradients set to None; inference: forward under
// no_grad. The configuration's own `algo` is not looked at. `capacity`: what CUDA can give; when it
// is short the allocator does with less than it would otherwise take, until it cannot.
TorchStepNeed torch_step_need(const RnnConfig& config, Mode mode, const TorchStepOptions& options,
                              std::int64_t capacity = std::numeric_limits<std::int64_t>::max());

}  // namespace rnnadvisor::model
