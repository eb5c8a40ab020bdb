// What must stand in the environment of a program so that the plugin is loaded into it, into the
// processes it starts, and does what is wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::launch {

// The plugin swaps cuDNN's algorithm where that is faster. 0: the plugin's own default.
struct AccelerateOptions {
  std::int64_t memory_bytes = 0, budget_ms = 0;
  bool record_calls = false;  // beside what was chosen
  bool numerics = false;      // float32 may be multiplied in half precision
  int try_steps = 0;          // of `try`: whole steps to time; 0: not `try`
  bool try_end = false;       // interrupt the program then
  bool algorithms = true;     // are measured and replaced; else whole steps alone are timed
  bool changes = false;       // of `try`: code of ours in the program changes its layers
  std::string plan = {};      // plan_bytes(), to be written into the folder; empty: none
  bool plan_only = false;     // what the plan does not have keeps the program's own algorithm
};

// 0 and empty: the plugin's own default.
struct RecordingOptions {
  spool::Mode mode = spool::Mode::kernels;
  std::string capture;  // as RNNADVISOR_CAPTURE; empty: always
  std::int64_t delay_ms = 0, duration_ms = 0;
  std::int64_t skip = 0, iterations = 0;
  std::int64_t max_bytes = 0, buffer_bytes = 0;
  std::int64_t counter_interval_us = 0;
  std::int64_t counter_duration_ms = -1;  // 0: to the end of the process; -1: default
  bool call_sites = true;
  bool exceptions = true;          // of Python, that end a program
  bool untraced_steps = true;      // some steps are timed without CUPTI; false: kernels throughout
  std::vector<std::string> trace;  // of spool::trace_words, or spool::trace_nothing
  std::optional<AccelerateOptions> accelerate;
};

struct Places {
  std::string plugin;  // the shared library, absolute
  std::string spool;   // the folder, absolute
  std::string cupti;   // empty: the plugin looks for itself
};

struct Attachment {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> unset;
  std::vector<std::string> notes;  // for people: what else was found there
};

using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

// `present` looks up the environment as it is. What others put there is kept: LD_PRELOAD behind
// ours, foreign injection libraries handed to the plugin, which initialises them after itself.
// Errors: invalid_argument (options that contradict each other), unsupported (a path that
// LD_PRELOAD cannot express; an environment that is attached already).
// RNNADVISOR_ACCELERATE=0 in the environment is the user's and stays: nothing is accelerated then,
// and a note says so.
Result<Attachment> attach(const RecordingOptions& options, const Places& places,
                          const Lookup& present);

// RNNADVISOR_ACCELERATE=0: whatever was asked for, programs keep their own algorithms.
bool acceleration_is_off(const Lookup& present);

// Undoes attach() in an environment that it changed. Nothing to undo gives an empty one.
Attachment detach(const Lookup& present);

// `environment` (NAME=VALUE) with the attachment applied.
std::vector<std::string> with_attachment(std::vector<std::string> environment,
                                         const Attachment& attachment);

}  // namespace rnnadvisor::launch
