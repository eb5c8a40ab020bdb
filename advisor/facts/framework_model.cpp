#include "advisor/facts/framework_model.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rnnadvisor::advisor {
namespace {

using Flag = std::optional<bool>;

// One condition for cuDNN, in the order in which the framework meets it.
struct Condition {
  std::string_view clause;
  Flag holds;
};

CudnnUse decide(std::span<const Condition> conditions) {
  for (const auto& condition : conditions) {
    if (condition.holds == false) return {false, condition.clause};
  }
  for (const auto& condition : conditions) {
    if (!condition.holds) return {std::nullopt, condition.clause};
  }
  return {true, "none"};
}

Flag negated(const Flag& value) { return value ? Flag(!*value) : Flag(); }

bool plain_rnn(Cell cell) { return cell == Cell::rnn_relu || cell == Cell::rnn_tanh; }

constexpr auto pytorch_use =
    std::to_array<std::string_view>({"none", "custom_cell", "layer_norm", "cudnn_disabled",
                                     "bfloat16_compute_capability", "bfloat16_cudnn_version"});
constexpr auto keras2_use = std::to_array<std::string_view>(
    {"none", "cell", "activation", "recurrent_activation", "recurrent_dropout", "unroll",
     "use_bias", "reset_after", "eager_outside_functions", "mask", "keras_1_layer",
     "keras_package"});
constexpr auto keras3_use = std::to_array<std::string_view>(
    {"none", "cell", "backend", "use_cudnn", "activation", "recurrent_activation",
     "recurrent_dropout", "unroll", "use_bias", "reset_after", "dropout", "jit_compile", "mask"});
constexpr auto onnxruntime_use =
    std::to_array<std::string_view>({"none", "clip_attribute", "default_activations",
                                     "input_forget", "peephole", "linear_before_reset"});
constexpr auto jax_use = std::to_array<std::string_view>(
    {"none", "cell_not_lstm", "data_type_not_float", "projection", "dropout"});

// What both versions of Keras ask of a layer's arguments. One that was not given has its default,
// and the defaults of LSTM and GRU are those that cuDNN takes.
std::array<Condition, 7> keras_arguments(const CudnnQuestion& q) {
  const auto& p = q.program;
  // SimpleRNN never calls cuDNN; of the two others only GRU has a choice of the reset gate.
  return {
      Condition{"cell", !plain_rnn(q.config.cell) && p.custom_cell != true},
      Condition{"activation", p.activation.value_or("tanh") == "tanh"},
      Condition{"recurrent_activation", p.recurrent_activation.value_or("sigmoid") == "sigmoid"},
      Condition{"recurrent_dropout", p.recurrent_dropout.value_or(0) == 0},
      Condition{"unroll", p.unroll != true},
      Condition{"use_bias", p.use_bias != false},
      Condition{"reset_after", q.config.cell != Cell::gru || p.reset_after != false}};
}

Flag released_since(const CudnnQuestion& q, const Version& first) {
  const auto version =
      q.program.version ? parse_version(*q.program.version) : std::optional<Version>();
  return version ? Flag(*version >= first) : Flag();
}

// keras/src/backend/jax/rnn.py: up to 3.13 nothing calls cuDNN; since 3.14
// (@b0ec1b672552a626f58c90fb1532c2a65a314fe0) LSTM does, through jax.experimental.rnn, which takes
// float32 only. GRU never does.
Flag keras3_on_jax(const CudnnQuestion& q) {
  if (q.config.cell != Cell::lstm || q.config.data_type != DataType::float32) return false;
  return released_since(q, {3, 14, 0});
}

// keras/src/backend/torch/rnn.py: GRU calls cuDNN since 3.14
// (@ed26d16c5fd9a619a7f33494552b13d34e214d58), LSTM since 3.15
// (@28bad7aaa83edddaff70c6eb380c37d9f64d1e43): what was there before raised an exception, which was
// swallowed.
Flag keras3_on_torch(const CudnnQuestion& q) {
  return released_since(q, q.config.cell == Cell::gru ? Version{3, 14, 0} : Version{3, 15, 0});
}

Flag keras3_backend(const CudnnQuestion& q) {
  const Framework caller = caller_of_cudnn(Framework::keras3, q.program);
  if (caller == Framework::jax) return keras3_on_jax(q);
  if (caller == Framework::pytorch) return keras3_on_torch(q);
  return true;
}

}  // namespace

Framework caller_of_cudnn(Framework framework, const ProgramContext& program) {
  if (framework == Framework::keras2) return Framework::tensorflow;
  if (framework != Framework::keras3) return framework;
  switch (program.backend.value_or(KerasBackend::tensorflow)) {
    case KerasBackend::torch:
      return Framework::pytorch;
    case KerasBackend::jax:
      return Framework::jax;
    case KerasBackend::tensorflow:
      break;
  }
  return Framework::tensorflow;
}

bool has_small_h_in_pytorch(const std::optional<Version>& cudnn) {
  return !cudnn || *cudnn >= Version{8, 2, 1};
}

CudnnUse pytorch_cudnn(const CudnnQuestion& q) {
  const auto& p = q.program;
  const bool bfloat16 = q.config.data_type == DataType::bfloat16;
  Flag bf16_device(true);
  Flag bf16_cudnn(true);
  if (bfloat16) {
    const bool known = q.device != nullptr && q.device->compute_major > 0;
    bf16_device = known ? Flag(q.device->compute_major >= 8) : Flag();
    bf16_cudnn = q.cudnn_version ? Flag(*q.cudnn_version >= Version{9, 13, 0}) : Flag();
  }
  // nn.LSTM, nn.GRU and nn.RNN are cuDNN's cells, and cuDNN is on by default: only a stated
  // exception counts.
  const std::array conditions = {Condition{"custom_cell", p.custom_cell != true},
                                 Condition{"layer_norm", p.layer_norm != true},
                                 Condition{"cudnn_disabled", p.cudnn_enabled != false},
                                 Condition{"bfloat16_compute_capability", bf16_device},
                                 Condition{"bfloat16_cudnn_version", bf16_cudnn}};
  return decide(conditions);
}

namespace {

// What a clause that is not known asks for, and the key of the program context that answers it.
struct Decides {
  std::string_view clause, words, key;
};
constexpr auto what_clauses_ask = std::to_array<Decides>({
    {"backend", "the release of Keras", "version"},
    {"mask", "the backend of Keras", "backend"},
    {"tensorflow_1_layer", "which layer of TensorFlow 1 it is", ""},
    {"keras_1_layer", "which layer of Keras it is", ""},
    {"keras_package", "whether the layer is of tensorflow.keras or of the older package keras", ""},
    {"bfloat16_compute_capability", "the GPU's compute capability", ""},
    {"bfloat16_cudnn_version", "the cuDNN version", "cudnn_version"},
    {"clip_attribute", "the node's attribute clip", "clip_attribute"},
    {"default_activations", "the node's attribute activations", "default_activations"},
    {"input_forget", "the node's attribute input_forget", "input_forget"},
    {"peephole", "the node's input P", "peephole"},
    {"linear_before_reset", "the node's attribute linear_before_reset", "linear_before_reset"},
});

const Decides* asked_by(std::string_view clause) {
  const auto* found = std::find_if(what_clauses_ask.begin(), what_clauses_ask.end(),
                                   [&](const Decides& each) { return each.clause == clause; });
  return found == what_clauses_ask.end() ? nullptr : found;
}

}  // namespace

std::string_view what_decides(std::string_view clause) {
  const auto* found = asked_by(clause);
  return found != nullptr ? found->words : clause;
}

std::string_view key_that_decides(std::string_view clause) {
  const auto* found = asked_by(clause);
  return found != nullptr ? found->key : std::string_view();
}

bool released_before(const ProgramContext& program, const Version& release) {
  const auto version = program.version ? parse_version(*program.version) : std::nullopt;
  return version && *version < release;
}

Keras2Release keras2_release(const ProgramContext& program) {
  if (released_before(program, {2, 0, 0})) return Keras2Release::before_tensorflow_2;
  if (released_before(program, {2, 4, 0})) return Keras2Release::either;
  return Keras2Release::tensorflow_2;
}

bool release_stops(Framework framework, const CudnnQuestion& q) {
  const auto& p = q.program;
  const bool bfloat16 = q.config.data_type == DataType::bfloat16;
  switch (framework) {
    case Framework::pytorch:
      return bfloat16 && !plain_rnn(q.config.cell) && released_before(p, {2, 3, 0});
    case Framework::tensorflow:
      return bfloat16 && released_before(p, {2, 13, 0});
    case Framework::keras2:
      if (keras2_cudnn(q).used != false && bfloat16 && released_before(p, {2, 13, 0})) return true;
      return p.mask == MaskKind::has_empty_row && keras2_cudnn(q).clause == "mask" &&
             keras2_release(p) == Keras2Release::either;
    case Framework::keras3:
    case Framework::jax:
    case Framework::onnxruntime:
    case Framework::cudnn_api:
      break;
  }
  return false;
}

bool compiled_with_xla(const ProgramContext& program) {
  return program.jit_compile == true && program.name &&
         caller_of_cudnn(*program.name, program) == Framework::tensorflow;
}

CudnnUse tensorflow_cudnn(const CudnnQuestion& q) {
  const auto version =
      q.program.version ? parse_version(*q.program.version) : std::optional<Version>();
  if (version && *version < Version{2, 0, 0}) return {std::nullopt, "tensorflow_1_layer"};
  return {true, "none"};
}

CudnnUse keras2_cudnn(const CudnnQuestion& q) {
  const auto& p = q.program;
  const auto mask = p.mask.value_or(MaskKind::none);
  const auto arguments = keras_arguments(q);
  std::vector<Condition> conditions(arguments.begin(), arguments.end());
  conditions.push_back({"eager_outside_functions", p.eager_outside_functions != false});
  // Only CuDNNLSTM and CuDNNGRU call cuDNN before TensorFlow 2, and they take no mask.
  const bool old = keras2_release(p) == Keras2Release::before_tensorflow_2;
  conditions.push_back(
      {"mask", mask == MaskKind::none || (mask == MaskKind::right_padded && !old)});
  conditions.push_back({"keras_1_layer", old ? Flag() : Flag(true)});
  const bool either = keras2_release(p) == Keras2Release::either;
  conditions.push_back({"keras_package", either ? Flag() : Flag(true)});
  return decide(conditions);
}

namespace {

// The conditions of Keras 3 but for the mask, in the order in which they are looked at.
std::vector<Condition> keras3_conditions(const CudnnQuestion& q) {
  const auto& p = q.program;
  const auto arguments = keras_arguments(q);
  std::vector<Condition> conditions = {arguments.front()};
  conditions.push_back({"backend", keras3_backend(q)});
  conditions.push_back({"use_cudnn", p.use_cudnn != KerasCudnn::no});
  conditions.insert(conditions.end(), arguments.begin() + 1, arguments.end());
  // keras/src/layers/rnn/{lstm,gru}.py @f6c4ac55692c132cd16211f4877fac6dbeead749 (3.3.3) ask for
  // dropout 0; since 3.4 (@1b8f7b7bff, pull request 19645) they drop before they call cuDNN.
  const bool drops = q.config.dropout > 0 && released_before(p, {3, 4, 0});
  conditions.push_back({"dropout", !drops});
  // Models with such a layer are not compiled unless they are told to. XLA has no kernel for
  // TensorFlow's operation, and inside torch.compile the PyTorch backend does without cuDNN.
  const bool compiled = p.jit_compile == true && p.backend != KerasBackend::jax;
  conditions.push_back({"jit_compile", !compiled});
  return conditions;
}

}  // namespace

CudnnUse keras3_cudnn(const CudnnQuestion& q) {
  auto conditions = keras3_conditions(q);
  conditions.push_back({"mask", true});
  switch (keras3_mask(q)) {
    case Keras3Mask::suits:
    case Keras3Mask::stops:  // it is on its cuDNN path already when it looks at the mask
      break;
    case Keras3Mask::loops:
    case Keras3Mask::stops_or_loops:
      conditions.back().holds = false;
      break;
    case Keras3Mask::backend_decides:
      conditions.back().holds = std::nullopt;
      break;
  }
  return decide(conditions);
}

Keras3Mask keras3_mask(const CudnnQuestion& q) {
  const auto& p = q.program;
  if (!p.mask || *p.mask == MaskKind::none) return Keras3Mask::suits;
  // Nor does it matter to a cell that is not Keras's own.
  if (p.custom_cell == true || p.layer_norm == true) return Keras3Mask::suits;
  for (const auto& condition : keras3_conditions(q))
    if (condition.holds == false) return Keras3Mask::suits;
  // The PyTorch and JAX backends take any mask to their loops.
  const bool loops = p.backend && *p.backend != KerasBackend::tensorflow;
  if (loops) return Keras3Mask::loops;
  if (*p.mask == MaskKind::right_padded)
    return p.backend ? Keras3Mask::suits : Keras3Mask::backend_decides;
  return p.backend ? Keras3Mask::stops : Keras3Mask::stops_or_loops;
}

std::string_view to_string(Keras2Release value) {
  switch (value) {
    case Keras2Release::before_tensorflow_2:
      return "before_tensorflow_2";
    case Keras2Release::either:
      return "either";
    case Keras2Release::tensorflow_2:
      break;
  }
  return "tensorflow_2";
}

std::string_view to_string(Keras3Mask value) {
  switch (value) {
    case Keras3Mask::suits:
      return "suits";
    case Keras3Mask::loops:
      return "loops";
    case Keras3Mask::stops:
      return "stops";
    case Keras3Mask::stops_or_loops:
      return "stops_or_loops";
    case Keras3Mask::backend_decides:
      return "backend_decides";
  }
  return "?";
}

CudnnUse onnxruntime_cuda(const CudnnQuestion& q) {
  const auto& p = q.program;
  const bool lstm = q.config.cell == Cell::lstm;
  // RNN with relu is no default activation of the CUDA provider.
  const Flag activations = q.config.cell == Cell::rnn_relu ? Flag(false) : p.default_activations;
  const std::array conditions = {
      Condition{"clip_attribute", negated(p.clip_attribute)},
      Condition{"default_activations", activations},
      Condition{"input_forget", lstm ? negated(p.input_forget) : Flag(true)},
      Condition{"peephole", lstm ? negated(p.peephole) : Flag(true)},
      Condition{"linear_before_reset",
                q.config.cell == Cell::gru ? p.linear_before_reset : Flag(true)}};
  return decide(conditions);
}

CudnnUse jax_supported(const CudnnQuestion& q) {
  const std::array conditions = {
      Condition{"cell_not_lstm", q.config.cell == Cell::lstm},
      Condition{"data_type_not_float", q.config.data_type == DataType::float32},
      Condition{"projection", !q.config.has_projection()},
      // It passes no random states (states = NULL), which cuDNN refuses where there is dropout
      // between layers: tests/data/traces/jax_dropout.cudnn.log.gz.
      Condition{"dropout", q.config.dropout == 0 || q.config.num_layers < 2}};
  return decide(conditions);
}

std::span<const std::string_view> pytorch_cudnn_clauses() { return pytorch_use; }
std::span<const std::string_view> keras2_clauses() { return keras2_use; }
std::span<const std::string_view> keras3_clauses() { return keras3_use; }
std::span<const std::string_view> onnxruntime_clauses() { return onnxruntime_use; }
std::span<const std::string_view> jax_clauses() { return jax_use; }

}  // namespace rnnadvisor::advisor
