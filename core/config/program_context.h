// What is known of the program around a configuration: its framework and the settings that decide
// whether the framework reaches cuDNN, and by which path. Every field is optional: unknown stays
// unknown, and rules that need it say so. Keys stand in a [framework] table in TOML, an object
// "framework" in JSON, and --framework.key=value flags.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config/rnn_config.h"

namespace rnnadvisor {

enum class Framework { cudnn_api, pytorch, keras2, keras3, tensorflow, jax, onnxruntime };
enum class Autocast { off, float16, bfloat16 };
enum class MaskKind { none, right_padded, other, has_empty_row };
enum class KerasCudnn { automatic, yes, no };  // Keras 3 use_cudnn: spelled "auto", "true", "false"
enum class KerasBackend { tensorflow, torch, jax };

#define RNNADVISOR_SPELLINGS(Enum, ...)                                            \
  template <>                                                                      \
  struct Spellings<Enum> {                                                         \
    static constexpr auto values = std::to_array<std::string_view>({__VA_ARGS__}); \
  };
RNNADVISOR_SPELLINGS(Framework, "cudnn_api", "pytorch", "keras2", "keras3", "tensorflow", "jax",
                     "onnxruntime")
RNNADVISOR_SPELLINGS(Autocast, "off", "float16", "bfloat16")
RNNADVISOR_SPELLINGS(MaskKind, "none", "right_padded", "other", "has_empty_row")
RNNADVISOR_SPELLINGS(KerasCudnn, "auto", "true", "false")
RNNADVISOR_SPELLINGS(KerasBackend, "tensorflow", "torch", "jax")
#undef RNNADVISOR_SPELLINGS

struct ProgramContext {
  std::optional<Framework> name;
  std::optional<std::string> version;  // of the framework, "2.11.0"

  // Any framework
  std::optional<bool> cudnn_enabled;         // torch.backends.cudnn.enabled and the like
  std::optional<bool> allow_tf32;            // TF32 allowed for float data
  std::optional<bool> deterministic;         // the user wants run-to-run identical results
  std::optional<bool> cublas_workspace_set;  // CUBLAS_WORKSPACE_CONFIG is set
  std::optional<bool> custom_cell;           // a cell that is none of cuDNN's four
  std::optional<bool> layer_norm;            // normalisation inside the recurrence
  std::optional<bool> skip_connections;      // connections that jump over layers
  std::optional<bool> per_step_calls;   // one RNN call per time step instead of one per sequence
  std::optional<bool> hidden_detached;  // hidden state detached between chunks
  std::optional<bool> jit_compile;      // torch.compile, XLA

  // PyTorch
  std::optional<bool> packed_sequence;
  std::optional<bool> batch_first;
  std::optional<bool> flat_weights;
  std::optional<bool> hx_contiguous;
  std::optional<bool> module_training;  // module.train() rather than eval()
  std::optional<bool> needs_backward;   // backward is called through the RNN
  std::optional<bool> double_backward;
  std::optional<bool> no_grad;  // inference under no_grad or inference_mode
  std::optional<Autocast> autocast;

  // Keras, TensorFlow
  std::optional<std::string> activation;
  std::optional<std::string> recurrent_activation;
  std::optional<double> recurrent_dropout;
  std::optional<bool> unroll;
  std::optional<bool> use_bias;
  std::optional<bool> reset_after;
  std::optional<MaskKind> mask;
  std::optional<KerasCudnn> use_cudnn;
  std::optional<KerasBackend> backend;
  std::optional<bool> eager_outside_functions;
  std::optional<bool> rnn_autotune;  // TF_CUDNN_RNN_USE_AUTOTUNE

  // ONNX Runtime
  std::optional<bool> default_activations;
  std::optional<bool> clip_attribute;
  std::optional<bool> input_forget;
  std::optional<bool> peephole;
  std::optional<bool> linear_before_reset;

  // Programs that call cuDNN themselves
  std::optional<int>
      pointer_alignment;  // largest power of two that divides every device pointer, bytes
  std::optional<bool> dev_seq_lengths;   // devSeqLengths passed
  std::optional<bool> mixed_algos;       // forward and backward use different algorithms
  std::optional<bool> uses_removed_api;  // v6, Ex or inference/training split entry points
  std::optional<bool> uses_clip_v8;      // cudnnRNNSetClip_v8
  std::optional<bool>
      mixed_bias_modes;  // the bias mode differs between training and inference or frameworks
  std::optional<std::string> cudnn_version;  // when it is not the profiled one, "7.5.1"

  bool operator==(const ProgramContext&) const = default;
  bool empty() const { return *this == ProgramContext{}; }
};

}  // namespace rnnadvisor
