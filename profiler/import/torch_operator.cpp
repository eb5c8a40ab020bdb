#include "profiler/import/torch_operator.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "profiler/classify/torch_choice.h"

namespace rnnadvisor::import_trace {
namespace {

// Where both operators have the arguments from `mode` on, and what comes before.
struct Places {
  std::size_t hidden_states, mode;
};
constexpr std::size_t input = 0, weight_stride = 2, weight_buffer = 3;
constexpr Places of_forward = {4, 6}, of_backward = {4, 10};
constexpr std::size_t arguments_after_mode = 10;  // mode itself to dropout_state

bool is_layer(std::string_view name) {
  return name == "aten::lstm" || name == "aten::gru" || name == "aten::rnn_tanh" ||
         name == "aten::rnn_relu";
}

std::optional<int> number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<DataType> data_type(std::string_view text) {
  if (text == "float") return DataType::float32;
  if (text == "double") return DataType::float64;
  if (text == "c10::Half") return DataType::half;
  if (text == "c10::BFloat16") return DataType::bfloat16;
  return std::nullopt;
}

std::optional<int> size(const TraceArgument& argument, std::size_t dimension) {
  if (dimension >= argument.dims.size()) return std::nullopt;
  const auto value = argument.dims[dimension];
  if (value < 1 || value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(value);
}

// "[64, 64, 60]": how many sequences have a value at each step, from which their lengths follow.
std::vector<int> lengths_of(std::string_view batch_sizes) {
  std::vector<int> steps;
  const char* at = batch_sizes.data();
  const char* end = at + batch_sizes.size();
  while (at < end) {
    int value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error == std::errc() && value > 0) steps.push_back(value);
    at = std::max(after, at + 1);
  }
  // No step has more sequences than the one before it.
  if (steps.empty() || !std::is_sorted(steps.rbegin(), steps.rend())) return {};
  std::vector<int> lengths(static_cast<std::size_t>(std::min(steps.front(), 1 << 20)), 0);
  for (const int count : steps)
    for (int i = 0; i < count && i < static_cast<int>(lengths.size()); ++i)
      ++lengths[static_cast<std::size_t>(i)];
  return lengths;
}

bool take_input(TorchOperator& op, const TraceEvent& event, const Places& places,
                const std::string& batch_sizes) {
  RnnConfig& config = op.config;
  const TraceArgument& x = event.arguments[input];
  const auto batch = size(event.arguments[places.hidden_states], 1);
  if (!batch) return false;
  config.batch_size = *batch;
  if (x.dims.size() == 3) {
    const auto steps = size(x, op.batch_first ? 1 : 0), width = size(x, 2);
    if (!steps || !width || size(x, op.batch_first ? 0 : 1) != batch) return false;
    config.seq_length = *steps;
    config.input_size = *width;
    return true;
  }
  const auto rows = size(x, 0), width = size(x, 1);
  if (x.dims.size() != 2 || !rows || !width || *rows < *batch) return false;
  config.input_size = *width;
  config.layout = Layout::seq_major_packed;
  config.padded_io = false;
  op.packed_rows = *rows;
  if (auto lengths = lengths_of(batch_sizes); static_cast<int>(lengths.size()) == *batch) {
    config.seq_length = lengths.front();
    if (lengths.back() != lengths.front()) config.seq_lengths = std::move(lengths);
    op.packed_rows = 0;
  }
  return true;
}

}  // namespace

bool calls_rnn(std::string_view name) {
  return name == forward_operator || name == backward_operator || name == backward_node ||
         is_layer(name);
}

std::optional<TorchOperator> read_torch_operator(const TraceEvent& event) {
  const bool forward = event.name == forward_operator;
  const Places places = forward ? of_forward : of_backward;
  const std::size_t expected = places.mode + arguments_after_mode + (forward ? 0 : 2);
  if (event.inputs.size() != expected || event.arguments.size() != expected ||
      event.types.size() != expected)
    return std::nullopt;
  const auto value = [&](std::size_t after_mode) -> const std::string& {
    return event.inputs[places.mode + after_mode];
  };
  const auto mode = number(value(0)), hidden = number(value(1)), projection = number(value(2)),
             layers = number(value(3)), stride = number(event.inputs[weight_stride]);
  const auto type = data_type(event.types[input]);
  if (!mode || *mode < 0 || *mode > 3 || !hidden || *hidden < 1 || !projection || *projection < 0 ||
      !layers || *layers < 1 || !type || !stride)
    return std::nullopt;
  TorchOperator op;
  RnnConfig& config = op.config;
  config.cell = static_cast<Cell>(*mode);  // cudnnRNNMode_t, as PyTorch passes it
  config.hidden_size = *hidden;
  config.proj_size = *projection == 0 ? *hidden : *projection;
  // A layer without bias is a call with one of zeros: ATen/cudnn/Descriptors.h asks for
  // CUDNN_RNN_DOUBLE_BIAS always.
  config.bias_mode = BiasMode::double_bias;
  config.num_layers = *layers;
  config.data_type = *type;
  config.math_precision = natural_math_precision(*type);
  op.batch_first = value(4) == "True";
  const double dropout = std::strtod(value(5).c_str(), nullptr);
  if (dropout > 0 && dropout < 1) {
    // Restored from a state, which needs no seed: PyTorch passes 0 (ATen/cudnn/Descriptors.h).
    config.dropout = std::round(dropout * 1e6) / 1e6;
    config.dropout_seed = 0;
  }
  config.mode = value(6) == "True" ? Mode::training : Mode::inference;
  config.direction = value(7) == "True" ? Direction::bidirectional : Direction::unidirectional;
  op.flat_weights = !event.arguments[weight_buffer].dims.empty();
  if (!forward) op.weight_gradients = event.inputs.back().ends_with("True]");
  if (!take_input(op, event, places, value(8))) return std::nullopt;
  return op;
}

int packed_steps(const TraceEvent& event) {
  // (Tensor data, Tensor batch_sizes, …) rather than (Tensor input, Tensor[] or Tensor hx, …).
  if (!is_layer(event.name) || event.arguments.size() < 2 || event.types.size() < 2 ||
      event.types[1] != "long int" || event.arguments[1].dims.size() != 1)
    return 0;
  return size(event.arguments[1], 0).value_or(0);
}

bool set_packed_steps(TorchOperator& op, int steps) {
  RnnConfig& config = op.config;
  const std::int64_t batch = config.batch_size, rows = op.packed_rows;
  constexpr std::int64_t most_sequences = 1 << 20;  // of which lengths are kept
  if (steps < 1 || rows > batch * steps || rows < steps + batch - 1 || batch > most_sequences)
    return false;
  config.seq_length = steps;
  config.seq_lengths.clear();
  op.packed_rows = 0;
  if (rows == batch * steps) return true;
  config.seq_lengths.assign(static_cast<std::size_t>(batch), steps);
  const std::int64_t rest = rows - steps;
  for (std::int64_t i = 1; i < batch; ++i) {
    config.seq_lengths[static_cast<std::size_t>(i)] =
        static_cast<int>(rest / (batch - 1) + (i <= rest % (batch - 1) ? 1 : 0));
  }
  return true;
}

RnnConfig call_config(const TorchOperator& op, const DeviceSpec& device, bool forward) {
  RnnConfig config = op.config;
  config.math_type = pytorch_math_type(config, call_context(op), device);
  const GpuShape gpu = {device.compute_major, device.compute_minor, device.sm_count};
  config.set_algo(pytorch_algo(config, gpu, config.packed(), forward).algo);
  return config;
}

ProgramContext call_context(const TorchOperator& op) {
  ProgramContext program;
  program.name = Framework::pytorch;
  program.cudnn_enabled = true;
  program.packed_sequence = op.config.packed();
  program.batch_first = op.batch_first;
  // Where they are one buffer they may have been made so for each call, which copies show.
  if (!op.flat_weights) program.flat_weights = false;
  return program;
}

}  // namespace rnnadvisor::import_trace
