// What a configuration must compute and move, and the time below which it cannot go on a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"
#include "core/model/gemm.h"

namespace rnnadvisor::model {

struct PhaseCost {
  Phase phase = Phase::forward_training;
  std::int64_t gemm_flops = 0;       // sum over Table 1
  std::int64_t pointwise_flops = 0;  // activations and gate arithmetic; formula in cost.cpp
  std::int64_t flops = 0;            // their sum
  std::int64_t minimum_bytes = 0;    // each weight, input and output moved once
  double intensity = 0;              // flops / minimum_bytes, FLOP per byte
};

PhaseCost phase_cost(const RnnConfig& config, Phase phase);

// The pipe on which the products of this configuration run at best, by data type, math type and
// device.
enum class Pipe { fp64, fp32, tf32_tensor, fp16, fp16_tensor, bf16_tensor };
std::string_view to_string(Pipe pipe);
Pipe best_pipe(const RnnConfig& config, const DeviceSpec& device);
double pipe_flops(
    Pipe pipe,
    const DeviceSpec& device);  // peak, FLOP per second; measured where there is a measurement

struct Bound {
  double compute_ms = 0;   // gemm_flops over the pipe's peak
  double memory_ms = 0;    // minimum bytes over bandwidth
  double roofline_ms = 0;  // the larger of the two
  double sequential_ms =
      0;  // T dependent steps: each at least reads the recurrent weights once (standard) or one
          // grid synchronisation (persistent); 0 where the device has no measurement for it
  double bound_ms = 0;  // the largest
  bool memory_bound = false;
  bool estimate = true;  // false only when every ceiling used was measured on this device
  std::string basis;     // which ceilings, with source
};

Bound lower_bound(const RnnConfig& config, Phase phase, const DeviceSpec& device);

// Share of the launched work that computes nothing, for a product cut into tiles of tile_m x tile_n
// on sm_count SMs: NVIDIA, "Matrix Multiplication Background User's Guide", sections on tile and
// wave quantization.
struct Quantization {
  double tile_waste = 0;  // 0 … 1
  double wave_waste = 0;  // 0 … 1
  std::int64_t tiles = 0;
  double waves = 0;
};
Quantization quantization(const Gemm& gemm, int sm_count, int tile_m = 128, int tile_n = 128);

}  // namespace rnnadvisor::model
