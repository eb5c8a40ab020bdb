// Whole steps of a program as it is, and with faster cuDNN algorithms or changed layers, block by
// block in turns (profiler/plugin/steps.h): what a layer's gain is worth to the program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::launch {

struct WholeStep {
  int process = -1;  // index into Profile::processes
  spool::StepSource source{};
  spool::StepArm arm{};               // what is compared with the program as it is
  MedianInterval own_ms, changed_ms;  // of the medians of the blocks
  // From each block that lies between two of the other kind, and the geometric mean of those.
  RatioInterval speedup;
  // Of each block as the program is over the next: what the machine calls no change.
  RatioInterval control;
  int steps = 0;           // that were timed, the program's own among them
  int own_steps = 0;       // as the program is
  bool withdrawn = false;  // steps were slower: the program keeps its own algorithms

  bool is_faster() const { return speedup.low > 1 && speedup.low > control.high; }
  bool is_slower() const { return speedup.high < 1 && speedup.high < control.low; }
  bool has_change() const { return arm == spool::StepArm::change || arm == spool::StepArm::both; }
};

// The blocks of one process, by number: a whole step for each arm that can be compared twice or
// more.
std::vector<WholeStep> whole_steps(const std::map<std::uint32_t, spool::StepBlock>& blocks);

// "a step: from …", a phrase.
std::string describe(spool::StepSource source);

}  // namespace rnnadvisor::launch
