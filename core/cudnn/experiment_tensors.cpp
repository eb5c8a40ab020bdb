#include "core/cudnn/experiment_tensors.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/uniform.h"
#include "core/base/wide.h"
#include "core/cudnn/experiment_mapping.h"
#include "core/cudnn/io_layout.h"

namespace rnnadvisor::experiment {
namespace {

using Vector = std::vector<double>;
using enum Tensor;

constexpr std::array output_tensors = {y, hy, cy, dx, dhx, dcx};

// Numbers that one thread draws at a time.
constexpr std::size_t piece_elements = std::size_t{1} << 17U;

void clear_padding(const RnnConfig& config, Vector& values) {
  if (!config.has_varying_lengths() || values.empty()) return;
  const std::vector<int> lengths = sequence_lengths(config);
  const auto width = static_cast<std::ptrdiff_t>(values.size()) /
                     (std::ptrdiff_t{config.seq_length} * config.batch_size);
  for (int b = 0; b < config.batch_size; ++b) {
    for (int t = lengths[static_cast<std::size_t>(b)]; t < config.seq_length; ++t) {
      const auto row = values.begin() + (std::ptrdiff_t{t} * config.batch_size + b) * width;
      std::fill(row, row + width, 0.0);
    }
  }
}

// What has no steps has no states that anybody promises.
void clear_states_without_steps(const RnnConfig& config, Outputs& outputs) {
  const std::vector<int> lengths = sequence_lengths(config);
  for (const Tensor tensor : {hy, cy, dhx, dcx}) {
    Vector& values = of(outputs.tensors, tensor);
    const auto width = static_cast<std::ptrdiff_t>(values.size()) /
                       (std::ptrdiff_t{config.pseudo_layers()} * config.batch_size);
    for (int row = 0; width > 0 && row < config.pseudo_layers() * config.batch_size; ++row) {
      if (lengths[static_cast<std::size_t>(row % config.batch_size)] > 0) continue;
      const auto at = values.begin() + row * width;
      std::fill(at, at + width, 0.0);
    }
  }
}

bool finite(const Vector& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// `weights` may be const.
template <class Weights, class Visitor>
void for_parts(Weights& weights, const Visitor& visit) {
  for (auto& layer : weights) {
    for (auto* group : {&layer.input, &layer.recurrent, &layer.input_bias, &layer.recurrent_bias}) {
      for (auto& part : *group) visit(part);
    }
    if (!layer.projection.empty()) visit(layer.projection);
  }
}

}  // namespace

std::int64_t input_elements(const RnnConfig& config) {
  Wide sum = 0;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    if (tensor <= dcy) sum += dense_elements(config, tensor);
  }
  const Wide below = Wide{config.directions()} * config.proj_size;
  const Wide rows = Wide{config.directions()} * config.gates() * config.hidden_size;
  sum += rows * (Wide{config.input_size} + config.proj_size);
  sum += rows * (below + config.proj_size) * (config.num_layers - 1);
  return saturate(sum);
}

Data random_data(const RnnConfig& config, std::uint64_t seed,
                 const std::function<void(Vector&)>& rounded) {
  Data data;
  std::uint64_t drawn = 0;
  const auto fill = [&](Vector& values, double amplitude) {
    for_pieces(values.size(), piece_elements, [&](std::size_t begin, std::size_t end) {
      Uniform uniform(seed, drawn + begin);
      for (std::size_t i = begin; i < end; ++i) values[i] = uniform(amplitude);
    });
    drawn += values.size();
    rounded(values);
  };
  const bool training = config.mode == Mode::training;
  for (const Tensor tensor : {x, hx, cx, dy, dhy, dcy}) {
    const bool gradient = tensor == dy || tensor == dhy || tensor == dcy;
    if (gradient && !training) continue;
    Vector& values = of(data.inputs, tensor);
    values.resize(static_cast<std::size_t>(dense_elements(config, tensor)));
    fill(values, tensor == hx || tensor == cx ? 0.5 : 1);
    if (tensor == x || tensor == dy) clear_padding(config, values);
  }
  data.weights = zero_weights(config);
  const double amplitude = 1 / std::sqrt(static_cast<double>(config.hidden_size));
  for_parts(data.weights, [&](Vector& part) { fill(part, amplitude); });
  return data;
}

Outputs no_outputs(const RnnConfig& config, bool training) {
  Outputs outputs;
  for (const Tensor tensor : output_tensors) {
    if (!training && (tensor == dx || tensor == dhx || tensor == dcx)) continue;
    of(outputs.tensors, tensor).assign(static_cast<std::size_t>(dense_elements(config, tensor)), 0);
  }
  if (training) outputs.gradients = zero_weights(config);
  return outputs;
}

Outputs reference_outputs(const RnnConfig& config, const Data& data, bool backward) {
  reference::Inputs inputs;
  inputs.config = config;
  inputs.lengths = sequence_lengths(config);
  inputs.weights = data.weights;
  inputs.x = of(data.inputs, x);
  inputs.hx = of(data.inputs, hx);
  inputs.cx = of(data.inputs, cx);
  if (backward) {
    inputs.dy = of(data.inputs, dy);
    inputs.dhy = of(data.inputs, dhy);
    inputs.dcy = of(data.inputs, dcy);
  }
  reference::Outputs computed = reference::compute(inputs);
  Outputs outputs;
  of(outputs.tensors, y) = std::move(computed.y);
  of(outputs.tensors, hy) = std::move(computed.hy);
  of(outputs.tensors, cy) = std::move(computed.cy);
  if (backward) {
    of(outputs.tensors, dx) = std::move(computed.dx);
    of(outputs.tensors, dhx) = std::move(computed.dhx);
    of(outputs.tensors, dcx) = std::move(computed.dcx);
    outputs.gradients = std::move(computed.dweights);
  }
  clear_states_without_steps(config, outputs);
  return outputs;
}

std::string first_not_finite(const Outputs& outputs) {
  for (const Tensor tensor : output_tensors) {
    if (!finite(of(outputs.tensors, tensor))) return std::string(to_string(tensor));
  }
  bool all = true;
  for_parts(outputs.gradients, [&](const Vector& part) { all = all && finite(part); });
  return all ? "" : "dw";
}

std::vector<TensorShift> compare_outputs(const Outputs& before, const Outputs& after,
                                         const Outputs* reference) {
  std::vector<TensorShift> shifts;
  const auto add = [&](std::string_view name, const Vector& was, const Vector& is,
                       const Vector* exact) {
    TensorShift shift;
    shift.tensor = name;
    shift.from_before = reference::relative_difference(is, was);
    if (exact != nullptr && exact->size() == was.size()) {
      shift.before_error = reference::relative_difference(was, *exact);
      shift.after_error = reference::relative_difference(is, *exact);
    }
    shifts.push_back(std::move(shift));
  };
  for (const Tensor tensor : output_tensors) {
    const Vector& is = of(after.tensors, tensor);
    const Vector& was = of(before.tensors, tensor);
    if (is.empty() || is.size() != was.size()) continue;
    add(to_string(tensor), was, is,
        reference != nullptr ? &of(reference->tensors, tensor) : nullptr);
  }
  if (!after.gradients.empty() && !before.gradients.empty()) {
    const Vector exact = reference != nullptr ? reference::flatten(reference->gradients) : Vector{};
    add("dw", reference::flatten(before.gradients), reference::flatten(after.gradients),
        exact.empty() ? nullptr : &exact);
  }
  return shifts;
}

}  // namespace rnnadvisor::experiment
