// What the reports of `accelerate` and `try` have in common: the time of a whole step, notes,
// names.
#pragma once

#include <string>
#include <vector>

#include "advisor/cli/loss_runs.h"
#include "advisor/report/terminal.h"
#include "core/config/rnn_config.h"
#include "profiler/launch/collect.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

inline constexpr int report_indent = 15;

// "LSTM 2x512 half B32 T128", with ", inference" behind it where it is that.
std::string layer_name(const RnnConfig& config);

// "with faster algorithms"; of the program as it is: empty.
std::string_view words_of(spool::StepArm arm);

struct WholeStepContext {
  std::string step;    // the range that a step is, as --step names it; empty: none
  bool tried = false;  // of `try`, where a step without a time is worth a word
};
// What was timed in the first process that has whole steps.
std::vector<launch::WholeStep> first_steps(const launch::Collected& collected);
// What to recommend of them: the fastest that is surely faster than the program as it is; a change
// of code must gain 5 % beside algorithms, which need none. Null: none is.
const launch::WholeStep* best_of(const std::vector<launch::WholeStep>& steps);

void draw_whole_step(advisor::Terminal& terminal, const launch::Collected& collected,
                     const WholeStepContext& context);

// Of `try --losses`; null: nothing.
void draw_losses(advisor::Terminal& terminal, const LossReport* losses);
// Behind the verdict: empty, or that they are not as they should be.
std::string_view losses_in_short(const LossReport* losses);

// Those that say something beside the report.
void draw_notes(advisor::Terminal& terminal, const Profile& profile);

}  // namespace rnnadvisor::cli
