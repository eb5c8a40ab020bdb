// Whole steps of a recorded program: which calls begin one, and how long steps take without
// tracing, which makes every launch slower. In the mode that does without CUPTI the first steps are
// timed. Else CUPTI leaves the process once some steps have been traced, steps are timed, and it
// comes back; calls in between have no kernels, but times that tracing did not touch. A range, a
// delay or a number of calls that the user gave is kept to the letter: nothing is left out of it.
// Threads: any.
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
