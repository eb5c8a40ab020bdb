#include "advisor/whatif/framework_fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/change/transform_code.h"
#include "advisor/facts/framework_call.h"
#include "advisor/facts/framework_model.h"
#include "advisor/whatif/candidate.h"

namespace rnnadvisor::advisor {
namespace {

std::string quoted(std::string_view clause) {
  std::string words(clause);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

bool changes(const Candidate& candidate, std::string_view kind) {
  return std::any_of(candidate.transforms.begin(), candidate.transforms.end(),
                     [&](const Transform& t) { return t.kind == kind; });
}

// PyTorch takes what it chooses, in the backward pass another algorithm for the sizes between its
// two small-size limits.
std::optional<std::string> pytorch(Candidate& candidate, const ProgramContext& program,
                                   const DeviceSpec& device) {
  if (device.compute_major == 0 || device.sm_count == 0)
    return "which algorithm PyTorch takes on this device is not known";
  const GpuShape gpu{device.compute_major, device.compute_minor, device.sm_count};
  std::string chosen;
  for (auto& call : candidate.variant.calls) {
    // A sequence that is a plain tensor after the change is no PackedSequence any more.
    const bool packed = call.packed() && program.packed_sequence != false;
    const RnnConfig asked = call;
    ProgramContext around = program;
    around.name = Framework::pytorch;
    around.packed_sequence = packed;
    call = framework_call(asked, around, &device).config;
    if (changes(candidate, "math_type")) call.math_type = asked.math_type;
    if (call.algo == asked.algo && call.backward_algo == asked.backward_algo) continue;
    chosen = fmt::format("PyTorch then picks {}", to_string(call.algo));
    if (call.mixed_algos())
      chosen += fmt::format(" forward and {} backward", to_string(*call.backward_algo));
    if (const auto clause = pytorch_algo(call, gpu, packed, true).failing_clause; clause != "none")
      chosen += fmt::format(" ({})", quoted(clause));
  }
  candidate.note = chosen;
  return std::nullopt;
}

std::optional<std::string> use_problem(std::string_view name, const CudnnUse& use) {
  if (use.used != false) return std::nullopt;
  return fmt::format("{} would not run it on cuDNN: {}", name, quoted(use.clause));
}

}  // namespace

std::optional<std::string> fit_to_framework(Candidate& candidate, Framework framework,
                                            const ProgramContext& program, const DeviceSpec& device,
                                            const std::optional<Version>& cudnn) {
  if (framework == Framework::cudnn_api) return std::nullopt;
  for (const auto& transform : candidate.transforms) {
    const auto code = code_for(transform, framework);
    if (!code.can()) return code.cannot;
  }
  if (framework == Framework::pytorch) {
    if (auto problem = pytorch(candidate, program, device)) return problem;
  }
  for (const auto& call : candidate.variant.calls) {
    const CudnnQuestion question{call, program, &device, cudnn};
    std::optional<std::string> problem;
    switch (framework) {
      case Framework::pytorch:
        problem = use_problem("PyTorch", pytorch_cudnn(question));
        break;
      case Framework::jax:
        problem = use_problem("JAX", jax_supported(question));
        break;
      case Framework::keras2:
        problem = use_problem("Keras 2", keras2_cudnn(question));
        break;
      case Framework::keras3:
        problem = use_problem("Keras 3", keras3_cudnn(question));
        break;
      case Framework::tensorflow:
        if (call.data_type == DataType::bfloat16)
          problem = "TensorFlow casts bfloat16 to float around cuDNN";
        break;
      case Framework::onnxruntime:
        problem = use_problem("ONNX Runtime", onnxruntime_cuda(question));
        break;
      case Framework::cudnn_api:
        break;
    }
    if (problem) return problem;
  }
  return std::nullopt;
}

}  // namespace rnnadvisor::advisor
