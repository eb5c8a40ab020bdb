// The one list of the fields of RnnConfig and ProgramContext: key, member, meaning. Readers,
// writers, flags, facts, help and documentation all walk it, so that a new field is written down
// once.
#pragma once

#include <string_view>

#include "core/config/program_context.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor {

// Calls visit(key, pointer to member, one-line meaning) for every field of RnnConfig.
template <class Visitor>
constexpr void visit_config_fields(Visitor&& visit) {
  using C = RnnConfig;
  visit("id", &C::id, "your name for the configuration");
  visit("cell", &C::cell, "recurrent unit (cudnnRNNMode_t)");
  visit("algo", &C::algo, "algorithm asked of cuDNN (cudnnRNNAlgo_t)");
  visit("backward_algo", &C::backward_algo,
        "algorithm of the backward pass, where it is another one; default algo");
  visit("direction", &C::direction, "one or two directions");
  visit("bias_mode", &C::bias_mode, "which bias vectors the cell has");
  visit("input_mode", &C::input_mode, "skip_input feeds the input to layer 0 without a matrix");
  visit("data_type", &C::data_type, "type of inputs, outputs and weights");
  visit("math_precision", &C::math_precision,
        "type of the arithmetic; default double for double data, else float");
  visit("math_type", &C::math_type, "Tensor Core permission (cudnnMathType_t)");
  visit("input_size", &C::input_size, "width of the input; default hidden_size");
  visit("hidden_size", &C::hidden_size, "units per layer");
  visit("proj_size", &C::proj_size,
        "width after the recurrent projection; default hidden_size (none)");
  visit("num_layers", &C::num_layers, "stacked layers");
  visit("dropout", &C::dropout, "dropout probability between layers, in training");
  visit("dropout_seed", &C::dropout_seed, "seed of the dropout generator");
  visit("clip_mode", &C::clip_mode, "clip the LSTM cell state to [clip_left, clip_right]");
  visit("clip_left", &C::clip_left, "lower clip bound");
  visit("clip_right", &C::clip_right, "upper clip bound");
  visit("clip_propagate_nan", &C::clip_propagate_nan, "let NaN pass the clip (cuDNN 8)");
  visit("layout", &C::layout, "memory layout of x and y (cudnnRNNDataLayout_t)");
  visit("padded_io", &C::padded_io,
        "CUDNN_RNN_PADDED_IO_ENABLED; default true for unpacked layouts");
  visit("seq_length", &C::seq_length, "time steps (maxSeqLength)");
  visit("batch_size", &C::batch_size, "sequences per batch");
  visit("seq_lengths", &C::seq_lengths, "length of each sequence; default: all seq_length");
  visit("mode", &C::mode, "inference or training");
}

// Calls visit(key, pointer to member, one-line meaning) for every field of ProgramContext. In which
// programs a field means something is in key_scope.h.
template <class Visitor>
constexpr void visit_context_fields(Visitor&& visit) {
  using P = ProgramContext;
  visit("name", &P::name, "the framework that calls cuDNN");
  visit("version", &P::version, "its version");
  visit("cudnn_enabled", &P::cudnn_enabled, "the framework may use cuDNN");
  visit("allow_tf32", &P::allow_tf32, "TF32 is allowed for float data");
  visit("deterministic", &P::deterministic, "run-to-run identical results are wanted");
  visit("cublas_workspace_set", &P::cublas_workspace_set, "CUBLAS_WORKSPACE_CONFIG is set");
  visit("custom_cell", &P::custom_cell, "the cell is none of cuDNN's");
  visit("layer_norm", &P::layer_norm, "normalisation inside the recurrence");
  visit("skip_connections", &P::skip_connections, "connections that jump over layers");
  visit("per_step_calls", &P::per_step_calls, "one RNN call per time step");
  visit("hidden_detached", &P::hidden_detached, "hidden state detached between chunks");
  visit("jit_compile", &P::jit_compile, "torch.compile or XLA around the RNN");
  visit("packed_sequence", &P::packed_sequence, "the input is a PackedSequence");
  visit("batch_first", &P::batch_first, "batch_first=True");
  visit("flat_weights", &P::flat_weights, "weights are one flat buffer");
  visit("hx_contiguous", &P::hx_contiguous, "hx and cx are contiguous");
  visit("module_training", &P::module_training, "the module is in train() mode");
  visit("needs_backward", &P::needs_backward, "backward is called through the RNN");
  visit("double_backward", &P::double_backward, "backward of backward is needed");
  visit("no_grad", &P::no_grad, "inference under no_grad or inference_mode");
  visit("autocast", &P::autocast, "autocast around the RNN");
  visit("activation", &P::activation, "activation");
  visit("recurrent_activation", &P::recurrent_activation, "recurrent_activation");
  visit("recurrent_dropout", &P::recurrent_dropout, "recurrent_dropout");
  visit("unroll", &P::unroll, "unroll");
  visit("use_bias", &P::use_bias, "use_bias");
  visit("reset_after", &P::reset_after, "reset_after");
  visit("mask", &P::mask, "shape of the mask");
  visit("use_cudnn", &P::use_cudnn, "use_cudnn");
  visit("backend", &P::backend, "backend");
  visit("eager_outside_functions", &P::eager_outside_functions,
        "executing_eagerly_outside_functions()");
  visit("rnn_autotune", &P::rnn_autotune, "TF_CUDNN_RNN_USE_AUTOTUNE");
  visit("default_activations", &P::default_activations, "the operator's default activations");
  visit("clip_attribute", &P::clip_attribute, "clip or activation_alpha/beta given");
  visit("input_forget", &P::input_forget, "input_forget is not 0");
  visit("peephole", &P::peephole, "peephole weights");
  visit("linear_before_reset", &P::linear_before_reset, "linear_before_reset is 1");
  visit("pointer_alignment", &P::pointer_alignment,
        "bytes to which every device pointer is aligned");
  visit("dev_seq_lengths", &P::dev_seq_lengths, "devSeqLengths is passed");
  visit("mixed_algos", &P::mixed_algos, "forward and backward use different algorithms");
  visit("uses_removed_api", &P::uses_removed_api, "v6 or Ex entry points of cuDNN are called");
  visit("uses_clip_v8", &P::uses_clip_v8, "cudnnRNNSetClip_v8 is called");
  visit("mixed_bias_modes", &P::mixed_bias_modes,
        "bias mode differs between uses of the same weights");
  visit("cudnn_version", &P::cudnn_version, "cuDNN of the target, when it is not the profiled one");
}

}  // namespace rnnadvisor
