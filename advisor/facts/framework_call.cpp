#include "advisor/facts/framework_call.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "advisor/facts/framework_around.h"
#include "advisor/facts/framework_model.h"
#include "advisor/facts/providers.h"
#include "core/base/text.h"
#include "core/config/fields.h"
#include "core/config/fields/field_index.h"
#include "core/config/key_scope.h"
#include "core/model/memory.h"

namespace rnnadvisor::advisor {
namespace {

CudnnUse cudnn_use(Framework framework, const CudnnQuestion& question) {
  // No framework, and no program of one's own, has a cell of cuDNN's for these.
  if (question.program.custom_cell == true) return {false, "custom_cell"};
  if (question.program.layer_norm == true) return {false, "layer_norm"};
  switch (framework) {
    case Framework::pytorch:
      return pytorch_cudnn(question);
    case Framework::keras2:
      return keras2_cudnn(question);
    case Framework::keras3:
      return keras3_cudnn(question);
    case Framework::onnxruntime:
      return onnxruntime_cuda(question);
    case Framework::jax:
      return jax_supported(question);
    case Framework::tensorflow:
      return tensorflow_cudnn(question);
    case Framework::cudnn_api:
      break;
  }
  return {true, "none"};
}

// The framework raises an error rather than run the layer in another way.
bool stops_with_error(Framework framework, const CudnnQuestion& question, const CudnnUse& use) {
  if (use.clause == "custom_cell" || use.clause == "layer_norm") return false;
  if (release_stops(framework, question)) return true;
  // XLA has no kernel for cuDNN's recurrent operation of TensorFlow.
  const bool compiled = compiled_with_xla(question.program) &&
                        (use.used != false || use.clause == "jit_compile") &&
                        (question.config.cell == Cell::lstm || question.config.cell == Cell::gru);
  switch (framework) {
    case Framework::jax:  // has cuDNN's LSTM in float and nothing beside it
      return use.used == false;
    case Framework::keras3:
      // keras/src/layers/rnn/lstm.py, inner_loop(): with use_cudnn=True a layer that misses a
      // condition raises. SimpleRNN has no such argument.
      if (question.program.use_cudnn == KerasCudnn::yes && use.used == false &&
          use.clause != "cell")
        return true;
      return compiled || keras3_mask(question) == Keras3Mask::stops;
    case Framework::keras2:
    case Framework::tensorflow:
      return compiled;
    case Framework::pytorch:
      // torch/nn/modules/rnn.py @e6f551aa3e44ae79694352a686f9cf503768ead6: nn.GRU and nn.RNN raise
      // a ValueError for proj_size.
      return question.config.has_projection() && question.config.cell != Cell::lstm;
    case Framework::onnxruntime:
      // The attribute layout: onnxruntime/core/providers/cuda/rnn/cudnn_rnn_base.h
      // @a8ff0e9508c30b3624f0a65a0ec905caa426b12d demands 0, and so do the kernels for the CPU.
      // Of bfloat16 there are kernels on neither: cuda/rnn/lstm.cc
      // @03a0ef4117ee80b2ed21d8352710352a9b0f14f0, cpu/rnn/deep_cpu_lstm.cc
      // @015378288db7376242e4aba02d0fa3d9c4df1de6.
      return question.config.layout == Layout::batch_major_unpacked ||
             question.config.data_type == DataType::bfloat16;
    case Framework::cudnn_api:
      break;
  }
  return false;
}

// What the settings of a PyTorch program change of the layer.
void set_as_pytorch(RnnConfig& config, const ProgramContext& program) {
  // Also of a layer with bias=False, whose biases are then zeros: RNNDescriptor::set() of
  // aten/src/ATen/cudnn/Descriptors.h asks for CUDNN_RNN_DOUBLE_BIAS, and before
  // cudnnSetRNNDescriptor_v8 (@8f4329ea5558ecd2c65cdab1c2d21a52356f50a5) for cuDNN's default, the
  // same.
  config.bias_mode = BiasMode::double_bias;
  const bool autocast = program.autocast && *program.autocast != Autocast::off;
  if (autocast && config.data_type == DataType::float32) {
    config.data_type = DataType::half;
    config.math_precision = natural_math_precision(DataType::half);
  }
  if (program.packed_sequence == true) config.layout = Layout::seq_major_packed;
}

// How PyTorch asks cuDNN, `packed` or not, in a program of its own or below Keras.
void ask_as_pytorch(FrameworkCall& call, const ProgramContext& program, const DeviceSpec* device,
                    bool packed, const std::optional<Version>& cudnn) {
  RnnConfig& config = call.config;
  call.picks_algo = true;
  call.algo_known = device != nullptr && device->compute_major > 0 && device->sm_count > 0;
  if (device != nullptr) config.math_type = pytorch_math_type(config, program, *device);
  if (!call.algo_known) return;
  const GpuShape gpu = {device->compute_major, device->compute_minor, device->sm_count,
                        has_small_h_in_pytorch(cudnn)};
  config.set_algo(pytorch_algo(config, gpu, packed, true).algo);
  const Algo backward = pytorch_algo(config, gpu, packed, false).algo;
  if (config.mode == Mode::training && backward != config.algo) config.backward_algo = backward;
}

FrameworkCall call_of(Framework framework, const RnnConfig& config, const ProgramContext& program,
                      const DeviceSpec* device, const std::optional<Version>& cudnn) {
  FrameworkCall call;
  call.config = config;
  // onnxruntime/core/providers/cuda/rnn/cudnn_rnn_base.cc
  // @0550fa72e9856236396fb5327f4f1747548a32bb calls cudnnRNNForwardInference and nothing else.
  if (framework == Framework::onnxruntime) call.config.mode = Mode::inference;
  const RnnConfig described = call.config;
  if (framework == Framework::pytorch) set_as_pytorch(call.config, program);
  const CudnnQuestion question{call.config, program, device, cudnn};
  const CudnnUse use = cudnn_use(framework, question);
  call.cudnn = use.used;
  call.clause = use.clause;
  call.stops = stops_with_error(framework, question, use);
  if (use.used == false || (call.stops && release_stops(framework, question))) {
    call.config = described;
    return call;
  }
  switch (caller_of_cudnn(framework, program)) {
    case Framework::pytorch:
      ask_as_pytorch(call, program, device,
                     framework == Framework::pytorch
                         ? program.packed_sequence.value_or(call.config.packed())
                         : call.config.packed(),
                     cudnn);
      break;
    case Framework::jax:
      call.picks_algo = true;
      call.config.set_algo(Algo::standard);
      break;
    case Framework::onnxruntime:
      // onnxruntime/core/providers/cuda/rnn/cudnn_rnn_base.h
      // @10689c5475ac2a4bb76f6fc7a7e6ec790edbd5ff, CudnnRNN::Set().
      call.picks_algo = true;
      call.config.set_algo(Algo::standard);
      if (config.data_type == DataType::half && device != nullptr && device->compute_at_least(7))
        call.config.math_type = MathType::tensor_op;
      break;
    case Framework::tensorflow:
      // tensorflow/core/kernels/cudnn_rnn_ops.cc @057f8c812fb07bc803592c058b8b6e8569b4734f casts
      // bfloat16 to float. Its autotune chooses, from a list that is not documented.
      if (config.data_type == DataType::bfloat16) {
        call.config.data_type = DataType::float32;
        call.config.math_precision = natural_math_precision(DataType::float32);
      }
      call.picks_algo = true;
      call.algo_known = false;
      call.config.set_algo(Algo::standard);
      break;
    case Framework::keras2:
    case Framework::keras3:
    case Framework::cudnn_api:
      break;
  }
  return call;
}

template <class T>
std::string written_value(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(Spellings<T>::values[static_cast<std::size_t>(value)]);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return printable(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", value);
  } else if constexpr (std::is_same_v<T, std::vector<int>>) {
    return fmt::format("{} lengths", value.size());
  } else {
    return value ? written_value(*value) : std::string("not set");
  }
}

// Keys of the layer itself that the framework does not ask cuDNN for.
void add_not_asked_for(const RnnConfig& written, const fields::FieldSet& given,
                       std::optional<Framework> framework, const FrameworkCall& call,
                       std::vector<IgnoredKey>& keys) {
  const auto title = framework_title(framework);
  std::size_t index = 0;
  visit_config_fields([&](std::string_view key, auto member, std::string_view) {
    if (!given.has(index++)) return;
    const bool algorithm = key == "algo" || key == "backward_algo";
    if (algorithm && !call.algo_known) {
      keys.push_back(
          {std::string(key),
           written_value(written.*member),
           {},
           fmt::format("{} chooses it itself, and what it chooses is not known", title)});
    } else if (!(written.*member == call.config.*member)) {
      auto used = written_value(call.config.*member);
      // Who trains a layer of ONNX Runtime wants what it does not have, not another setting.
      auto why = key == "mode"
                     ? fmt::format("{} cannot train this layer; it runs {} only", title, used)
                     : fmt::format("{} asks cuDNN for {}", title, used);
      keys.push_back(
          {std::string(key), written_value(written.*member), std::move(used), std::move(why)});
    }
  });
}

// Keys of the program that mean nothing in it.
void add_out_of_scope(const ProgramContext& program, Cell cell, std::vector<IgnoredKey>& keys) {
  std::size_t index = 0;
  visit_context_fields([&](std::string_view key, auto member, std::string_view) {
    const KeyScope& scope = key_scopes[index++];
    if (!(program.*member)) return;
    auto why = why_out_of_scope(scope, program.name, cell);
    if (why.empty()) return;
    keys.push_back(
        {fmt::format("framework.{}", key), written_value(program.*member), {}, std::move(why)});
  });
}

}  // namespace

FrameworkCall framework_call(const RnnConfig& config, const ProgramContext& program,
                             const DeviceSpec* device, const std::optional<Version>& cudnn) {
  const auto stated = program.cudnn_version ? parse_version(*program.cudnn_version)
                      : cudnn               ? cudnn
                                            : assumed_cudnn_version(device);
  return call_of(program.name.value_or(Framework::cudnn_api), config, program, device, stated);
}

FrameworkCall framework_call(const Subject& subject) {
  const Configuration& own = subject.get();
  const auto framework = framework_of(subject).value_or(Framework::cudnn_api);
  FrameworkCall call =
      call_of(framework, own.config, own.program, device_of(subject), cudnn_version_of(subject));
  if (!own.from_program()) return call;
  // A recorded call was made, whatever the description of its program says.
  call.config = own.config;
  call.cudnn = true;
  call.clause = "none";
  call.stops = false;
  call.algo_known = true;
  return call;
}

std::optional<DoesNotRun> does_not_run(const FrameworkCall& call, const DeviceSpec& device,
                                       std::optional<Framework> framework) {
  if (call.stops)
    return DoesNotRun{"framework",
                      fmt::format("{} stops with an error", framework_title(framework))};
  if (!call.happens()) return std::nullopt;
  const auto refusal = model::refusal(call.config, device);
  if (!refusal) return std::nullopt;
  return DoesNotRun{std::string(model::to_string(refusal->stage)), refusal->reason};
}

std::optional<FrameworkCall> call_of_named_framework(const Subject& subject) {
  const auto named = framework_disregarded(*subject.profile, subject.configuration);
  if (!named) return std::nullopt;
  const Configuration& own = subject.get();
  return call_of(*named, own.config, own.program, device_of(subject), cudnn_version_of(subject));
}

std::function<RnnConfig(const RnnConfig&)> framework_caller(const ProgramContext& program,
                                                            const DeviceSpec& device,
                                                            const RnnConfig& here, bool recorded) {
  const FrameworkCall own = framework_call(here, program, &device);
  // Where it does not call cuDNN here it may do so in the neighbourhood, of another data type.
  const bool elsewhere =
      !own.happens() && (program.name == Framework::pytorch || program.name == Framework::jax ||
                         program.name == Framework::onnxruntime);
  if (!elsewhere && (!own.picks_algo || !own.algo_known)) return {};
  return [program, device, here, recorded](const RnnConfig& config) {
    if (recorded && config == here) return here;
    return framework_call(config, program, &device).config;
  };
}

Configuration configuration_to_check(const ConfigInput& input, const DeviceSpec& device) {
  Configuration configuration;
  FrameworkCall call = framework_call(input.config, input.program, &device);
  configuration.program = input.program;
  const bool follows = call.config == input.config && (call.algo_known || !call.picks_algo);
  if (!follows) configuration.written = input.config;
  configuration.given = input.given;
  configuration.config = std::move(call.config);
  configuration.sizes = model::space_sizes(configuration.config);
  configuration.memory_predicted =
      model::memory_need(configuration.config, configuration.config.mode).total;
  return configuration;
}

ConfigInput input_of(const Configuration& configuration) {
  if (configuration.written)
    return {*configuration.written, configuration.program, {}, configuration.given};
  ConfigInput input{configuration.config, configuration.program, {}, {}};
  if (!configuration.from_program()) return input;
  std::size_t index = 0;
  visit_context_fields([&](std::string_view, auto member, std::string_view) {
    if (!why_out_of_scope(key_scopes[index++], input.program.name, input.config.cell).empty())
      (input.program.*member).reset();
  });
  return input;
}

std::vector<IgnoredKey> ignored_keys(const ConfigInput& input, const FrameworkCall& call) {
  std::vector<IgnoredKey> keys;
  add_not_asked_for(input.config, input.given, input.program.name, call, keys);
  add_out_of_scope(input.program, input.config.cell, keys);
  return keys;
}

std::vector<IgnoredKey> ignored_keys(const Configuration& configuration,
                                     const FrameworkCall& call) {
  std::vector<IgnoredKey> keys;
  if (configuration.from_program()) return keys;  // they were not given
  if (configuration.written)
    add_not_asked_for(*configuration.written, configuration.given, configuration.program.name, call,
                      keys);
  add_out_of_scope(configuration.program, configuration.config.cell, keys);
  return keys;
}

std::string ignored_words(const std::vector<IgnoredKey>& keys) {
  std::string text;
  for (const auto& key : keys)
    text += fmt::format("{}{} = {} is ignored: {}.", text.empty() ? "" : " ", key.key, key.given,
                        key.why);
  return text;
}

}  // namespace rnnadvisor::advisor
