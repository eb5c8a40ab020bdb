// Whole steps of a recorded program: which calls begin one, and how long steps take without
// tracing, which makes every launch slower. In the mode that does without CUPTI the first steps are
// timed. Else CUPTI is detached once some steps have been traced, steps are timed, and it is
// attached again; calls in between have no kernels, but times without tracing. Where the user gave
// a range, a delay or a number of calls, all of it is traced. Threads: any.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace rnnadvisor::plugin {

struct StepCaller {
  std::uint64_t call;
  CUstream stream;
  int device;
  bool forward, training;
  std::uint64_t layer;  // as of StepBoundary
};
// Right before a recorded call runs; whether it begins a step.
bool program_step_begins(const StepCaller& caller);

void program_steps_in_child();  // after fork()

}  // namespace rnnadvisor::plugin
