#include "core/model/time_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rnnadvisor::model {
namespace {

double octaves(double value) { return std::log2(std::max(value, 1.0)); }

// Octaves of the largest power of two, up to `most`, that divides `size`.
double alignment(int size, int most) { return octaves(std::gcd(size, most)); }

constexpr int small_batch = 8;

// Up to so many weights of a layer a persistent kernel for 16 bits keeps all of them, for more than
// so many sequences.
constexpr double most_kept_weights = 5e6;
constexpr int few_sequences = 16;
// Up to here a forward kernel takes every multiple of 8 sequences, above those of 16.
constexpr int most_eights = 96;
// The units from which on GRUs go backward on Tensor Cores at multiples of 128 only.
constexpr int small_gru = 64;

Kernels kernels_of(const RnnConfig& config, Implementation implementation, Pipe pipe, Phase phase) {
  if (implementation != Implementation::persistent) return Kernels::one;
  if (pipe != Pipe::fp16_tensor) return Kernels::no_tensor_cores;
  const bool backward = phase == Phase::backward_data;
  const bool forward = phase == Phase::forward_inference || phase == Phase::forward_training;
  const double H = config.hidden_size;
  const bool large =
      config.gates() * H * H > most_kept_weights && config.batch_size > few_sequences;
  // Products outside of the recurrence use Tensor Cores with the default math type, too.
  if (config.data_type == DataType::half && config.math_type == MathType::default_math)
    return large && (forward || backward) ? Kernels::large : Kernels::no_tensor_cores;
  const bool batch = config.batch_size % 8 == 0;
  if (config.cell == Cell::lstm && config.data_type == DataType::half &&
      config.hidden_size % 8 == 0 && (batch || config.batch_size <= small_batch)) {
    return Kernels::lstm;
  }
  bool tensor_cores = batch && config.hidden_size % 32 == 0;
  if (forward && config.batch_size > most_eights) tensor_cores &= config.batch_size % 16 == 0;
  if (backward && config.cell == Cell::gru)
    tensor_cores &= config.hidden_size % 128 == 0 || config.hidden_size <= small_gru;
  if (large && (forward || (backward && !tensor_cores))) return Kernels::large;
  return tensor_cores ? Kernels::tensor_cores : Kernels::no_tensor_cores;
}

// What the units of the device can do at best, from its compute capability: descriptions of unknown
// GPUs have no rates.
Pipe pipe_of(const RnnConfig& config, const DeviceSpec& device) {
  const bool fma = config.math_type == MathType::fma;
  const bool tensor = device.compute_at_least(7) && !fma;
  switch (config.data_type) {
    case DataType::float32:
      if (config.math_type == MathType::tensor_op_allow_conversion && tensor)
        return Pipe::fp16_tensor;
      return !fma && device.compute_at_least(8) ? Pipe::tf32_tensor : Pipe::fp32;
    case DataType::half:
      return tensor ? Pipe::fp16_tensor : Pipe::fp32;
    case DataType::bfloat16:
      return !fma && device.compute_at_least(8) ? Pipe::fp16_tensor : Pipe::fp32;
    case DataType::float64:
      return Pipe::fp64;
  }
  return Pipe::fp32;
}

double up_to(double value, double tile) { return std::ceil(value / tile) * tile; }

}  // namespace

std::string to_string(const TimeGroup& group) {
  std::string name(to_string(group.implementation));
  if (group.implementation == Implementation::standard) {
    name += group.pipe == Pipe::fp16_tensor   ? ", 16 bits"
            : group.pipe == Pipe::tf32_tensor ? ", float with TF32"
                                              : ", float";
    return name;
  }
  switch (group.kernels) {
    case Kernels::one:
      break;
    case Kernels::lstm:
      name += ", LSTM kernels";
      break;
    case Kernels::tensor_cores:
      name += ", Tensor Cores";
      break;
    case Kernels::no_tensor_cores:
      name += ", no Tensor Cores";
      break;
    case Kernels::large:
      name += ", large weights";
      break;
  }
  // The name is the key of what was chosen for a group: 16 bits, the usual case, go without saying.
  if (group.pipe != Pipe::fp16_tensor) name += ", " + std::string(to_string(group.pipe));
  return name;
}

std::optional<TimeGroup> time_group(const RnnConfig& config, const DeviceSpec& device,
                                    Phase phase) {
  if (config.has_projection() || config.input_mode == InputMode::skip_input ||
      config.has_varying_lengths() || config.data_type == DataType::float64) {
    return std::nullopt;
  }
  const Eligibility eligible = eligibility(config, device);
  if (!eligible.at(Stage::forward_inference)) return std::nullopt;
  const Pipe pipe = pipe_of(config, device);
  return TimeGroup{eligible.implementation,
                   kernels_of(config, eligible.implementation, pipe, phase), pipe};
}

std::array<double, work_terms> work(const RnnConfig& config, Phase phase) {
  const double T = config.seq_length, B = config.batch_size, H = config.hidden_size;
  const double D = config.directions(), L = config.num_layers, G = config.gates();
  const double es = element_size(config.data_type);
  const PhaseCost cost = phase_cost(config, phase);
  const double units = T * L * D;  // steps of one layer and direction
  const double step_flops = G * H * H;
  return {1.0,
          L * D,
          units,
          units * H,  // the chain of a step's product
          units * step_flops,
          units * step_flops * up_to(B, 16),
          units * up_to(G * H, 64) * up_to(B, 64),
          units * G * H * B * es,
          units * B,
          static_cast<double>(cost.gemm_flops),
          static_cast<double>(cost.minimum_bytes)};
}

Place place(const RnnConfig& config) {
  const double H = config.hidden_size, B = config.batch_size;
  const bool plain = config.cell == Cell::rnn_relu || config.cell == Cell::rnn_tanh;
  const bool converts = config.data_type == DataType::float32 &&
                        config.math_type == MathType::tensor_op_allow_conversion;
  return {octaves(H),
          octaves(B),
          octaves(config.seq_length),
          octaves(config.input_size) - octaves(H),
          octaves(config.num_layers),
          config.directions() == 2 ? 1.0 : 0.0,
          config.cell == Cell::lstm ? 1.0 : 0.0,
          config.cell == Cell::gru ? 1.0 : 0.0,
          plain ? 1.0 : 0.0,
          config.data_type == DataType::bfloat16 ? 1.0 : 0.0,
          converts ? 1.0 : 0.0,
          alignment(config.hidden_size, 512),
          alignment(config.batch_size, 8),
          alignment(config.input_size, 8)};
}

bool uncalibrated_options(const RnnConfig& config) {
  return config.cell == Cell::rnn_relu || config.layout != Layout::seq_major_unpacked ||
         config.bias_mode != BiasMode::double_bias || config.dropout > 0 ||
         config.clip_mode != ClipMode::none || !config.padded_io ||
         config.math_precision != natural_math_precision(config.data_type);
}

}  // namespace rnnadvisor::model
