// framework.*: what the named framework does with the configuration (framework_model.h). Each fact
// is known only when that framework is the one around the configuration.
#include <algorithm>
#include <limits>

#include "advisor/facts/framework_model.h"
#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

std::optional<GpuShape> gpu_of(const Subject& s) {
  const DeviceSpec* device = device_of(s);
  if (device == nullptr || device->compute_major == 0 || device->sm_count == 0) return std::nullopt;
  return GpuShape{device->compute_major, device->compute_minor, device->sm_count};
}

// PyTorch hands a PackedSequence to cuDNN in the packed layout, and only that.
bool packed_input(const Subject& s) {
  return s.get().program.packed_sequence.value_or(s.get().config.packed());
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

// The algorithm that reaches cuDNN in the forward pass. A captured configuration already says what
// the framework chose.
std::optional<Algo> algo_that_reaches_cudnn(const Subject& s) {
  const Algo configured = s.get().config.algo;
  if (s.get().from_program()) return configured;
  switch (framework_of(s).value_or(Framework::cudnn_api)) {
    case Framework::pytorch: {
      const auto choice = pytorch_choice(s, true);
      return choice ? std::optional(choice->algo) : std::nullopt;
    }
    case Framework::jax:
      return Algo::standard;
    case Framework::tensorflow:
    case Framework::keras2:
    case Framework::keras3:
      return std::nullopt;  // TensorFlow's autotune chooses, from a list that is not documented
    case Framework::cudnn_api:
    case Framework::onnxruntime:
      return configured;
  }
  return std::nullopt;
}

std::optional<bool> cudnn_used(const Subject& s) {
  const CudnnQuestion question{s.get().config, s.get().program, device_of(s), cudnn_version_of(s)};
  switch (framework_of(s).value_or(Framework::cudnn_api)) {
    case Framework::pytorch:
      return pytorch_cudnn(question).used;
    case Framework::keras2:
      return keras2_cudnn(question).used;
    case Framework::keras3:
      return keras3_cudnn(question).used;
    case Framework::onnxruntime:
      return onnxruntime_cuda(question).used;
    case Framework::jax:
      return jax_supported(question).used;
    case Framework::cudnn_api:
    case Framework::tensorflow:
      return true;
  }
  return std::nullopt;
}

// What runs the recurrence: seen in the trace, else expected of what reaches cuDNN.
std::optional<model::Implementation> runs_as(const Subject& s, const ProfileIndex& index) {
  for (const Phase phase : {Phase::forward_training, Phase::forward_inference}) {
    const auto* kernels = index.phase_kernels(s.configuration, phase);
    if (kernels != nullptr && kernels->implementation) return kernels->implementation;
  }
  if (cudnn_used(s) == false) return model::Implementation::none;
  const auto algo = algo_that_reaches_cudnn(s);
  const DeviceSpec* device = device_of(s);
  if (!algo || device == nullptr) return std::nullopt;
  if (*algo == s.get().config.algo) {
    const auto* eligibility = index.model(s.configuration).eligibility();
    return eligibility == nullptr ? std::nullopt : std::optional(eligibility->implementation);
  }
  RnnConfig config = s.get().config;
  config.algo = *algo;
  return model::eligibility(config, *device).implementation;
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
      {"padded", "with sizes padded to the multiples it asks for", padded_sizes},
      {"one_direction", "of one direction alone", one_direction},
      {"narrower", "with at most 1024 units", narrower},
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
}

void add_what_runs(Catalogue& catalogue) {
  define(
      catalogue, "framework.algo", "", Provenance::modelled,
      "algorithm that reaches cuDNN in the forward pass: the framework's choice where it makes one",
      [](const Subject& s) -> std::optional<std::string> {
        const auto algo = algo_that_reaches_cudnn(s);
        return algo ? std::optional(std::string(to_string(*algo))) : std::nullopt;
      },
      spellings<Algo>());
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
  add_use(catalogue, Framework::keras3, "keras3_cudnn", "keras3_clause",
          "Keras 3 runs this layer with cuDNN", keras3_cudnn, keras3_clauses());
  add_use(catalogue, Framework::onnxruntime, "onnxruntime_cuda", "onnxruntime_clause",
          "ONNX Runtime runs this node with its CUDA provider", onnxruntime_cuda,
          onnxruntime_clauses());
  add_use(catalogue, Framework::jax, "jax_supported", "jax_clause",
          "jax.experimental.rnn can run this layer", jax_supported, jax_clauses());
}

}  // namespace rnnadvisor::advisor
