#include "profiler/classify/torch_choice.h"

#include <array>

#include "profiler/kernels/classify.h"

namespace rnnadvisor {
namespace {

bool plain_rnn(Cell cell) { return cell == Cell::rnn_relu || cell == Cell::rnn_tanh; }

bool small_h(const RnnConfig& c, const GpuShape& gpu, bool forward) {
  if (!gpu.small_h || gpu.compute_major < 6) return false;
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

std::span<const std::string_view> pytorch_algo_clauses() { return algo_clauses; }

MathType pytorch_math_type(const RnnConfig& config, const ProgramContext& program,
                           const DeviceSpec& device) {
  if (config.data_type == DataType::half && device.compute_at_least(7)) return MathType::tensor_op;
  if (config.data_type == DataType::bfloat16)
    return program.allow_tf32 == false ? MathType::fma : MathType::default_math;
  if (config.data_type == DataType::float32 && program.allow_tf32 == false) return MathType::fma;
  return config.math_type;
}

std::optional<bool> allows_tf32(std::span<const std::string_view> kernel_names) {
  std::optional<bool> allowed;
  for (const auto name : kernel_names) {
    const auto kernel = classify_kernel(name);
    if (kernel.role != KernelRole::gemm || kernel.tensor_cores == TensorCoreHint::unknown) continue;
    if (kernel.tensor_cores == TensorCoreHint::yes) return true;
    allowed = false;
  }
  return allowed;
}

}  // namespace rnnadvisor
