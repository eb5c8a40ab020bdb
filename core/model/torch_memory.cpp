#include "core/model/torch_memory.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/base/wide.h"
#include "core/model/caching_allocator.h"

namespace rnnadvisor::model {
namespace {

constexpr std::int64_t dropout_state_bytes_per_sm = std::int64_t{24} * 2048;

std::int64_t dropout_states_bytes(int sm_count) {
  return sm_count > 0 ? sm_count * dropout_state_bytes_per_sm : dropout_states_estimate;
}

// The first step takes the optimizer's state, the second finds a cache in the shape of the first.
// A step that takes nothing new is the shape of all later ones.
constexpr int least_steps = 3, most_steps = 12;

using Part = std::int64_t TorchStepNeed::*;

// Tensors of one kind of part, live in the allocator. What lives at the peak is remembered.
class Account {
 public:
  explicit Account(std::int64_t capacity) : allocator_(capacity) {}
  struct Tensor {
    CachingAllocator::Handle handle = 0;
    Part part = nullptr;
    std::int64_t bytes = 0;
  };

  Tensor take(Part part, std::int64_t bytes) {
    Tensor tensor;
    tensor.handle = allocator_.allocate(bytes);
    tensor.part = part;
    tensor.bytes = bytes;
    live_[index_of(part)] += bytes;
    if (allocator_.allocated() > most_) {
      most_ = allocator_.allocated();
      at_peak_ = live_;
    }
    return tensor;
  }
  void give(Tensor& tensor) {
    if (tensor.part == nullptr) return;
    allocator_.release(tensor.handle);
    live_[index_of(tensor.part)] -= tensor.bytes;
    tensor = {};
  }
  std::vector<Tensor> take(Part part, const std::vector<std::int64_t>& bytes) {
    std::vector<Tensor> tensors;
    tensors.reserve(bytes.size());
    for (const std::int64_t each : bytes) tensors.push_back(take(part, each));
    return tensors;
  }
  void give(std::vector<Tensor>& tensors) {
    for (Tensor& tensor : tensors) give(tensor);
    tensors.clear();
  }
  void give(std::initializer_list<Tensor*> tensors) {
    for (Tensor* tensor : tensors) give(*tensor);
  }

  // What is live stays; the peaks begin anew.
  void set_up(bool empty_cache) {
    if (empty_cache) allocator_.release_cached();
    allocator_.reset_peaks();
    most_ = allocator_.allocated();
    at_peak_ = live_;
  }
  std::int64_t taken() const { return allocator_.peak_reserved(); }
  bool out_of_memory() const { return allocator_.out_of_memory(); }
  TorchStepNeed need() const {
    TorchStepNeed result;
    Wide sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      result.*parts[i] = saturate(at_peak_[i]);
      sum += at_peak_[i];
    }
    result.tensors = saturate(sum);
    result.allocated = allocator_.peak_allocated();
    result.reserved = allocator_.peak_reserved();
    result.fits = !allocator_.out_of_memory();
    return result;
  }

 private:
  static constexpr std::array<Part, 10> parts = {
      &TorchStepNeed::parameters,    &TorchStepNeed::optimizer_state, &TorchStepNeed::gradients,
      &TorchStepNeed::weight_copies, &TorchStepNeed::activations,     &TorchStepNeed::gradient_io,
      &TorchStepNeed::layout_copies, &TorchStepNeed::reserve,         &TorchStepNeed::workspace,
      &TorchStepNeed::dropout_states};

  static std::size_t index_of(Part part) {
    return static_cast<std::size_t>(std::find(parts.begin(), parts.end(), part) - parts.begin());
  }

  CachingAllocator allocator_;
  std::array<Wide, parts.size()> live_{}, at_peak_{};
  std::int64_t most_ = 0;
};
using Tensor = Account::Tensor;

// Above this the parameters count as one tensor each of what they are: no real network stacks so
// many layers, and the account must stay quick.
constexpr int most_pseudo_layers = 1024;

struct Sizes {
  std::int64_t weights, x, y, h, c;  // bytes, as cuDNN has them; c: 0 without cell states
  // Each of the module's parameters, as the program has it and in the type that cuDNN runs.
  std::vector<std::int64_t> parameters, cudnn_parameters;
  bool flat;                      // the parameters are views of one buffer in cuDNN's order
  std::int64_t flat_parameters;   // that buffer
  bool gradients_are_views;       // of one flat buffer
  std::int64_t parameter_x;       // x as the program has it, under autocast in float
  std::int64_t float_h, float_c;  // states in that type
  std::int64_t x_copy;            // 0: x has cuDNN's layout
  std::int64_t forward_workspace, backward_workspace, reserve;
  std::int64_t dropout_states;
};

// How much wider than cuDNN's weights the parameters are.
Wide wider(const RnnConfig& config, const TorchStepOptions& options) {
  if (!options.autocast) return 1;
  return std::max(1, element_size(DataType::float32) / element_size(config.data_type));
}

// weight_ih, weight_hh, bias_ih, bias_hh and, with a projection, weight_hr of every layer and
// direction. `es`: bytes per element.
std::vector<std::int64_t> parameter_sizes(const RnnConfig& config, Wide es) {
  const Wide gates = Wide{config.gates()} * config.hidden_size;
  const bool biases = config.bias_mode != BiasMode::no_bias;
  std::vector<std::int64_t> sizes;
  const auto add = [&](Wide in, Wide times) {
    sizes.push_back(saturate(times * gates * in * es));
    sizes.push_back(saturate(times * gates * config.proj_size * es));
    if (biases) sizes.insert(sizes.end(), 2, saturate(times * gates * es));
    if (config.has_projection())
      sizes.push_back(saturate(times * config.proj_size * config.hidden_size * es));
  };
  const Wide above = Wide{config.directions()} * config.proj_size;
  if (config.num_layers > most_pseudo_layers / 2) {
    add(config.input_size, config.directions());
    add(above, Wide{config.num_layers - 1} * config.directions());
    return sizes;
  }
  for (int layer = 0; layer < config.num_layers; ++layer) {
    for (int d = 0; d < config.directions(); ++d)
      add(layer == 0 ? Wide{config.input_size} : above, 1);
  }
  return sizes;
}

// flatten_parameters() leaves alone what torch.backends.cudnn.is_acceptable() does not know, which
// is bfloat16: its parameters stay tensors of their own and are gathered in every forward call.
bool can_be_flat(const RnnConfig& config, const TorchStepOptions& options) {
  return options.autocast || config.data_type != DataType::bfloat16;
}

Sizes sizes_of(const RnnConfig& config, Mode mode, const TorchStepOptions& options) {
  RnnConfig asked = config;
  asked.bias_mode = BiasMode::double_bias;  // always; without biases they are zeros
  asked.set_algo(options.forward_algo);
  const SpaceSizes forward = space_sizes(asked);
  asked.set_algo(options.backward_algo);
  const SpaceSizes backward = space_sizes(asked);
  const bool training = mode == Mode::training;

  const Wide es = element_size(config.data_type);
  const Wide rows =
      config.packed() ? Wide{config.used_steps()} : Wide{config.seq_length} * config.batch_size;
  const Wide depth = Wide{config.num_layers} * config.directions() * config.batch_size;
  Sizes s{};
  s.weights = forward.weights.value;
  const Wide own_es = es * wider(config, options);
  s.parameters = parameter_sizes(config, own_es);
  s.cudnn_parameters = parameter_sizes(config, es);
  s.flat_parameters = saturate(Wide{s.weights} * wider(config, options));
  s.flat = options.flat_weights && can_be_flat(config, options);
  // _cudnn_rnn_backward_weight copies them when there are fewer parameters than cuDNN has weights.
  s.gradients_are_views = config.bias_mode != BiasMode::no_bias;
  s.x = saturate(rows * config.input_size * es);
  s.parameter_x = saturate(rows * config.input_size * own_es);
  s.y = saturate(rows * config.directions() * config.proj_size * es);
  s.h = saturate(depth * config.proj_size * es);
  s.c = config.cell == Cell::lstm ? saturate(depth * config.hidden_size * es) : 0;
  s.float_h = saturate(depth * config.proj_size * own_es);
  s.float_c = config.cell == Cell::lstm ? saturate(depth * config.hidden_size * own_es) : 0;
  // Transposed, one sequence or one step is still contiguous.
  const bool transposed = options.batch_first && !config.packed();
  s.x_copy = transposed && config.seq_length > 1 && config.batch_size > 1 ? s.x : 0;
  s.forward_workspace =
      training ? forward.workspace_training.value : forward.workspace_inference.value;
  s.backward_workspace = backward.workspace_training.value;
  s.reserve = training ? forward.reserve_training.value : 0;
  s.dropout_states = training && config.dropout > 0 ? dropout_states_bytes(options.sm_count) : 0;
  return s;
}

class Step {
 public:
  Step(Account& account, const Sizes& sizes, const TorchStepOptions& options)
      : a_(account), s_(sizes), o_(options) {}

  // `first`: cuDNN's dropout states are made, and kept.
  void forward(bool training, bool first) {
    const auto activations = &TorchStepNeed::activations;
    x_ = a_.take(activations, s_.parameter_x);
    // RNNBase.forward makes them in x's type and lets go of them when it returns; the graph keeps
    // those that cuDNN was given.
    Tensor h0 = a_.take(activations, o_.autocast ? s_.float_h : s_.h);
    Tensor c0 = a_.take(activations, o_.autocast ? s_.float_c : s_.c);
    if (first) a_.take(&TorchStepNeed::dropout_states, s_.dropout_states);
    if (o_.autocast) {
      weights_ = a_.take(&TorchStepNeed::weight_copies, s_.weights);
      cast_x_ = a_.take(activations, s_.x);
      h0_ = a_.take(activations, s_.h);
      c0_ = a_.take(activations, s_.c);
    } else {
      std::swap(h0_, h0);
      std::swap(c0_, c0);
    }
    Tensor copy = a_.take(&TorchStepNeed::layout_copies, s_.x_copy);
    y_ = a_.take(activations, s_.y);
    hy_ = a_.take(activations, s_.h);
    cy_ = a_.take(activations, s_.c);
    if (!o_.autocast && !s_.flat) weights_ = a_.take(&TorchStepNeed::weight_copies, s_.weights);
    Tensor workspace = a_.take(&TorchStepNeed::workspace, s_.forward_workspace);
    if (training) reserve_ = a_.take(&TorchStepNeed::reserve, s_.reserve);
    a_.give({&workspace, &copy, &h0, &c0});
  }

  void backward() {
    const auto io = &TorchStepNeed::gradient_io;
    const auto copies = &TorchStepNeed::layout_copies;
    Tensor dy = a_.take(io, s_.y);
    Tensor dhy = a_.take(io, s_.h);  // zeros: only y reached the loss
    Tensor dcy = a_.take(io, s_.c);
    // _cudnn_rnn_backward_input; the gradient of x is computed whether or not it is asked for. That
    // of y has y's strides, which are those that cuDNN wants, also with batch_first.
    Tensor x_copy = a_.take(copies, s_.x_copy);
    Tensor dx = a_.take(io, s_.x);
    Tensor dhx = a_.take(io, s_.h);
    Tensor dcx = a_.take(io, s_.c);
    Tensor workspace = a_.take(&TorchStepNeed::workspace, s_.backward_workspace);
    a_.give({&workspace, &x_copy});
    // _cudnn_rnn_backward_weight. Its workspace and its copy of x are local variables: they live
    // until it returns, beside the gradients that it copies out of the flat buffer.
    x_copy = a_.take(copies, s_.x_copy);
    flat_gradients_ = a_.take(&TorchStepNeed::gradients, s_.weights);
    workspace = a_.take(&TorchStepNeed::workspace, s_.backward_workspace);
    if (!s_.gradients_are_views)
      gradients_ = a_.take(&TorchStepNeed::gradients, s_.cudnn_parameters);
    a_.give({&workspace, &x_copy});
    if (!s_.gradients_are_views) a_.give(flat_gradients_);
    // The node lets go of what it saved before the next one runs; dy is the program's.
    a_.give({&dx, &dhx, &dcx, &dhy, &dcy, &reserve_, &weights_, &h0_, &c0_, &cast_x_});
    if (o_.autocast) widen_gradients();
    a_.give(dy);
  }

  // The casts of the weights have a backward pass of their own, the last parameter's first.
  void widen_gradients() {
    std::vector<Tensor> wide;
    for (std::size_t i = s_.parameters.size(); i-- > 0;) {
      wide.push_back(a_.take(&TorchStepNeed::gradients, s_.parameters[i]));
      if (!gradients_.empty()) a_.give(gradients_[i]);
    }
    gradients_ = std::move(wide);
    a_.give(flat_gradients_);
  }

  // The state of every parameter in turn.
  void make_optimizer_state() {
    const int buffers = o_.optimizer == Optimizer::adam           ? 2
                        : o_.optimizer == Optimizer::sgd_momentum ? 1
                                                                  : 0;
    for (const std::int64_t bytes : s_.parameters) {
      for (int i = 0; i < buffers; ++i) a_.take(&TorchStepNeed::optimizer_state, bytes);
    }
  }

  void optimize() {
    if (o_.optimizer == Optimizer::adam) {
      auto roots = a_.take(&TorchStepNeed::optimizer_state, s_.parameters);
      a_.give(roots);
    }
    a_.give(flat_gradients_);
    a_.give(gradients_);
  }

  void end() { a_.give({&reserve_, &weights_, &cast_x_, &h0_, &c0_, &hy_, &cy_, &y_, &x_}); }

 private:
  Account& a_;
  const Sizes& s_;
  const TorchStepOptions& o_;
  Tensor x_, cast_x_, h0_, c0_, y_, hy_, cy_, weights_, reserve_, flat_gradients_;
  std::vector<Tensor> gradients_;
};

// rnn.cuda() moves one parameter after the other, then flatten_parameters() copies all into one
// buffer; when it runs again it makes a new one, as the first is there. What they leave behind is
// cut by the tensors of the first step.
void take_parameters(Account& account, const Sizes& sizes, const TorchStepOptions& options) {
  const auto part = &TorchStepNeed::parameters;
  auto own = account.take(part, sizes.parameters);
  if (sizes.flat) {
    Tensor flat = account.take(part, sizes.flat_parameters);
    account.give(own);
    for (int again = 1; again < options.flattened; ++again) {
      Tensor old = std::exchange(flat, account.take(part, sizes.flat_parameters));
      account.give(old);
    }
  }
  account.set_up(options.emptied_cache);
}

}  // namespace

std::string_view to_string(Optimizer value) {
  static constexpr std::array<std::string_view, 4> words = {"none", "sgd", "sgd_momentum", "adam"};
  const auto index = static_cast<std::size_t>(value);
  return index < words.size() ? words[index] : std::string_view("?");
}

TorchStepNeed torch_step_need(const RnnConfig& config, Mode mode, const TorchStepOptions& options,
                              std::int64_t capacity) {
  const Sizes sizes = sizes_of(config, mode, options);
  const bool training = mode == Mode::training;
  Account account(capacity);
  take_parameters(account, sizes, options);
  std::int64_t before = -1;
  for (int i = 0; i < most_steps && !account.out_of_memory(); ++i) {
    if (i >= least_steps && account.taken() == before) break;
    before = account.taken();
    Step step(account, sizes, options);
    step.forward(training, i == 0);
    if (training) {
      step.backward();
      if (i == 0) step.make_optimizer_state();
      step.optimize();
    }
    step.end();
  }
  return account.need();
}

}  // namespace rnnadvisor::model
