// framework.*: what the named framework does with the configuration (framework_model.h). Each fact
// is known only when that framework is the one around the configuration.
#include "advisor/facts/framework_model.h"
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

// Half in place of the present type: what autocast or module.half() would lead to.
std::optional<AlgoChoice> pytorch_choice_in_half(const Subject& s) {
  const auto gpu = gpu_of(s);
  if (framework_of(s) != Framework::pytorch || !gpu) return std::nullopt;
  RnnConfig half = s.get().config;
  half.data_type = DataType::half;
  return pytorch_algo(half, *gpu, packed_input(s), true);
}

// One layer of the stack alone: what nn.LSTM(num_layers=1) modules in a row would lead to.
std::optional<AlgoChoice> pytorch_choice_split(const Subject& s, bool forward) {
  const auto gpu = gpu_of(s);
  if (framework_of(s) != Framework::pytorch || !gpu) return std::nullopt;
  RnnConfig one = s.get().config;
  one.num_layers = 1;
  // Layers above the first take the output of the one below; the first may have another width.
  if (one.input_size % 128 != 0) one.input_size = one.hidden_size * one.directions();
  return pytorch_algo(one, *gpu, packed_input(s), forward);
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
  define(
      catalogue, "framework.pytorch_algo_half", "", Provenance::documented,
      "algorithm PyTorch would ask for in the forward pass with half data",
      [](const Subject& s) -> std::optional<std::string> {
        const auto choice = pytorch_choice_in_half(s);
        return choice ? std::optional(std::string(to_string(choice->algo))) : std::nullopt;
      },
      spellings<Algo>());
  define(
      catalogue, "framework.pytorch_algo_split", "", Provenance::documented,
      "algorithm PyTorch would ask for in the forward pass of a layer of the stack alone",
      [](const Subject& s) -> std::optional<std::string> {
        const auto choice = pytorch_choice_split(s, true);
        return choice ? std::optional(std::string(to_string(choice->algo))) : std::nullopt;
      },
      spellings<Algo>());
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
