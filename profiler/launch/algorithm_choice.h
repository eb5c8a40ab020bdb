// What `accelerate` did in a program: for each kind of call the algorithms it had, the one that was
// chosen, and why calls kept the program's own. The spool's record, with its references resolved.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/config/rnn_config.h"
#include "profiler/launch/whole_step.h"
#include "profiler/profile/profile.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::launch {

struct ChoiceVariant {
  Algo algo = Algo::standard;
  bool converts = false;  // float32 is multiplied in half precision
  spool::VariantState state = spool::VariantState::absent;
  std::string status;  // of a refusal: "CUDNN_STATUS_NOT_SUPPORTED"
  double error = -1;   // largest relative difference of a tensor; -1: not compared
  double limit = 0;    // of that difference
  std::string tensor;  // the one with that difference
  MedianInterval ms[spool::choice_phases];  // of one call, on the device; count 0: not timed
  std::int64_t workspace_bytes = 0;
};

struct AlgorithmChoice {
  int process = -1;        // index into Profile::processes
  int configuration = -1;  // index into Profile::configurations: as the program asks
  int device = -1;         // index into Profile::devices
  std::string file;        // the Python line of the first such call; empty: not known
  int line = 0;
  std::uint64_t key = 0;     // of this kind of calls, the same in every process
  bool with_change = false;  // of a layer that our code changed (`try`)
  spool::ChoiceState state = spool::ChoiceState::waiting;
  spool::ChoiceOrigin origin{};
  std::size_t chosen = 0;  // index into `variants`
  std::int64_t calls[spool::choice_phases] = {}, substituted[spool::choice_phases] = {};
  std::int64_t kept[static_cast<std::size_t>(spool::Kept::count)] = {};
  double tuning_ms = 0;
  std::int64_t tuning_bytes = 0;
  int checks = 0;                       // comparisons of results after the choice
  std::vector<ChoiceVariant> variants;  // the first is the program's own

  const ChoiceVariant& original() const { return variants.front(); }
  const ChoiceVariant& in_use() const { return variants[chosen]; }
  bool accelerated() const { return chosen != 0; }
};

// "persist_static", "persist_static with conversion to half"
std::string name_of(const ChoiceVariant& variant);

// Time before and after, of one scope: medians add up, and the ends of their intervals do, so that
// the interval of the speedup is wider than one of 95 %. The widest scope that both were timed in
// comes last; empty where none is.
std::vector<ExperimentTiming> choice_timings(const ChoiceVariant& before,
                                             const ChoiceVariant& after, Mode mode);

// The time of a whole step, as one of the experiment.
void add_whole_step(Experiment& experiment, const WholeStep& step);
// What was confirmed stays so only if whole steps are faster; else the message says that they are
// not.
void judge_by_whole_step(Experiment& experiment, const WholeStep& step);

// One experiment for each algorithm that was a candidate (`where` "program"), with the
// configuration that has it. Of several processes with one configuration the first counts.
// A process's whole step becomes a timing of each algorithm that was chosen in it, and decides.
void add_choice_experiments(Profile& profile, std::span<const AlgorithmChoice> choices,
                            std::span<const WholeStep> steps);

}  // namespace rnnadvisor::launch
