#include "core/model/eligibility.h"

#include <limits>

#include "core/model/limits.h"

// What cuDNN 9.19 answered to some 21,000 configurations on an H200 (tests/data/h200), as rules.
// Each function is one stage.
namespace rnnadvisor::model {
namespace {

constexpr int no_limit = std::numeric_limits<int>::max();

bool is_rnn(Cell cell) { return cell == Cell::rnn_relu || cell == Cell::rnn_tanh; }

// Without a measurement: PyTorch's limits for SMALL_H (aten/src/ATen/native/cudnn/RNN.cpp), and for
// PERSIST_STATIC the 1024 units up to which NVIDIA's guide and PyTorch use it. No limit of
// PERSIST_DYNAMIC is known.
SizeLimit documented_limit(Algo algo, Cell cell, bool backward) {
  switch (algo) {
    case Algo::persist_static_small_h:
      if (backward) return {is_rnn(cell) ? 256 : 128, false};
      return {is_rnn(cell) ? 384 : 192, false};
    case Algo::persist_static:
      return {backward ? no_limit : 1024, false};
    case Algo::persist_dynamic:
    case Algo::standard:
      return {no_limit, false};
  }
  return {no_limit, false};
}

using Cause = RefusalCause;

bool legal_types(const RnnConfig& c) {
  switch (c.data_type) {
    case DataType::float32:
    case DataType::bfloat16:
      return c.math_precision == DataType::float32;
    case DataType::float64:
      return c.math_precision == DataType::float64;
    case DataType::half:
      return c.math_precision == DataType::float32 || c.math_precision == DataType::half;
  }
  return false;
}

// cudnnSetRNNDescriptor_v8 and cudnnRNNSetClip.
Cause refused_by_descriptor(const RnnConfig& c, Algo algo) {
  if (c.input_size < 1 || c.hidden_size < 1 || c.proj_size < 1 || c.num_layers < 1)
    return Cause::size_below_one;
  if (c.proj_size > c.hidden_size) return Cause::projection_above_hidden;
  if (c.has_projection() && c.cell != Cell::lstm) return Cause::projection_of_another_cell;
  if (c.has_projection() && algo != Algo::standard) return Cause::projection_with_persistent;
  if (!legal_types(c)) return Cause::type_pair;
  if (c.clip_mode == ClipMode::minmax && !(c.clip_left <= c.clip_right))
    return Cause::clip_bounds;  // NaN too
  if (algo == Algo::standard) return Cause::none;
  if (c.bias_mode != BiasMode::double_bias) return Cause::bias_mode;
  if (c.data_type == DataType::half && c.math_precision == DataType::half)
    return Cause::half_arithmetic;
  return c.data_type != DataType::float64 || algo == Algo::persist_dynamic
             ? Cause::none
             : Cause::double_with_persistent;
}

// cudnnSetRNNDataDescriptor.
Cause refused_by_data_descriptor(const RnnConfig& c) {
  if (c.seq_length < 1 || c.batch_size < 1) return Cause::size_below_one;
  if (c.seq_length > longest_sequence) return Cause::sequence_too_long;
  if (c.seq_lengths.empty()) return Cause::none;
  if (c.seq_lengths.size() != static_cast<std::size_t>(c.batch_size)) return Cause::lengths_count;
  int previous = c.seq_length;
  for (const int length : c.seq_lengths) {
    if (length < 0 || length > c.seq_length) return Cause::length_out_of_range;
    if (c.packed() && length == 0) return Cause::packed_zero_length;
    if (c.packed() && length > previous) return Cause::packed_not_sorted;
    previous = length;
  }
  return !c.packed() || c.seq_lengths.front() == c.seq_length ? Cause::none : Cause::packed_longest;
}

bool runs_persistent(const RnnConfig& c, Algo algo) {
  return algo != Algo::standard && c.data_type != DataType::bfloat16;
}

// cudnnGetRNNTempSpaceSizes.
Cause refused_by_size_query(const RnnConfig& c, Algo algo, const DeviceSpec& device) {
  if (algo == Algo::standard) return Cause::none;
  if (!device.compute_at_least(6)) return Cause::compute_capability;
  return c.hidden_size <= hidden_limit(device, algo, c.cell, false).hidden ? Cause::none
                                                                           : Cause::hidden_limit;
}

// cudnnRNNForward.
Cause refused_by_forward(const RnnConfig& c, Algo algo, bool varying) {
  if (c.input_mode == InputMode::skip_input && c.input_size != c.hidden_size)
    return Cause::skip_input_size;
  // Documented. The size query takes both (tests/data/h200/probe-sizes.jsonl); execution was not
  // measured.
  if (varying && algo != Algo::standard) return Cause::unequal_lengths;
  if (varying && !c.packed() && !c.padded_io) return Cause::padded_io;
  // One observation: SMALL_H, LSTM, float with ALLOW_CONVERSION, H 192 failed to launch (5003)
  // while a half GRU of 192 ran. The rule is the narrowest that explains it: 128 is the largest
  // such LSTM that was seen to run.
  const bool converts =
      c.data_type == DataType::float32 && c.math_type == MathType::tensor_op_allow_conversion;
  return algo == Algo::persist_static_small_h && c.cell == Cell::lstm && converts &&
                 c.hidden_size > 128
             ? Cause::small_h_conversion
             : Cause::none;
}

// cudnnRNNBackwardData_v8 and cudnnRNNBackwardWeights_v8 of a call whose forward pass is accepted
// with the same algorithm. The size query of SMALL_H does not protect against its smaller backward
// limit.
Cause refused_by_backward(const RnnConfig& c, Algo algo, const DeviceSpec& device) {
  return runs_persistent(c, algo) && c.hidden_size > hidden_limit(device, algo, c.cell, true).hidden
             ? Cause::hidden_backward_limit
             : Cause::none;
}

Implementation expected(const RnnConfig& c) {
  // bfloat16 silently runs the standard kernels.
  return runs_persistent(c, c.algo) ? implementation_of(c.algo) : Implementation::standard;
}

}  // namespace

Implementation implementation_of(Algo algo) {
  switch (algo) {
    case Algo::standard:
      return Implementation::standard;
    case Algo::persist_static:
      return Implementation::persistent;
    case Algo::persist_dynamic:
      return Implementation::persistent_dynamic;
    case Algo::persist_static_small_h:
      return Implementation::persistent_small_h;
  }
  return Implementation::none;
}

SizeLimit hidden_limit(const DeviceSpec& device, Algo algo, Cell cell, bool backward) {
  for (const HiddenLimit& limit : device.hidden_limits) {
    if (limit.algo != algo || limit.cell != cell || limit.backward != backward) continue;
    // The true limit lies in [accepted, rejected). Every limit known exactly is a multiple of 64.
    const int tile = limit.rejected > 0 ? (limit.rejected - 1) / 64 * 64 : 0;
    return {tile > limit.accepted ? tile : limit.accepted, true};
  }
  return documented_limit(algo, cell, backward);
}

std::string_view to_string(Implementation value) {
  static constexpr std::array<std::string_view, 5> words = {
      "none", "standard", "persistent", "persistent_dynamic", "persistent_small_h"};
  const auto index = static_cast<std::size_t>(value);
  return index < words.size() ? words[index] : std::string_view("?");
}

std::string_view to_string(Stage value) {
  static constexpr std::array<std::string_view, 6> words = {
      "set_descriptor",   "temp_space",    "forward_inference",
      "forward_training", "backward_data", "backward_weights"};
  const auto index = static_cast<std::size_t>(value);
  return index < words.size() ? words[index] : std::string_view("?");
}

Eligibility eligibility(const RnnConfig& config, const DeviceSpec& device) {
  Eligibility result;
  result.measured_basis = device.cudnn_version.starts_with("9.19");
  const auto accept = [&result](Stage stage) {
    result.accepted[static_cast<std::size_t>(stage)] = true;
  };

  const bool varying = config.has_varying_lengths();
  result.cause = refused_by_descriptor(config, config.algo);
  if (result.cause == Cause::none) result.cause = refused_by_data_descriptor(config);
  if (result.cause != Cause::none) return result;
  accept(Stage::set_descriptor);
  result.cause = refused_by_size_query(config, config.algo, device);
  if (result.cause != Cause::none) return result;
  accept(Stage::temp_space);
  result.cause = refused_by_forward(config, config.algo, varying);
  if (result.cause != Cause::none) return result;
  accept(Stage::forward_inference);
  accept(Stage::forward_training);
  result.implementation = expected(config);
  // With an algorithm of its own the backward pass has a descriptor of its own.
  const Algo backward = config.algo_of(Phase::backward_data);
  if (config.mixed_algos()) {
    result.cause = refused_by_descriptor(config, backward);
    if (result.cause == Cause::none) result.cause = refused_by_size_query(config, backward, device);
    if (result.cause == Cause::none) result.cause = refused_by_forward(config, backward, varying);
    if (result.cause != Cause::none) return result;
  }
  result.cause = refused_by_backward(config, backward, device);
  if (result.cause != Cause::none) return result;
  accept(Stage::backward_data);
  accept(Stage::backward_weights);
  return result;
}

std::optional<Stage> first_refused(const Eligibility& eligibility, Mode mode) {
  for (const Stage stage : all_stages) {
    const bool backward = stage == Stage::backward_data || stage == Stage::backward_weights;
    if (backward && mode == Mode::inference) continue;
    if (!eligibility.at(stage)) return stage;
  }
  return std::nullopt;
}

std::string_view to_string(WrongResults wrong) {
  constexpr std::array<std::string_view, 3> names{"none", "gradients", "outputs"};
  return names[static_cast<std::size_t>(wrong)];
}

WrongResults small_h_wrong_results(const RnnConfig& config) {
  const bool half = config.data_type == DataType::half;
  const bool converts = config.math_type == MathType::tensor_op_allow_conversion;
  SmallHLayer layer;
  layer.gated = config.cell == Cell::lstm || config.cell == Cell::gru;
  layer.gru = config.cell == Cell::gru;
  layer.half = half;
  layer.multiplies_in_half = half ? config.math_type == MathType::tensor_op || converts
                                  : config.data_type == DataType::float32 && converts;
  layer.bidirectional = config.direction == Direction::bidirectional;
  // It is the backward kernel that is wrong: what goes backward with another is right.
  layer.backward = config.mode == Mode::training &&
                   !(config.mixed_algos() && *config.backward_algo != Algo::persist_static_small_h);
  layer.hidden_size = config.hidden_size;
  layer.batch_size = config.batch_size;
  return small_h_wrong_results(layer);
}

}  // namespace rnnadvisor::model
