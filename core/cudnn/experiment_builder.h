// Puts a Program together, piece by piece. Private to the files experiment_*.
#pragma once

#include <map>
#include <optional>

#include "core/cudnn/experiment_dataflow.h"
#include "core/cudnn/io_layout.h"

namespace rnnadvisor::experiment {

class ProgramBuilder {
 public:
  ProgramBuilder(const RnnConfig& before, bool training, bool transfers)
      : before_(before), transfers_(transfers) {
    program_.training = training;
  }

  const RnnConfig& before() const { return before_; }
  bool training() const { return program_.training; }
  Program& program() { return program_; }
  Program finish();

  Place slot(std::int64_t elements);
  int add_call(const Part& part, int weights);
  PlannedCall& call(int index) { return program_.calls[static_cast<std::size_t>(index)]; }
  void set(int call, Tensor tensor, Place place) {
    this->call(call).places[static_cast<std::size_t>(tensor)] = place;
  }

  // Rows of x and y of a call. Made on demand, kept while the layout stays the same.
  const IoLayout& layout(int call);
  // Elements of a tensor of a call, as cuDNN has it.
  std::int64_t elements(int call, Tensor tensor);

  // A slot of its own for a tensor of a call, bound; nothing for what the call has not (cell states
  // of other cells, gradients in inference).
  Place own(int call, Tensor tensor);

  // Transfers between the original and a place that holds rows of `place_width` elements in the
  // layout of the call. The original's rows are cut into `blocks` pieces that are `place_block`
  // apart in the place (directions side by side).
  void io_transfer(int call, Tensor tensor, Place place, int place_width, int blocks,
                   int place_block);
  // For the states of a call: all of its sequences, or those that `rows` names.
  void state_transfer(int call, Tensor tensor, Place place,
                      const std::vector<bool>* only = nullptr);

  void operate(std::vector<Operation>& list, Operation::Kind kind, int index) {
    list.push_back({kind, index, {}});
  }
  // Adds a copy of one piece to the list, joined with the copy before it where both are one
  // pattern.
  void copy(std::vector<Operation>& list, Place from, Place to, std::int64_t width);
  void copy_rows(std::vector<Operation>& list, const Copy& copy);

 private:
  void add_transfer(std::vector<Transfer>& list, const Transfer& transfer);

  const RnnConfig& before_;
  bool transfers_;
  Program program_;
  std::optional<IoLayout> layout_;
  RnnConfig layout_of_;
};

inline bool is_state(Tensor tensor) {
  return tensor != Tensor::x && tensor != Tensor::y && tensor != Tensor::dx && tensor != Tensor::dy;
}
inline bool is_cell_state(Tensor tensor) {
  return tensor == Tensor::cx || tensor == Tensor::cy || tensor == Tensor::dcx ||
         tensor == Tensor::dcy;
}
inline bool is_gradient(Tensor tensor) {
  return tensor == Tensor::dx || tensor == Tensor::dy || tensor == Tensor::dhx ||
         tensor == Tensor::dhy || tensor == Tensor::dcx || tensor == Tensor::dcy;
}
inline bool is_input(Tensor tensor) { return tensor <= Tensor::dcy; }

// The compositions of several calls; experiment_compose.cpp.
void compose_layers(ProgramBuilder& builder, const std::vector<Part>& parts);
void compose_directions(ProgramBuilder& builder, const std::vector<Part>& parts);
void compose_rows(ProgramBuilder& builder, const std::vector<Part>& parts);
void compose_steps(ProgramBuilder& builder, const std::vector<Part>& parts);

}  // namespace rnnadvisor::experiment
