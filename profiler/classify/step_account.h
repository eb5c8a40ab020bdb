// Where the time of a step of a recorded program goes.
#pragma once

#include <optional>
#include <string_view>

#include "profiler/classify/gpu_busy.h"
#include "profiler/classify/program_steps.h"

namespace rnnadvisor {

// On one device, median of steps. All shares are of the step, 0 … 1, and add up to 1.
struct StepAccount {
  int device = 0;       // index into Profile::devices
  bool trains = false;  // steps that have a backward pass
  // Of steps that were timed without tracing. 0 where none was: then the shares are of the traced
  // time, in which the device waits longer, and the other times are 0.
  int untraced = 0;
  double step_ns = 0, low_ns = 0, high_ns = 0;  // 95 % interval of the median
  // Where none was: the median of steps with tracing, and of how many. 0: not known.
  int traced = 0;
  double traced_ns = 0;
  PartTimes share{};
  double launches = 0;  // kernels, copies and memsets of a step; 0: not known
  // Nothing ran: in the midst of recurrent layers (waits_in_rnn()); in waits that were for no
  // launch (ProgramSteps::host_wait_ns, GpuBusy::host_wait_ns); and elsewhere.
  double idle_in_rnn = 0, idle_for_host = 0, idle_elsewhere = 0;

  double idle() const { return idle_in_rnn + idle_for_host + idle_elsewhere; }
};

// Calls that are no part of a training step, as those of an evaluation: all of them before the
// first step, after the last one, or apart from the steps otherwise.
enum class Outside { no, before, after, apart };
std::string_view to_string(Outside value);

// `traced` is looked at where no step was timed without tracing.
StepAccount step_account(int device, const GpuBusy& busy, const ProgramSteps* steps,
                         const std::optional<TracedSteps>& traced = std::nullopt);

}  // namespace rnnadvisor
