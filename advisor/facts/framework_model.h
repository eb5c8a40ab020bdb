// What a framework does with a configuration before cuDNN sees it: whether it uses cuDNN at all,
// and which algorithm it asks for. Read from the frameworks' public sources; every function names
// them. Pure. An argument of a layer that was not given has its framework's default; beyond that
// nothing is assumed of what the user did not say.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "advisor/facts/fact.h"
#include "core/config/program_context.h"
#include "core/config/rnn_config.h"
#include "core/device/device_spec.h"
#include "profiler/classify/torch_choice.h"

namespace rnnadvisor::advisor {

// --- PyTorch: the algorithm (profiler/classify/torch_choice.h) ---
using rnnadvisor::AlgoChoice;
using rnnadvisor::GpuShape;
using rnnadvisor::pytorch_algo;
using rnnadvisor::pytorch_algo_clauses;
bool has_small_h_in_pytorch(const std::optional<Version>& cudnn);

// The library that makes the call, and so chooses the algorithm: Keras has none of its own. Keras 2
// runs on TensorFlow, Keras 3 on its backend, which is TensorFlow where no other is configured.
Framework caller_of_cudnn(Framework framework, const ProgramContext& program);

// --- Whether cuDNN is used ---
struct CudnnUse {
  std::optional<bool> used;  // nothing: some condition is not known and none is known to fail
  // "none" when used; the first condition known to fail; else the first that is not known.
  std::string_view clause = "none";
};

// What has to be known where `used` is nothing: "the cuDNN version".
std::string_view what_decides(std::string_view clause);
// The key of [framework] that answers it: "cudnn_version"; empty where none does.
std::string_view key_that_decides(std::string_view clause);

struct CudnnQuestion {
  const RnnConfig& config;
  const ProgramContext& program;
  const DeviceSpec* device = nullptr;    // null: not known
  std::optional<Version> cudnn_version;  // nothing: not known
};

// aten/src/ATen/native/RNN.cpp @012234a684cae66fc67e5c8819c6fab222fdf6c3 (use_cudnn) and
// cudnn_is_acceptable: settings, types; a custom cell or normalisation inside the recurrence is the
// user's own code.
CudnnUse pytorch_cudnn(const CudnnQuestion& question);
// The layers of TensorFlow 2 call it. In TensorFlow 1 keras.layers.LSTM does not, and layers of
// their own do (rules/tensorflow/version-1.toml has the sources).
CudnnUse tensorflow_cudnn(const CudnnQuestion& question);
// keras-team/tf-keras tf_keras/layers/rnn/{lstm,gru,gru_lstm_utils}.py
// @dd0a7237b9b24132dba3f491f3c84b0094ab796e.
CudnnUse keras2_cudnn(const CudnnQuestion& question);
// What the version of a Keras 2 program is the version of. The package keras of its own went up to
// 2.3, whose LSTM and GRU never call cuDNN (@f295e8ee39d4ba841ac281a9337d69c7bc5e0eb6); the Keras
// of TensorFlow 2 began with 2.0. So 2.0 to 2.3 is either. A version that was not given counts as
// TensorFlow 2.
enum class Keras2Release { tensorflow_2, before_tensorflow_2, either };
std::string_view to_string(Keras2Release value);
Keras2Release keras2_release(const ProgramContext& program);
// The version is known and earlier than `release`.
bool released_before(const ProgramContext& program, const Version& release);
// This release of the framework is known to stop at the layer, which later ones run. The cards and
// their sources: rules/versions/pytorch-bfloat16.toml, tensorflow-bfloat16.toml,
// keras2-empty-row.toml.
bool release_stops(Framework framework, const CudnnQuestion& question);
// keras-team/keras keras/src/backend/tensorflow/rnn.py @51d7e77046f5b562fbde669068a29b4b33e1f745
// and keras/src/layers/rnn/lstm.py
// @13b6362d852071dcd0b9a5897576bccab6282a3a; PyTorch backend: keras/src/backend/torch/rnn.py
// @0a459e6df2d0af46e669fca316c63dadf2c2f80f;
// JAX:
// keras/src/backend/jax/rnn.py
// @3422977a5e38fb2f7709aaa9a08e47f0c43d0f60, of LSTM; both where the release is known.
CudnnUse keras3_cudnn(const CudnnQuestion& question);
// A model that is compiled with XLA, which has no kernel for TensorFlow's recurrent operation. On
// the other backends of Keras 3 jit_compile means something else.
bool compiled_with_xla(const ProgramContext& program);
// What becomes of a mask there. On the TensorFlow backend _assert_valid_mask() of rnn.py stops the
// program inside a tf.function (fit, predict), which is no choice of another path; outside of one
// lstm() and gru() catch the error and run without cuDNN.
enum class Keras3Mask {
  suits,           // it is right-padded, there is none, or cuDNN is not used whatever the mask is
  loops,           // PyTorch and JAX backend: a loop over time
  stops,           // TensorFlow backend: the assertion
  stops_or_loops,  // one of the last two: the backend was not said
  backend_decides  // right-padded: it suits TensorFlow and loops elsewhere; the backend was not
                   // said
};
std::string_view to_string(Keras3Mask value);
Keras3Mask keras3_mask(const CudnnQuestion& question);
// microsoft/onnxruntime onnxruntime/core/providers/cuda/cuda_execution_provider.cc: else the node
// runs on the CPU.
CudnnUse onnxruntime_cuda(const CudnnQuestion& question);
// jax-ml/jax jax/experimental/rnn.py @055a8834: LSTM, float32, no projection.
CudnnUse jax_supported(const CudnnQuestion& question);

std::span<const std::string_view> pytorch_cudnn_clauses();
std::span<const std::string_view> keras2_clauses();
std::span<const std::string_view> keras3_clauses();
std::span<const std::string_view> onnxruntime_clauses();
std::span<const std::string_view> jax_clauses();

}  // namespace rnnadvisor::advisor
