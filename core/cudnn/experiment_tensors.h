// The numbers of an experiment on the host: what goes in, what comes out, and how far two results
// are apart. Private to core/cudnn; needs no CUDA.
#pragma once

#include <functional>

#include "core/cudnn/experiment_dataflow.h"
#include "core/cudnn/reference.h"

namespace rnnadvisor::experiment {

// Elements of the largest original whose numbers are looked at: 2 GiB of inputs as float64, and
// about three times that while results are compared.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 28U;

// Elements of all inputs and weights.
std::int64_t input_elements(const RnnConfig& config);

struct Data {
  Tensors inputs;
  std::vector<reference::LayerWeights> weights;
};

// Uniform random numbers: x, dy, dhy, dcy in [-1, 1], hx and cx in [-0.5, 0.5], weights and biases
// in [-1/sqrt(H), 1/sqrt(H)] as frameworks initialise them. Gradients only in training. Equal seeds
// give equal numbers on every platform. `rounded` is given every array once, to make its values
// those that the original's data type can hold.
Data random_data(const RnnConfig& config, std::uint64_t seed,
                 const std::function<void(std::vector<double>&)>& rounded);

struct Outputs {
  Tensors tensors;  // y, hy, cy, dx, dhx, dcx; the last three empty where nothing went backward
  std::vector<reference::LayerWeights> gradients;
};

// Zeros in the original's form.
Outputs no_outputs(const RnnConfig& config, bool training);

// The float64 reference of the original. `backward` false: outputs only.
Outputs reference_outputs(const RnnConfig& config, const Data& data, bool backward);

// "y", "hy", …: the first tensor with a number that is not finite; empty: there is none.
std::string first_not_finite(const Outputs& outputs);

// Every tensor that `after` has, against `before` and, where it is not null, both against
// `reference`; tensors that the reference lacks have errors of -1.
std::vector<TensorShift> compare_outputs(const Outputs& before, const Outputs& after,
                                         const Outputs* reference);

}  // namespace rnnadvisor::experiment
