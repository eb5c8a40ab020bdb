// The operators of PyTorch that call cuDNN's RNN functions, from the arguments that torch.profiler
// records with record_shapes=True. Signatures: aten/src/ATen/native/native_functions.yaml,
// _cudnn_rnn and _cudnn_rnn_backward; what they ask cuDNN for: aten/src/ATen/native/cudnn/RNN.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "core/config/program_context.h"
#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"
#include "profiler/import/chrome_trace.h"

namespace rnnadvisor::import_trace {

inline constexpr std::string_view forward_operator = "aten::_cudnn_rnn";
inline constexpr std::string_view backward_operator = "aten::_cudnn_rnn_backward";
// The node of autograd around the latter, which has the sequence number of the forward operator.
inline constexpr std::string_view backward_node = "CudnnRnnBackward0";

// Whether an operator of this name is one of these, or may be a layer around them.
bool calls_rnn(std::string_view name);

struct TorchOperator {
  RnnConfig config;  // without algorithm and math type
  bool batch_first = false;
  bool flat_weights = false;     // the weights are one buffer
  bool weight_gradients = true;  // of the backward operator
  // A packed input has that many rows, and how long its sequences are is not known: long lists are
  // not recorded. config.seq_length and seq_lengths are then for set_packed_length().
  int packed_rows = 0;
};

// Of either operator; nothing where its arguments were not recorded or are none that cuDNN takes.
std::optional<TorchOperator> read_torch_operator(const TraceEvent& event);

// The steps of the operator around it, aten::lstm, gru, rnn_tanh or rnn_relu, whose input is
// packed: the length of its second argument, batch_sizes. 0: it is none of them.
int packed_steps(const TraceEvent& event);

// `steps` of a packed input. The lengths of its sequences are then made up of what is known: the
// longest and their sum, which the others share as equally as can be. False: the two cannot be.
bool set_packed_steps(TorchOperator& op, int steps);

// What PyTorch asks cuDNN for on this GPU, with the algorithm of this pass in `algo`.
RnnConfig call_config(const TorchOperator& op, const DeviceSpec& device, bool forward);
ProgramContext call_context(const TorchOperator& op);

}  // namespace rnnadvisor::import_trace
