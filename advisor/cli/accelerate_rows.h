// The kinds of calls of a run under `accelerate` or `try`, a row each: what was chosen, its times
// and why other algorithms were not. For accelerate_report.h.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "advisor/report/terminal.h"
#include "profiler/launch/collect.h"

namespace rnnadvisor::cli {

// The choices that processes made for calls of one configuration, as one: counts and costs of all,
// times of the first.
struct AlgorithmRow {
  launch::AlgorithmChoice choice;
  std::string name;       // "LSTM 2x512 half B32 T128"
  std::string site;       // "train.py:31"
  ExperimentTiming time;  // of what is in use; scope of the widest that was timed
  bool timed = false;
  Mode mode = Mode::training;
  double saved_ms = 0;  // in the whole run, an estimate
  int processes = 1;
};

// Accelerated ones first, then by what they save.
std::vector<AlgorithmRow> make_rows(const launch::Collected& collected);

// Calls of one layer: other batches, other lengths and evaluation are the same layer.
using LayerKey = std::tuple<std::string, int, Cell, int, int, int, Direction, DataType>;
LayerKey layer_of(const AlgorithmRow& row, const Profile& profile);

std::string faster(double speedup);                              // "4.67 times faster"
std::string in_place_of(const launch::AlgorithmChoice& choice);  // "persist_static in place of …"

bool lacks_memory(const launch::AlgorithmChoice& choice);
// Whether another algorithm came so far that cuDNN, its results or its times decided about it.
bool was_tried(const launch::AlgorithmChoice& choice);
// Whether one had the better median in times that vary too much.
bool has_unclear(const launch::AlgorithmChoice& choice, Mode mode);

void draw_row(advisor::Terminal& terminal, const AlgorithmRow& row);

}  // namespace rnnadvisor::cli
