// One screen about what `accelerate` did to a program, or `try`: what runs faster and by how much,
// what did not change and why, what measuring cost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advisor/cli/loss_runs.h"
#include "advisor/cli/program_changes.h"
#include "advisor/report/report.h"
#include "profiler/launch/collect.h"

namespace rnnadvisor::cli {

struct AccelerationContext {
  std::string command;        // that keeps the gain; empty: not known
  bool tried = false;         // of `try`: the program has its own algorithms again
  bool switched_off = false;  // by RNNADVISOR_ACCELERATE=0
  std::string step = {};      // the range that a step is, as --step names it; empty: none
  // Of `try`: changes of layers; null: none were tried.
  const std::vector<ChangedLayer>* changes = nullptr;
  bool algorithms = true;              // were tried: else those changes alone
  std::string code_folder = {};        // where modules of them were written; empty: nowhere
  const LossReport* losses = nullptr;  // of `try --losses`
};

// "rnnadvisor accelerate --plan p.toml -- python3 train.py": options and program quoted for a
// shell.
std::string accelerate_command(std::string_view options, std::string_view program);

// Ends with a line break.
std::string accelerate_report(const launch::Collected& collected,
                              const AccelerationContext& context,
                              const advisor::TextOptions& options);

}  // namespace rnnadvisor::cli
