// Recurrent layers in float64 on the CPU, forward and backward, after the formulas in cuDNN's
// description of cudnnRNNMode_t: what the correctness mode compares cuDNN with. Plain loops; for
// small sizes. Needs no CUDA.
#pragma once

#include <vector>

#include "core/config/rnn_config.h"

namespace rnnadvisor::reference {

// One pseudo-layer (layer and direction). Gate order is cuDNN's linLayerID: LSTM input, forget, new
// memory, output; GRU reset, update, new memory; RNN one gate. Matrices are row-major
// [hidden][columns]. Empty vectors stand for what the configuration does not have: input matrices
// with skip_input, bias vectors by bias mode, the projection.
struct LayerWeights {
  std::vector<std::vector<double>> input;           // per gate [H][in]
  std::vector<std::vector<double>> recurrent;       // per gate [H][P]
  std::vector<std::vector<double>> input_bias;      // per gate [H]
  std::vector<std::vector<double>> recurrent_bias;  // per gate [H]
  std::vector<double> projection;                   // [P][H]
};

struct Inputs {
  RnnConfig config;
  std::vector<int> lengths;           // one per sequence
  std::vector<LayerWeights> weights;  // per pseudo-layer: layer * directions + direction
  std::vector<double> x;              // [T][B][I]; padding is not looked at
  std::vector<double> hx, cx;         // [L*D][B][P], [L*D][B][H]
  std::vector<double> dy, dhy, dcy;   // as y, hy, cy; empty: no backward
};

struct Outputs {
  std::vector<double> y;  // [T][B][D*P]; zero in the padding
  std::vector<double> hy, cy;
  std::vector<double> dx, dhx, dcx;
  std::vector<LayerWeights> dweights;
};

// Dropout is not modelled: its mask is cuDNN's own.
Outputs compute(const Inputs& inputs);

// All parts, one after the other.
std::vector<double> flatten(const std::vector<LayerWeights>& layers);

// || out - ref || / || ref ||, Frobenius; || out || where ref is zero. Sizes must be equal.
double relative_difference(const std::vector<double>& out, const std::vector<double>& ref);

}  // namespace rnnadvisor::reference
