// What a program does on its stream: calls, movements between them, and the graph of all that.
#include <fmt/format.h>

#include "core/cudnn/cuda_error.h"
#include "core/cudnn/experiment_attempt.h"
#include "core/cudnn/experiment_device.h"

namespace rnnadvisor::experiment {

Attempt<void> DeviceProgram::prepare(ExperimentScope scope) {
  if (scope != ExperimentScope::training_step) return {};
  // Backward weights adds.
  for (std::size_t space = 0; space < weight_bytes_.size(); ++space) {
    const DeviceBuffer target = gradients(space);
    RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaMemsetAsync(target.data(), 0, target.bytes(), stream_)));
  }
  return {};
}

Attempt<void> DeviceProgram::copy(const Copy& copy) {
  const auto width = static_cast<std::size_t>(copy.width * element_);
  const auto rows = static_cast<std::size_t>(copy.rows);
  if (copy.rows == 1 || (copy.from_stride == copy.width && copy.to_stride == copy.width)) {
    RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaMemcpyAsync(
        address(copy.to), address(copy.from), width * rows, cudaMemcpyDeviceToDevice, stream_)));
    return {};
  }
  RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(
      cudaMemcpy2DAsync(address(copy.to), static_cast<std::size_t>(copy.to_stride * element_),
                        address(copy.from), static_cast<std::size_t>(copy.from_stride * element_),
                        width, rows, cudaMemcpyDeviceToDevice, stream_)));
  return {};
}

Attempt<void> DeviceProgram::add(const Copy& copy) {
  const auto shape = flat(copy.width);
  if (!shape) return tl::unexpected(shape.error());
  // The scale is float for all types but double.
  const float one = 1;
  const double one_double = 1;
  const void* scale = type_ == DataType::float64 ? static_cast<const void*>(&one_double) : &one;
  const auto status = api_.cudnnAddTensor(handle_, scale, *shape, address(copy.from), scale, *shape,
                                          address(copy.to));
  return checked(status, "cudnnAddTensor");
}

Attempt<void> DeviceProgram::drop(const Operation& operation, Phase phase) {
  const Mask& mask = masks_[static_cast<std::size_t>(operation.index)];
  void* reserve = static_cast<char*>(memory_.data()) + mask.at;
  const auto bytes = static_cast<std::size_t>(mask.bytes);
  const void* from = address(operation.copy.from);
  void* to = address(operation.copy.to);
  if (phase == Phase::backward_data) {
    return checked(api_.cudnnDropoutBackward(handle_, dropout_descriptor_, mask.shape, from,
                                             mask.shape, to, reserve, bytes),
                   "cudnnDropoutBackward");
  }
  // In inference there is none: the next call reads what the last training pass left there.
  if (phase == Phase::forward_inference) return {};
  return checked(api_.cudnnDropoutForward(handle_, dropout_descriptor_, mask.shape, from,
                                          mask.shape, to, reserve, bytes),
                 "cudnnDropoutForward");
}

Attempt<void> DeviceProgram::checked(cudnnStatus_t status, const char* what) const {
  if (status == CUDNN_STATUS_SUCCESS) return {};
  StageResult stage;
  stage.status = static_cast<int>(status);
  stage.status_name = status_name(api_, status);
  stage.reason = api_.take_reason();
  return tl::unexpected(failure_of(stage, what));
}

Attempt<void> DeviceProgram::run(const std::vector<Operation>& list, Phase phase) {
  for (const Operation& operation : list) {
    switch (operation.kind) {
      case Operation::Kind::call: {
        const auto index = static_cast<std::size_t>(operation.index);
        const StageResult stage = problems_[index]->launch(phase);
        if (stage.status != 0) {
          return tl::unexpected(failure_of(
              stage, problems_.size() == 1 ? std::string(to_string(phase))
                                           : fmt::format("{} of call {} of {}", to_string(phase),
                                                         index + 1, problems_.size())));
        }
        break;
      }
      case Operation::Kind::copy:
        RNNADVISOR_ATTEMPT(copy(operation.copy));
        break;
      case Operation::Kind::add:
        RNNADVISOR_ATTEMPT(add(operation.copy));
        break;
      case Operation::Kind::dropout:
        RNNADVISOR_ATTEMPT(drop(operation, phase));
        break;
    }
  }
  return {};
}

Attempt<void> DeviceProgram::run_all(ExperimentScope scope) {
  if (scope == ExperimentScope::inference) return run(program_.forward, Phase::forward_inference);
  RNNADVISOR_ATTEMPT(run(program_.forward, Phase::forward_training));
  if (scope == ExperimentScope::forward_training) return {};
  RNNADVISOR_ATTEMPT(run(program_.backward_data, Phase::backward_data));
  return run(program_.backward_weights, Phase::backward_weights);
}

Attempt<void> DeviceProgram::launch(ExperimentScope scope) {
  const auto graph = graphs_.find(scope);
  if (graph == graphs_.end()) return run_all(scope);
  RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaGraphLaunch(graph->second, stream_)));
  return {};
}

Attempt<void> DeviceProgram::finish() {
  RNNADVISOR_ATTEMPT(RNNADVISOR_CUDA(cudaStreamSynchronize(stream_)));
  return {};
}

Attempt<void> DeviceProgram::capture(ExperimentScope scope) {
  RNNADVISOR_ATTEMPT(
      RNNADVISOR_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)));
  const auto ran = run_all(scope);
  cudaGraph_t graph = nullptr;
  const cudaError_t ended =
      cudaStreamEndCapture(stream_, &graph);  // always: or it goes on for ever
  const auto refused = [&](const std::string& why, bool context_lost) {
    if (graph != nullptr) cudaGraphDestroy(graph);
    return tl::unexpected(Failure{Outcome::refused,
                                  "these calls cannot be captured into a CUDA graph: " + why,
                                  context_lost});
  };
  if (!ran) return refused(ran.error().message, ran.error().context_lost);
  if (ended != cudaSuccess || graph == nullptr) {
    const Failure failure = failure_of(cuda_error(ended, "cudaStreamEndCapture"));
    return refused(failure.message, failure.context_lost);
  }
  cudaGraphExec_t executable = nullptr;
  const cudaError_t made = cudaGraphInstantiate(&executable, graph, 0);
  if (made != cudaSuccess) {
    const Failure failure = failure_of(cuda_error(made, "cudaGraphInstantiate"));
    return refused(failure.message, failure.context_lost);
  }
  cudaGraphDestroy(graph);
  graphs_[scope] = executable;
  return {};
}

}  // namespace rnnadvisor::experiment
