#include "advisor/whatif/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/model/cost.h"
#include "core/model/eligibility.h"
#include "core/model/memory.h"

namespace rnnadvisor::advisor {
namespace {

bool of_mode(Phase phase, Mode mode) {
  return (phase == Phase::forward_inference) == (mode == Mode::inference);
}

bool needed(model::Stage stage, Mode mode) {
  switch (stage) {
    case model::Stage::set_descriptor:
    case model::Stage::temp_space:
      return true;
    case model::Stage::forward_inference:
      return mode == Mode::inference;
    case model::Stage::forward_training:
    case model::Stage::backward_data:
    case model::Stage::backward_weights:
      return mode == Mode::training;
  }
  return true;
}

std::optional<std::string> call_problem(const RnnConfig& call, const DeviceSpec& device) {
  const auto answer = model::eligibility(call, device);
  for (const auto stage : model::all_stages) {
    if (needed(stage, call.mode) && !answer.at(stage))
      return fmt::format("cuDNN would refuse it at {}: {}", model::to_string(stage), summary(call));
  }
  if (answer.implementation != model::implementation_of(call.algo)) {
    return fmt::format("cuDNN would run other kernels: {} instead of {}",
                       model::to_string(answer.implementation), to_string(call.algo));
  }
  if (const auto wrong = model::small_h_wrong_results(call);
      call.algo == Algo::persist_static_small_h && wrong != model::WrongResults::none)
    return fmt::format("cuDNN 9.19 computes wrong {0} there (algorithm/small-h-wrong-{0})",
                       model::to_string(wrong));
  const auto need = model::memory_need(call, call.mode).total;
  if (device.memory_bytes > 0 && need > device.memory_bytes) {
    return fmt::format("does not fit the memory: it needs {} and the device has {}",
                       format_bytes(static_cast<double>(need)),
                       format_bytes(static_cast<double>(device.memory_bytes)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_not_tried(const ExperimentVariant& variant,
                                         const DeviceSpec& device) {
  for (const auto& call : variant.calls) {
    if (auto problem = call_problem(call, device)) return problem;
  }
  return std::nullopt;
}

// PERSIST_STATIC without Tensor Cores is 3.7 to 26 times slower than STANDARD (H200, see the card
// persistence/tensor-core-math): a search need not find that out again.
std::optional<std::string> known_slow(const ExperimentVariant& variant, bool predicted) {
  for (const auto& call : variant.calls) {
    if (call.algo != Algo::persist_static) continue;
    if (predicted && call.data_type != DataType::half) continue;
    if (!model::tensor_core_math(call))
      return fmt::format("known to be slow: {} with {} (persistence/tensor-core-math)",
                         to_string(call.data_type), to_string(call.math_type));
  }
  return std::nullopt;
}

double bound_ms(const ExperimentVariant& variant, const DeviceSpec& device) {
  double ms = 0;
  for (const auto& call : variant.calls) {
    for (const Phase phase : all_phases) {
      if (!of_mode(phase, call.mode)) continue;
      const auto bound = model::lower_bound(call, phase, device);
      ms += variant.cuda_graph ? bound.roofline_ms : bound.bound_ms;
    }
  }
  return ms;
}

double modelled_speedup(const RnnConfig& before, const ExperimentVariant& variant,
                        const DeviceSpec& device) {
  ExperimentVariant original;
  original.calls = {before};
  const double old_ms = bound_ms(original, device);
  const double new_ms = bound_ms(variant, device);
  return old_ms > 0 && new_ms > 0 ? old_ms / new_ms : 0;
}

std::optional<model::TimePrediction> predicted_time(std::span<const RnnConfig> calls,
                                                    const model::PredictTime& predict) {
  if (!predict) return std::nullopt;
  model::TimePrediction sum;
  for (const auto& call : calls) {
    for (const Phase phase : all_phases) {
      if (!of_mode(phase, call.mode)) continue;
      auto time = predict(call, phase);
      if (!time || !(time->seconds > 0) || !(time->low_seconds > 0)) return std::nullopt;
      sum.seconds += time->seconds;
      sum.low_seconds += time->low_seconds;
      sum.high_seconds += time->high_seconds;
      sum.extrapolated = sum.extrapolated || time->extrapolated;
      sum.basis = std::move(time->basis);
      sum.cudnn_version = std::move(time->cudnn_version);
    }
  }
  return sum;
}

PredictedSpeedup predicted_speedup(const model::TimePrediction& before,
                                   const model::TimePrediction& after) {
  PredictedSpeedup speedup;
  speedup.median = before.seconds / after.seconds;
  // Outside of what was measured the intervals exclude nothing.
  speedup.most = before.extrapolated || after.extrapolated
                     ? std::numeric_limits<double>::infinity()
                     : before.high_seconds / after.low_seconds;
  return speedup;
}

std::int64_t modelled_bytes(const ExperimentVariant& variant) {
  const bool shared =
      variant.composition == Composition::rows || variant.composition == Composition::steps;
  std::int64_t weights = 0, workspace = 0, reserve = 0;
  for (const auto& call : variant.calls) {
    const auto sizes = model::space_sizes(call);
    const bool training = call.mode == Mode::training;
    weights = shared ? std::max(weights, sizes.weights.value) : weights + sizes.weights.value;
    workspace = std::max(
        workspace, training ? sizes.workspace_training.value : sizes.workspace_inference.value);
    if (training) reserve += sizes.reserve_training.value;
  }
  return weights + workspace + reserve;
}

}  // namespace rnnadvisor::advisor
