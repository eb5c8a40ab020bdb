// The matrix products a recurrent layer is equivalent to: Table 1 of NVIDIA, "Optimizing Recurrent
// Layers User's Guide", chapter 3, with its factor 4 (LSTM), 3 (GRU) or 1 (RNN), extended to two
// directions, projection and stacked layers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/config/rnn_config.h"

namespace rnnadvisor::model {

enum class Path { recurrent, layer_to_layer, projection };
std::string_view to_string(Path path);

struct Gemm {
  Path path = Path::recurrent;
  Phase phase = Phase::forward_training;
  int layer = 0;
  int direction = 0;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t count = 0;  // how many of these dimensions
  // 2·M·N·K·count. Saturates.
  std::int64_t flops() const;

  bool operator==(const Gemm&) const = default;
};

// Layers listed one by one; the last listed one stands for all above it, in `count`, so that an
// absurd num_layers stays harmless.
inline constexpr int most_listed_layers = 1024;

// All products of one phase, of the full rectangle of seq_length steps and batch_size sequences.
// `unrolling` is the guide's F, the steps joined in one layer-to-layer product, 1 ≤ F ≤ T; 0 means
// T. forward_inference and forward_training give equal products.
std::vector<Gemm> gemms(const RnnConfig& config, Phase phase, int unrolling = 0);

}  // namespace rnnadvisor::model
