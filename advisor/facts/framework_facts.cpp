// framework.*: what the named framework does with the configuration (framework_model.h). Each fact
// is known only when that framework is the one around the configuration.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "advisor/facts/framework_around.h"
#include "advisor/facts/framework_call.h"
#include "advisor/facts/framework_model.h"
#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"
#include "core/config/key_scope.h"
#include "core/model/autocast.h"

namespace rnnadvisor::advisor {
namespace {

std::optional<GpuShape> gpu_of(const Subject& s) {
  const DeviceSpec* device = device_of(s);
  if (device == nullptr || device->compute_major == 0 || device->sm_count == 0) return std::nullopt;
  return GpuShape{device->compute_major, device->compute_minor, device->sm_count,
                  has_small_h_in_pytorch(cudnn_version_of(s))};
}

// What packing adds to a training step in PyTorch. A copy for each time step; and for each length
// slices, copies and their gradients.
std::optional<double> packing_ms(const Subject& s) {
  const auto& config = s.get().config;
  if (framework_of(s) != Framework::pytorch || config.seq_lengths.empty() ||
      config.mode != Mode::training)
    return std::nullopt;
  const std::set<int> lengths(config.seq_lengths.begin(), config.seq_lengths.end());
  return 0.34 + 0.00695 * config.seq_length + 0.130 * static_cast<double>(lengths.size());
}

// PyTorch hands a PackedSequence to cuDNN in the packed layout, and only that.
bool packed_input(const Subject& s) {
  return s.get().program.packed_sequence.value_or(s.get().config.packed());
}

// ", num_layers=2, batch_first=True": those that are not PyTorch's defaults.
std::string options_of_module(const RnnConfig& config, const ProgramContext& program) {
  std::string options;
  const auto add = [&](bool given, const std::string& text) {
    if (given) options += ", " + text;
  };
  add(config.num_layers > 1, fmt::format("num_layers={}", config.num_layers));
  add(config.cell == Cell::rnn_relu, "nonlinearity=\"relu\"");
  add(config.bias_mode == BiasMode::no_bias, "bias=False");
  add(program.batch_first.value_or(false), "batch_first=True");
  add(config.dropout > 0 && config.num_layers > 1, fmt::format("dropout={:g}", config.dropout));
  add(config.directions() == 2, "bidirectional=True");
  add(config.has_projection(), fmt::format("proj_size={}", config.proj_size));
  return options;
}

std::optional<AlgoChoice> pytorch_choice(const Subject& s, bool forward) {
  const auto gpu = gpu_of(s);
  if (framework_of(s) != Framework::pytorch || !gpu) return std::nullopt;
  return pytorch_algo(s.get().config, *gpu, packed_input(s), forward);
}

// What PyTorch would choose in the forward pass after a change. The changes are those that cards
// suggest.
RnnConfig in_half(RnnConfig c, int) {
  c.data_type = DataType::half;
  return c;
}
// Layers above the first take the output of the one below; only the first may have another width.
RnnConfig one_layer(RnnConfig c, int) {
  c.num_layers = 1;
  if (c.input_size % 128 != 0) c.input_size = c.hidden_size * c.directions();
  return c;
}
int padded(int size, int multiple) {
  const auto up = (static_cast<std::int64_t>(size) + multiple - 1) / multiple * multiple;
  return static_cast<int>(std::min<std::int64_t>(
      up, std::int64_t{std::numeric_limits<int>::max()} / multiple * multiple));
}
RnnConfig one_layer_in_half(RnnConfig c, int compute_major) {
  return one_layer(in_half(std::move(c), compute_major), compute_major);
}
RnnConfig padded_sizes(RnnConfig c, int compute_major) {
  c.hidden_size = padded(c.hidden_size, 128);
  c.proj_size = c.hidden_size;
  c.input_size = padded(c.input_size, 128);
  c.batch_size = padded(c.batch_size, compute_major == 7 && c.batch_size > 8 ? 16 : 8);
  return c;
}
RnnConfig one_direction(RnnConfig c, int) {
  c.direction = Direction::unidirectional;
  return c;
}
RnnConfig narrower(RnnConfig c, int) {
  if (c.hidden_size > 1024) {
    c.hidden_size = 1024;
    c.proj_size = 1024;
  }
  c.input_size = padded(c.input_size, 128);
  return c;
}

struct Change {
  std::string name, words;
  RnnConfig (*apply)(RnnConfig, int compute_major);
  bool unpacked = false;
};

std::optional<AlgoChoice> after(const Subject& s, const Change& change) {
  const auto gpu = gpu_of(s);
  if (framework_of(s) != Framework::pytorch || !gpu) return std::nullopt;
  const auto& config = s.get().config;
  const RnnConfig changed = change.apply ? change.apply(config, gpu->compute_major) : config;
  return pytorch_algo(changed, *gpu, !change.unpacked && packed_input(s), true);
}

// The algorithm that reaches cuDNN; a captured configuration already says what the framework chose.
std::optional<Algo> algo_that_reaches_cudnn(const FrameworkCall& call, Phase phase) {
  if (!call.algo_known) return std::nullopt;
  return call.config.algo_of(phase);
}

// What runs the recurrence: seen in the trace, else expected of what reaches cuDNN.
std::optional<model::Implementation> runs_as(const Subject& s, const ProfileIndex& index) {
  for (const Phase phase : {Phase::forward_training, Phase::forward_inference}) {
    const auto* kernels = index.phase_kernels(s.configuration, phase);
    if (kernels != nullptr && kernels->implementation) return kernels->implementation;
  }
  const FrameworkCall& call = index.framework_call(s.configuration);
  if (!call.happens()) return model::Implementation::none;
  const DeviceSpec* device = device_of(s);
  if (!call.algo_known || device == nullptr) return std::nullopt;
  return model::eligibility(call.config, *device).implementation;
}

// Why cuDNN is expected to refuse the call that the framework makes; of what ran, it is known.
std::optional<model::Refusal> expected_refusal(const Subject& s, const ProfileIndex& index) {
  const DeviceSpec* device = device_of(s);
  const FrameworkCall& call = index.framework_call(s.configuration);
  if (s.get().from_program() || s.get().outcome != Outcome::not_run) return std::nullopt;
  if (device == nullptr || !call.happens()) return std::nullopt;
  return model::refusal(call.config, *device);
}

std::vector<std::string> strings(std::span<const std::string_view> values) {
  return {values.begin(), values.end()};
}

void add_pytorch(Catalogue& catalogue) {
  for (const bool forward : {true, false}) {
    const std::string pass = forward ? "forward" : "backward";
    define(
        catalogue, "framework.pytorch_algo_" + pass, "", Provenance::documented,
        "algorithm PyTorch asks of cuDNN in the " + pass + " pass",
        [forward](const Subject& s) -> std::optional<std::string> {
          const auto choice = pytorch_choice(s, forward);
          return choice ? std::optional(std::string(to_string(choice->algo))) : std::nullopt;
        },
        spellings<Algo>());
    define(
        catalogue, "framework.pytorch_clause_" + pass, "", Provenance::documented,
        "first condition that keeps PyTorch from a persistent algorithm in the " + pass + " pass",
        [forward](const Subject& s) -> std::optional<std::string> {
          const auto choice = pytorch_choice(s, forward);
          return choice ? std::optional(std::string(choice->failing_clause)) : std::nullopt;
        },
        strings(pytorch_algo_clauses()));
  }
  const std::vector<Change> changes = {
      {"half", "with half data", in_half},
      {"split", "of one layer of the stack alone", one_layer},
      {"half_split", "of one layer of the stack alone, with half data", one_layer_in_half},
      {"padded", "with sizes padded to the multiples it asks for", padded_sizes},
      {"one_direction", "of one direction alone", one_direction},
      {"narrower", "with at most 1024 units and a padded input", narrower},
      {"unpacked", "with a padded tensor in place of a PackedSequence", nullptr, true}};
  for (const auto& change : changes) {
    define(
        catalogue, "framework.pytorch_algo_" + change.name, "", Provenance::documented,
        "algorithm PyTorch would ask for in the forward pass " + change.words,
        [change](const Subject& s) -> std::optional<std::string> {
          const auto choice = after(s, change);
          return choice ? std::optional(std::string(to_string(choice->algo))) : std::nullopt;
        },
        spellings<Algo>());
  }
  define(catalogue, "framework.pytorch_autocast_ms", "ms", Provenance::modelled,
         "what the casts of PyTorch's autocast add to a step",
         [](const Subject& s) -> std::optional<double> {
           if (framework_of(s) != Framework::pytorch) return std::nullopt;
           return model::autocast_ms(s.get().config);
         });
  define(catalogue, "framework.pytorch_packing_ms", "ms", Provenance::modelled,
         "what pack_padded_sequence and pad_packed_sequence add to a training step, their backward "
         "passes included, as timed on an H200 (tests/gpu/results/h200/packing.jsonl)",
         packing_ms);
  define(catalogue, "program.without_packing", "1", Provenance::modelled,
         "how many times as fast a step of the recorded program would be without "
         "framework.pytorch_packing_ms",
         [](const Subject& s, const ProfileIndex& i) -> std::optional<double> {
           const auto ms = packing_ms(s);
           if (!ms || !s.get().from_program()) return std::nullopt;
           const auto& steps = i.program_step(s.configuration).steps;
           if (!steps || *ms * 1e6 >= steps->untraced_ns) return std::nullopt;
           return 1 / (1 - *ms * 1e6 / steps->untraced_ns);
         });
  define(catalogue, "call.distinct_lengths", "", Provenance::configured,
         "how many different sequence lengths the batch has",
         [](const Subject& s) -> std::optional<std::int64_t> {
           const auto& all = s.get().config.seq_lengths;
           if (all.empty()) return std::nullopt;
           return static_cast<std::int64_t>(std::set<int>(all.begin(), all.end()).size());
         });
}

void add_what_runs(Catalogue& catalogue) {
  define(
      catalogue, "framework.algo", "", Provenance::modelled,
      "algorithm that reaches cuDNN in the forward pass: the framework's choice where it makes one",
      [](const Subject& s, const ProfileIndex& i) -> std::optional<std::string> {
        const auto algo =
            algo_that_reaches_cudnn(i.framework_call(s.configuration), Phase::forward_training);
        return algo ? std::optional(std::string(to_string(*algo))) : std::nullopt;
      },
      spellings<Algo>());
  define(
      catalogue, "framework.algo_backward", "", Provenance::modelled,
      "algorithm that reaches cuDNN in the backward pass",
      [](const Subject& s, const ProfileIndex& i) -> std::optional<std::string> {
        const auto algo =
            algo_that_reaches_cudnn(i.framework_call(s.configuration), Phase::backward_data);
        return algo ? std::optional(std::string(to_string(*algo))) : std::nullopt;
      },
      spellings<Algo>());
  define(catalogue, "framework.layer", "", Provenance::configured,
         "PyTorch's module of this cell, for code: torch.nn.GRU",
         [](const Subject& s) -> std::optional<std::string> {
           switch (s.get().config.cell) {
             case Cell::lstm:
               return "torch.nn.LSTM";
             case Cell::gru:
               return "torch.nn.GRU";
             case Cell::rnn_relu:
             case Cell::rnn_tanh:
               return "torch.nn.RNN";
           }
           return std::nullopt;
         });
  define(catalogue, "framework.layer_options", "", Provenance::configured,
         "its arguments behind the sizes that are not PyTorch's defaults, for code",
         [](const Subject& s) -> std::optional<std::string> {
           return options_of_module(s.get().config, s.get().program);
         });
  define(catalogue, "framework.calls_cudnn", "", Provenance::modelled,
         "cuDNN is called for the layer: no custom cell, and nothing that keeps the framework away",
         [](const Subject& s, const ProfileIndex& i) -> std::optional<bool> {
           const FrameworkCall& call = i.framework_call(s.configuration);
           return call.stops ? std::optional(false) : call.cudnn;
         });
  define(
      catalogue, "framework.caller", "", Provenance::documented,
      "the library that calls cuDNN: the framework itself, of Keras its backend",
      [](const Subject& s) -> std::optional<std::string> {
        const auto framework = framework_of(s);
        if (!framework) return std::nullopt;
        const Framework caller = caller_of_cudnn(*framework, s.get().program);
        return std::string(Spellings<Framework>::values[static_cast<std::size_t>(caller)]);
      },
      spellings<Framework>());
  define(catalogue, "framework.tries_algorithms", "", Provenance::documented,
         "the framework tries cuDNN's algorithms itself, so that it is not known which one runs",
         [](const Subject& s, const ProfileIndex& i) {
           const FrameworkCall& call = i.framework_call(s.configuration);
           return call.happens() && call.picks_algo && !call.algo_known;
         });
  define(catalogue, "framework.what_decides", "", Provenance::modelled,
         "what would have to be known to say whether cuDNN is called; nothing: it is known",
         [](const Subject& s, const ProfileIndex& i) -> std::string {
           const FrameworkCall& call = i.framework_call(s.configuration);
           return call.happens() && !call.cudnn ? std::string(what_decides(call.clause))
                                                : std::string("nothing");
         });
  define(catalogue, "framework.stops", "", Provenance::modelled,
         "the framework stops with an error in place of running the layer",
         [](const Subject& s, const ProfileIndex& i) -> std::optional<bool> {
           const FrameworkCall& call = i.framework_call(s.configuration);
           // A Keras backend that was not said may do one or the other.
           if (!call.stops && framework_of(s) == Framework::keras3 && !s.get().from_program() &&
               keras3_mask({s.get().config, s.get().program, device_of(s), cudnn_version_of(s)}) ==
                   Keras3Mask::stops_or_loops)
             return std::nullopt;
           return call.stops;
         });
  define(
      catalogue, "framework.cast_from", "", Provenance::modelled,
      "data type that was written, which the framework casts to that of the call; the same where "
      "it "
      "casts nothing",
      [](const Subject& s) {
        const auto& own = s.get();
        return std::string(to_string((own.written ? *own.written : own.config).data_type));
      },
      spellings<DataType>());
  define(catalogue, "framework.ignored_keys", "", Provenance::configured,
         "keys that were given and that are not followed",
         [](const Subject& s, const ProfileIndex& i) {
           return static_cast<std::int64_t>(
               ignored_keys(s.get(), i.framework_call(s.configuration)).size());
         });
  define(catalogue, "framework.ignored", "", Provenance::configured,
         "which keys these are, and why",
         [](const Subject& s, const ProfileIndex& i) -> std::optional<std::string> {
           auto words = ignored_words(ignored_keys(s.get(), i.framework_call(s.configuration)));
           return words.empty() ? std::nullopt : std::optional(std::move(words));
         });
  std::vector<std::string> implementations;
  for (int value = 0; value <= static_cast<int>(model::Implementation::persistent_small_h);
       ++value) {
    implementations.emplace_back(to_string(static_cast<model::Implementation>(value)));
  }
  define(
      catalogue, "framework.runs_as", "", Provenance::modelled,
      "kernel family of the forward pass: seen in the trace, else expected of what reaches cuDNN",
      [](const Subject& s, const ProfileIndex& i) -> std::optional<std::string> {
        const auto implementation = runs_as(s, i);
        return implementation ? std::optional(std::string(to_string(*implementation)))
                              : std::nullopt;
      },
      implementations);
  define(catalogue, "framework.other_call", "", Provenance::configured,
         "the framework that is named would not have made the call that was run",
         [](const Subject& s) {
           return framework_disregarded(*s.profile, s.configuration).has_value();
         });
  define(catalogue, "framework.named", "", Provenance::configured,
         "that framework, as people write it", [](const Subject& s) -> std::optional<std::string> {
           const auto named = framework_disregarded(*s.profile, s.configuration);
           return named ? std::optional(std::string(framework_title(named))) : std::nullopt;
         });
  define(
      catalogue, "framework.named_asks_for", "", Provenance::documented,
      "algorithm that framework would ask for in the forward pass",
      [](const Subject& s) -> std::optional<std::string> {
        const auto call = call_of_named_framework(s);
        return call ? std::optional(std::string(to_string(call->config.algo))) : std::nullopt;
      },
      spellings<Algo>());
  std::vector<std::string> stages = {"none"};
  for (const model::Stage stage : model::all_stages) stages.emplace_back(to_string(stage));
  define(
      catalogue, "framework.refused_stage", "", Provenance::modelled,
      "stage at which cuDNN is expected to refuse the call; none: it takes it, none is made, or it "
      "ran",
      [](const Subject& s, const ProfileIndex& i) -> std::optional<std::string> {
        if (device_of(s) == nullptr) return std::nullopt;
        const auto refusal = expected_refusal(s, i);
        return refusal ? std::string(to_string(refusal->stage)) : std::string("none");
      },
      stages);
  const auto refusal_text = [&](const std::string& name, const std::string& words, auto member) {
    define(catalogue, "framework." + name, "", Provenance::modelled, words,
           [member](const Subject& s, const ProfileIndex& i) -> std::optional<std::string> {
             const auto refusal = expected_refusal(s, i);
             return refusal && !((*refusal).*member).empty()
                        ? std::optional(std::string((*refusal).*member))
                        : std::nullopt;
           });
  };
  refusal_text("refusal", "why cuDNN is expected to refuse it", &model::Refusal::reason);
  refusal_text("refusal_remedy", "what to do about that", &model::Refusal::remedy);
  refusal_text("refusal_rule", "the card about the condition, if there is one",
               &model::Refusal::rule_id);
  define(catalogue, "framework.standard_accepted", "", Provenance::modelled,
         "cuDNN is expected to take the call with the standard algorithm",
         [](const Subject& s, const ProfileIndex& i) -> std::optional<bool> {
           const DeviceSpec* device = device_of(s);
           if (device == nullptr) return std::nullopt;
           RnnConfig standard = i.framework_call(s.configuration).config;
           standard.set_algo(Algo::standard);
           return !model::first_refused(model::eligibility(standard, *device), standard.mode);
         });
}

using Ask = CudnnUse (*)(const CudnnQuestion&);

void add_use(Catalogue& catalogue, Framework framework, const std::string& fact,
             const std::string& clause_fact, const std::string& words, Ask ask,
             std::span<const std::string_view> clauses) {
  const auto answer = [framework, ask](const Subject& s) -> std::optional<CudnnUse> {
    if (framework_of(s) != framework) return std::nullopt;
    return ask({s.get().config, s.get().program, device_of(s), cudnn_version_of(s)});
  };
  define(catalogue, "framework." + fact, "", Provenance::documented, words,
         [answer](const Subject& s) -> std::optional<bool> {
           const auto use = answer(s);
           return use ? use->used : std::nullopt;
         });
  define(
      catalogue, "framework." + clause_fact, "", Provenance::documented,
      "first condition that fails for framework." + fact + "; unknown where the answer is unknown",
      [answer](const Subject& s) -> std::optional<std::string> {
        const auto use = answer(s);
        return use && use->used ? std::optional(std::string(use->clause)) : std::nullopt;
      },
      strings(clauses));
}

}  // namespace

void add_framework_facts(Catalogue& catalogue) {
  add_pytorch(catalogue);
  add_what_runs(catalogue);
  add_use(catalogue, Framework::pytorch, "pytorch_cudnn", "pytorch_cudnn_clause",
          "PyTorch runs this RNN with cuDNN", pytorch_cudnn, pytorch_cudnn_clauses());
  add_use(catalogue, Framework::keras2, "keras2_cudnn", "keras2_clause",
          "Keras 2 runs this layer with cuDNN", keras2_cudnn, keras2_clauses());
  define(catalogue, "framework.keras2_release", "", Provenance::documented,
         "what the version of a Keras 2 program says: TensorFlow 2 or later, before it, or either, "
         "for 2.0 to 2.3 exist of TensorFlow and of the older package keras",
         [](const Subject& s) -> std::optional<std::string> {
           if (framework_of(s) != Framework::keras2) return std::nullopt;
           return std::string(to_string(keras2_release(s.get().program)));
         },
         {"tensorflow_2", "before_tensorflow_2", "either"});
  define(catalogue, "framework.follows_allow_tf32", "", Provenance::documented,
         "the RNNs of the framework ask whether TF32 is allowed; those of ONNX Runtime do not "
         "before 1.18",
         [](const Subject& s) {
           return framework_of(s) != Framework::onnxruntime ||
                  !released_before(s.get().program, {1, 18, 0});
         });
  add_use(catalogue, Framework::keras3, "keras3_cudnn", "keras3_clause",
          "Keras 3 runs this layer with cuDNN", keras3_cudnn, keras3_clauses());
  define(catalogue, "framework.keras3_mask", "", Provenance::documented,
         "what becomes of the mask in Keras 3: it suits cuDNN or does not matter, it leads to a "
         "loop over time, to an error, or, as the backend was not said, to one of the two, or to "
         "cuDNN on TensorFlow and a loop elsewhere",
         [](const Subject& s) -> std::optional<std::string> {
           if (framework_of(s) != Framework::keras3 || !s.get().program.mask) return std::nullopt;
           return std::string(to_string(
               keras3_mask({s.get().config, s.get().program, device_of(s), cudnn_version_of(s)})));
         },
         {"suits", "loops", "stops", "stops_or_loops", "backend_decides"});
  add_use(catalogue, Framework::onnxruntime, "onnxruntime_cuda", "onnxruntime_clause",
          "ONNX Runtime runs this node with its CUDA provider", onnxruntime_cuda,
          onnxruntime_clauses());
  add_use(catalogue, Framework::jax, "jax_supported", "jax_clause",
          "jax.experimental.rnn can run this layer", jax_supported, jax_clauses());
}

}  // namespace rnnadvisor::advisor
