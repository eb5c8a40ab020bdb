#include "advisor/facts/framework_model.h"

#include <array>

namespace rnnadvisor::advisor {
namespace {

using Flag = std::optional<bool>;

// One condition for cuDNN, in the order in which the framework meets it.
struct Condition {
  std::string_view clause;
  Flag holds;
};

CudnnUse decide(std::span<const Condition> conditions) {
  for (const auto& condition : conditions) {
    if (condition.holds == false) return {false, condition.clause};
  }
  for (const auto& condition : conditions) {
    if (!condition.holds) return {std::nullopt, condition.clause};
  }
  return {true, "none"};
}

Flag negated(const Flag& value) { return value ? Flag(!*value) : Flag(); }

Flag equals(const std::optional<std::string>& value, std::string_view wanted) {
  return value ? Flag(*value == wanted) : Flag();
}

bool plain_rnn(Cell cell) { return cell == Cell::rnn_relu || cell == Cell::rnn_tanh; }

bool small_h(const RnnConfig& c, const GpuShape& gpu, bool forward) {
  if (gpu.compute_major < 6) return false;
  const int limit = plain_rnn(c.cell) ? (forward ? 384 : 256) : (forward ? 192 : 128);
  return c.hidden_size <= limit;
}

std::string_view common_clause(const RnnConfig& c) {
  if (c.num_layers != 1) return "several_layers";
  if (c.hidden_size > 1024) return "hidden_above_1024";
  if (c.directions() != 1) return "bidirectional";
  if (c.hidden_size % 128 != 0) return "hidden_not_multiple_of_128";
  if (c.input_size % 128 != 0) return "input_not_multiple_of_128";
  return "none";
}

std::string_view volta_clause(const RnnConfig& c) {
  const int b = c.batch_size;
  const int t = c.seq_length;
  if (!((b % 16 == 0 && b != 80 && b != 112) || b == 8)) return "volta_batch";
  if (!((t >= 40 && b <= 128) || (t >= 20 && b <= 96) || (t >= 10 && b <= 32)))
    return "volta_length";
  return "none";
}

std::string_view device_clause(const RnnConfig& c, const GpuShape& gpu) {
  if (gpu.compute_major == 7) return gpu.compute_minor == 5 ? "turing" : volta_clause(c);
  if (gpu.compute_major < 8) return "compute_capability_below_7";
  if (gpu.sm_count < 98) return "fewer_than_98_sms";
  if (gpu.compute_minor == 6) return "compute_capability_8_6";
  if (c.cell == Cell::gru) return "gru";
  if (c.batch_size % 8 != 0) return "batch_not_multiple_of_8";
  if (c.batch_size > 128) return "batch_above_128";
  if (plain_rnn(c.cell) && c.batch_size >= 96 && c.hidden_size >= 896)
    return "rnn_large_batch_and_hidden";
  return "none";
}

constexpr auto algo_clauses = std::to_array<std::string_view>({"none",
                                                               "projection",
                                                               "packed_input",
                                                               "data_type_double",
                                                               "data_type_not_half",
                                                               "several_layers",
                                                               "hidden_above_1024",
                                                               "bidirectional",
                                                               "hidden_not_multiple_of_128",
                                                               "input_not_multiple_of_128",
                                                               "turing",
                                                               "volta_batch",
                                                               "volta_length",
                                                               "compute_capability_below_7",
                                                               "fewer_than_98_sms",
                                                               "compute_capability_8_6",
                                                               "gru",
                                                               "batch_not_multiple_of_8",
                                                               "batch_above_128",
                                                               "rnn_large_batch_and_hidden"});
constexpr auto pytorch_use =
    std::to_array<std::string_view>({"none", "custom_cell", "layer_norm", "cudnn_disabled",
                                     "bfloat16_compute_capability", "bfloat16_cudnn_version"});
constexpr auto keras2_use = std::to_array<std::string_view>(
    {"none", "cell", "activation", "recurrent_activation", "recurrent_dropout", "unroll",
     "use_bias", "reset_after", "eager_outside_functions", "mask"});
constexpr auto keras3_use = std::to_array<std::string_view>(
    {"none", "cell", "backend", "use_cudnn", "activation", "recurrent_activation",
     "recurrent_dropout", "unroll", "use_bias", "reset_after", "jit_compile", "mask"});
constexpr auto onnxruntime_use =
    std::to_array<std::string_view>({"none", "clip_attribute", "default_activations",
                                     "input_forget", "peephole", "linear_before_reset"});
constexpr auto jax_use =
    std::to_array<std::string_view>({"none", "cell_not_lstm", "data_type_not_float", "projection"});

Flag no_recurrent_dropout(const ProgramContext& p) {
  return p.recurrent_dropout ? Flag(*p.recurrent_dropout == 0) : Flag();
}

Flag right_padded_or_none(const ProgramContext& p) {
  return p.mask ? Flag(*p.mask == MaskKind::none || *p.mask == MaskKind::right_padded) : Flag();
}

// GRU only; cells that have no such choice pass.
Flag reset_after(const CudnnQuestion& q) {
  return q.config.cell == Cell::gru ? q.program.reset_after : Flag(true);
}

}  // namespace

AlgoChoice pytorch_algo(const RnnConfig& config, const GpuShape& gpu, bool packed_input,
                        bool forward) {
  if (config.has_projection()) return {Algo::standard, "projection"};
  if (packed_input) return {Algo::standard, "packed_input"};
  if (config.data_type == DataType::float64) return {Algo::standard, "data_type_double"};
  if (small_h(config, gpu, forward)) return {Algo::persist_static_small_h, "none"};
  if (config.data_type != DataType::half) return {Algo::standard, "data_type_not_half"};
  auto clause = common_clause(config);
  if (clause == "none") clause = device_clause(config, gpu);
  return {clause == "none" ? Algo::persist_static : Algo::standard, clause};
}

CudnnUse pytorch_cudnn(const CudnnQuestion& q) {
  const auto& p = q.program;
  const bool bfloat16 = q.config.data_type == DataType::bfloat16;
  Flag bf16_device(true);
  Flag bf16_cudnn(true);
  if (bfloat16) {
    const bool known = q.device != nullptr && q.device->compute_major > 0;
    bf16_device = known ? Flag(q.device->compute_major >= 8) : Flag();
    bf16_cudnn = q.cudnn_version ? Flag(*q.cudnn_version >= Version{9, 13, 0}) : Flag();
  }
  // nn.LSTM, nn.GRU and nn.RNN are cuDNN's cells, and cuDNN is on by default: only a stated
  // exception counts.
  const std::array conditions = {Condition{"custom_cell", p.custom_cell != true},
                                 Condition{"layer_norm", p.layer_norm != true},
                                 Condition{"cudnn_disabled", p.cudnn_enabled != false},
                                 Condition{"bfloat16_compute_capability", bf16_device},
                                 Condition{"bfloat16_cudnn_version", bf16_cudnn}};
  return decide(conditions);
}

CudnnUse keras2_cudnn(const CudnnQuestion& q) {
  const auto& p = q.program;
  const std::array conditions = {
      Condition{"cell", !plain_rnn(q.config.cell) && p.custom_cell != true},
      Condition{"activation", equals(p.activation, "tanh")},
      Condition{"recurrent_activation", equals(p.recurrent_activation, "sigmoid")},
      Condition{"recurrent_dropout", no_recurrent_dropout(p)},
      Condition{"unroll", negated(p.unroll)},
      Condition{"use_bias", p.use_bias},
      Condition{"reset_after", reset_after(q)},
      Condition{"eager_outside_functions", p.eager_outside_functions},
      Condition{"mask", right_padded_or_none(p)}};
  return decide(conditions);
}

namespace {

// The conditions of Keras 3 but for the mask.
auto keras3_conditions(const CudnnQuestion& q) {
  const auto& p = q.program;
  Flag backend;
  if (p.backend && *p.backend != KerasBackend::jax) backend = true;
  const Flag compiled = p.jit_compile ? negated(p.jit_compile) : Flag();
  return std::array{
      Condition{"cell", !plain_rnn(q.config.cell) && p.custom_cell != true},
      Condition{"backend", backend},
      Condition{"use_cudnn", p.use_cudnn ? Flag(*p.use_cudnn != KerasCudnn::no) : Flag()},
      Condition{"activation", equals(p.activation, "tanh")},
      Condition{"recurrent_activation", equals(p.recurrent_activation, "sigmoid")},
      Condition{"recurrent_dropout", no_recurrent_dropout(p)},
      Condition{"unroll", negated(p.unroll)},
      Condition{"use_bias", p.use_bias},
      Condition{"reset_after", reset_after(q)},
      Condition{"jit_compile", compiled},
      Condition{"mask", Flag(true)}};
}

}  // namespace

CudnnUse keras3_cudnn(const CudnnQuestion& q) {
  auto conditions = keras3_conditions(q);
  const auto mask = keras3_mask(q);
  // The TensorFlow backend looks at the mask when it is on its cuDNN path already.
  if (mask == Keras3Mask::loops) conditions.back().holds = false;
  if (mask == Keras3Mask::backend_decides) conditions.back().holds = Flag();
  if (!q.program.mask) conditions.back().holds = Flag();
  return decide(conditions);
}

Keras3Mask keras3_mask(const CudnnQuestion& q) {
  const auto& p = q.program;
  if (!p.mask || *p.mask == MaskKind::none) return Keras3Mask::suits;
  for (const auto& condition : keras3_conditions(q))
    if (condition.holds == false) return Keras3Mask::suits;
  // The PyTorch backend takes any mask to its Python loop.
  if (p.backend == KerasBackend::torch) return Keras3Mask::loops;
  if (*p.mask == MaskKind::right_padded || p.backend == KerasBackend::jax) return Keras3Mask::suits;
  return p.backend ? Keras3Mask::stops : Keras3Mask::backend_decides;
}

std::string_view to_string(Keras3Mask value) {
  switch (value) {
    case Keras3Mask::suits:
      return "suits";
    case Keras3Mask::loops:
      return "loops";
    case Keras3Mask::stops:
      return "stops";
    case Keras3Mask::backend_decides:
      return "backend_decides";
  }
  return "?";
}

CudnnUse onnxruntime_cuda(const CudnnQuestion& q) {
  const auto& p = q.program;
  const bool lstm = q.config.cell == Cell::lstm;
  // RNN with relu is no default activation of the CUDA provider.
  const Flag activations = q.config.cell == Cell::rnn_relu ? Flag(false) : p.default_activations;
  const std::array conditions = {
      Condition{"clip_attribute", negated(p.clip_attribute)},
      Condition{"default_activations", activations},
      Condition{"input_forget", lstm ? negated(p.input_forget) : Flag(true)},
      Condition{"peephole", lstm ? negated(p.peephole) : Flag(true)},
      Condition{"linear_before_reset",
                q.config.cell == Cell::gru ? p.linear_before_reset : Flag(true)}};
  return decide(conditions);
}

CudnnUse jax_supported(const CudnnQuestion& q) {
  const std::array conditions = {
      Condition{"cell_not_lstm", q.config.cell == Cell::lstm},
      Condition{"data_type_not_float", q.config.data_type == DataType::float32},
      Condition{"projection", !q.config.has_projection()}};
  return decide(conditions);
}

std::span<const std::string_view> pytorch_algo_clauses() { return algo_clauses; }
std::span<const std::string_view> pytorch_cudnn_clauses() { return pytorch_use; }
std::span<const std::string_view> keras2_clauses() { return keras2_use; }
std::span<const std::string_view> keras3_clauses() { return keras3_use; }
std::span<const std::string_view> onnxruntime_clauses() { return onnxruntime_use; }
std::span<const std::string_view> jax_clauses() { return jax_use; }

}  // namespace rnnadvisor::advisor
