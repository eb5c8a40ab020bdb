#include "core/cudnn/experiment_dataflow.h"

#include <algorithm>
#include <utility>

#include "core/base/wide.h"
#include "core/cudnn/experiment_builder.h"

namespace rnnadvisor::experiment {
namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

int width_of(const RnnConfig& config, Tensor tensor) {
  switch (tensor) {
    case Tensor::x:
    case Tensor::dx:
      return config.input_size;
    case Tensor::y:
    case Tensor::dy:
      return config.proj_size * config.directions();
    default:
      return is_cell_state(tensor) ? config.hidden_size : config.proj_size;
  }
}

bool has(const RnnConfig& config, Tensor tensor) {
  return !is_cell_state(tensor) || config.cell == Cell::lstm;
}

bool by_slot(const Transfer& a, const Transfer& b) { return a.place.slot < b.place.slot; }

std::pair<std::vector<Transfer>::const_iterator, std::vector<Transfer>::const_iterator> of_slot(
    const std::vector<Transfer>& list, int slot) {
  Transfer wanted;
  wanted.place.slot = slot;
  return std::equal_range(list.begin(), list.end(), wanted, by_slot);
}

}  // namespace

std::string_view to_string(Tensor tensor) {
  constexpr std::array<std::string_view, tensor_count> words = {
      "x", "hx", "cx", "dy", "dhy", "dcy", "y", "hy", "cy", "dx", "dhx", "dcx"};
  return words[static_cast<std::size_t>(tensor)];
}

std::int64_t dense_elements(const RnnConfig& config, Tensor tensor) {
  if (!has(config, tensor)) return 0;
  const Wide rows = is_state(tensor)
                        ? Wide{config.num_layers} * config.directions() * config.batch_size
                        : Wide{config.seq_length} * config.batch_size;
  const Wide width = tensor == Tensor::y || tensor == Tensor::dy
                         ? Wide{config.proj_size} * config.directions()
                         : Wide{width_of(config, tensor)};
  return saturate(rows * width);
}

Place ProgramBuilder::slot(std::int64_t elements) {
  program_.slots.push_back(elements);
  return {static_cast<int>(program_.slots.size()) - 1, 0};
}

int ProgramBuilder::add_call(const Part& part, int weights) {
  program_.calls.push_back({part, {}, weights});
  program_.weight_spaces = std::max(program_.weight_spaces, weights + 1);
  return static_cast<int>(program_.calls.size()) - 1;
}

const IoLayout& ProgramBuilder::layout(int index) {
  const RnnConfig& config = call(index).part.config;
  const bool same =
      layout_ && layout_of_.layout == config.layout && layout_of_.seq_length == config.seq_length &&
      layout_of_.batch_size == config.batch_size && layout_of_.seq_lengths == config.seq_lengths;
  if (!same) {
    layout_.emplace(config);
    layout_of_ = config;
  }
  return *layout_;
}

std::int64_t ProgramBuilder::elements(int index, Tensor tensor) {
  const RnnConfig& config = call(index).part.config;
  if (!has(config, tensor)) return 0;
  const std::int64_t rows = is_state(tensor)
                                ? std::int64_t{config.pseudo_layers()} * config.batch_size
                                : layout(index).rows();
  return rows * width_of(config, tensor);
}

Place ProgramBuilder::own(int index, Tensor tensor) {
  if (!has(call(index).part.config, tensor) || (is_gradient(tensor) && !training())) return {};
  const Place place = slot(elements(index, tensor));
  set(index, tensor, place);
  return place;
}

void ProgramBuilder::add_transfer(std::vector<Transfer>& list, const Transfer& transfer) {
  if (!list.empty()) {
    Transfer& last = list.back();
    const std::int64_t at_stride = (transfer.at - last.at) / last.rows;
    const std::int64_t place_stride = (transfer.place.offset - last.place.offset) / last.rows;
    const bool joins =
        last.tensor == transfer.tensor && last.place.slot == transfer.place.slot &&
        last.width == transfer.width && last.at + last.rows * at_stride == transfer.at &&
        last.place.offset + last.rows * place_stride == transfer.place.offset &&
        (last.rows == 1 || (last.at_stride == at_stride && last.place_stride == place_stride));
    if (joins) {
      last.at_stride = at_stride;
      last.place_stride = place_stride;
      ++last.rows;
      return;
    }
  }
  list.push_back(transfer);
}

void ProgramBuilder::io_transfer(int index, Tensor tensor, Place place, int place_width, int blocks,
                                 int place_block) {
  if (!transfers_ || place.slot < 0) return;
  auto& list = is_input(tensor) ? program_.inputs : program_.outputs;
  const Part part = call(index).part;
  const IoLayout& rows = layout(index);
  const int width = width_of(before_, tensor);
  if (place_block * blocks == width) {
    place_block = width;
    blocks = 1;
  }
  const int block = width / blocks;
  const auto add = [&](int piece, int t, std::size_t b) {
    const int sequence = part.rows[b];
    if (sequence < 0 || t >= rows.lengths()[b]) return;
    Transfer transfer;
    transfer.tensor = tensor;
    transfer.at = ((std::int64_t{part.first_step} + t) * before_.batch_size + sequence) * width +
                  std::int64_t{piece} * block;
    transfer.place = {place.slot, place.offset + rows.row(t, static_cast<int>(b)) * place_width +
                                      std::int64_t{piece} * place_block};
    transfer.width = block;
    add_transfer(list, transfer);
  };
  // In the order of the layout: most rows then join.
  const int longest = *std::max_element(rows.lengths().begin(), rows.lengths().end());
  for (int piece = 0; piece < blocks; ++piece) {
    if (part.config.layout == Layout::batch_major_unpacked) {
      for (std::size_t b = 0; b < part.rows.size(); ++b) {
        for (int t = 0; t < rows.lengths()[b]; ++t) add(piece, t, b);
      }
    } else {
      for (int t = 0; t < longest; ++t) {
        for (std::size_t b = 0; b < part.rows.size(); ++b) add(piece, t, b);
      }
    }
  }
}

void ProgramBuilder::state_transfer(int index, Tensor tensor, Place place,
                                    const std::vector<bool>* only) {
  if (!transfers_ || place.slot < 0) return;
  auto& list = is_input(tensor) ? program_.inputs : program_.outputs;
  const Part part = call(index).part;
  const std::vector<int> lengths = sequence_lengths(part.config);
  const std::int64_t width = width_of(before_, tensor);
  const std::int64_t place_width = width_of(part.config, tensor);
  const int directions = part.config.directions();
  for (int pseudo = 0; pseudo < part.config.pseudo_layers(); ++pseudo) {
    const int direction = part.direction < 0 ? pseudo % directions : part.direction;
    const int original =
        (part.first_layer + pseudo / directions) * before_.directions() + direction;
    for (std::size_t b = 0; b < part.rows.size(); ++b) {
      if (part.rows[b] < 0 || (only != nullptr && !(*only)[b])) continue;
      // What cuDNN leaves as the last state of a sequence without steps is not documented.
      if (lengths[b] == 0) continue;
      Transfer transfer;
      transfer.tensor = tensor;
      transfer.at = (std::int64_t{original} * before_.batch_size + part.rows[b]) * width;
      transfer.place = {place.slot, place.offset + (std::int64_t{pseudo} * part.config.batch_size +
                                                    static_cast<std::int64_t>(b)) *
                                                       place_width};
      transfer.width = width;
      add_transfer(list, transfer);
    }
  }
}

void ProgramBuilder::copy_rows(std::vector<Operation>& list, const Copy& copy) {
  list.push_back({Operation::Kind::copy, 0, copy});
}

void ProgramBuilder::copy(std::vector<Operation>& list, Place from, Place to, std::int64_t width) {
  if (!list.empty() && list.back().kind == Operation::Kind::copy) {
    Copy& last = list.back().copy;
    const std::int64_t from_stride = (from.offset - last.from.offset) / last.rows;
    const std::int64_t to_stride = (to.offset - last.to.offset) / last.rows;
    // cudaMemcpy2D wants strides that do not overlap.
    const bool joins =
        last.from.slot == from.slot && last.to.slot == to.slot && last.width == width &&
        from_stride >= width && to_stride >= width &&
        last.from.offset + last.rows * from_stride == from.offset &&
        last.to.offset + last.rows * to_stride == to.offset &&
        (last.rows == 1 || (last.from_stride == from_stride && last.to_stride == to_stride));
    if (joins) {
      last.from_stride = from_stride;
      last.to_stride = to_stride;
      ++last.rows;
      return;
    }
  }
  list.push_back({Operation::Kind::copy, 0, {from, to, 1, width, width, width}});
}

Program ProgramBuilder::finish() {
  std::stable_sort(program_.inputs.begin(), program_.inputs.end(), by_slot);
  std::stable_sort(program_.outputs.begin(), program_.outputs.end(), by_slot);
  return std::move(program_);
}

Result<Program> make_program(const RnnConfig& before, const ExperimentVariant& variant,
                             bool transfers) {
  const auto parts = parts_of(before, variant);
  if (!parts) return fail(parts.error());
  ProgramBuilder builder(before, variant.calls.front().mode == Mode::training, transfers);
  switch (variant.composition) {
    case Composition::single:
    case Composition::layers:
      compose_layers(builder, *parts);
      break;
    case Composition::directions:
      compose_directions(builder, *parts);
      break;
    case Composition::rows:
      compose_rows(builder, *parts);
      break;
    case Composition::steps:
      compose_steps(builder, *parts);
      break;
  }
  return builder.finish();
}

Program make_unrelated_program(const RnnConfig& call) {
  ProgramBuilder builder(call, call.mode == Mode::training, false);
  compose_layers(builder, {{call, 0, -1, 0, {}}});
  return builder.finish();
}

void fill_slot(const std::vector<Transfer>& inputs, int slot, const Tensors& tensors,
               std::vector<double>& values) {
  const auto [begin, end] = of_slot(inputs, slot);
  for (auto transfer = begin; transfer != end; ++transfer) {
    const auto& from = of(tensors, transfer->tensor);
    for (std::int64_t row = 0; row < transfer->rows; ++row) {
      const auto* source = &from[index(transfer->at + row * transfer->at_stride)];
      std::copy(source, source + transfer->width,
                &values[index(transfer->place.offset + row * transfer->place_stride)]);
    }
  }
}

void read_slot(const std::vector<Transfer>& outputs, int slot, const std::vector<double>& values,
               Tensors& tensors) {
  const auto [begin, end] = of_slot(outputs, slot);
  for (auto transfer = begin; transfer != end; ++transfer) {
    auto& to = of(tensors, transfer->tensor);
    for (std::int64_t row = 0; row < transfer->rows; ++row) {
      const auto* source = &values[index(transfer->place.offset + row * transfer->place_stride)];
      std::copy(source, source + transfer->width,
                &to[index(transfer->at + row * transfer->at_stride)]);
    }
  }
}

}  // namespace rnnadvisor::experiment
