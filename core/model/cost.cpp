#include "core/model/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/wide.h"
#include "core/model/memory.h"

namespace rnnadvisor::model {
namespace {

// Sums that saturate. Every addend is below 2^127 / 64 and there are few of them.
struct GateSizes {
  Wide T, B, I, H, P, L, D, G, es;
  Wide values;  // T·B·H·L·D: gate positions of one gate
};

GateSizes gate_sizes(const RnnConfig& c) {
  GateSizes s{};
  s.T = c.seq_length;
  s.B = c.batch_size;
  s.I = c.input_size;
  s.H = c.hidden_size;
  s.P = c.proj_size;
  s.L = c.num_layers;
  s.D = c.directions();
  s.G = c.gates();
  s.es = element_size(c.data_type);
  s.values = s.T * s.B * s.H * s.L * s.D;  // below 2^126
  return s;
}

// The same sum as over gemms(), without a list of num_layers entries: layers above the first are
// equal. Closed form: 2·T·B·D·(G·H·P + [P<H] P·H + input product), and the two backward phases cost
// the same each.
Wide gemm_flops(const RnnConfig& c, const GateSizes& s) {
  const Wide own = s.G * s.H * s.P + (c.has_projection() ? s.P * s.H : 0);
  const Wide first = own + (c.input_mode == InputMode::linear_input ? s.G * s.H * s.I : 0);
  const Wide above = own + s.G * s.H * s.D * s.P;
  // T·B·D < 2^63 and the bracket may reach 2^98: saturate before multiplying what would not fit.
  const Wide per_step = first + (s.L - 1) * above;
  const Wide steps = 2 * s.T * s.B * s.D;
  constexpr Wide most = (Wide{1} << 63) - 1;
  return per_step > most / steps ? most : per_step * steps;
}

// Operations per gate position, our own count from the cell equations in cudnn_adv.h: an addition,
// a multiplication, a comparison and an activation function count one each; σ' costs 2 from σ,
// tanh' 2 from tanh.
//   forward    each gate: joining the two products 1, bias vectors b, activation 1
//              LSTM: c' = f·c + i·g 3, tanh(c') 1, times o 1, clipping 2
//              GRU:  r·(Uh + b) 1, (1 − z)·n + z·h 4
//   backward   LSTM: join dh 1, through tanh(c') and o 5, gates' inputs 4, dc·f 1, σ' and tanh'
//   with product 12
//              GRU:  join dh 1, z and n 4, dh += dh·z 2, tanh' 3, r·(Uh) both ways 2, σ' of r and z
//              6 RNN:  join dh 1, tanh' with product 3, or relu's mask 1
//   weights    bias gradients: one addition per gate
int operations_per_value(const RnnConfig& c, Phase phase) {
  const int gates = c.gates();
  const int bias = bias_vectors(c.bias_mode);
  if (phase == Phase::backward_weights) return bias > 0 ? gates : 0;
  if (phase == Phase::backward_data) {
    switch (c.cell) {
      case Cell::lstm:
        return 23;
      case Cell::gru:
        return 18;
      case Cell::rnn_tanh:
        return 4;
      case Cell::rnn_relu:
        return 2;
    }
  }
  const int activation = gates * (2 + bias);
  switch (c.cell) {
    case Cell::lstm:
      return activation + 5 + (c.clip_mode == ClipMode::minmax ? 2 : 0);
    case Cell::gru:
      return activation + 5;
    case Cell::rnn_tanh:
    case Cell::rnn_relu:
      return activation;
  }
  return activation;
}

// Each tensor that the phase must read or write, once. The reserve space carries what forward
// training saves for the backward phases; weight gradients are counted as written once, though
// cuDNN adds to them.
Wide minimum_bytes(const RnnConfig& c, const GateSizes& s, Phase phase) {
  const SpaceSizes sizes = space_sizes(c);
  const Wide weights = sizes.weights.value;
  const Wide reserve = sizes.reserve_training.value;
  const Wide rows = c.packed() ? Wide{c.used_steps()} : s.T * s.B;
  const Wide x = rows * s.I * s.es;
  const Wide y = rows * s.D * s.P * s.es;
  const Wide h = s.L * s.D * s.B * s.P * s.es;
  const Wide cell = c.cell == Cell::lstm ? s.L * s.D * s.B * s.H * s.es : 0;
  switch (phase) {
    case Phase::forward_inference:
      return weights + x + y + 2 * (h + cell);
    case Phase::forward_training:
      return weights + x + y + 2 * (h + cell) + reserve;
    case Phase::backward_data:  // y, dy, dx; hx, dhy, dhx; cx, dcy, dcx
      return weights + 2 * y + x + 3 * (h + cell) + reserve;
    case Phase::backward_weights:  // x, hx, y and what backward data left in the reserve
      return weights + x + y + h + reserve;
  }
  return 0;
}

struct Ceiling {
  double value = 0;
  bool measured = false;
  std::string source;
};

bool tensor_pipe(Pipe pipe) { return pipe == Pipe::fp16_tensor || pipe == Pipe::bf16_tensor; }

Ceiling pipe_ceiling(Pipe pipe, const DeviceSpec& device) {
  // One measurement serves both 16-bit types where the data sheet gives them one rate.
  const bool same_rate = device.bf16_tensor_flops == device.fp16_tensor_flops;
  if (device.measured_fp16_tensor_flops && tensor_pipe(pipe) &&
      (pipe == Pipe::fp16_tensor || same_rate)) {
    return {device.measured_fp16_tensor_flops->value, true,
            device.measured_fp16_tensor_flops->source};
  }
  switch (pipe) {
    case Pipe::fp64:
      return {device.fp64_flops, false, device.source};
    case Pipe::fp32:
      return {device.fp32_flops, false, device.source};
    case Pipe::tf32_tensor:
      return {device.tf32_tensor_flops, false, device.source};
    case Pipe::fp16:
      return {device.fp16_flops, false, device.source};
    case Pipe::fp16_tensor:
      return {device.fp16_tensor_flops, false, device.source};
    case Pipe::bf16_tensor:
      return {device.bf16_tensor_flops, false, device.source};
  }
  return {};
}

Ceiling bandwidth_ceiling(const DeviceSpec& device) {
  if (device.measured_bandwidth)
    return {device.measured_bandwidth->value, true, device.measured_bandwidth->source};
  return {device.memory_bandwidth, false, device.source};
}

// Seconds below which T dependent steps cannot go; our own derivation. In the standard
// implementation a step of one layer and direction reads that layer's recurrent weights: from
// memory at least what does not fit the L2 cache, and at least one launch must follow another. A
// persistent kernel synchronises its grid once a step. A term without a measurement or size behind
// it is left out, which keeps this a lower bound.
double sequential_seconds(const RnnConfig& c, Phase phase, const DeviceSpec& device,
                          double bandwidth) {
  if (phase == Phase::backward_weights) return 0;  // has no dependent steps
  const double steps = c.seq_length;
  const bool persistent = c.algo_of(phase) != Algo::standard && c.data_type != DataType::bfloat16;
  if (persistent) return device.grid_sync_seconds ? steps * device.grid_sync_seconds->value : 0;
  double seconds = device.kernel_launch_seconds ? steps * device.kernel_launch_seconds->value : 0;
  if (device.l2_bytes > 0 && bandwidth > 0) {
    const GateSizes s = gate_sizes(c);
    const Wide recurrent = s.es * (s.G * s.H * s.P + (c.has_projection() ? s.P * s.H : 0));
    const double beyond = static_cast<double>(recurrent - device.l2_bytes);
    const double passes = steps * c.num_layers * c.directions();
    seconds = std::max(seconds, passes * std::max(0.0, beyond) / bandwidth);
  }
  return seconds;
}

}  // namespace

PhaseCost phase_cost(const RnnConfig& config, Phase phase) {
  const GateSizes s = gate_sizes(config);
  PhaseCost cost;
  cost.phase = phase;
  cost.gemm_flops = saturate(gemm_flops(config, s));
  constexpr Wide most = (Wide{1} << 63) - 1;
  Wide pointwise = std::min(s.values, most) * operations_per_value(config, phase);
  if (config.dropout > 0 && (phase == Phase::forward_training || phase == Phase::backward_data)) {
    pointwise += std::min(s.T * s.B * s.D * s.P * (s.L - 1),
                          most);  // one multiplication per value between layers
  }
  cost.pointwise_flops = saturate(pointwise);
  cost.flops = saturate(Wide{cost.gemm_flops} + cost.pointwise_flops);
  cost.minimum_bytes = saturate(minimum_bytes(config, s, phase));
  cost.intensity = cost.minimum_bytes > 0
                       ? static_cast<double>(cost.flops) / static_cast<double>(cost.minimum_bytes)
                       : 0;
  return cost;
}

std::string_view to_string(Pipe pipe) {
  static constexpr std::array<std::string_view, 6> words = {"fp64", "fp32",        "tf32_tensor",
                                                            "fp16", "fp16_tensor", "bf16_tensor"};
  const auto index = static_cast<std::size_t>(pipe);
  return index < words.size() ? words[index] : std::string_view("?");
}

Pipe best_pipe(const RnnConfig& config, const DeviceSpec& device) {
  const bool fma = config.math_type == MathType::fma;
  switch (config.data_type) {
    case DataType::float64:
      return Pipe::fp64;
    case DataType::float32:
      if (config.math_type == MathType::tensor_op_allow_conversion && device.has_tensor_cores())
        return Pipe::fp16_tensor;
      return !fma && device.has_tf32() ? Pipe::tf32_tensor : Pipe::fp32;
    case DataType::half:
      if (!fma && device.has_tensor_cores()) return Pipe::fp16_tensor;
      // Without Tensor Cores, half products accumulate in float unless half precision is asked for.
      return config.math_precision == DataType::half && device.fp16_flops > 0 ? Pipe::fp16
                                                                              : Pipe::fp32;
    case DataType::bfloat16:
      return !fma && device.has_bf16() ? Pipe::bf16_tensor : Pipe::fp32;
  }
  return Pipe::fp32;
}

double pipe_flops(Pipe pipe, const DeviceSpec& device) { return pipe_ceiling(pipe, device).value; }

Bound lower_bound(const RnnConfig& config, Phase phase, const DeviceSpec& device) {
  const PhaseCost cost = phase_cost(config, phase);
  const Pipe pipe = best_pipe(config, device);
  const Ceiling compute = pipe_ceiling(pipe, device);
  const Ceiling bandwidth = bandwidth_ceiling(device);

  Bound bound;
  // Element-wise work runs on other units at the same time; only the products count against the
  // pipe.
  if (compute.value > 0)
    bound.compute_ms = 1e3 * static_cast<double>(cost.gemm_flops) / compute.value;
  if (bandwidth.value > 0)
    bound.memory_ms = 1e3 * static_cast<double>(cost.minimum_bytes) / bandwidth.value;
  bound.roofline_ms = std::max(bound.compute_ms, bound.memory_ms);
  bound.memory_bound = bound.memory_ms > bound.compute_ms;
  bound.sequential_ms = 1e3 * sequential_seconds(config, phase, device, bandwidth.value);
  bound.bound_ms = std::max(bound.roofline_ms, bound.sequential_ms);
  bound.estimate = !(compute.measured && bandwidth.measured);
  bound.basis = fmt::format(
      "{} {:.4g} TFLOP/s ({}: {}); memory {:.4g} TB/s ({}: {})", to_string(pipe),
      compute.value / 1e12, compute.measured ? "measured" : "data sheet", compute.source,
      bandwidth.value / 1e12, bandwidth.measured ? "measured" : "data sheet", bandwidth.source);
  return bound;
}

Quantization quantization(const Gemm& gemm, int sm_count, int tile_m, int tile_n) {
  Quantization result;
  if (gemm.m <= 0 || gemm.n <= 0 || sm_count <= 0 || tile_m <= 0 || tile_n <= 0) return result;
  const Wide across = (Wide{gemm.m} + tile_m - 1) / tile_m;
  const Wide down = (Wide{gemm.n} + tile_n - 1) / tile_n;
  const Wide tiles = across * down;
  const Wide waves = (tiles + sm_count - 1) / sm_count;
  result.tiles = saturate(tiles);
  result.waves = static_cast<double>(tiles) / sm_count;
  const double used = static_cast<double>(gemm.m) * static_cast<double>(gemm.n);
  result.tile_waste = 1.0 - used / (static_cast<double>(tiles) * tile_m * tile_n);
  result.wave_waste = 1.0 - static_cast<double>(tiles) / (static_cast<double>(waves) * sm_count);
  return result;
}

}  // namespace rnnadvisor::model
