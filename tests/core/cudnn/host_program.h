// Executes a Program with the float64 reference in the place of cuDNN: same slots, same operations,
// same transfers as on a GPU. So what is wrong in the mapping or in the data flow is wrong here
// too.
#pragma once

#include <cmath>
#include <limits>

#include "core/cudnn/experiment_mapping.h"
#include "core/cudnn/experiment_tensors.h"
#include "core/cudnn/io_layout.h"

namespace rnnadvisor::experiment {

class HostProgram {
 public:
  HostProgram(const RnnConfig& before, const Program& program, const Data& data)
      : before_(before), program_(program) {
    for (std::size_t slot = 0; slot < program.slots.size(); ++slot) {
      slots_.emplace_back(static_cast<std::size_t>(program.slots[slot]), 0.0);
    }
    // What is written must be written: elsewhere poison is left, as on the GPU.
    for (const auto& transfer : program.outputs) {
      auto& values = slots_[static_cast<std::size_t>(transfer.place.slot)];
      std::fill(values.begin(), values.end(), std::nan(""));
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      fill_slot(program.inputs, static_cast<int>(slot), data.inputs, slots_[slot]);
    weights_.resize(static_cast<std::size_t>(program.weight_spaces));
    gradients_.resize(weights_.size());
    for (const auto& call : program.calls) {
      auto& weights = weights_[static_cast<std::size_t>(call.weights)];
      weights = map_weights(before, data.weights, call.part);
      gradients_[static_cast<std::size_t>(call.weights)] = zero_weights(call.part.config);
    }
    gradients_of_calls_.resize(program.calls.size());
  }

  Outputs run() {
    execute(program_.forward, 0);
    execute(program_.backward_data, 1);
    execute(program_.backward_weights, 2);
    Outputs outputs = no_outputs(before_, program_.training);
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      read_slot(program_.outputs, static_cast<int>(slot), slots_[slot], outputs.tensors);
    for (const auto& call : program_.calls) {
      if (!program_.training) break;
      unmap_gradients(before_, call.part, gradients_[static_cast<std::size_t>(call.weights)],
                      outputs.gradients);
    }
    return outputs;
  }

 private:
  using Vector = std::vector<double>;

  Vector& slot(Place place) { return slots_[static_cast<std::size_t>(place.slot)]; }

  void execute(const std::vector<Operation>& list, int phase) {
    for (const auto& operation : list) {
      const Copy& copy = operation.copy;
      const auto element = [](std::int64_t i) { return static_cast<std::size_t>(i); };
      switch (operation.kind) {
        case Operation::Kind::call:
          call(static_cast<std::size_t>(operation.index), phase);
          break;
        case Operation::Kind::copy:
          for (std::int64_t row = 0; row < copy.rows; ++row) {
            for (std::int64_t i = 0; i < copy.width; ++i) {
              slot(copy.to).at(element(copy.to.offset + row * copy.to_stride + i)) =
                  slot(copy.from).at(element(copy.from.offset + row * copy.from_stride + i));
            }
          }
          break;
        case Operation::Kind::add:
          for (std::int64_t i = 0; i < copy.width; ++i)
            slot(copy.to).at(element(copy.to.offset + i)) +=
                slot(copy.from).at(element(copy.from.offset + i));
          break;
        case Operation::Kind::dropout:  // of probability 0: the values as they are
          for (std::int64_t i = 0; i < copy.width; ++i)
            slot(copy.to).at(element(copy.to.offset + i)) =
                slot(copy.from).at(element(copy.from.offset + i));
          break;
      }
    }
  }

  Vector dense(const PlannedCall& call, Tensor tensor, int width) {
    const RnnConfig& config = call.part.config;
    const IoLayout layout(config);
    Vector values(static_cast<std::size_t>(config.seq_length) *
                      static_cast<std::size_t>(config.batch_size) * static_cast<std::size_t>(width),
                  0.0);
    const Place place = call.at(tensor);
    for (int b = 0; b < config.batch_size; ++b) {
      for (int t = 0; t < layout.lengths()[static_cast<std::size_t>(b)]; ++t) {
        for (int i = 0; i < width; ++i) {
          values[(static_cast<std::size_t>(t) * static_cast<std::size_t>(config.batch_size) +
                  static_cast<std::size_t>(b)) *
                     static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(i)] =
              slot(place).at(static_cast<std::size_t>(place.offset + layout.row(t, b) * width + i));
        }
      }
    }
    return values;
  }
  void spread(const PlannedCall& call, Tensor tensor, int width, const Vector& values) {
    const RnnConfig& config = call.part.config;
    const IoLayout layout(config);
    const Place place = call.at(tensor);
    for (int b = 0; b < config.batch_size; ++b) {
      for (int t = 0; t < layout.lengths()[static_cast<std::size_t>(b)]; ++t) {
        for (int i = 0; i < width; ++i) {
          slot(place).at(static_cast<std::size_t>(place.offset + layout.row(t, b) * width + i)) =
              values[(static_cast<std::size_t>(t) * static_cast<std::size_t>(config.batch_size) +
                      static_cast<std::size_t>(b)) *
                         static_cast<std::size_t>(width) +
                     static_cast<std::size_t>(i)];
        }
      }
    }
  }
  Vector state(const PlannedCall& call, Tensor tensor) {
    const Place place = call.at(tensor);
    if (place.slot < 0) return {};
    const auto begin = slot(place).begin() + place.offset;
    return Vector(begin, begin + state_size(call, tensor));
  }
  void set_state(const PlannedCall& call, Tensor tensor, const Vector& values) {
    const Place place = call.at(tensor);
    if (place.slot < 0) return;
    // cuDNN does not say what becomes of sequences without steps: here it is nonsense.
    const auto lengths = sequence_lengths(call.part.config);
    const std::size_t width =
        values.size() /
        (lengths.size() * static_cast<std::size_t>(call.part.config.pseudo_layers()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool nothing = lengths[i / width % lengths.size()] == 0;
      slot(place).at(static_cast<std::size_t>(place.offset) + i) = nothing ? 1e6 : values[i];
    }
  }
  static std::ptrdiff_t state_size(const PlannedCall& call, Tensor tensor) {
    const RnnConfig& config = call.part.config;
    const bool cell = tensor == Tensor::cx || tensor == Tensor::cy || tensor == Tensor::dcx ||
                      tensor == Tensor::dcy;
    return std::ptrdiff_t{config.pseudo_layers()} * config.batch_size *
           (cell ? config.hidden_size : config.proj_size);
  }

  void call(std::size_t index, int phase) {
    const PlannedCall& planned = program_.calls[index];
    const RnnConfig& config = planned.part.config;
    if (phase == 2) {
      auto& sums = gradients_[static_cast<std::size_t>(planned.weights)];
      add(sums, gradients_of_calls_[index]);
      return;
    }
    reference::Inputs inputs;
    inputs.config = config;
    inputs.lengths = sequence_lengths(config);
    inputs.weights = weights_[static_cast<std::size_t>(planned.weights)];
    inputs.x = dense(planned, Tensor::x, config.input_size);
    inputs.hx = state(planned, Tensor::hx);
    inputs.cx = state(planned, Tensor::cx);
    const int y_width = config.proj_size * config.directions();
    if (phase == 1) {
      inputs.dy = dense(planned, Tensor::dy, y_width);
      inputs.dhy = state(planned, Tensor::dhy);
      inputs.dcy = state(planned, Tensor::dcy);
    }
    const reference::Outputs outputs = reference::compute(inputs);
    if (phase == 0) {
      spread(planned, Tensor::y, y_width, outputs.y);
      set_state(planned, Tensor::hy, outputs.hy);
      set_state(planned, Tensor::cy, outputs.cy);
    } else {
      spread(planned, Tensor::dx, config.input_size, outputs.dx);
      set_state(planned, Tensor::dhx, outputs.dhx);
      set_state(planned, Tensor::dcx, outputs.dcx);
      gradients_of_calls_[index] = outputs.dweights;
    }
  }

  static void add(std::vector<reference::LayerWeights>& sums,
                  const std::vector<reference::LayerWeights>& more) {
    const auto add_all = [](std::vector<Vector>& to, const std::vector<Vector>& from) {
      for (std::size_t g = 0; g < from.size(); ++g) {
        for (std::size_t i = 0; i < from[g].size(); ++i) to[g][i] += from[g][i];
      }
    };
    for (std::size_t layer = 0; layer < more.size(); ++layer) {
      add_all(sums[layer].input, more[layer].input);
      add_all(sums[layer].recurrent, more[layer].recurrent);
      add_all(sums[layer].input_bias, more[layer].input_bias);
      add_all(sums[layer].recurrent_bias, more[layer].recurrent_bias);
      for (std::size_t i = 0; i < more[layer].projection.size(); ++i)
        sums[layer].projection[i] += more[layer].projection[i];
    }
  }

  const RnnConfig& before_;
  const Program& program_;
  std::vector<Vector> slots_;
  std::vector<std::vector<reference::LayerWeights>> weights_, gradients_, gradients_of_calls_;
};

}  // namespace rnnadvisor::experiment
