// One screen about what `accelerate` did to a program: what runs faster and by how much, what did
// not change and why, what measuring cost.
#pragma once

#include <string>
#include <string_view>

#include "advisor/report/report.h"
#include "profiler/launch/collect.h"

namespace rnnadvisor::cli {

// Why the plugin was not to accelerate anything.
enum class AccelerationHold { none, switched_off, deterministic };

struct AccelerationContext {
  std::string command;  // that keeps the gain; empty: not known
  bool tried = false;   // of `try`: the program has its own algorithms again
  AccelerationHold hold = AccelerationHold::none;
};

// "rnnadvisor accelerate -- python3 train.py", of a command line quoted for a shell; with
// `numerics` the option that allows them.
std::string accelerate_command(std::string_view program, bool numerics);

// Ends with a line break.
std::string accelerate_report(const launch::Collected& collected,
                              const AccelerationContext& context,
                              const advisor::TextOptions& options);

}  // namespace rnnadvisor::cli
