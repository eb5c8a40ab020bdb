// Whole steps of a program with its own cuDNN algorithms and with faster ones, block by block in
// turns (profiler/plugin/steps.h): what a layer's gain is worth to the program.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/statistics.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::launch {

struct WholeStep {
  int process = -1;  // index into Profile::processes
  spool::StepSource source{};
  MedianInterval own_ms, chosen_ms;  // of the medians of the blocks
  // Of each block with the program's own algorithms over the geometric mean of its neighbours.
  RatioInterval speedup;
  // Of each block with the program's own algorithms over the next: what the machine calls no
  // change.
  RatioInterval control;
  int steps = 0;           // that were timed
  bool withdrawn = false;  // steps were slower: the program keeps its own algorithms
};

// The blocks of one process, by number. Empty with fewer than two of the program's own between two
// others.
std::optional<WholeStep> whole_step(const std::map<std::uint32_t, spool::StepBlock>& blocks);

// "a step: from …", a phrase.
std::string describe(spool::StepSource source);

}  // namespace rnnadvisor::launch
