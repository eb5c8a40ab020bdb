// What running a configuration yields. Plain data: known to every build, also to those without
// CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/config/rnn_config.h"
#include "core/model/eligibility.h"

namespace rnnadvisor {

// What became of a configuration that was to be run.
enum class Outcome {
  not_run,                  // a static check
  completed,                // every wanted phase ran
  refused,                  // cuDNN refused a stage
  out_of_memory_predicted,  // it would not have fitted; nothing was allocated
  out_of_memory,            // an allocation failed all the same
  failed,                   // a CUDA or cuDNN error during execution
  crashed,                  // the worker process died
  timed_out,                // the worker did not answer in time and was ended
  interrupted,              // the user ended the run before its turn or during it
};

// One cuDNN stage: its status and cuDNN's own reason.
struct StageResult {
  model::Stage stage = model::Stage::set_descriptor;
  bool attempted = false;
  int status = 0;           // cudnnStatus_t
  std::string status_name;  // "CUDNN_STATUS_NOT_SUPPORTED"; for a CUDA error CUDA's name of it
  std::string reason;       // the failing condition, as cuDNN told its log callback; may be empty
};

// Time of one phase, without tracing, from CUDA events.
struct PhaseTiming {
  Phase phase = Phase::forward_training;
  MedianInterval ms;               // median with its interval
  std::vector<double> samples_ms;  // in the order of measurement
  int warmup = 0;                  // repetitions before the first sample
  bool converged = false;          // the interval became tight enough before the budget ended
};

// Hardware counters of one phase, when permitted.
struct PhaseCounters {
  Phase phase = Phase::forward_training;
  std::string metric;  // "sm__inst_executed_pipe_tensor.sum"
  double value = 0;
};

// Comparison of one output with the float64 CPU reference.
struct CorrectnessResult {
  std::string tensor;         // "y", "hy", "cy", "dx", "dhx", "dcx", "dw"
  double relative_error = 0;  // ||out - ref|| / ||ref||
  double tolerance = 0;
  bool passed = false;
};

// Everything RnnRunner learns of one configuration.
struct RunReport {
  Outcome outcome = Outcome::completed;
  std::string message;              // why not completed, for people
  std::vector<StageResult> stages;  // attempted stages in order
  std::int64_t weights = -1;        // bytes, as cuDNN says; -1: it did not say
  std::int64_t workspace_inference = -1;
  std::int64_t workspace_training = -1;
  std::int64_t reserve_training = -1;
  std::vector<PhaseTiming> timings;
  std::vector<CorrectnessResult> correctness;
  std::int64_t memory_free_before = -1;  // bytes
  std::int64_t memory_predicted = -1;    // bytes that the buffers take
  std::int64_t memory_peak_used =
      -1;  // bytes by which free memory shrank, cuDNN's own allocations included
  bool outputs_finite = true;  // every output was written and is finite
  bool context_lost = false;   // a sticky CUDA error: the process must end
};

}  // namespace rnnadvisor
