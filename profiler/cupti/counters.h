// Hardware counters of one range of work through CUPTI's Range Profiler API. They need permission
// (root, or NVreg_RestrictProfilingToAdminUsers=0) and a real GPU; without either the error says so
// and everything else goes on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace rnnadvisor {

// The counter that tells Tensor Core use: warp instructions executed by the tensor pipe, and the
// same for all pipes.
inline constexpr const char* tensor_instructions_metric = "sm__inst_executed_pipe_tensor.sum";
inline constexpr const char* all_instructions_metric = "sm__inst_executed.sum";

class CounterSession {
 public:
  // For the current device `ordinal`; its primary context must be current. No activity source may
  // be recording.
  static Result<std::unique_ptr<CounterSession>> create(int ordinal,
                                                        std::vector<std::string> metrics);
  ~CounterSession();

  // Runs `work` as often as the counters need passes and returns one value per metric. `work` must
  // leave the device idle.
  Result<std::vector<double>> measure(const std::function<Result<void>()>& work);

 private:
  struct State;
  explicit CounterSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rnnadvisor
