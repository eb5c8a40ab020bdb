// What the launcher asks of the plugin, as variables of the environment (RNNADVISOR_…).
#pragma once

#include <cstdint>

#include "profiler/spool/format.h"

namespace rnnadvisor::plugin {

struct Settings {
  char folder[2048];  // RNNADVISOR_SPOOL; empty: the plugin does nothing
  spool::Mode mode;
  std::uint64_t max_bytes;
  std::uint64_t buffer_bytes;  // of one CUPTI buffer
  bool call_sites;
  bool trace_transfers, trace_memory, trace_api, trace_driver, trace_counters;
  std::int64_t counter_interval_ns, counter_duration_ns;  // duration 0: to the end
  std::int64_t delay_ns, duration_ns;                     // 0: none
  std::int64_t skip, iterations;                          // 0: none
  enum class Capture { always, profiler_api, nvtx } capture;
  char range[256], domain[256];  // of Capture::nvtx; domain empty: the default one
  bool untraced_steps;           // some steps are timed without CUPTI (program_steps.h)
  bool record_calls;             // else only what `accelerate` did
  // steps: calls keep their algorithm; whole steps alone are timed (steps.h).
  enum class Accelerate { off, measured, forced, steps } accelerate;
  bool accelerate_numerics;  // float32 may be converted to half, where the program permits TF32
  std::int32_t forced_algo;  // cudnnRNNAlgo_t of Accelerate::forced
  bool forced_converts;
  char plan[2048];          // empty: none
  bool plan_only;           // what the plan does not have is not measured
  std::uint32_t try_steps;  // 0: not `try`
  bool changes;             // code of ours in the program may change its layers (steps.h)
  bool try_end;
  std::uint64_t accelerate_bytes;
  bool accelerate_bytes_given;  // else a comparison may take an eighth of what is free
  std::int64_t accelerate_budget_ns;
};

const Settings& settings();
// From the environment, before any thread of ours asks settings(). Again in a child.
void read_settings();

// A variable of the environment that is set and not empty; else null.
const char* variable(const char* name);
// One that is no number from 0 to 2^53 is an ignored setting and gives `otherwise`.
std::int64_t number(const char* name, std::int64_t otherwise);

// The variables whose values could not be read since read_settings().
int ignored_settings();
const char* ignored_setting(int index);

}  // namespace rnnadvisor::plugin
