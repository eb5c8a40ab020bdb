#include "core/cudnn/experiment_mapping.h"

#include <cstddef>

namespace rnnadvisor::experiment {
namespace {

using reference::LayerWeights;
using Vector = std::vector<double>;

// A matrix of the original within one of the call: row r is row r, column c is column columns[c].
struct Window {
  std::size_t rows = 0;                  // of the original
  std::size_t call_rows = 0, width = 0;  // of the call
  std::vector<std::size_t> columns;

  Vector widen(const Vector& from) const {
    Vector to(call_rows * width, 0.0);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        to[r * width + columns[c]] = from[r * columns.size() + c];
    }
    return to;
  }
  Vector narrow(const Vector& from) const {
    Vector to(rows * columns.size());
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        to[r * columns.size() + c] = from[r * width + columns[c]];
    }
    return to;
  }
};

std::vector<std::size_t> first_columns(int count) {
  std::vector<std::size_t> columns(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  return columns;
}

// Everything about one layer of a part.
struct LayerMap {
  Window input, recurrent, projection, bias;
  bool input_before = true;  // whether the layer has input matrices in the original
  bool input_call = true;    // and in the call
};

LayerMap layer_map(const RnnConfig& before, const Part& part, int layer_of_call) {
  const RnnConfig& call = part.config;
  const int layer = part.first_layer + layer_of_call;
  const auto size = [](int value) { return static_cast<std::size_t>(value); };
  LayerMap map;
  std::vector<std::size_t> inputs;
  std::size_t width = size(call.input_size);
  if (layer == 0) {
    inputs = first_columns(before.input_size);
    map.input_before = before.input_mode == InputMode::linear_input;
  } else {
    // The outputs of the layer below, direction by direction, each with its padding.
    for (int d = 0; d < before.directions(); ++d) {
      for (int j = 0; j < before.proj_size; ++j)
        inputs.push_back(size(d) * size(call.proj_size) + size(j));
    }
    if (layer_of_call == 0) {
      // Another call computes it; its padding is in its own proportion.
      const std::size_t below = width / size(before.directions());
      for (std::size_t i = 0; i < inputs.size(); ++i)
        inputs[i] = i / size(before.proj_size) * below + i % size(before.proj_size);
    } else {
      width = size(before.directions()) * size(call.proj_size);
    }
  }
  map.input_call = layer_of_call > 0 || call.input_mode == InputMode::linear_input;
  const std::size_t hidden = size(before.hidden_size);
  const std::size_t call_hidden = size(call.hidden_size);
  map.input = {hidden, call_hidden, width, std::move(inputs)};
  map.recurrent = {hidden, call_hidden, size(call.proj_size), first_columns(before.proj_size)};
  map.projection = {size(before.proj_size), size(call.proj_size), call_hidden,
                    first_columns(before.hidden_size)};
  map.bias = {hidden, call_hidden, 1, {0}};
  return map;
}

// (pseudo-layer of the call, pseudo-layer of the original, layer of the call)
template <class Visitor>
void for_pseudo_layers(const RnnConfig& before, const Part& part, const Visitor& visit) {
  const int directions = part.config.directions();
  for (int layer = 0; layer < part.config.num_layers; ++layer) {
    for (int d = 0; d < directions; ++d) {
      const int call = layer * directions + d;
      const int original = (part.first_layer + layer) * before.directions() +
                           (part.direction < 0 ? d : part.direction);
      visit(static_cast<std::size_t>(call), static_cast<std::size_t>(original), layer);
    }
  }
}

Vector sum(const Vector& a, const Vector& b) {
  if (a.empty()) return b;
  Vector result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result[i] += b[i];
  return result;
}

bool has_input_bias(BiasMode mode) {
  return mode == BiasMode::single_inp_bias || mode == BiasMode::double_bias;
}
bool has_recurrent_bias(BiasMode mode) {
  return mode == BiasMode::single_rec_bias || mode == BiasMode::double_bias;
}

Vector gate_or_nothing(const std::vector<Vector>& gates, std::size_t gate) {
  return gate < gates.size() ? gates[gate] : Vector{};
}

}  // namespace

std::vector<LayerWeights> map_weights(const RnnConfig& before,
                                      const std::vector<LayerWeights>& weights, const Part& part) {
  const RnnConfig& call = part.config;
  std::vector<LayerWeights> result(static_cast<std::size_t>(call.pseudo_layers()));
  for_pseudo_layers(before, part, [&](std::size_t to, std::size_t from, int layer) {
    const LayerMap map = layer_map(before, part, layer);
    const LayerWeights& w = weights.at(from);
    LayerWeights& out = result[to];
    const Vector no_bias(map.bias.call_rows, 0.0);
    for (std::size_t gate = 0; gate < static_cast<std::size_t>(before.gates()); ++gate) {
      if (map.input_call && map.input_before) {
        out.input.push_back(map.input.widen(w.input[gate]));
      } else if (map.input_call) {
        Vector identity(map.input.call_rows * map.input.width, 0.0);
        for (std::size_t i = 0; i < map.input.rows; ++i) identity[i * map.input.width + i] = 1;
        out.input.push_back(std::move(identity));
      }
      out.recurrent.push_back(map.recurrent.widen(w.recurrent[gate]));
      Vector from_input = gate_or_nothing(w.input_bias, gate);
      Vector from_state = gate_or_nothing(w.recurrent_bias, gate);
      if (call.bias_mode != BiasMode::double_bias) {
        from_input = sum(from_input, from_state);
        from_state = from_input;
      }
      const auto widen = [&](const Vector& bias) {
        return bias.empty() ? no_bias : map.bias.widen(bias);
      };
      if (has_input_bias(call.bias_mode)) out.input_bias.push_back(widen(from_input));
      if (has_recurrent_bias(call.bias_mode)) out.recurrent_bias.push_back(widen(from_state));
    }
    if (before.has_projection()) out.projection = map.projection.widen(w.projection);
  });
  return result;
}

void unmap_gradients(const RnnConfig& before, const Part& part,
                     const std::vector<LayerWeights>& gradients, std::vector<LayerWeights>& into) {
  const RnnConfig& call = part.config;
  for_pseudo_layers(before, part, [&](std::size_t from, std::size_t to, int layer) {
    const LayerMap map = layer_map(before, part, layer);
    const LayerWeights& g = gradients.at(from);
    LayerWeights& out = into.at(to);
    for (std::size_t gate = 0; gate < static_cast<std::size_t>(before.gates()); ++gate) {
      if (map.input_before) out.input[gate] = map.input.narrow(g.input[gate]);
      out.recurrent[gate] = map.recurrent.narrow(g.recurrent[gate]);
      if (has_input_bias(before.bias_mode)) {
        out.input_bias[gate] = map.bias.narrow(
            has_input_bias(call.bias_mode) ? g.input_bias[gate] : g.recurrent_bias[gate]);
      }
      if (has_recurrent_bias(before.bias_mode)) {
        out.recurrent_bias[gate] = map.bias.narrow(
            has_recurrent_bias(call.bias_mode) ? g.recurrent_bias[gate] : g.input_bias[gate]);
      }
    }
    if (before.has_projection()) out.projection = map.projection.narrow(g.projection);
  });
}

std::vector<LayerWeights> zero_weights(const RnnConfig& config) {
  const auto zeros = [](int rows, int columns) {
    return Vector(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0.0);
  };
  std::vector<LayerWeights> layers;
  for (int pseudo = 0; pseudo < config.pseudo_layers(); ++pseudo) {
    const bool first = pseudo < config.directions();
    LayerWeights layer;
    for (int gate = 0; gate < config.gates(); ++gate) {
      if (!first || config.input_mode == InputMode::linear_input) {
        layer.input.push_back(
            zeros(config.hidden_size,
                  first ? config.input_size : config.directions() * config.proj_size));
      }
      layer.recurrent.push_back(zeros(config.hidden_size, config.proj_size));
      if (has_input_bias(config.bias_mode))
        layer.input_bias.push_back(zeros(config.hidden_size, 1));
      if (has_recurrent_bias(config.bias_mode))
        layer.recurrent_bias.push_back(zeros(config.hidden_size, 1));
    }
    if (config.has_projection()) layer.projection = zeros(config.proj_size, config.hidden_size);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace rnnadvisor::experiment
