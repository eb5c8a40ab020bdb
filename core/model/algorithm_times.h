// What each algorithm that cuDNN accepts for a configuration would take, predicted.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device_spec.h"
#include "core/model/eligibility.h"
#include "core/model/time_prediction.h"

namespace rnnadvisor::model {

struct AlgorithmTime {
  Algo algo = Algo::standard;
  Implementation implementation = Implementation::none;  // that would run
  std::array<std::optional<TimePrediction>, 4> phases;   // by Phase; those the mode asks for
  // Inference: the forward phase. Training: forward, backward data and backward weights together;
  // its interval adds theirs up, as if all missed to one side. Absent where a phase is.
  std::optional<TimePrediction> total;
  WrongResults wrong_results = WrongResults::none;  // small_h_wrong_results(): not to be used
  bool asked = false;  // the configuration's own, with its own backward algorithm
  // Clearly faster than all others whose results are right, that can be asked for and that keep the
  // precision of the products as far as the data has it: conversion of float32 to half does not.
  // None is best while the time of the one that runs is not known, and none that only another
  // program could ask for.
  bool best = false;
  // Where none is best: those that no other is clearly faster than.
  bool may_be_best = false;
  MathType math_type = MathType::default_math;  // that this row is of
};

// The algorithms that cuDNN would take for every phase that config.mode asks for, in the order of
// Algo. Algorithms that would silently run what another one does are left out; the configuration's
// own is among them even where its time is not predicted. `fixed`: a framework chooses the
// algorithm; then the others are what cuDNN has beside it. `other_math`: behind an
// algorithm also with other math types where it is predicted to be faster so (tensor_op for half,
// tensor_op_allow_conversion for float32, default): what a change of both gains has a row. Empty
// where nothing can be predicted.
std::vector<AlgorithmTime> algorithm_times(const RnnConfig& config, const DeviceSpec& device,
                                           const PredictTime& predict, bool fixed = false,
                                           bool other_math = false);

}  // namespace rnnadvisor::model
