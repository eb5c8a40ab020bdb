// Which RNN calls of a program begin a step. One place decides it: for whole steps that `try` and
// `accelerate` time, and for those of a recording. Where a step begins: spool::StepSource.
// Threads: one at a time.
#pragma once

#include <cstdint>

#include "profiler/spool/format.h"

namespace rnnadvisor::plugin {

class StepBoundary {
 public:
  // Right before a call runs. `layer` tells layers apart where a step is a pass of inference.
  bool begins(bool forward, bool training, std::uint64_t layer);
  spool::StepSource source() const { return source_; }

 private:
  spool::StepSource source_{};
  bool any_call_ = false, trains_ = false, backward_seen_ = false;
  std::uint64_t ranges_ = 0, first_layer_ = 0;
  std::uint32_t other_layers_ = 0;  // calls since one of the first layer
  std::uint32_t without_backward_ = 0;
};

}  // namespace rnnadvisor::plugin
