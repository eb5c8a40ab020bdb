#include "advisor/reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "advisor/facts/framework_call.h"
#include "advisor/facts/profile_index.h"
#include "advisor/report/words.h"
#include "core/base/embedded.h"
#include "core/base/statistics.h"
#include "core/model/memory.h"

namespace rnnadvisor::embedded {
std::span<const EmbeddedFile> reproduction_templates();
}

namespace rnnadvisor::advisor {
namespace {

using TemplateValues = std::map<std::string, std::string, std::less<>>;

// --- What was recorded ---

struct RecordedCall {
  RnnConfig config;  // with the lengths of the call
  const Configuration* configuration = nullptr;
  const DeviceSpec* device = nullptr;
  const RnnCall* call = nullptr;  // null: every phase of the configuration
  std::vector<Phase> phases;      // in the order in which they are called
  std::array<std::int64_t, call_pointer_count> alignment{};
  std::array<std::int64_t, 3> bytes = {-1, -1, -1};  // weights, workspace, reserve
  std::array<double, 4> ms{};                        // medians by phase, 0: not known
  std::vector<std::string> times;                    // of `ms`, for people
  int status = 0;
  std::string failure;  // empty: none
};

const CallArguments* arguments_of(const Profile& profile, int call) {
  if (call < 0) return nullptr;
  const int at = profile.calls[static_cast<std::size_t>(call)].arguments;
  return at < 0 ? nullptr : &profile.call_arguments[static_cast<std::size_t>(at)];
}

// A backward phase needs those before it. Of a configuration: those that its calls had, else all.
std::vector<Phase> phases_of(const Profile& profile, const RecordedCall& recorded,
                             int configuration) {
  // Running it would write far outside of the buffers that cuDNN asks for.
  if (model::weight_query_wraps(recorded.config)) return {};
  std::set<Phase> made;
  if (recorded.call != nullptr) {
    made.insert(recorded.call->phase);
  } else {
    for (const auto& call : profile.calls)
      if (call.configuration == configuration) made.insert(call.phase);
  }
  if (made.empty() && recorded.config.mode == Mode::inference)
    made.insert(Phase::forward_inference);
  if (made.empty()) made.insert(all_phases.begin(), all_phases.end());
  std::vector<Phase> phases;
  for (const Phase phase : all_phases)
    if (phase == Phase::forward_inference ? made.contains(phase) : phase <= *made.rbegin())
      phases.push_back(phase);
  return phases;
}

// Of the one call, from its CUDA events, else from its kernels.
void add_own_time(RecordedCall& recorded, const Profile& profile, int call) {
  const RnnCall& made = *recorded.call;
  std::int64_t first = -1, last = made.device_duration_ns;
  const bool events = last >= 0;
  for (std::size_t k = 0; !events && k < profile.kernels.size(); ++k) {
    if (profile.kernels.call[k] != call) continue;
    if (first < 0) first = profile.kernels.start_ns[k];
    last = std::max(last, profile.kernels.end_ns[k] - first);
  }
  if (last < 0) return;
  recorded.ms[static_cast<std::size_t>(made.phase)] = static_cast<double>(last) / 1e6;
  recorded.times.insert(recorded.times.begin(),
                        fmt::format("this call: {:.4f} ms, {}", static_cast<double>(last) / 1e6,
                                    !events         ? "traced, from the first kernel to the last"
                                    : made.untraced ? "CUDA events around it, without tracing"
                                                    : "CUDA events around it"));
}

// The times of a phase as they compare best with those that a program takes with CUDA events.
void add_times(RecordedCall& recorded, const Profile& profile, int configuration, Phase phase,
               std::optional<ProfileIndex>& index) {
  auto& ms = recorded.ms[static_cast<std::size_t>(phase)];
  std::string_view how = "CUDA events around each, without tracing";
  std::vector<double> samples;
  if (const auto* timing = recorded.configuration->timing(phase)) samples = timing->samples_ms;
  // Of calls without tracing where there are any.
  for (const bool untraced : {true, false}) {
    if (!samples.empty()) break;
    how = untraced ? "CUDA events in the program, without tracing"
                   : "CUDA events in the program, some of them traced";
    for (const auto& call : profile.calls)
      if (call.configuration == configuration && call.phase == phase && call.untraced == untraced &&
          call.device_duration_ns >= 0)
        samples.push_back(static_cast<double>(call.device_duration_ns) / 1e6);
  }
  if (!samples.empty()) {
    ms = median_interval(samples).median;
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
    recorded.times.push_back(
        fmt::format("{}: median {:.4f} ms, range {:.4f} to {:.4f}, of {}: {}", to_string(phase), ms,
                    *least, *most, plural(static_cast<long long>(samples.size()), "call"), how));
    return;
  }
  if (!index) index.emplace(profile);  // takes a while, and most profiles have times
  const auto* traced = index->phase_kernels(configuration, phase);
  if (traced == nullptr || traced->calls == 0) return;
  ms = static_cast<double>(traced->span_ns) / 1e6 / traced->calls;
  recorded.times.push_back(
      fmt::format("{}: mean {:.4f} ms of {}, traced, from the first kernel to the last",
                  to_string(phase), ms, plural(traced->calls, "call")));
}

void add_failure(RecordedCall& recorded, const Profile& profile, int configuration) {
  const auto failed = [&](int status, std::string name, std::string_view reason) {
    recorded.status = status;
    if (name.empty()) name = fmt::format("status {}", status);
    recorded.failure = words::clean(name + (reason.empty() ? "" : ": ") + std::string(reason));
  };
  const auto text = [&](int string) {
    return string < 0 ? std::string_view() : std::string_view(profile.text(string));
  };
  if (recorded.call != nullptr) {
    if (recorded.call->status != 0) failed(recorded.call->status, {}, text(recorded.call->reason));
    return;
  }
  for (const auto& stage : recorded.configuration->stages)
    if (stage.status != 0) return failed(stage.status, stage.status_name, stage.reason);
  for (const auto& setup : profile.setup_calls)
    if (setup.configuration == configuration && setup.status != 0)
      return failed(setup.status,
                    fmt::format("{} with status {}", text(setup.function), setup.status),
                    text(setup.reason));
}

Result<RecordedCall> look_up(const Profile& profile, const WhatToReproduce& what) {
  RecordedCall recorded;
  int configuration = what.configuration;
  const auto missing = [](std::string_view kind, int number, std::size_t count) {
    return fail(ErrorCode::invalid_argument, fmt::format("the profile has no {} {}", kind, number),
                count == 0 ? fmt::format("it has no {}s", kind)
                           : fmt::format("its {}s are numbered from 0 to {}", kind, count - 1));
  };
  if (what.call >= 0 && static_cast<std::size_t>(what.call) >= profile.calls.size())
    return missing("call", what.call, profile.calls.size());
  if (what.call >= 0) {
    recorded.call = &profile.calls[static_cast<std::size_t>(what.call)];
    configuration = recorded.call->configuration;
  }
  if (configuration < 0 || static_cast<std::size_t>(configuration) >= profile.configurations.size())
    return missing("configuration", configuration, profile.configurations.size());
  recorded.configuration = &profile.configurations[static_cast<std::size_t>(configuration)];
  if (!recorded.configuration->described())
    return fail(
        ErrorCode::unsupported,
        fmt::format("configuration {} was seen by its kernels alone: its sizes are not known",
                    configuration),
        "name another one, or record the program again with cuDNN loaded dynamically");
  recorded.config = recorded.configuration->config;
  const auto device = static_cast<std::size_t>(recorded.configuration->device);
  if (device < profile.devices.size()) recorded.device = &profile.devices[device];
  // What a backward call was not given itself, its forward pass was.
  recorded.alignment.fill(-1);
  if (recorded.call != nullptr) {
    for (const int at : {recorded.call->forward, what.call})
      if (const auto* given = arguments_of(profile, at)) {
        for (std::size_t i = 0; i < call_pointer_count; ++i)
          if (given->alignment[i] >= 0) recorded.alignment[i] = given->alignment[i];
        if (!given->seq_lengths.empty()) recorded.config.seq_lengths = given->seq_lengths;
      }
    recorded.bytes = {recorded.call->weights_bytes, recorded.call->workspace_bytes,
                      recorded.call->reserve_bytes};
  } else if (recorded.configuration->sizes_from_cudnn) {
    const auto& sizes = recorded.configuration->sizes;
    const bool training = recorded.config.mode == Mode::training;
    const auto least = sizes.workspace_inference.value;
    recorded.bytes = {sizes.weights.value,
                      training ? std::max(least, sizes.workspace_training.value) : least,
                      training ? sizes.reserve_training.value : 0};
  }
  recorded.phases = phases_of(profile, recorded, configuration);
  std::optional<ProfileIndex> index;
  for (const Phase phase : recorded.phases)
    add_times(recorded, profile, configuration, phase, index);
  if (recorded.call != nullptr) add_own_time(recorded, profile, what.call);
  add_failure(recorded, profile, configuration);
  return recorded;
}

// --- PyTorch ---

// Why PyTorch does not make this call; empty: it does. What it asks cuDNN for is in
// framework_model.h; that its layers have no other bias, input mode or clip:
// https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html.
std::string why_no_pytorch(const RecordedCall& recorded, const std::optional<Version>& cudnn) {
  const RnnConfig& config = recorded.config;
  if (recorded.phases.empty())
    return "the call is not run, and PyTorch does not ask for sizes alone";
  if (config.input_mode == InputMode::skip_input)
    return "PyTorch has no layer without an input matrix (skip_input)";
  if (config.bias_mode == BiasMode::single_inp_bias ||
      config.bias_mode == BiasMode::single_rec_bias)
    return "PyTorch has both bias vectors or none";
  if (config.clip_mode != ClipMode::none) return "PyTorch clips no cell state";
  if (config.has_projection() && config.proj_size > config.hidden_size)
    return "PyTorch has projections that are narrower than hidden_size only";
  if (config.layout == Layout::batch_major_unpacked)
    return "PyTorch always calls cuDNN with the time step as the first dimension";
  if (!config.packed() && config.has_varying_lengths())
    return "PyTorch has sequences of different lengths in packed layout only";
  if (!config.seq_lengths.empty() &&
      *std::min_element(config.seq_lengths.begin(), config.seq_lengths.end()) < 1)
    return "PyTorch packs no sequence of length 0";
  if (config.math_precision != natural_math_precision(config.data_type))
    return fmt::format("PyTorch computes {} in {}", to_string(config.data_type),
                       to_string(natural_math_precision(config.data_type)));
  ProgramContext program;
  program.name = Framework::pytorch;
  program.packed_sequence = config.packed();
  program.allow_tf32 = config.math_type != MathType::fma;
  RnnConfig asked = config;
  if (asked.data_type == DataType::float32 && asked.math_type != MathType::fma)
    asked.math_type = MathType::default_math;
  const auto made = framework_call(asked, program, recorded.device, cudnn);
  if (!made.happens())
    return fmt::format("PyTorch does not run this layer on cuDNN ({})", made.clause);
  if (!made.algo_known) return "which algorithm PyTorch takes on this device is not known";
  if (made.config.math_type != config.math_type)
    return fmt::format("PyTorch asks cuDNN for the math type {}, and the call had {}",
                       to_string(made.config.math_type), to_string(config.math_type));
  for (const Phase phase : recorded.phases)
    if (made.config.algo_of(phase) != config.algo_of(phase))
      return fmt::format("PyTorch asks cuDNN for {} in {}, and the call had {}",
                         to_string(made.config.algo_of(phase)), words::phase(phase),
                         to_string(config.algo_of(phase)));
  return {};
}

// --- Values ---

template <class Enum>
std::string enumerator(std::string_view prefix, Enum value) {
  std::string name(prefix);
  for (const char c : to_string(value))
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

// A string literal of C++ and of Python.
std::string literal(std::string_view text) {
  return nlohmann::json(words::clean(text)).dump(-1, ' ', false);
}

template <class Range>
std::string list(const Range& values) {
  std::string text;
  int column = 0;
  for (const auto& value : values) {
    if (!text.empty()) text += column % 16 == 0 ? ",\n    " : ", ";
    ++column;
    text += fmt::format("{}", value);
  }
  return text;
}

std::string number_of(double value) {
  return std::isfinite(value) ? fmt::format("{}", value)
                              : std::string(std::isnan(value) ? "NAN"
                                            : value > 0       ? "HUGE_VAL"
                                                              : "-HUGE_VAL");
}

TemplateValues common_values(const RecordedCall& recorded) {
  const RnnConfig& c = recorded.config;
  return {{"input_size", std::to_string(c.input_size)},
          {"hidden_size", std::to_string(c.hidden_size)},
          {"num_layers", std::to_string(c.num_layers)},
          {"seq_length", std::to_string(c.seq_length)},
          {"batch_size", std::to_string(c.batch_size)},
          {"dropout", number_of(c.dropout)},
          {"recorded_failure", literal(recorded.failure)}};
}

TemplateValues cpp_values(const RecordedCall& recorded, int cudnn_major) {
  const RnnConfig& c = recorded.config;
  auto values = common_values(recorded);
  values["algo"] = enumerator("CUDNN_RNN_ALGO_", c.algo);
  values["backward_algo"] = enumerator("CUDNN_RNN_ALGO_", c.backward_algo.value_or(c.algo));
  values["cell"] = enumerator("CUDNN_", c.cell);
  values["bias_mode"] = enumerator("CUDNN_RNN_", c.bias_mode);
  values["direction"] = enumerator("CUDNN_", c.direction);
  values["input_mode"] = enumerator("CUDNN_", c.input_mode);
  values["data_type"] = enumerator("CUDNN_DATA_", c.data_type);
  values["math_precision"] = enumerator("CUDNN_DATA_", c.math_precision);
  const bool converts = c.math_type == MathType::tensor_op_allow_conversion;
  values["math_type"] = converts ? "CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION"
                                 : enumerator("CUDNN_", c.math_type) + "_MATH";
  values["proj_size"] = std::to_string(c.proj_size);
  values["dropout_seed"] = fmt::format("{}ULL", c.dropout_seed);
  values["aux_flags"] =
      c.padded_io ? "CUDNN_RNN_PADDED_IO_ENABLED" : "CUDNN_RNN_PADDED_IO_DISABLED";
  values["clip_mode"] = enumerator("CUDNN_RNN_CLIP_", c.clip_mode);
  values["clip_left"] = number_of(c.clip_left);
  values["clip_right"] = number_of(c.clip_right);
  values["clip_propagate_nan"] = c.clip_propagate_nan ? "true" : "false";
  values["layout"] = enumerator("CUDNN_RNN_DATA_LAYOUT_", c.layout);
  values["seq_lengths"] = "{" + list(c.seq_lengths) + "}";
  std::vector<std::string_view> phases;
  for (const Phase phase : recorded.phases) phases.push_back(to_string(phase));
  values["phases"] = "{" + list(phases) + "}";
  values["alignments"] = "{" + list(recorded.alignment) + "}";
  values["recorded_ms"] = "{" + list(recorded.ms) + "}";
  values["recorded_bytes"] = "{" + list(recorded.bytes) + "}";
  values["recorded_status"] = std::to_string(recorded.status);
  values["recorded_cudnn"] = std::to_string(cudnn_major);
  return values;
}

TemplateValues python_values(const RecordedCall& recorded) {
  const RnnConfig& c = recorded.config;
  const auto flag = [](bool value) { return value ? "True" : "False"; };
  auto values = common_values(recorded);
  values["cell"] = literal(to_string(c.cell));
  values["data_type"] = literal(to_string(c.data_type));
  values["proj_size"] = std::to_string(c.has_projection() ? c.proj_size : 0);
  values["bias"] = flag(c.bias_mode != BiasMode::no_bias);
  values["bidirectional"] = flag(c.directions() == 2);
  values["dropout_seed"] = std::to_string(c.dropout_seed);
  values["seq_lengths"] = "[" + list(c.seq_lengths) + "]";
  values["packed"] = flag(c.packed());
  values["allow_tf32"] = flag(c.math_type != MathType::fma);
  values["training"] = flag(recorded.phases.back() != Phase::forward_inference);
  values["backward"] = flag(!is_forward(recorded.phases.back()));
  values["recorded_ms"] = "[" + list(recorded.ms) + "]";
  return values;
}

// In a line "NAME = VALUE;  // @KEY" (Python: "NAME = VALUE  # @KEY") the value becomes that of
// KEY, and the mark goes; the line "// @head" becomes the lines of `head` as comments.
std::string filled(std::string_view text, std::string_view comment,
                   const std::vector<std::string>& head, const TemplateValues& values) {
  const std::string mark = fmt::format("{} @", comment);
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto at = line.find(mark);
    const std::string_view key =
        at == line.npos ? line.substr(0, 0) : line.substr(at + mark.size());
    const auto value = values.find(key);
    if (key == "head") {
      for (const auto& each : head) out += fmt::format("{} {}\n", comment, each);
    } else if (value != values.end()) {
      out += line.substr(0, line.find(" = ") + 3);
      out += value->second;
      out += comment == "//" ? ";\n" : "\n";
    } else {
      out += line;
      out += '\n';
    }
  }
  return out;
}

// --- The head ---

// Lines that end with a period, a bracket or a word of ours: a backslash at the end of a comment
// would join the next line to it.
std::vector<std::string> head_of(const Profile& profile, const RecordedCall& recorded,
                                 const WhatToReproduce& what, std::string_view source,
                                 std::string_view how_to_run) {
  const auto at = recorded.configuration - profile.configurations.data();
  std::vector<std::string> lines = {
      "A cuDNN RNN call of a profile, made again. Written by `rnnadvisor reproduce`.",
      fmt::format("Run it: {}", how_to_run), fmt::format("Profile: \"{}\".", words::clean(source))};
  const auto& id = recorded.config.id;
  lines.push_back(fmt::format(
      "{}onfiguration {}{}: {}.",
      what.call >= 0 ? fmt::format("Call {} ({}), c", what.call, words::phase(recorded.call->phase))
                     : std::string("C"),
      at, id.empty() ? std::string() : fmt::format(" \"{}\"", words::clean(id)),
      summary(recorded.config)));
  std::string where = recorded.device == nullptr ? "" : words::device(*recorded.device);
  for (const auto& [label, value] : words::environment(profile.environment))
    if (label == "rnnadvisor" || label == "cuDNN" || label == "CUDA runtime" ||
        label == "NVIDIA driver" || label == "Framework" || label == "Created")
      where += fmt::format("{}{} {}", where.empty() ? "" : ", ", label, value);
  lines.push_back(fmt::format("Recorded on: {}.", where.empty() ? "not known" : where));
  lines.push_back(
      fmt::format("Recorded status: {}.", recorded.failure.empty() ? "success" : recorded.failure));
  for (const auto& time : recorded.times) lines.push_back(fmt::format("Measured: {}.", time));
  if (recorded.call != nullptr && recorded.call->device_duration_ns >= 0)
    lines.push_back(
        fmt::format("Measured: this call itself: {:.4f} ms (CUDA events in the program).",
                    static_cast<double>(recorded.call->device_duration_ns) / 1e6));
  if (recorded.phases.empty())
    lines.emplace_back(
        "Only sizes are asked for: cuDNN counts the weights in 32 bits, and its answers wrap from "
        "2^31 weights on.");
  return lines;
}

std::string_view template_text(std::string_view name) {
  for (const auto& file : embedded::reproduction_templates())
    if (file.name == name) return file.text;
  return {};
}

}  // namespace

Result<Reproduction> reproduce(const Profile& profile, const WhatToReproduce& what,
                               std::string_view source) {
  const auto recorded = look_up(profile, what);
  if (!recorded) return fail(recorded.error());
  const auto cudnn = parse_version(profile.environment.cudnn_version);
  Reproduction made;
  made.no_pytorch = why_no_pytorch(*recorded, cudnn);
  const auto name = what.call >= 0
                        ? fmt::format("call-{}", what.call)
                        : fmt::format("configuration-{}",
                                      recorded->configuration - profile.configurations.data());
  const auto compile = fmt::format(
      "g++ -std=c++17 -O2 {0}.cpp -o {0} -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcudnn "
      "-lcudart && ./{0}",
      name);
  auto head = head_of(profile, *recorded, what, source, compile);
  if (!made.no_pytorch.empty())
    head.push_back(fmt::format("There is no PyTorch script of it: {}.", made.no_pytorch));
  made.files.push_back({ReproductionLanguage::cpp, name + ".cpp",
                        filled(template_text("call.cpp.in"), "//", head,
                               cpp_values(*recorded, cudnn ? cudnn->major : 9))});
  if (!made.no_pytorch.empty()) return made;
  head = head_of(profile, *recorded, what, source, fmt::format("python3 {}.py", name));
  head.emplace_back(
      "Other than in the recorded call: PyTorch places its tensors itself, and draws dropout from "
      "a state of its own. Its backward pass is timed as a whole.");
  made.files.push_back({ReproductionLanguage::pytorch, name + ".py",
                        filled(template_text("call.py.in"), "#", head, python_values(*recorded))});
  return made;
}

}  // namespace rnnadvisor::advisor
