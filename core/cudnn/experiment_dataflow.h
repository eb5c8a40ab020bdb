// A variant as a program of cuDNN calls and data movements: which tensors there are, what each call
// reads and writes, what is copied in between, and where the original's tensors are found in them.
// Private to core/cudnn; needs no CUDA: the GPU executes this very program
// (experiment_device.h), and a test executes it with the float64 reference in the place of cuDNN.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cudnn/experiment_parts.h"

namespace rnnadvisor::experiment {

// The tensors of a cuDNN RNN call beside its weights.
enum class Tensor { x, hx, cx, dy, dhy, dcy, y, hy, cy, dx, dhx, dcx };
inline constexpr std::size_t tensor_count = 12;
std::string_view to_string(Tensor tensor);

// The original's tensors in one agreed form: x and y as [T][B][width], zero in the padding, states
// as [layers * directions][B][width]. Empty: not there.
using Tensors = std::array<std::vector<double>, tensor_count>;
inline std::vector<double>& of(Tensors& tensors, Tensor tensor) {
  return tensors[static_cast<std::size_t>(tensor)];
}
inline const std::vector<double>& of(const Tensors& tensors, Tensor tensor) {
  return tensors[static_cast<std::size_t>(tensor)];
}
// Elements of a tensor of `config` in that form; 0: the configuration has none.
std::int64_t dense_elements(const RnnConfig& config, Tensor tensor);

// An element within a slot, which is a piece of device memory. All counts are in elements.
struct Place {
  int slot = -1;  // -1: nowhere
  std::int64_t offset = 0;
  bool operator==(const Place&) const = default;
};

// `rows` pieces of `width` elements from one place to another, the strides apart.
struct Copy {
  Place from, to;
  std::int64_t rows = 1, width = 0, from_stride = 0, to_stride = 0;
};

struct Operation {
  enum class Kind {
    call,    // calls[index], in the phase of the list
    copy,    // copy
    add,     // copy.to += copy.from, copy.width elements
    dropout  // copy.from with dropout into copy.to, copy.width elements; index: whose mask
  };
  Kind kind = Kind::call;
  int index = 0;
  Copy copy;
};

// The original's tensor, from `at` on, and where the program has it.
struct Transfer {
  Tensor tensor = Tensor::x;
  std::int64_t at = 0, at_stride = 0;
  Place place;
  std::int64_t place_stride = 0, rows = 1, width = 0;
};

struct PlannedCall {
  Part part;
  std::array<Place, tensor_count> places;
  int weights = 0;  // number of its weight space, and of the gradients of that
  Place at(Tensor tensor) const { return places[static_cast<std::size_t>(tensor)]; }
};

struct Program {
  bool training = false;
  std::vector<std::int64_t> slots;  // elements of each
  std::vector<PlannedCall> calls;
  int weight_spaces = 0;
  int dropouts = 0;  // masks that are kept
  std::vector<Operation> forward, backward_data, backward_weights;
  // Before the first run, and after any. Sorted by slot.
  std::vector<Transfer> inputs, outputs;
  std::string remark;  // what must be known of its times; may be empty
};

// The program of a variant of `before`. What a program around the calls would have lying ready is
// an input and costs nothing: tensors in the variant's layout with its padding, sequences dealt out
// to their calls, weights. What it would have to do between the calls is an operation and takes
// part in the time: handing on states where their place changes, cutting batch-major tensors into
// chunks, reversing and joining directions, dropout between calls. `transfers` false: without
// inputs and outputs, for what is too large to be looked at.
Result<Program> make_program(const RnnConfig& before, const ExperimentVariant& variant,
                             bool transfers = true);

// The same for a single call that computes something else than the original: no inputs or outputs.
Program make_unrelated_program(const RnnConfig& call);

// Moves data as the transfers of one slot say.
void fill_slot(const std::vector<Transfer>& inputs, int slot, const Tensors& tensors,
               std::vector<double>& values);
void read_slot(const std::vector<Transfer>& outputs, int slot, const std::vector<double>& values,
               Tensors& tensors);

}  // namespace rnnadvisor::experiment
