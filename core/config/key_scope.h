// Which keys of the program context mean something where: the one table that decides which keys are
// reported as ignored, and what stands before a key's meaning in help and documents.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/config/fields/field_index.h"
#include "core/config/program_context.h"

namespace rnnadvisor {

struct KeyScope {
  std::string_view key;
  unsigned frameworks = 0;        // bits by Framework; a program that names none is cudnn_api
  std::optional<Cell> cell = {};  // the only cell that has it

  constexpr bool has(Framework framework) const {
    return ((frameworks >> static_cast<unsigned>(framework)) & 1U) != 0;
  }
};

namespace detail {

template <class... Frameworks>
constexpr unsigned frameworks(Frameworks... each) {
  return ((1U << static_cast<unsigned>(each)) | ...);
}
inline constexpr unsigned pytorch = frameworks(Framework::pytorch),
                          keras2 = frameworks(Framework::keras2),
                          keras3 = frameworks(Framework::keras3), keras = keras2 | keras3,
                          tensorflow = frameworks(Framework::tensorflow) | keras,
                          jax = frameworks(Framework::jax),
                          onnxruntime = frameworks(Framework::onnxruntime),
                          cudnn_api = frameworks(Framework::cudnn_api),
                          named = pytorch | tensorflow | jax | onnxruntime, all = named | cudnn_api;

}  // namespace detail

// In the order of visit_context_fields().
inline constexpr auto key_scopes = std::to_array<KeyScope>({
    {"name", detail::all},
    {"version", detail::named},  // says what the framework is, and decides nothing
    {"cudnn_enabled", detail::pytorch},
    {"allow_tf32", detail::all},
    {"deterministic", detail::all},
    {"cublas_workspace_set", detail::all},
    {"custom_cell", detail::all},
    {"layer_norm", detail::all},
    {"skip_connections", detail::all},
    {"per_step_calls", detail::all},
    {"hidden_detached", detail::pytorch},
    {"jit_compile", detail::pytorch | detail::tensorflow},
    {"packed_sequence", detail::pytorch},
    {"batch_first", detail::pytorch},
    {"flat_weights", detail::pytorch},
    {"hx_contiguous", detail::pytorch},
    {"module_training", detail::pytorch},
    {"needs_backward", detail::pytorch | detail::cudnn_api},
    {"double_backward", detail::pytorch},
    {"no_grad", detail::pytorch},
    {"autocast", detail::pytorch},
    {"activation", detail::keras},
    {"recurrent_activation", detail::keras},
    {"recurrent_dropout", detail::keras},
    {"unroll", detail::keras},
    {"use_bias", detail::keras},
    {"reset_after", detail::keras, Cell::gru},
    {"mask", detail::keras},
    {"use_cudnn", detail::keras3},
    {"backend", detail::keras3},
    {"eager_outside_functions", detail::keras2},
    {"rnn_autotune", detail::tensorflow},
    {"default_activations", detail::onnxruntime},
    {"clip_attribute", detail::onnxruntime},
    {"input_forget", detail::onnxruntime, Cell::lstm},
    {"peephole", detail::onnxruntime, Cell::lstm},
    {"linear_before_reset", detail::onnxruntime, Cell::gru},
    {"pointer_alignment", detail::cudnn_api},
    {"dev_seq_lengths", detail::cudnn_api},
    {"mixed_algos", detail::cudnn_api},
    {"uses_removed_api", detail::all},
    {"uses_clip_v8", detail::all},
    {"mixed_bias_modes", detail::all, Cell::gru},
    {"cudnn_version", detail::all},
});

static_assert(
    [] {
      if (key_scopes.size() != fields::context_count) return false;
      for (std::size_t i = 0; i < key_scopes.size(); ++i)
        if (key_scopes[i].key != fields::context_keys[i]) return false;
      return true;
    }(),
    "one row for each field of the program context");

// "PyTorch", "Keras 2": for people. Empty for a program that calls cuDNN itself.
std::string_view framework_title(std::optional<Framework> framework);

// The meaning of a key of visit_context_fields() with where it has one: "Keras GRU: reset_after".
std::string meaning_with_scope(std::string_view key, std::string_view meaning);

// Why a key means nothing in such a program: "it is a setting of Keras, and the framework is
// PyTorch". Empty where it means something.
std::string why_out_of_scope(const KeyScope& scope, std::optional<Framework> framework, Cell cell);

}  // namespace rnnadvisor
